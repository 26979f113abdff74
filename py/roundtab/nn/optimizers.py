"""Optimizers: each turns a gradient into a step of the weights, both float32 vectors, in place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np

from roundtab.errors import InvalidData, Problem
from roundtab.nn.kernels import Array


class Optimizer(Protocol):
    """Keeps what it needs between the steps of one task."""

    def step(self, weights: Array, gradient: Array) -> None:
        """Change `weights` by one step; `gradient` is used as scratch space and has no meaning afterwards."""
        ...


class Sgd:
    """Gradient descent, with momentum where it is not 0: v ← momentum · v + g, w ← w − rate · v."""

    def __init__(self, learning_rate: float, momentum: float = 0.0) -> None:
        self._rate = np.float32(learning_rate)
        self._momentum = np.float32(momentum)
        self._velocity: Array | None = None

    def step(self, weights: Array, gradient: Array) -> None:
        """One step."""
        if self._momentum:
            if self._velocity is None:
                self._velocity = np.zeros_like(weights)
            self._velocity *= self._momentum
            self._velocity += gradient
            np.multiply(self._velocity, self._rate, out=gradient)
        else:
            gradient *= self._rate
        weights -= gradient


class Adam:
    """Adam (Kingma and Ba 2015, arXiv 1412.6980, algorithm 1)."""

    def __init__(self, learning_rate: float, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8) -> None:
        self._rate = learning_rate
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon
        self._steps = 0
        self._mean: Array | None = None
        self._square: Array | None = None
        self._scratch: Array | None = None

    def step(self, weights: Array, gradient: Array) -> None:
        """One step. The two bias corrections are folded into the step length and epsilon, as the paper suggests."""
        if self._mean is None or self._square is None or self._scratch is None:
            self._mean, self._square = np.zeros_like(weights), np.zeros_like(weights)
            self._scratch = np.empty_like(weights)
        mean, square, scratch = self._mean, self._square, self._scratch
        self._steps += 1
        mean *= np.float32(self._beta1)
        mean += np.multiply(gradient, np.float32(1 - self._beta1), out=scratch)
        square *= np.float32(self._beta2)
        np.multiply(gradient, gradient, out=gradient)
        gradient *= np.float32(1 - self._beta2)
        square += gradient
        correction = float(np.sqrt(1 - self._beta2**self._steps))
        np.sqrt(square, out=scratch)
        scratch += np.float32(self._epsilon * correction)
        np.divide(mean, scratch, out=scratch)
        scratch *= np.float32(self._rate * correction / (1 - self._beta1**self._steps))
        weights -= scratch


_MAKERS: dict[str, Callable[..., Optimizer]] = {"sgd": Sgd, "adam": Adam}
_OPTIONS = {
    "sgd": {"momentum": (0.0, 1.0)},
    "adam": {"beta1": (0.0, 1.0), "beta2": (0.0, 1.0), "epsilon": (0.0, float("inf"))},
}
"""Options of each optimizer: from, and below which value, they may be."""


def make_optimizer(name: str, learning_rate: float, options: Mapping[str, float]) -> Optimizer:
    """The optimizer `name` with its options; those that are not given have their usual values.

    Raises `InvalidData` with all problems: an unknown name or option, a value out of range.
    """
    if name not in _MAKERS:
        raise InvalidData(f"There is no optimizer {name!r}.", f"Choose one of {', '.join(_MAKERS)}.")
    known = _OPTIONS[name]
    problems: list[Problem] = []
    for option, value in options.items():
        path = f"$.spec.trainer.optimizer_options.{option}"
        if option not in known:
            problem = f"The optimizer {name!r} has no option {option!r}."
            problems.append(Problem(path=path, problem=problem, action=f"Choose among {', '.join(known)}."))
            continue
        least, below = known[option]
        if not least <= value < below:
            problem = f"{option} must be at least {least:g} and below {below:g}."
            problems.append(Problem(path=path, problem=problem, action="Give a value in this range."))
    if problems:
        raise InvalidData(f"The options of the optimizer {name!r} are not right.", "See the problems listed.", problems)
    return _MAKERS[name](learning_rate, **options)
