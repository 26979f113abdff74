"""Updates are checked in words before any arithmetic sees them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from roundtab.errors import TrainingFailed
from roundtab.training.messages import Trained

_ACTION = "Its items are drawn again; check the participant if it happens again."

RESERVED = ("inputs/", "server/")
"""How the names of tensors begin that a checkpoint holds beside the model's own."""


SLACK = 64 * 2**10
"""Bytes that an update may be longer than the weights it began with: its header may be written otherwise."""


def check_size(size: int, handed_out: int) -> None:
    """Refuse an update that is much longer (bytes) than the weights that were handed out, before anything reads it."""
    if size > handed_out + SLACK:
        raise TrainingFailed(f"The update has {size:,} bytes, the weights handed out had {handed_out:,}.", _ACTION)


def check_report(report: Trained, *, round_number: int, handed_out: int) -> None:
    """Refuse a report that belongs to another round, or counts no examples or more than were handed out."""
    if report.round != round_number:
        raise TrainingFailed(f"The report is for round {report.round}, this is round {round_number}.", _ACTION)
    if not 0 < report.count <= handed_out:
        raise TrainingFailed(f"It counts {report.count} examples, {handed_out} were handed out.", _ACTION)


def check_weights(weights: Mapping[str, np.ndarray], expected: Mapping[str, np.ndarray]) -> None:
    """Refuse weights with other names, shapes or types than the model has, or with values that are not finite."""
    missing, extra = sorted(expected.keys() - weights.keys()), sorted(weights.keys() - expected.keys())
    if missing or extra:
        raise TrainingFailed(f"Tensors are missing ({missing[:5]}) or unknown ({extra[:5]}).", _ACTION)
    for name, model in expected.items():
        given = weights[name]
        if given.shape != model.shape:
            raise TrainingFailed(f"{name} has the shape {given.shape}, the model has {model.shape}.", _ACTION)
        if given.dtype != model.dtype:
            raise TrainingFailed(f"{name} has the type {given.dtype}, the model has {model.dtype}.", _ACTION)
        wrong = int(given.size - np.isfinite(given).sum())
        if wrong:
            raise TrainingFailed(f"{name} has {wrong} values that are not finite.", _ACTION)


def check_start(weights: Mapping[str, np.ndarray]) -> None:
    """Refuse starting weights that a checkpoint could not hold, or that no training can come from."""
    action = "Correct the model's init: it returns finite float32 arrays by name."
    if not weights:
        raise TrainingFailed("The model has no weights.", action)
    for name, array in weights.items():
        if name.startswith(RESERVED):
            raise TrainingFailed(f"The model calls a tensor {name!r}; that name is kept for checkpoints.", action)
        if array.dtype != np.float32:
            raise TrainingFailed(f"{name} starts with the type {array.dtype}.", action)
        if not np.isfinite(array).all():
            raise TrainingFailed(f"{name} starts with values that are not finite.", action)
