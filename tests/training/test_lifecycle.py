"""The life of a job: the table of statuses, exhaustively."""

from __future__ import annotations

from dataclasses import replace

import pytest

from roundtab.errors import Conflict
from roundtab.records.ids import JobId, ParticipantId, Sha256
from roundtab.records.jobs import TERMINAL, CapabilityRef, Job, JobError, Metric, Participant, Rounds, Status, Work
from roundtab.records.spec import Spec
from roundtab.training.lifecycle import STATUSES, Happening, after

NOW = "2026-11-30T09:41:14.123Z"
HAPPENINGS: tuple[Happening, ...] = ("start", "cancel", "end_cancel", "complete", "fail", "retry", "delete")
ERROR = JobError(code="training_failed", problem="It broke.", action="Retry.")

LEADS_TO: dict[tuple[Status, Happening], Status] = {
    ("queued", "start"): "running",
    ("queued", "cancel"): "cancelled",
    ("queued", "delete"): "queued",
    ("running", "cancel"): "running",
    ("running", "end_cancel"): "cancelled",
    ("running", "complete"): "completed",
    ("running", "fail"): "failed",
    ("completed", "retry"): "queued",
    ("failed", "retry"): "queued",
    ("cancelled", "retry"): "queued",
    ("completed", "delete"): "completed",
    ("failed", "delete"): "failed",
    ("cancelled", "delete"): "cancelled",
}
"""The rules of the design; every pair that is not here is refused."""


def job(status: Status, **changes: object) -> Job:
    """A job in the middle of things."""
    made = Job(
        id=JobId("job-1"),
        org="local",
        workspace="default",
        project="default",
        backend="local",
        trainer_type="supervised",
        algorithm="fedavg",
        capability=CapabilityRef(name="small", version="1.0.0", sha256=Sha256("0" * 64)),
        model="Small",
        config=Spec(capability="small@1.0.0"),
        status=status,
        phase="training",
        phase_reason="round 3",
        metric=Metric(name="accuracy", direction="maximize"),
        work=Work(done=20, total=100, unit="samples"),
        rounds=Rounds(done=2, total=10),
        participants=(Participant(id=ParticipantId("p-1"), name="One", number=1, state="ready"),),
        created_at="2026-11-30T09:00:00.000Z",
        started_at="2026-11-30T09:00:01.000Z",
    )
    return replace(made, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("happening", HAPPENINGS)
@pytest.mark.parametrize("status", STATUSES)
def test_each_pair_leads_where_the_table_says_or_is_refused(status: Status, happening: Happening) -> None:
    """A refusal is a conflict that says what the job is and what to do, and changes nothing."""
    before = job(status)
    if (status, happening) in LEADS_TO:
        assert after(before, happening, NOW, ERROR).status == LEADS_TO[status, happening]
        return
    with pytest.raises(Conflict, match=f"A job that is {status} cannot be") as refused:
        after(before, happening, NOW, ERROR)
    assert refused.value.action.endswith(".")
    assert before == job(status)


def test_a_start_notes_its_time() -> None:
    """The phase says that data and capability are checked first."""
    started = after(job("queued", started_at=None), "start", NOW)
    assert (started.started_at, started.phase) == (NOW, "validating")


def test_a_running_job_that_is_cancelled_keeps_running_until_it_has_tidied_up() -> None:
    """Only the time of the first request counts."""
    asked = after(job("running"), "cancel", NOW)
    assert (asked.status, asked.cancel_requested_at, asked.completed_at) == ("running", NOW, None)
    assert after(asked, "cancel", "2027-01-01T00:00:00.000Z").cancel_requested_at == NOW
    ended = after(asked, "end_cancel", NOW)
    assert (ended.status, ended.completed_at, ended.phase, ended.phase_reason) == ("cancelled", NOW, None, None)


def test_a_cancelled_job_keeps_its_committed_rounds() -> None:
    """What was trained can still be downloaded."""
    assert after(job("running"), "end_cancel", NOW).rounds.done == 2


def test_completion_stands_even_if_a_cancel_was_asked_for() -> None:
    """What got through first counts."""
    done = after(after(job("running"), "cancel", NOW), "complete", NOW)
    assert (done.status, done.completed_at, done.phase) == ("completed", NOW, None)


def test_a_failure_says_why() -> None:
    """With a code for programs and words for people."""
    assert after(job("running"), "fail", NOW, ERROR).error == ERROR


def test_a_retry_begins_from_nothing() -> None:
    """Progress, error, times, participants and the cancel flag go; the attempt counts on."""
    failed = after(after(job("running"), "cancel", NOW), "fail", NOW, ERROR)
    queued = after(failed, "retry", NOW)
    assert queued == replace(
        job("queued", phase=None, phase_reason=None, started_at=None, participants=()),
        attempt=2,
        work=Work(done=0, total=100, unit="samples"),
        rounds=Rounds(done=0, total=10),
    )


def test_a_job_queued_by_a_retry_is_not_deleted_but_cancelled() -> None:
    """It starts by itself, so a delete would race with the start."""
    with pytest.raises(Conflict, match="queued cannot be deleted"):
        after(job("queued", attempt=2), "delete", NOW)
    assert after(job("queued", attempt=2), "cancel", NOW).status == "cancelled"


def test_terminal_statuses_are_those_that_only_retry_and_delete_leave() -> None:
    """The set that views and lists use is the one of the table."""
    for status in STATUSES:
        leaving = {happening for happening in HAPPENINGS if (status, happening) in LEADS_TO}
        assert (leaving == {"retry", "delete"}) == (status in TERMINAL)
