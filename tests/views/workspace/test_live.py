from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from roundtab.api.protocol import JobPage
from roundtab.records.events import (
    CheckpointSaved,
    JobUpdated,
    LogAppended,
    ParticipantUpdated,
    RequestProgress,
    RoundCompleted,
    ValidationCompleted,
)
from roundtab.records.ids import JobId, ParticipantId
from roundtab.records.jobs import Job, JobItem, Participant, job_item
from roundtab.records.rounds import Checkpoint, LogEntry, Round
from roundtab.views.workspace.live import with_event
from roundtab.views.workspace.state import NewJob, OpenJob, ValidateForm, WorkspaceState


@pytest.fixture
def job(make: Any) -> Job:
    """A running job."""
    return make.job()  # type: ignore[no-any-return]


def row(number: int) -> Round:
    return Round(round=number, steps=number, epochs=number, examples=1, metrics={}, committed_at="2026-01-01T00:00:00Z")


def checkpoint(job: Job, number: int) -> Checkpoint:
    return Checkpoint(
        job=job.id, round=number, name="c", bytes=1, sha256=job.capability.sha256, metrics={}, created_at=""
    )


def showing(job: Job, *items: JobItem, **opened: Any) -> WorkspaceState:
    page = JobPage(items=items, page=1, page_size=100, total=len(items), as_of="2026-12-31T00:00:00Z")
    return WorkspaceState(route="job", jobs=page, open=OpenJob(id=job.id, job=job, **opened))


def test_a_job_that_changed_changes_in_the_list_and_on_its_page(job: Job) -> None:
    """Both show the same status at the same moment."""
    after = replace(job, status="running", phase="training")
    state = with_event(showing(job, job_item(job, {})), JobUpdated(job=job.id, item=job_item(after, {})))
    assert state.jobs
    assert state.open
    assert state.open.job
    assert state.jobs.items[0].status == state.open.job.status == "running"
    assert state.open.job.config == job.config


def test_a_new_job_stands_first_and_is_counted(job: Job) -> None:
    """The list is sorted newest first, and its total stays right."""
    new = replace(job, id=JobId("job-new"), created_at="2027-01-01T00:00:00Z")
    state = with_event(showing(job, job_item(job, {})), JobUpdated(job=new.id, item=job_item(new, {})))
    assert state.jobs
    assert [each.id for each in state.jobs.items] == [new.id, job.id]
    assert state.jobs.total == 2


def test_an_older_job_that_was_not_loaded_is_left_out(job: Job) -> None:
    """A change of a job on a later page does not push it to the top of the first one."""
    old = replace(job, id=JobId("job-old"), created_at="2000-01-01T00:00:00Z")
    before = showing(job, job_item(job, {}))
    state = with_event(before, JobUpdated(job=old.id, item=job_item(old, {})))
    assert state.jobs == before.jobs


def test_a_deleted_job_leaves_the_list(job: Job) -> None:
    """And the total."""
    state = with_event(showing(job, job_item(job, {})), JobUpdated(job=job.id, item=None))
    assert state.jobs
    assert (state.jobs.items, state.jobs.total) == ((), 0)


def test_a_retry_clears_what_the_attempt_before_left(job: Job) -> None:
    """Rounds, checkpoints and participants go, logs stay."""
    entry = LogEntry(seq=1, attempt=1, timestamp="", level="info", message="Job created")
    before = showing(job, rounds=(row(1),), checkpoints=(checkpoint(job, 1),), logs=(entry,))
    state = with_event(before, JobUpdated(job=job.id, item=job_item(replace(job, attempt=2), {})))
    assert state.open
    assert (state.open.rounds, state.open.checkpoints, state.open.participants) == ((), (), ())
    assert state.open.logs == (entry,)


def test_rounds_checkpoints_and_log_grow(job: Job) -> None:
    """Each event of the open job adds what it tells; one that comes twice counts once."""
    state = showing(job)
    entry = LogEntry(seq=1, attempt=1, timestamp="", level="info", message="Round 1 committed")
    for event in (
        RoundCompleted(job=job.id, round=row(1)),
        RoundCompleted(job=job.id, round=row(2)),
        RoundCompleted(job=job.id, round=row(2)),
        CheckpointSaved(job=job.id, checkpoint=checkpoint(job, 1)),
        LogAppended(job=job.id, entry=entry),
    ):
        state = with_event(state, event)
    assert state.open
    assert [each.round for each in state.open.rounds] == [1, 2]
    assert [each.round for each in state.open.checkpoints] == [1]
    assert state.open.logs == (entry,)


def test_participants_stand_in_the_order_of_joining(job: Job) -> None:
    """Whichever of them was heard of last."""
    second = Participant(id=ParticipantId("p-2"), name="two", number=2, state="ready")
    first = Participant(id=ParticipantId("p-1"), name="one", number=1, state="ready")
    state = showing(job)
    for each in (second, first, replace(second, state="training")):
        state = with_event(state, ParticipantUpdated(job=job.id, participant=each))
    assert state.open
    assert [(each.name, each.state) for each in state.open.participants] == [("one", "ready"), ("two", "training")]


def test_events_of_other_jobs_change_nothing(job: Job) -> None:
    """The very same state comes back, so nothing is drawn."""
    state = showing(job)
    assert with_event(state, RoundCompleted(job=JobId("job-other"), round=row(1))) is state


def test_progress_is_shown_while_the_form_is_busy() -> None:
    """What comes late, after the call has ended, is dropped, and so is what other calls report."""
    event = RequestProgress(id="c", done=1, total=2, unit="bytes", what="Copying")
    busy = WorkspaceState(form=NewJob(busy="creating", call="c"))
    assert with_event(busy, event).form.progress == event
    assert with_event(busy, replace(event, id="of another tab")) is busy
    idle = WorkspaceState()
    assert with_event(idle, event) is idle


def test_progress_of_a_validation_is_shown_in_its_form(job: Job) -> None:
    """While that is busy with this very call."""
    event = RequestProgress(id="c", done=0, total=0, unit="rows", what="Evaluating round 4")
    state = with_event(showing(job, validate=ValidateForm(busy="validating", call="c")), event)
    assert state.open
    assert state.open.validate.progress == event
    idle = showing(job, validate=ValidateForm(call="c"))
    assert with_event(idle, event) is idle


def test_validations_grow_and_go_with_a_retry(job: Job, make: Any) -> None:
    """One that is heard of twice counts once."""
    state = showing(job)
    for number in (1, 2, 2):
        state = with_event(state, ValidationCompleted(job=job.id, validation=make.validation(number)))
    assert state.open
    assert [each.round for each in state.open.validations] == [1, 2]
    state = with_event(state, JobUpdated(job=job.id, item=job_item(replace(job, attempt=2), {})))
    assert state.open
    assert state.open.validations == ()
