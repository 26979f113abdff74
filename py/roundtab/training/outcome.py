"""The outcome of a round: what is stored and shown of it, made from the contributions that count."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from roundtab.checkpoints import safetensors
from roundtab.clock import Clock
from roundtab.records.ids import Sha256
from roundtab.records.jobs import Job
from roundtab.records.rounds import Checkpoint, QueueState, Round
from roundtab.training.hands import Contribution
from roundtab.training.hashing import sha256_in_slices
from roundtab.training.messages import Trained
from roundtab.training.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A round that is ready to be committed."""

    row: Round
    checkpoint: Checkpoint
    data: memoryview
    """The file of the checkpoint."""
    work_done: int
    """Examples of all committed rounds, this one included."""


async def outcome(
    plan: Plan,
    job: Job,
    contributions: Sequence[Contribution],
    weights: Mapping[str, np.ndarray],
    validation: Mapping[str, float],
    *,
    steps: int,
    queue: QueueState,
    clock: Clock,
) -> Outcome:
    """The round after the last committed one of `job`; `steps` are the items trained before it."""
    number, now = job.rounds.done + 1, clock.now()
    work_done = job.work.done + sum(each.hand.examples for each in contributions)
    row = Round(
        round=number,
        steps=steps + sum(len(each.hand.items) for each in contributions),
        epochs=round(work_done / len(plan.data.labels), 6),
        examples=sum(each.report.count for each in contributions),
        metrics={
            **training_metrics([each.report for each in contributions]),
            **{f"val_{name}": value for name, value in validation.items()},
            "learning_rate": job.config.trainer.learning_rate,
        },
        committed_at=now,
    )
    tensors = {**weights, "inputs/mean": plan.mean, "inputs/scale": plan.scale}
    data = memoryview(safetensors.save(tensors, plan.checkpoint_metadata(row, queue)))
    checkpoint = Checkpoint(
        job=job.id,
        round=number,
        name=f"{job.id}-round-{number}.safetensors",
        bytes=len(data),
        sha256=Sha256(await sha256_in_slices(data, clock)),
        metrics=row.metrics,
        created_at=now,
    )
    return Outcome(row=row, checkpoint=checkpoint, data=data, work_done=work_done)


def training_metrics(reports: Sequence[Trained]) -> dict[str, float]:
    """`train_<name>`: the participants' values weighted by examples; NaN where one of them reports none."""
    total = sum(report.count for report in reports)
    names = dict.fromkeys(name for report in reports for name in report.metrics)
    return {
        f"train_{name}": sum(report.metrics.get(name, math.nan) * report.count for report in reports) / total
        for name in names
    }
