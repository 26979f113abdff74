"""What an event of the Training API changes in the picture. Pure: state in, state out."""

from __future__ import annotations

from dataclasses import replace

from roundtab.api.protocol import JobPage, JobState
from roundtab.records.events import (
    CheckpointSaved,
    Event,
    JobUpdated,
    LogAppended,
    ParticipantUpdated,
    RequestProgress,
    RoundCompleted,
    ValidationCompleted,
)
from roundtab.records.ids import JobId
from roundtab.records.jobs import Job, JobItem
from roundtab.views.workspace.api_state import pretty
from roundtab.views.workspace.state import OpenJob, WorkspaceState

_SHARED = tuple(
    name
    for name in JobItem.__slots__
    if name in Job.__slots__ and name not in ("dataset", "validation_dataset", "participants")
)
"""Fields that a list item and a record have in the same form."""


def with_event(state: WorkspaceState, event: Event) -> WorkspaceState:
    """The picture after `event`; the very same state when the event is of no interest here."""
    if isinstance(event, JobUpdated):
        return _job_updated(state, event.job, event.item)
    if isinstance(event, RequestProgress):
        return _progress(state, event)
    opened = state.open
    if opened is None or event.job != opened.id or (opened.job is None and opened.reading is None):
        return state
    return replace(state, open=_heard(_in_open_job(opened, event), event))


def reading(state: WorkspaceState, number: int) -> WorkspaceState:
    """The open job is being read: from now on its events are kept, to be told again when the answer is there."""
    return replace(state, open=replace(state.open, reading=number, heard=())) if state.open else state


def read(state: WorkspaceState, number: int, answer: JobState, now: str) -> WorkspaceState:
    """The answer of reading `number`, and what was heard since that began; a later reading makes it void."""
    opened = state.open
    if opened is None or opened.reading != number:
        return state
    fresh = replace(
        opened,
        job=answer.job,
        rounds=answer.rounds,
        checkpoints=answer.checkpoints,
        validations=answer.validations,
        participants=answer.participants,
        logs=answer.logs,
        state_text=pretty(answer),
        state_as_of=now,
        copied="",
        trouble=None,
        reading=None,
        heard=(),
    )
    state = replace(state, open=fresh)
    for event in opened.heard:
        state = with_event(state, event)
    return state


def _progress(state: WorkspaceState, event: RequestProgress) -> WorkspaceState:
    if state.form.busy and state.form.call == event.id:
        return replace(state, form=replace(state.form, progress=event))
    if state.open and state.open.validate.busy and state.open.validate.call == event.id:
        return replace(state, open=replace(state.open, validate=replace(state.open.validate, progress=event)))
    return state


def _heard(opened: OpenJob, event: Event) -> OpenJob:
    return opened if opened.reading is None else replace(opened, heard=(*opened.heard, event))


def _in_open_job(opened: OpenJob, event: Event) -> OpenJob:
    match event:
        case RoundCompleted(round=row):
            kept = tuple(each for each in opened.rounds if each.round < row.round)
            return replace(opened, rounds=(*kept, row))
        case CheckpointSaved(checkpoint=checkpoint):
            saved = tuple(each for each in opened.checkpoints if each.round < checkpoint.round)
            return replace(opened, checkpoints=(*saved, checkpoint))
        case ParticipantUpdated(participant=participant):
            others = [each for each in opened.participants if each.id != participant.id]
            together = sorted([*others, participant], key=lambda each: each.number)
            return replace(opened, participants=tuple(together))
        case ValidationCompleted(validation=validation):
            known = tuple(each for each in opened.validations if each.id != validation.id)
            return replace(opened, validations=(*known, validation))
        case LogAppended(entry=entry):
            before = tuple(each for each in opened.logs if each.seq < entry.seq)
            return replace(opened, logs=(*before, entry))
        case _:
            return opened


def _job_updated(state: WorkspaceState, job: JobId, item: JobItem | None) -> WorkspaceState:
    if state.jobs:
        state = replace(state, jobs=_in_list(state.jobs, job, item))
    opened = state.open
    if opened and opened.others and item is None:
        opened = replace(opened, others=tuple(each for each in opened.others if each.job != job))
        state = replace(state, open=opened)
    if opened is None or opened.id != job or item is None:
        return state
    opened = _heard(opened, JobUpdated(job=job, item=item))
    record = opened.job
    if record is None:
        return replace(state, open=opened)
    if item.attempt != record.attempt:
        opened = replace(opened, rounds=(), checkpoints=(), validations=(), participants=())
    shared = {name: getattr(item, name) for name in _SHARED}
    return replace(state, open=replace(opened, job=replace(record, **shared)))


def _in_list(page: JobPage, job: JobId, item: JobItem | None) -> JobPage:
    known = any(each.id == job for each in page.items)
    if item is None:
        left = tuple(each for each in page.items if each.id != job)
        return replace(page, items=left, total=page.total - known)
    if known:
        return replace(page, items=tuple(item if each.id == job else each for each in page.items))
    if page.items and item.created_at < page.items[-1].created_at:
        return page  # an older job that was not loaded yet
    return replace(page, items=(item, *page.items), total=page.total + 1)
