"""The life of a job: which event leads from which status to which, and what it changes.

The table is the one of the design, section 6. A pair that is not in it is refused with `Conflict` and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from roundtab.errors import Conflict
from roundtab.records.jobs import TERMINAL, Job, JobError, Status

Happening = Literal["start", "cancel", "end_cancel", "complete", "fail", "retry", "delete"]
"""What can happen to a job. `end_cancel` is the end of the clean-up after a cancel."""

STATUSES: tuple[Status, ...] = ("queued", "running", "completed", "failed", "cancelled")


def after(job: Job, happening: Happening, now: str, error: JobError | None = None) -> Job:
    """The record after `happening` at the time `now`; `error` goes with `fail`.

    Raises `Conflict` when the table has no such pair, or the job was queued by a retry and is to be deleted.
    """
    change = TABLE.get((job.status, happening))
    if change is None or (happening == "delete" and job.status == "queued" and job.attempt > 1):
        raise Conflict(*_refusal(job, happening))
    return change(job, now, error)


def _start(job: Job, now: str, _: JobError | None) -> Job:
    return replace(job, status="running", phase="validating", started_at=now)


def _cancel_queued(job: Job, now: str, _: JobError | None) -> Job:
    return replace(job, status="cancelled", phase=None, cancel_requested_at=now, completed_at=now)


def _cancel_running(job: Job, now: str, _: JobError | None) -> Job:
    return replace(job, cancel_requested_at=job.cancel_requested_at or now)


def _end_cancel(job: Job, now: str, _: JobError | None) -> Job:
    return replace(job, status="cancelled", phase=None, phase_reason=None, completed_at=now)


def _complete(job: Job, now: str, _: JobError | None) -> Job:
    return replace(job, status="completed", phase=None, phase_reason=None, completed_at=now)


def _fail(job: Job, now: str, error: JobError | None) -> Job:
    return replace(job, status="failed", phase=None, phase_reason=None, completed_at=now, error=error)


def _retry(job: Job, _now: str, _: JobError | None) -> Job:
    return replace(
        job,
        status="queued",
        attempt=job.attempt + 1,
        phase=None,
        phase_reason=None,
        error=None,
        started_at=None,
        completed_at=None,
        cancel_requested_at=None,
        participants=(),
        work=replace(job.work, done=0),
        rounds=replace(job.rounds, done=0),
    )


def _delete(job: Job, _now: str, _: JobError | None) -> Job:
    return job


Change = Callable[[Job, str, JobError | None], Job]

TABLE: dict[tuple[Status, Happening], Change] = {
    ("queued", "start"): _start,
    ("queued", "cancel"): _cancel_queued,
    ("queued", "delete"): _delete,
    ("running", "cancel"): _cancel_running,
    ("running", "end_cancel"): _end_cancel,
    ("running", "complete"): _complete,
    ("running", "fail"): _fail,
    **{(status, "retry"): _retry for status in STATUSES if status in TERMINAL},
    **{(status, "delete"): _delete for status in STATUSES if status in TERMINAL},
}


def _refusal(job: Job, happening: Happening) -> tuple[str, str]:
    verb = {
        "start": "started",
        "cancel": "cancelled",
        "end_cancel": "ended",
        "complete": "completed",
        "fail": "failed",
        "retry": "retried",
        "delete": "deleted",
    }[happening]
    actions: dict[tuple[bool, str], str] = {
        (True, "start"): "Retry it to start it again.",
        (True, "cancel"): "It has ended already; nothing is left to cancel.",
        (False, "retry"): "Start it if it is queued; a running job has to end first.",
        (False, "delete"): "Cancel it first, then delete it.",
        (False, "start"): "It runs already; watch it.",
    }
    action = actions.get((job.status in TERMINAL, happening), "Read the job again to see its present status.")
    return f"A job that is {job.status} cannot be {verb}.", action
