"""The checkpoint format is that of the `safetensors` package, read strictly."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from checkpoints.arrays import TEXT, arrays
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from roundtab.checkpoints.safetensors import load, save
from roundtab.errors import InvalidData

MODELS = st.dictionaries(TEXT.filter(lambda name: name != "__metadata__"), arrays(), max_size=5)
METADATA = st.none() | st.dictionaries(TEXT, TEXT, max_size=3)


def file_of(header: object, data: bytes = b"") -> bytes:
    """A file with this header, whatever it says."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def same(one: Mapping[str, npt.NDArray[Any]], other: Mapping[str, npt.NDArray[Any]]) -> bool:
    """Whether names, types, shapes and bytes agree."""
    return one.keys() == other.keys() and all(
        one[name].dtype == other[name].dtype
        and one[name].shape == other[name].shape
        and one[name].tobytes() == other[name].tobytes()
        for name in one
    )


@given(MODELS, METADATA)
def test_tensors_come_back_from_a_file_the_same(
    model: dict[str, npt.NDArray[Any]], metadata: dict[str, str] | None
) -> None:
    """Every type and shape, bit for bit, and the metadata."""
    tensors, found = load(save(model, metadata))
    assert same(tensors, model)
    assert found == (metadata or {})


@pytest.mark.cpython_only(reason="compares with the safetensors package, which is compiled")
@settings(max_examples=200)
@given(MODELS, METADATA)
def test_a_file_is_byte_for_byte_that_of_the_safetensors_package(
    model: dict[str, npt.NDArray[Any]], metadata: dict[str, str] | None
) -> None:
    """So its checksum does not depend on who wrote it."""
    package = pytest.importorskip("safetensors.numpy")
    if metadata is not None:
        # The package writes several keys in an order that changes from call to call, ours are sorted.
        metadata = dict(list(metadata.items())[:1])
    # Of no tensors and empty metadata, version 0.8 of the package makes a header that is not JSON.
    assume(model or metadata != {})
    written = {name: np.ascontiguousarray(array).reshape(array.shape) for name, array in model.items()}
    assert save(model, metadata) == package.save(written, metadata)


@pytest.mark.cpython_only(reason="compares with the safetensors package, which is compiled")
@settings(max_examples=1_000)
@given(st.data())
def test_a_damaged_file_is_refused_exactly_if_the_package_refuses_it(data: st.DataObject) -> None:
    """Nobody gets other weights from a file than other tools do. Only duplicate keys are refused here alone."""
    package = pytest.importorskip("safetensors.numpy")
    package_error = pytest.importorskip("safetensors").SafetensorError
    model: dict[str, npt.NDArray[Any]] = {
        "a": np.arange(4, dtype=np.float32),
        "b/c": np.ones((2, 1), np.int16),
        "e": np.zeros(0, np.float64),
    }
    damaged = bytearray(save(model, {"round": "3"}))
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(damaged) - 1))
        kind = data.draw(st.sampled_from(["set", "cut", "add", "digit"]))
        if kind == "cut":
            del damaged[place : place + data.draw(st.integers(1, 4))]
        elif kind == "add":
            damaged[place:place] = data.draw(st.binary(min_size=1, max_size=3))
        else:
            damaged[place] = data.draw(
                st.sampled_from(b'0123456789"[]{},: ') if kind == "digit" else st.integers(0, 255)
            )
        if len(damaged) == 0:
            return
    try:
        ours: dict[str, npt.NDArray[Any]] | None = load(bytes(damaged))[0]
    except InvalidData as error:
        ours = None
        if "stands twice" in error.problem:
            return
    try:
        theirs: dict[str, npt.NDArray[Any]] | None = package.load(bytes(damaged))
    except (package_error, KeyError, ValueError):
        theirs = None
    assert (ours is None) == (theirs is None)
    if ours is not None and theirs is not None:
        assert same(ours, theirs)


def test_a_loaded_tensor_is_a_view_of_the_file() -> None:
    """A checkpoint of any size is loaded without a second copy of it, and cannot be changed by accident."""
    data = save({"a": np.ones(3, np.float32)})
    tensors, _ = load(data)
    assert np.shares_memory(tensors["a"], np.frombuffer(data, np.uint8))
    assert not tensors["a"].flags.writeable
    assert load(memoryview(bytearray(data)))[0]["a"].flags.writeable


