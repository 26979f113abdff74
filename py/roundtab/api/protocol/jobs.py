"""`jobs.*`: what changes a job, and the records themselves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from roundtab.api.protocol.base import Empty, Files, Manifest, Request
from roundtab.records.ids import JobId
from roundtab.records.jobs import Job, JobItem, Status
from roundtab.records.values import Json, Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationInput:
    """Held-out data under a manifest of its own."""

    manifest: Manifest
    files: Files = ()
    """Its files, where they are not among those of the training data; then names may stand in both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsCreate(Request[Job], method="jobs.create", response=Job):
    """Make a queued job, or raise all problems and make nothing."""

    spec: Json
    manifest: Manifest
    validation: ValidationInput | None = None
    ignore_split: bool = False
    """Leave out the files that the manifest marks as validation: they are neither needed nor used."""
    files: Files = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsStart(Request[Job], method="jobs.start", response=Job):
    """Start a queued job."""

    job: JobId


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsCancel(Request[Job], method="jobs.cancel", response=Job):
    """Cancel a queued job at once, ask a running one to end."""

    job: JobId


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsRetry(Request[Job], method="jobs.retry", response=Job):
    """Start a finished job again: metrics, artifacts and checkpoints are cleared, logs are kept."""

    job: JobId


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsDelete(Request[Empty], method="jobs.delete", response=Empty):
    """Delete a job that is finished or was never started, with everything that belongs to it."""

    job: JobId


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsGet(Request[Job], method="jobs.get", response=Job):
    """The record of a job."""

    job: JobId


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPage:
    """A page of jobs. Later pages pass the `as_of` of the first, so that pages neither repeat nor skip."""

    items: tuple[JobItem, ...]
    page: int
    page_size: int
    total: int
    as_of: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsList(Request[JobPage], method="jobs.list", response=JobPage):
    """The jobs of a project, newest first unless sorted otherwise."""

    org: str = "local"
    workspace: str = "default"
    project: str = "default"
    search: Annotated[str, Limits(0, 200)] = ""
    """Literal text, in any case, in name, id, status, model, dataset, trainer type or backend."""
    status: Status | None = None
    backend: str | None = None
    trainer_type: str | None = None
    sort: Literal["created_at", "-created_at", "name", "-name", "status", "-status"] = "-created_at"
    as_of: str | None = None
    page: Annotated[int, Limits(1, 1_000_000)] = 1
    page_size: Annotated[int, Limits(1, 100)] = 100
