"""Losses with their gradients."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from roundtab.nn.kernels import Array


class Loss(NamedTuple):
    """A loss over rows."""

    total: float
    """Sum over the rows."""
    hits: int
    """Rows whose label has the largest logit."""
    grad: Array
    """Gradient of the mean loss with respect to the logits [rows, classes]."""


def softmax_cross_entropy(logits: Array, labels: npt.NDArray[np.int64]) -> Loss:
    """Cross-entropy of softmax(`logits`) [rows, classes] against the classes `labels` [rows].

    `logits` is overwritten with the gradient. Large logits do not overflow: the largest of each row is subtracted
    first.
    """
    rows = np.arange(len(labels))
    hits = int(np.count_nonzero(logits.argmax(axis=1) == labels))
    logits -= logits.max(axis=1, keepdims=True)
    of_label = logits[rows, labels]
    np.exp(logits, out=logits)
    sums = logits.sum(axis=1, keepdims=True)
    total = float(np.log(sums).sum(dtype=np.float64) - of_label.sum(dtype=np.float64))
    logits /= sums
    logits[rows, labels] -= np.float32(1)
    logits *= np.float32(1 / len(labels))
    return Loss(total, hits, logits)


class Errors(NamedTuple):
    """The errors of predicted quantities over rows."""

    squares: float
    """Sum of the squared errors."""
    absolutes: float
    """Sum of the absolute errors."""
    grad: Array
    """Gradient of the mean squared error with respect to the predictions [rows, 1]."""


def squared_error(predictions: Array, labels: npt.NDArray[np.float32]) -> Errors:
    """Squared error of `predictions` [rows, 1] against the quantities `labels` [rows].

    `predictions` is overwritten with the gradient. Sums are float64, so large errors do not overflow.
    """
    predictions -= labels[:, np.newaxis]
    wide = predictions.astype(np.float64)
    squares, absolutes = float(np.square(wide).sum()), float(np.abs(wide).sum())
    predictions *= np.float32(2 / len(labels))
    return Errors(squares, absolutes, predictions)
