"""What a job leaves behind: committed rounds, checkpoints, queue state, log entries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from roundtab.records.ids import JobId, Sha256
from roundtab.records.jobs import Metric
from roundtab.records.values import Json

FileFormat = Literal["safetensors", "npz", "onnx"]
"""What a checkpoint can be read as; also how the names of such files end. It is stored as safetensors."""
ExportFormat = Literal["npz", "onnx"]
"""Those that are written when somebody asks for them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueState:
    """Where the queue of a job stands; with the row count it decides every item still to come."""

    seed: int
    pass_: int
    """Number of the pass, from 0."""
    position: int
    """Items of this pass that were drawn."""
    returned: tuple[str, ...] = ()
    """Items that were drawn and given back, oldest first; they are drawn again before others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A committed round: its place on the three axes and its metric values."""

    round: int
    steps: int
    """Items trained so far, this round included."""
    epochs: float
    """Passes over the data so far."""
    examples: int
    """Examples trained in this round."""
    metrics: dict[str, float | None]
    """`train_<name>`, `val_<name>`, `learning_rate`; None is missing, NaN a value."""
    committed_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The weights after a round, as stored."""

    job: JobId
    round: int
    name: str
    """File name for downloads."""
    bytes: int
    sha256: Sha256
    metrics: dict[str, float | None]
    created_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """A line of a job's log. Entries of an earlier attempt stay and have a smaller `attempt`."""

    seq: int
    attempt: int
    timestamp: str
    level: Literal["debug", "info", "warning", "error"]
    message: str
    data: Json = None


def best_round(rounds: Sequence[Round], metric: Metric) -> int | None:
    """The round with the best validation value in the metric's direction; the earliest of equals.

    None without validation values: training values alone mark no round as best.
    """
    sign = 1 if metric.direction == "maximize" else -1
    best: tuple[float, int] | None = None
    for each in rounds:
        value = each.metrics.get(f"val_{metric.name}")
        if value is None or value != value:  # NaN differs from itself
            continue
        if best is None or sign * value > best[0]:
            best = (sign * value, each.round)
    return best[1] if best else None
