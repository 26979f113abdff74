"""Validation of a committed round on held-out data, whatever its job is doing. The job is not touched by it."""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar

import numpy as np

from roundtab.capabilities.catalogue import Catalogue
from roundtab.checkpoints import safetensors
from roundtab.checkpoints.archive import Archive
from roundtab.clock import Clock
from roundtab.data.dataset import Dataset
from roundtab.data.files import FileSource
from roundtab.data.manifests.manifest import parse_manifest
from roundtab.errors import Conflict, Stopped
from roundtab.records.capabilities import CapabilityInfo
from roundtab.records.ids import JobId, new_id
from roundtab.records.jobs import TERMINAL, DatasetRef, Job
from roundtab.records.rounds import Checkpoint
from roundtab.records.validations import Validation, data_sha256, measured
from roundtab.records.values import Json
from roundtab.training.errands import Errands
from roundtab.training.evaluation import evaluate
from roundtab.training.messages import Evaluated, pack
from roundtab.training.portions import Handed, Intake, only, unlike
from roundtab.training.preparation import read_copy, same_capability
from roundtab.training.updates import RESERVED

T = TypeVar("T")

PATIENCE = 3600.0
"""Seconds for an evaluation. Whoever asked for it may stop it sooner."""


class Progress(Protocol):
    """How whoever asked is told, and stops it."""

    def tell(self, done: int, total: int, unit: str, what: str) -> None:
        """What is being done, and how far it is. May raise `Stopped`."""
        ...

    async def during(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of `work`. Raises `Stopped` instead when it is stopped meanwhile."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """Held-out data that comes with the request: the manifest, as it was sent, and its files."""

    manifest: Json
    files: Sequence[FileSource]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is validated: a checkpoint with what is in its file, of a job as it was when this was asked for."""

    job: Job
    info: CapabilityInfo
    checkpoint: Checkpoint
    tensors: Mapping[str, np.ndarray]
    metadata: Mapping[str, str]

    def names(self, key: str) -> tuple[str, ...]:
        """`feature_names` or `classes` of the training data."""
        return tuple(json.loads(self.metadata[key]))


class Validator:
    """Validates the checkpoints of one archive."""

    def __init__(self, archive: Archive, catalogue: Catalogue, errands: Errands, clock: Clock) -> None:
        self._archive = archive
        self._catalogue = catalogue
        self._errands = errands
        self._clock = clock

    async def validate(
        self, job_id: JobId, number: int | Literal["latest"], given: Given | None, progress: Progress
    ) -> Validation:
        """Evaluate a round on the given data, else on the job's own validation data, and keep the result.

        Raises whatever is wrong with the request or the data, or went wrong in the model; then nothing is kept.
        """
        subject = await self._subject(job_id, number)
        dataset, data = await (self._read(subject, given, progress) if given else self._own(subject.job, progress))
        checkpoint = subject.checkpoint

        def heard(done: int) -> None:
            with suppress(Stopped):  # `during` ends the evaluation
                progress.tell(min(done, len(data)), len(data), "rows", f"Evaluating round {checkpoint.round}")

        heard(0)
        evaluated = await progress.during(self._evaluate(subject, data, heard))
        validation = Validation(
            id=new_id("validation"),
            job=job_id,
            round=checkpoint.round,
            checkpoint_sha256=checkpoint.sha256,
            capability=subject.job.capability,
            dataset=dataset,
            data_sha256=data_sha256(dataset.files),
            metrics=measured(evaluated.metrics, subject.info.metrics),
            count=evaluated.count,
            source="asked",
            created_at=self._clock.now(),
        )
        message = f"Round {checkpoint.round} validated on {dataset.name}, {len(data):,} rows"
        await self._archive.keep_validation(subject.job, validation, message)
        return validation

    async def _subject(self, job_id: JobId, number: int | Literal["latest"]) -> Subject:
        """What to validate. That the model can be evaluated is asked before anything is read."""
        job = self._archive.job(job_id)
        info = same_capability(job, self._catalogue)
        if info.evaluation != "dataset":
            raise Conflict(
                "This model declares no evaluation.", "Test a downloaded checkpoint in the model's own inference tool."
            )
        if not job.rounds.done:
            if job.status in TERMINAL:
                raise Conflict("The job ended before its first round was saved.", "Retry it, then validate a round.")
            raise Conflict("The job has no checkpoint yet.", "Validate it once its first round is saved.")
        chosen = job.rounds.done if number == "latest" else number
        checkpoint, file = await self._archive.history.checkpoint(job_id, chosen)
        tensors, metadata = safetensors.load(file)
        return Subject(job=job, info=info, checkpoint=checkpoint, tensors=tensors, metadata=metadata)

    async def _own(self, job: Job, progress: Progress) -> tuple[DatasetRef, Dataset]:
        dataset = job.validation_dataset
        if dataset is None:
            raise Conflict("This job has no validation data of its own.", "Choose a manifest and its held-out files.")
        progress.tell(0, len(dataset.files), "files", f"Reading {dataset.name}")
        return dataset, await read_copy(job, dataset, "validation", self._archive, self._clock)

    async def _read(self, subject: Subject, given: Given, progress: Progress) -> tuple[DatasetRef, Dataset]:
        """Given data, checked as at the creation of a job, and held to the columns that the checkpoint learned from."""
        manifest = only("validation", parse_manifest(given.manifest))
        handed = Handed(manifest=manifest, files=given.files)
        intake = Intake(clock=self._clock, tell=progress.tell, spared="The job is as it was.")
        await intake.verify(handed)
        (portion,) = await intake.read({"validation": (handed, manifest.resources)})
        problems = unlike(portion.data, subject.names("feature_names"), subject.names("classes"), "$.manifest")
        intake.refuse("data", problems)
        return portion.reference, portion.data

    async def _evaluate(self, subject: Subject, data: Dataset, heard: Callable[[int], None]) -> Evaluated:
        """The metrics, from a trainer that is started for this."""
        tensors = subject.tensors
        weights = {name: array for name, array in tensors.items() if not name.startswith(RESERVED)}
        inputs = pack({name.removeprefix("inputs/"): tensors[name] for name in ("inputs/mean", "inputs/scale")})
        rows = pack({"features": data.features, "labels": data.labels})
        async with self._errands.trainer() as trainer:
            return await evaluate(trainer, subject.job.capability, weights, inputs, rows, within=PATIENCE, heard=heard)
