"""The heavy arithmetic: everything that multiplies matrices does it here, so a faster kernel has one place to go."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float32]


def matmul(a: Array, b: Array) -> Array:
    """The product of `a` [m, k] and `b` [k, n], a new float32 [m, n]."""
    product: Array = np.matmul(a, b)
    return product
