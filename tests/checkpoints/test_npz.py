"""What is written as npz is what numpy reads, without pickles."""

from __future__ import annotations

import json
import zipfile
from io import BytesIO
from typing import Any

import numpy as np
import numpy.typing as npt
from checkpoints.arrays import TEXT, arrays
from hypothesis import given
from hypothesis import strategies as st

from roundtab.checkpoints.npz import save

NAMES = st.from_regex(r"[a-z]{1,8}(/[a-z]{1,8})?", fullmatch=True)


@given(st.dictionaries(NAMES, arrays(), max_size=4), st.dictionaries(TEXT, TEXT, max_size=3))
def test_numpy_reads_the_same_tensors_and_the_metadata(
    tensors: dict[str, npt.NDArray[Any]], metadata: dict[str, str]
) -> None:
    """Under their names, bit for bit; the metadata is JSON in a text."""
    with np.load(BytesIO(save(tensors, metadata)), allow_pickle=False) as found:
        assert set(found) == {*tensors, "__metadata__"}
        for name, array in tensors.items():
            assert (found[name].dtype, found[name].shape) == (array.dtype, array.shape)
            assert found[name].tobytes() == array.tobytes()
        assert json.loads(str(found["__metadata__"])) == metadata


def test_equal_checkpoints_give_equal_bytes() -> None:
    """Whatever the time and the order of the tensors; nothing in the file is dated or compressed."""
    a, b = np.zeros(3, np.float32), np.ones((2, 2), np.float32)
    file = save({"a": a, "b/c": b}, {"round": "1", "job": "j"})
    assert file == save({"b/c": b, "a": a}, {"job": "j", "round": "1"})
    entries = zipfile.ZipFile(BytesIO(file)).infolist()
    assert [each.filename for each in entries] == ["a.npy", "b/c.npy", "__metadata__.npy"]
    assert {(each.date_time, each.compress_type, each.create_system) for each in entries} == {
        ((1980, 1, 1, 0, 0, 0), zipfile.ZIP_STORED, 3)
    }
