"""Validations: the metrics of a committed round on held-out data, so that rounds and jobs can be compared on it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from roundtab.records.ids import JobId, Sha256
from roundtab.records.jobs import CapabilityRef, DatasetRef, FileEntry, Job, Metric
from roundtab.records.rounds import Checkpoint, Round

Direction = Literal["maximize", "minimize"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The value of a metric, and which direction is better; None where the model declares no such metric."""

    value: float
    direction: Direction | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """What a checkpoint is worth on held-out data. Results with the same `data_sha256` may be compared."""

    id: str
    job: JobId
    round: int
    checkpoint_sha256: Sha256
    capability: CapabilityRef
    dataset: DatasetRef
    """The held-out files, as their manifest named them."""
    data_sha256: Sha256
    """Names the held-out data (`data_sha256`)."""
    metrics: dict[str, Measured]
    """By name, the metric that decides first."""
    count: int
    """Rows that were evaluated."""
    source: Literal["round", "asked"]
    """`round`: computed while the job trained, with its own validation data; `asked`: on request."""
    created_at: str


def data_sha256(files: Sequence[FileEntry]) -> Sha256:
    """What names held-out data, whichever manifest lists it.

    One file is named by its own sha256. Several are named by the sha256 of the text that has the sha256 of each, in
    their order, followed by a line feed. Names, versions and paths do not count.
    """
    if len(files) == 1:
        return files[0].sha256
    return Sha256(hashlib.sha256("".join(f"{each.sha256}\n" for each in files).encode()).hexdigest())


def measured(values: Mapping[str, float | None], declared: Sequence[Metric]) -> dict[str, Measured]:
    """`values` with the directions that the model declares, in its order; missing values are left out."""
    directions: dict[str, Direction] = {each.name: each.direction for each in declared}
    names = [*(name for name in directions if name in values), *(name for name in values if name not in directions)]
    found = {name: (values[name], directions.get(name)) for name in names}
    return {name: Measured(value=value, direction=way) for name, (value, way) in found.items() if value is not None}


def round_validation(job: Job, row: Round, checkpoint: Checkpoint, declared: Sequence[Metric]) -> Validation | None:
    """The validation values that a round has from the job's own validation data; None where it has none.

    `declared` are the metrics of the model, with their directions.
    """
    values = {name.removeprefix("val_"): value for name, value in row.metrics.items() if name.startswith("val_")}
    metrics = measured(values, declared)
    if not metrics or job.validation_dataset is None:
        return None
    return Validation(
        id=f"{job.id}-round-{row.round}",
        job=job.id,
        round=row.round,
        checkpoint_sha256=checkpoint.sha256,
        capability=job.capability,
        dataset=job.validation_dataset,
        data_sha256=data_sha256(job.validation_dataset.files),
        metrics=metrics,
        count=job.validation_dataset.rows or 0,
        source="round",
        created_at=row.committed_at,
    )


def round_validations(
    job: Job, rounds: Sequence[Round], checkpoints: Iterable[Checkpoint], declared: Sequence[Metric]
) -> list[Validation]:
    """Those of all rounds, oldest first."""
    saved = {each.round: each for each in checkpoints}
    found = [round_validation(job, row, saved[row.round], declared) for row in rounds if row.round in saved]
    return [each for each in found if each]


def best_value(measures: Iterable[Measured]) -> float | None:
    """The best of values of one metric on the same data, in its direction.

    None where there is no number, or no one direction that is better. NaN is never the best.
    """
    known = list(measures)
    directions = {each.direction for each in known}
    numbers = [each.value for each in known if each.value == each.value]  # NaN differs from itself
    if len(directions) != 1 or None in directions or not numbers:
        return None
    return max(numbers) if "maximize" in directions else min(numbers)
