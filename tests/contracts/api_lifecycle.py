"""Rules of a job's life: every status with every action, exactly as the table of the design has it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime

from contracts.api_world import Contract, differences, error_of

from roundtab.api.protocol import (
    JobsArtifacts,
    JobsCancel,
    JobsDelete,
    JobsList,
    JobsRetry,
    JobsStart,
    JobsState,
    ParticipantsAddLocal,
    ParticipantsList,
)
from roundtab.errors import Conflict, NotFound
from roundtab.records.ids import JobId
from roundtab.records.jobs import TERMINAL, Status

STATUSES: tuple[Status, ...] = ("queued", "running", "completed", "failed", "cancelled")
PHASE = {"phase", "phase_reason"}

ACTIONS: dict[str, Callable[[Contract, JobId], Awaitable[object]]] = {
    "start": lambda contract, job: contract.client.call(JobsStart(job=job)),
    "cancel": lambda contract, job: contract.client.call(JobsCancel(job=job)),
    "retry": lambda contract, job: contract.client.call(JobsRetry(job=job)),
    "delete": lambda contract, job: contract.client.call(JobsDelete(job=job)),
    "add a trainer": lambda contract, job: contract.client.call(ParticipantsAddLocal(job=job)),
}

ALLOWED = {
    ("queued", "start"),
    ("queued", "cancel"),
    ("queued", "delete"),
    ("running", "cancel"),
    ("running", "add a trainer"),
    *((status, action) for status in TERMINAL for action in ("retry", "delete")),
}
"""Pairs of status and action; every other one is refused."""


def ordered(*times: str | None) -> None:
    """Check that all these are times, each not before the one ahead of it."""
    assert all(time is not None and time.endswith("Z") for time in times)
    moments = [datetime.fromisoformat(time or "") for time in times]
    assert moments == sorted(moments)


async def what_the_table_does_not_have_is_refused_and_changes_nothing(contract: Contract) -> None:
    """With the code `conflict`, the status in words, and what to do instead."""
    for status in STATUSES:
        job = await contract.in_status(status)
        before, log = await contract.get(job.id), await contract.log(job.id)
        for action, act in ACTIONS.items():
            if (status, action) in ALLOWED:
                continue
            error = await error_of(act(contract, job.id))
            assert type(error) is Conflict, (status, action)
            assert f"A job that is {status}" in error.problem
            assert error.action
            assert await contract.get(job.id) == before
            assert await contract.log(job.id) == log


async def a_queued_job_starts(contract: Contract) -> None:
    """It is running, with the time of the start; a second start is refused."""
    before = await contract.in_status("queued")
    job = await contract.client.call(JobsStart(job=before.id))
    assert differences(before, job) - PHASE == {"status", "started_at"}
    assert job.status == "running"
    assert job.phase in ("validating", "waiting_for_participants")
    ordered(before.created_at, job.started_at)


async def a_queued_job_is_cancelled_at_once(contract: Contract) -> None:
    """Asked for and ended at the same time; it was never started."""
    before = await contract.in_status("queued")
    job = await contract.client.call(JobsCancel(job=before.id))
    assert differences(before, job) == {"status", "cancel_requested_at", "completed_at"}
    assert job.status == "cancelled"
    ordered(before.created_at, job.cancel_requested_at, job.completed_at)


async def a_running_job_is_asked_to_end(contract: Contract) -> None:
    """It is still running when the call returns, and cancelled once it has tidied up; asking again changes nothing."""
    before = await contract.in_status("running")
    asked = await contract.client.call(JobsCancel(job=before.id))
    assert differences(before, asked) - PHASE == {"cancel_requested_at"}
    ended = await contract.ended(before.id)
    assert differences(before, ended) - PHASE == {"status", "cancel_requested_at", "completed_at"}
    assert (ended.status, ended.phase, ended.phase_reason, ended.error) == ("cancelled", None, None, None)
    assert ended.cancel_requested_at == asked.cancel_requested_at
    ordered(before.started_at, ended.cancel_requested_at, ended.completed_at)


async def a_job_completes_with_its_last_round(contract: Contract) -> None:
    """All work is done and nothing is left of its phases."""
    job = await contract.in_status("completed")
    assert (job.status, job.phase, job.phase_reason, job.error) == ("completed", None, None, None)
    assert (job.rounds.done, job.work.done) == (job.rounds.total, job.work.total) == (2, 120)
    assert len(job.metrics["rounds"]) == len(job.artifacts["checkpoints"]) == 2
    ordered(job.created_at, job.started_at, job.completed_at)


async def a_job_that_cannot_go_on_fails_with_the_reason(contract: Contract) -> None:
    """A model that diverges is refused by the checks of its updates until no participant is left."""
    job = await contract.in_status("failed")
    assert (job.status, job.phase, job.phase_reason) == ("failed", None, None)
    assert job.error is not None
    assert (job.error.code, job.rounds.done) == ("training_failed", 0)
    assert job.error.problem.startswith("Every participant was stopped.")
    assert "smaller learning rate" in job.error.action
    state = await contract.client.call(JobsState(job=job.id))
    assert state.errors == ({"code": job.error.code, "problem": job.error.problem, "action": job.error.action},)
    ordered(job.started_at, job.completed_at)


async def a_retry_begins_from_nothing(contract: Contract) -> None:
    """Rounds, metrics, checkpoints, error, times and cancel flag go; the log stays behind a divider.

    So from every terminal status; and the job starts by itself.
    """
    for status in TERMINAL:
        before = await contract.in_status(status)
        log = await contract.log(before.id)
        job = await contract.client.call(JobsRetry(job=before.id))
        assert (job.status, job.attempt) == ("running", 2)
        assert (job.error, job.cancel_requested_at, job.completed_at) == (None, None, None)
        assert (job.rounds.done, job.work.done, job.metrics, job.artifacts["checkpoints"]) == (0, 0, {}, [])
        expected = {"status", "attempt", "completed_at", "started_at", "error", "cancel_requested_at"}
        assert differences(before, job) <= expected | PHASE | {"rounds", "work", "metrics", "artifacts", "participants"}
        ordered(before.completed_at, job.started_at)
        if status == "cancelled":
            await contract.client.call(JobsCancel(job=job.id))
        ended = await contract.ended(job.id, attempt=2)
        assert (ended.status, ended.attempt) == (status, 2)
        after = await contract.log(job.id)
        assert after[: len(log)] == log
        assert {entry.attempt for entry in log} == {1}
        assert after[len(log)].message == "Attempt 2"
        assert {entry.attempt for entry in after[len(log) :]} == {2}
        assert [entry.seq for entry in after] == sorted({entry.seq for entry in after})


async def a_retry_trains_the_same_again(contract: Contract) -> None:
    """With the same seed the metrics are the same to the last digit, and so are the checkpoints' sizes."""
    first = await contract.in_status("completed")
    await contract.client.call(JobsRetry(job=first.id))
    second = await contract.ended(first.id, attempt=2)
    assert second.metrics == first.metrics
    assert second.config == first.config
    sizes = [[each["bytes"] for each in job.artifacts["checkpoints"]] for job in (first, second)]
    assert sizes[0] == sizes[1]


