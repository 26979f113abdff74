"""The job record: one training run, as every part of Roundtab and every wire shows it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from roundtab.records.ids import JobId, ParticipantId, Sha256
from roundtab.records.spec import Spec
from roundtab.records.values import Json

Status = Literal["queued", "running", "completed", "failed", "cancelled"]
TERMINAL: frozenset[Status] = frozenset({"completed", "failed", "cancelled"})

Phase = Literal[
    "validating",
    "waiting_for_participants",
    "training",
    "aggregating",
    "evaluating",
    "saving",
    "recovering",
]
"""Explains a queued or running job; the status decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CapabilityRef:
    """A version of a capability, with the checksum of its code."""

    name: str
    version: str
    sha256: Sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEntry:
    """A data file of a job: its manifest path, size and checksum."""

    path: str
    bytes: int
    sha256: Sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetRef:
    """A set of data files under a manifest."""

    name: str
    version: str | None = None
    sha256: Sha256
    """Checksum of the manifest."""
    files: tuple[FileEntry, ...] = ()
    rows: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A measure of a model and the direction that is better."""

    name: str
    direction: Literal["maximize", "minimize"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Progress in the work unit of the model; `done` counts committed rounds only."""

    done: int
    total: int
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """Committed rounds of those planned."""

    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JobError:
    """Why a job failed, and what to do."""

    code: str
    problem: str
    action: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant:
    """One who trains for a job."""

    id: ParticipantId
    name: str
    number: int
    """Order of joining, from 1."""
    state: Literal["starting", "ready", "training", "reported", "evaluating", "left"]
    items_now: int = 0
    """Items handed out and not yet reported."""
    examples_done: int = 0
    """Examples of its aggregated updates."""
    items_done: int = 0
    """Items of its aggregated updates."""
    refusals: int = 0
    """Updates refused in a row."""
    problem: str | None = None
    action: str | None = None
    last_seen_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One training run. Times are RFC 3339 in UTC."""

    id: JobId
    org: str
    workspace: str
    project: str
    name: str | None = None
    tags: tuple[str, ...] = ()
    created_by: str | None = None
    """Origin of the site that created it."""
    backend: Literal["browser", "local"]
    trainer_type: Literal["supervised", "reinforcement"]
    algorithm: str
    capability: CapabilityRef
    model: str
    config: Spec
    dataset: DatasetRef | None = None
    validation_dataset: DatasetRef | None = None
    status: Status
    phase: Phase | None = None
    phase_reason: str | None = None
    cancel_requested_at: str | None = None
    metric: Metric
    work: Work
    rounds: Rounds
    participants: tuple[Participant, ...] = ()
    metrics: dict[str, Json] = field(default_factory=dict)
    """Series by name on the axes `rounds`, `steps`, `epochs`, and scalars; assembled from the committed rounds."""
    artifacts: dict[str, Json] = field(default_factory=dict)
    error: JobError | None = None
    attempt: int = 1
    created_at: str
    started_at: str | None = None
    completed_at: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobItem:
    """A job in a list: the record without metrics, config and artifacts, with its latest metric values."""

    id: JobId
    org: str
    workspace: str
    project: str
    name: str | None
    tags: tuple[str, ...]
    backend: str
    trainer_type: str
    algorithm: str
    capability: CapabilityRef
    model: str
    dataset: str | None
    validation_dataset: str | None
    status: Status
    phase: Phase | None
    phase_reason: str | None
    cancel_requested_at: str | None
    metric: Metric
    latest: dict[str, float | None]
    """Metric values of the newest committed round."""
    work: Work
    rounds: Rounds
    participants: int
    """Connected participants."""
    error: JobError | None
    attempt: int
    created_at: str
    started_at: str | None
    completed_at: str | None


def job_item(job: Job, latest: dict[str, float | None]) -> JobItem:
    """The list form of `job`."""
    same = {name: getattr(job, name) for name in JobItem.__slots__ if hasattr(job, name)}
    return JobItem(
        **same
        | {
            "dataset": job.dataset.name if job.dataset else None,
            "validation_dataset": job.validation_dataset.name if job.validation_dataset else None,
            "participants": sum(each.state != "left" for each in job.participants),
            "latest": latest,
        }
    )
