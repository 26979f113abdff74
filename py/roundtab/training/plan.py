"""What stays the same through a whole run: the data, the settings, the totals."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from roundtab.data.dataset import Dataset
from roundtab.data.queue import Item, Queue
from roundtab.records.codec import to_plain
from roundtab.records.jobs import Job
from roundtab.records.rounds import QueueState, Round
from roundtab.records.values import Blob
from roundtab.training.messages import Hyper, Shape, pack


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A job made ready: data read, statistics taken."""

    job: Job
    data: Dataset
    validation_rows: Blob | None
    """The held-out rows, packed; None without validation data."""
    mean: np.ndarray
    """float32 [features]; with `scale`, the input statistics that travel in each checkpoint."""
    scale: np.ndarray

    @property
    def hyper(self) -> Hyper:
        """What a participant needs of the trainer settings."""
        trainer = self.job.config.trainer
        return Hyper(
            local_epochs=trainer.local_epochs,
            batch_size=trainer.batch_size,
            learning_rate=trainer.learning_rate,
            optimizer=trainer.optimizer,
            optimizer_options=trainer.optimizer_options,
        )

    @property
    def shape(self) -> Shape:
        """What a model needs to know of the data."""
        mean, scale = (0.0, 1.0) if self.data.classes else map(float, statistics(self.data.labels))
        return Shape(
            features=self.data.features.shape[1], classes=len(self.data.classes), label_mean=mean, label_scale=scale
        )

    def new_queue(self, state: QueueState | None) -> Queue:
        """The queue where `state` left it, or a fresh one."""
        trainer = self.job.config.trainer
        fresh = QueueState(seed=trainer.seed, pass_=0, position=0)
        return Queue(len(self.data.labels), trainer.batch_size, state or fresh)

    def items_per_round(self, queue: Queue) -> int:
        """Items to draw for one round."""
        return self.job.config.trainer.items_per_round or queue.items_per_pass

    def inputs(self) -> Blob:
        """The input statistics, packed."""
        return pack({"mean": self.mean, "scale": self.scale})

    def rows(self, items: Sequence[Item]) -> Blob:
        """The rows of `items`, packed."""
        rows = np.concatenate([item.rows for item in items])
        return pack({"features": self.data.features[rows], "labels": self.data.labels[rows]})

    def checkpoint_metadata(self, row: Round, queue: QueueState) -> dict[str, str]:
        """What a checkpoint file says about itself. Strings only, as the format asks."""
        job = self.job
        assert job.dataset is not None
        return {
            "format": "roundtab-checkpoint/1",
            "capability": f"{job.capability.name}@{job.capability.version}",
            "capability_sha256": job.capability.sha256,
            "parameters": json.dumps(job.config.parameters, sort_keys=True),
            "classes": json.dumps(list(self.data.classes)),
            "feature_names": json.dumps(list(self.data.feature_names)),
            "job": job.id,
            "round": str(row.round),
            "metrics": json.dumps(to_plain(row.metrics), sort_keys=True),
            "manifest_sha256": job.dataset.sha256,
            "queue": json.dumps(to_plain(queue), sort_keys=True),
        }


def work_total(rows: int, batch_size: int, rounds: int, items_per_round: int | None) -> int:
    """Examples that a job of so many rounds trains: items are `batch_size` rows, the last one of a pass the rest."""
    per_pass = -(-rows // batch_size)
    items = rounds * (items_per_round or per_pass)
    passes, rest = divmod(items, per_pass)
    return passes * rows + rest * batch_size


def statistics(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and scale of each column, float32; a constant column has scale 1. `columns` is [rows, …]."""
    mean = columns.mean(axis=0, dtype=np.float64)
    deviation = columns.std(axis=0, dtype=np.float64)
    return mean.astype(np.float32), np.where(deviation > 1e-8, deviation, 1.0).astype(np.float32)
