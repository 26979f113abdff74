"""What gradients are compared with: finite differences in float64, at random places."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from roundtab.nn.kernels import Array


def random(*shape: int) -> Array:
    """Numbers around zero."""
    return np.random.default_rng(len(shape) + sum(shape)).standard_normal(shape, np.float32)


def numeric(function: Callable[[npt.NDArray[np.float64]], float], x: Array) -> npt.NDArray[np.float64]:
    """The gradient of `function` at `x` by central differences."""
    at = x.astype(np.float64)
    gradient = np.zeros_like(at)
    for place in np.ndindex(*at.shape):
        value, step = at[place], 1e-5
        at[place] = value + step
        above = function(at)
        at[place] = value - step
        gradient[place] = (above - function(at)) / (2 * step)
        at[place] = value
    return gradient