def test_arrays_that_lie_otherwise_in_memory_are_written_in_their_order() -> None:
    """Transposed, strided and big-endian ones."""
    array = np.arange(6, dtype=">f4").reshape(2, 3)
    (tensors, _) = load(save({"t": array.T, "s": array[:, ::2]}))
    assert tensors["t"].tolist() == array.T.tolist()
    assert tensors["s"].tolist() == array[:, ::2].tolist()


@pytest.mark.parametrize("array", [np.array(["text"]), np.array([object()]), np.zeros(1, np.complex128)])
def test_types_that_the_format_lacks_are_refused(array: npt.NDArray[Any]) -> None:
    """Nothing is ever pickled."""
    with pytest.raises(InvalidData, match="cannot be stored"):
        save({"a": array})


def test_the_name_of_the_metadata_is_no_name_of_a_tensor() -> None:
    """It would make a file that nobody can read."""
    with pytest.raises(InvalidData, match="cannot be stored"):
        save({"__metadata__": np.zeros(1, np.float32)})


def tensor(dtype: object = "F32", shape: object = (1,), offsets: object = (0, 4)) -> dict[str, object]:
    """An entry of a header."""
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "shorter than 8 bytes"),
        (b"1234567", "shorter than 8 bytes"),
        (struct.pack("<Q", 2**63) + b"{}", "more than 100000000"),
        (struct.pack("<Q", 3) + b"{}", "ends within its header"),
        (file_of(b"\xff"), "not UTF-8"),
        (file_of(b"{"), "cannot be read"),
        (file_of(b"[" * 100_000), "nested deeper"),
        (file_of(b"[]"), "not a JSON object"),
        (file_of(b'{"a": NaN}'), "NaN is not JSON"),
        (file_of(b'{"\\ud800": 1}'), "half of a Unicode character pair"),
        (file_of({"__metadata__": {"round": 3}}), "texts to texts"),
        (file_of({"__metadata__": []}), "texts to texts"),
        (file_of({"a": 1}), "needs dtype"),
        (file_of({"a": {"dtype": "F32", "shape": [1]}}), "needs dtype"),
        (file_of({"a": tensor("BF16", (2,))}, bytes(4)), "type 'BF16', which is not supported"),
        (file_of({"a": tensor(7)}, bytes(4)), "not supported"),
        (file_of({"a": tensor(shape=[1.0])}, bytes(4)), "not a list of sizes"),
        (file_of({"a": tensor(shape=[True])}, bytes(4)), "not a list of sizes"),
        (file_of({"a": tensor(shape=1)}, bytes(4)), "not a list of sizes"),
        (file_of(b'{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}', bytes(4)), "out of range"),
        (file_of({"a": tensor(offsets=[0])}, bytes(4)), "not two positions"),
        (file_of({"a": tensor(shape=[2])}, bytes(4)), "needs 8 bytes for its shape, and has 4"),
        (file_of({"a": tensor(shape=[2**32, 2**32])}, bytes(4)), "too large"),
        (file_of({"a": tensor(shape=[0, 2**63], offsets=[0, 0])}), "too large"),
        (file_of({"a": tensor(offsets=[4, 8])}, bytes(8)), "leave a gap"),
        (file_of({"a": tensor(), "b": tensor()}, bytes(4)), "overlap"),
        (file_of({"a": tensor(offsets=[4, 0])}, bytes(4)), "begins at byte 4"),
        (file_of({"a": tensor()}, bytes(3)), "ends within the tensor 'a'"),
        (file_of({"a": tensor()}, bytes(5)), "1 bytes follow"),
        (file_of(b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{}}', bytes(4)), "stands twice"),
    ],
)  # fmt: skip
def test_each_kind_of_damage_is_named(data: bytes, words: str) -> None:
    """The message says what is wrong and what to do."""
    with pytest.raises(InvalidData) as caught:
        load(data)
    assert words in caught.value.problem
    assert caught.value.action


def test_a_file_cut_anywhere_is_refused() -> None:
    """A download that broke off is never taken for a checkpoint."""
    data = save({"a": np.arange(3, dtype=np.float32), "b": np.zeros(2, np.int64)}, {"k": "v"})
    for length in range(len(data)):
        with pytest.raises(InvalidData):
            load(data[:length])
