"""`jobs.logs`, `.series`, `.state`, `.artifacts`: what a job has done so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from roundtab.api.protocol.base import Request, Storage
from roundtab.records.ids import JobId
from roundtab.records.jobs import Job, Participant
from roundtab.records.rounds import Checkpoint, LogEntry, QueueState, Round
from roundtab.records.validations import Validation
from roundtab.records.values import Blob, Json, Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPage:
    """Log entries in order."""

    items: tuple[LogEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsLogs(Request[LogPage], method="jobs.logs", response=LogPage):
    """Log entries with a `seq` above `after`, oldest first; without `after` the newest ones."""

    job: JobId
    after: int | None = None
    limit: Annotated[int, Limits(1, 10_000)] = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Metric series as numbers.

    `values` is float64, little-endian, one row of `length` numbers a key; `mask` is one byte a number, 0 where the
    value is missing (NaN with mask 1 is a value).
    """

    keys: tuple[str, ...]
    length: int
    values: Blob
    mask: Blob


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsSeries(Request[Series], method="jobs.series", response=Series):
    """Series by committed round; without `keys` all of them, the axes `rounds`, `steps`, `epochs` first."""

    job: JobId
    keys: Annotated[tuple[str, ...], Limits(1, 1_000)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobState:
    """Everything the API knows about a job."""

    job: Job
    queue: QueueState | None
    participants: tuple[Participant, ...]
    rounds: tuple[Round, ...]
    checkpoints: tuple[Checkpoint, ...]
    validations: tuple[Validation, ...]
    """Those that were asked for; what the rounds have from the job's own validation data is in `rounds`."""
    logs: tuple[LogEntry, ...]
    storage: Storage
    errors: tuple[Json, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsState(Request[JobState], method="jobs.state", response=JobState):
    """Everything the API knows about a job, in one answer."""

    job: JobId


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifacts:
    """What a job produced and what it was made from."""

    artifacts: dict[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsArtifacts(Request[Artifacts], method="jobs.artifacts", response=Artifacts):
    """Checkpoints and the checksums of data and capability."""

    job: JobId
