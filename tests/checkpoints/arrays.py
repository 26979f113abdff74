"""Arrays as checkpoints may have them, for property tests."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st

DTYPES = ["?", "u1", "i1", "i2", "u2", "f2", "i4", "u4", "f4", "c8", "f8", "i8", "u8"]
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@st.composite
def arrays(draw: st.DrawFn) -> npt.NDArray[Any]:
    """A small array of any type that the format has, NaN, scalars and empty ones included, in any order in memory."""
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    shape = tuple(draw(st.lists(st.integers(0, 3), max_size=3)))
    size = int(np.prod(shape)) * dtype.itemsize
    data = draw(st.binary(min_size=size, max_size=size))
    if dtype == np.bool_:
        data = bytes(byte & 1 for byte in data)
    array = np.frombuffer(data, dtype).reshape(shape)
    return array.T if draw(st.booleans()) else array
