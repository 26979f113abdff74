"""`jobs.validate`, `validations.*`: what rounds are worth on held-out data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from roundtab.api.protocol.base import Files, Manifest, Request
from roundtab.records.ids import JobId
from roundtab.records.validations import Validation
from roundtab.records.values import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsValidate(Request[Validation], method="jobs.validate", response=Validation):
    """Evaluate a round on held-out data, whatever the job is doing; the result is kept with the job.

    Without a manifest it is the job's own validation data. Of a manifest with a validation split only the files of
    that split are needed. Their content is not stored: only their names, sizes and checksums are, in the result.
    """

    job: JobId
    round: Literal["latest"] | Annotated[int, Limits(0)] = "latest"
    manifest: Manifest | None = None
    files: Files = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationList:
    """Validations, oldest first."""

    items: tuple[Validation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationsList(Request[ValidationList], method="validations.list", response=ValidationList):
    """All validations: those that were asked for, and what each round has from its job's own validation data.

    `dataset_sha256` is a `Validation.data_sha256`: only those on this held-out data.
    """

    job: JobId | None = None
    dataset_sha256: Annotated[str, Limits(64, 64)] | None = None
