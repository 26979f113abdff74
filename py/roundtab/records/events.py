"""Everything that a subscriber of the Training API may hear about, one record each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from roundtab.records.codec import from_plain, to_plain
from roundtab.records.ids import JobId
from roundtab.records.jobs import JobItem, Participant
from roundtab.records.rounds import Checkpoint, LogEntry, Round
from roundtab.records.validations import Validation


@dataclass(frozen=True, slots=True, kw_only=True)
class JobUpdated:
    """The record of a job changed. `item` is None when the job was deleted."""

    tag: ClassVar[str] = "job.updated"
    job: JobId
    item: JobItem | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundCompleted:
    """A round was committed."""

    tag: ClassVar[str] = "round.completed"
    job: JobId
    round: Round


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointSaved:
    """The checkpoint of a round is stored."""

    tag: ClassVar[str] = "checkpoint.saved"
    job: JobId
    checkpoint: Checkpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointSaveFailed:
    """The checkpoint of a round could not be stored; nothing of the round was."""

    tag: ClassVar[str] = "checkpoint.save_failed"
    job: JobId
    round: int
    problem: str
    action: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ParticipantUpdated:
    """A participant joined, changed its state or left."""

    tag: ClassVar[str] = "participant.updated"
    job: JobId
    participant: Participant


@dataclass(frozen=True, slots=True, kw_only=True)
class LogAppended:
    """The log of a job has a new entry."""

    tag: ClassVar[str] = "log.appended"
    job: JobId
    entry: LogEntry


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationCompleted:
    """A checkpoint was validated on request."""

    tag: ClassVar[str] = "validation.completed"
    job: JobId
    validation: Validation


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestProgress:
    """A long call reports how far it is."""

    tag: ClassVar[str] = "request.progress"
    id: str
    """What the caller gave as `progress`."""
    done: int
    total: int
    unit: str
    what: str
    """The step and what it works on, for people: «Checking checksums: train.csv»."""
    rate: float | None = None
    """Units a second since the step began; None where it only just did."""


Event = (
    JobUpdated
    | RoundCompleted
    | CheckpointSaved
    | CheckpointSaveFailed
    | ParticipantUpdated
    | LogAppended
    | ValidationCompleted
    | RequestProgress
)


def event_to_plain(event: Event, epoch: int, seq: int) -> dict[str, Any]:
    """`event` as it travels: name, `epoch` of the engine, `seq` within it (a gap means: read again), data."""
    return {"name": event.tag, "epoch": epoch, "seq": seq, "data": to_plain(event)}


_KINDS: dict[str, type[Event]] = {
    kind.tag: kind
    for kind in (
        JobUpdated,
        RoundCompleted,
        CheckpointSaved,
        CheckpointSaveFailed,
        ParticipantUpdated,
        LogAppended,
        ValidationCompleted,
        RequestProgress,
    )
}


def event_from_plain(plain: dict[str, Any]) -> Event | None:
    """The event in what travelled; None for one of a newer version."""
    kind = _KINDS.get(plain["name"])
    return None if kind is None else from_plain(kind, plain["data"])