async def a_deleted_job_is_gone_with_everything(contract: Contract) -> None:
    """From each status that allows it; what it stored goes too."""
    before = await contract.stored()
    for status in STATUSES:
        if (status, "delete") not in ALLOWED:
            continue
        job = await contract.in_status(status)
        await contract.client.call(JobsDelete(job=job.id))
        await contract.heard(lambda event, job=job: event["data"] == {"job": job.id, "item": None})  # type: ignore[misc]
        for request in (JobsState, JobsArtifacts, ParticipantsList, JobsDelete):
            assert type(await error_of(contract.client.call(request(job=job.id)))) is NotFound
        assert (await contract.client.call(JobsList(project=contract.project))).total == 0
        assert await contract.stored() == before


async def a_start_right_behind_another_one_is_refused(contract: Contract) -> None:
    """Two tabs may press at once; the job runs once."""
    job = await contract.in_status("queued")
    await contract.client.call(JobsStart(job=job.id))
    assert type(await error_of(contract.client.call(JobsStart(job=job.id)))) is Conflict
    messages = [entry.message for entry in await contract.log(job.id)]
    assert messages.count("Job started") == 1


async def each_change_is_told(contract: Contract) -> None:
    """`job.updated` carries the list form of the record as it is then."""
    job = await contract.trained()
    items = [event["data"]["item"] for event in contract.events if event["name"] == "job.updated"]
    assert {item["id"] for item in items} == {job.id}
    assert list(dict.fromkeys(item["status"] for item in items)) == ["queued", "running", "completed"]
    phases = list(dict.fromkeys(item["phase"] for item in items))
    for phase in ("validating", "training", "aggregating", "evaluating", "saving"):
        assert phase in phases
    assert [item["rounds"]["done"] for item in items] == sorted(item["rounds"]["done"] for item in items)


RULES = (
    what_the_table_does_not_have_is_refused_and_changes_nothing,
    a_queued_job_starts,
    a_queued_job_is_cancelled_at_once,
    a_running_job_is_asked_to_end,
    a_job_completes_with_its_last_round,
    a_job_that_cannot_go_on_fails_with_the_reason,
    a_retry_begins_from_nothing,
    a_retry_trains_the_same_again,
    a_deleted_job_is_gone_with_everything,
    a_start_right_behind_another_one_is_refused,
    each_change_is_told,
)
