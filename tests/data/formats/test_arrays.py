"""Arrays become a dataset, or what is wrong with them is named; no pickle is ever opened."""

from __future__ import annotations

import hashlib
import io
import warnings
import zipfile
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtab.clock import Slice, SystemClock
from roundtab.data.dataset import Dataset
from roundtab.data.files import MemoryFile
from roundtab.data.formats.arrays import read_array_file
from roundtab.data.formats.npy import NotAnArray, read_array
from roundtab.data.formats.npz import read_arrays
from roundtab.data.manifests.resources import Resource
from roundtab.data.manifests.schema import Field
from roundtab.errors import InvalidData
from roundtab.records.ids import Sha256

TABLE = np.array([[1, 2.5, 0], [3, 4, 1]])


def npy(array: npt.ArrayLike, **options: Any) -> bytes:
    """The file that numpy.save writes."""
    out = io.BytesIO()
    np.save(out, np.asarray(array), **options)
    return out.getvalue()


def npz(**arrays: npt.ArrayLike) -> bytes:
    """The file that numpy.savez writes."""
    out = io.BytesIO()
    np.savez_compressed(out, **{name: np.asarray(array) for name, array in arrays.items()})
    return out.getvalue()


def resource(form: str, **changes: Any) -> Resource:
    """A table of the columns a, b and y, or an archive with the label y."""
    names = ("a", "b", "y") if form == "npy" else ()
    members: dict[str, Any] = {
        "name": "train", "path": f"train.{form}", "bytes": 0, "sha256": Sha256(hashlib.sha256(b"").hexdigest()),
        "format": form, "fields": tuple(Field(name=name, type="number") for name in names), "label": "y",
        "classes": ("no", "yes"), "features": names[:-1],
    }  # fmt: skip
    return Resource(**members | changes)


async def read(data: bytes, form: str, **changes: Any) -> Dataset:
    """The dataset in `data`."""
    return await read_array_file(MemoryFile(f"train.{form}", data), resource(form, **changes), SystemClock())


async def problems_of(data: bytes, form: str, **changes: Any) -> list[str]:
    """Everything that is wrong with `data`."""
    with pytest.raises(InvalidData) as caught:
        await read(data, form, **changes)
    assert {each.path for each in caught.value.problems} == {f"train.{form}"}
    return [each.problem for each in caught.value.problems]


@pytest.mark.parametrize(
    "table", [TABLE, TABLE.astype("<f4"), TABLE.astype(">f8"), np.asfortranarray(TABLE), TABLE.astype("f2")]
)
async def test_a_table_of_any_number_type_and_order_is_read(table: npt.NDArray[Any]) -> None:
    """Columns by their names in the manifest."""
    dataset = await read(npy(table), "npy")
    assert dataset.features.dtype == np.float32
    assert dataset.features.tolist() == [[1, 2.5], [3, 4]]
    assert dataset.labels.tolist() == [0, 1]
    assert (dataset.feature_names, dataset.classes) == (("a", "b"), ("no", "yes"))
    assert (await read(npy(table), "npy", features=("b",))).features.tolist() == [[2.5], [4]]


@pytest.mark.parametrize("label", [[0, 1], [False, True], [0.0, 1.0], ["no", "yes"]])
async def test_arrays_of_an_archive_become_features_and_labels(label: list[Any]) -> None:
    """All but the label are features, two-dimensional ones column by column; names of classes may be text."""
    data = npz(x=[[1, 2], [3, 4]], z=[5, 6], y=label)
    dataset = await read(data, "npz")
    assert dataset.features.tolist() == [[1, 2, 5], [3, 4, 6]]
    assert dataset.feature_names == ("x[0]", "x[1]", "z")
    assert dataset.labels.tolist() == [0, 1]
    assert (await read(data, "npz", features=("z",))).features.tolist() == [[5], [6]]


async def test_labels_without_classes_are_quantities() -> None:
    """In both formats."""
    assert (await read(npy(TABLE), "npy", classes=None)).labels.dtype == np.float32
    assert (await read(npz(x=[1, 2], y=[2.5, -3]), "npz", classes=None)).labels.tolist() == [2.5, -3]


@pytest.mark.parametrize(
    ("data", "changes", "words"),
    [
        (b"", {}, "not an array as numpy.save"),
        (b"a,b,y\n1,2,0\n", {}, "not an array as numpy.save"),
        (npy(np.array([[{}]], object), allow_pickle=True), {}, "Python objects (pickles)"),
        (npy(np.zeros(2, [("a", "f4"), ("b", "f4")])), {}, "structures"),
        (npy(np.zeros((2, 3), complex)), {}, "complex"),
        (npy(np.zeros((2, 3), "M8[s]")), {}, "dates"),
        (npy(np.array([["a", "b", "c"]])), {}, "holds text"),
        (npy(TABLE)[:-1], {}, "was cut off"),
        (npy(TABLE)[:40], {}, "ends within its header"),
        (npy(TABLE) + b"x", {}, "something behind its numbers"),
        (npy(TABLE[0]), {}, "Its shape is 3; the schema has 3 columns"),
        (npy(TABLE[:, :2]), {}, "Its shape is 2 × 2; the schema has 3 columns"),
        (npy(np.zeros((2, 8, 8))), {}, "2 × 8 × 8"),
        (npy(TABLE), {"dtype": "float32"}, "are float64; the manifest says float32"),
        (npy(TABLE), {"shape": (3, 3)}, "2 × 3; the manifest says 3 × 3"),
        (npy(TABLE), {"rows": 5}, "2 rows; the manifest says 5"),
        (npy(np.zeros((0, 3))), {}, "no rows"),
        (npy(TABLE), {"label": None, "classes": None}, "which column to predict"),
        (npy([[1, np.nan, 0]]), {}, "Row 1: Column 'b': The value is missing (NaN)."),
        (npy([[1, 2, 0], [1, np.inf, 0]]), {}, "Row 2: Column 'b': The value is too large"),
        (npy([[1, 1e300, 0]]), {}, "too large for a 32-bit number"),
        (npy([[1, 2, 2]]), {}, "Row 1: The label 'y': '2' is no class; the classes are '0', '1'."),
        (npy([[1, 2, 0.5]]), {}, "'0.5' is no class"),
        (npy([[1, 2, np.nan]]), {"classes": None}, "The label 'y': The value is missing"),
    ],
)
async def test_each_table_that_cannot_be_used_is_refused_in_words(
    data: bytes, changes: dict[str, Any], words: str
) -> None:
    """With both numbers where two of them differ."""
    (problem,) = await problems_of(data, "npy", **changes)
    assert words in problem


def stretched(name: str, data: bytes, size: int) -> bytes:
    """An archive whose directory says another size than the array has."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, data)
    raw = bytearray(out.getvalue())
    place = raw.rfind(b"PK\x01\x02") + 24
    raw[place : place + 4] = size.to_bytes(4, "little")
    return bytes(raw)


def archive_of(*members: tuple[str, bytes]) -> bytes:
    """An archive with these members, twice the same one if asked."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive, warnings.catch_warnings(action="ignore"):
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


X, Y = ("x.npy", npy([1.0, 2.0])), ("y.npy", npy([0, 1]))


@pytest.mark.parametrize(
    ("data", "changes", "words"),
    [
        (b"", {}, "not an archive as numpy.savez"),
        (npz(x=[1, 2], y=[0, 1])[:-30], {}, "not an archive as numpy.savez"),
        (npz(x=[1, 2], y=[0, 1]), {"label": None, "classes": None}, "There are 'x', 'y'."),
        (npz(x=[1, 2]), {}, "no array 'y'. There are 'x'."),
        (npz(x=[1, 2], y=[0, 1]), {"features": ("w",)}, "no array 'w'"),
        (npz(y=[0, 1]), {}, "no array to predict from"),
        (npz(x=[1, 2], y=[[0], [1]]), {}, "the shape 2 × 1"),
        (npz(x=[1, 2, 3], y=[0, 1]), {}, "has 3 rows; the label has 2"),
        (npz(x=np.zeros((2, 3, 3)), y=[0, 1]), {}, "the shape 2 × 3 × 3"),
        (npz(x=["a", "b"], y=[0, 1]), {}, "'x' holds text"),
        (npz(x=[1, 2], y=["a", "b"]), {"classes": None}, "label is text"),
        (npz(x=[1, 2], y=["no", "maybe"]), {}, "Row 2: The label 'y': 'maybe' is no class"),
        (archive_of(X, Y, ("x.npy", npy([3.0, 4.0]))), {}, "'x.npy' in it twice"),
        (archive_of(X, Y, ("../z.npy", b"")), {}, "'../z.npy' in it, which is no array"),
        (archive_of(X, Y, ("readme.txt", b"")), {}, "which is no array"),
        (archive_of(X, ("y.npy", npy(np.array([{}], object), allow_pickle=True))), {}, "'y': It holds Python objects"),
        (archive_of(*((f"{n}.npy", b"") for n in range(65))), {}, "lists 65 arrays"),
        (stretched("y.npy", npy([0, 1]), 2**31), {}, "more than 1,073,741,824"),
        (stretched("y.npy", npy(np.zeros(100, int)), 200), {}, "The archive cannot be read"),
    ],
)
async def test_each_archive_that_cannot_be_used_is_refused_in_words(
    data: bytes, changes: dict[str, Any], words: str
) -> None:
    """Also where it says of itself what is not so."""
    (problem,) = await problems_of(data, "npz", **changes)
    assert words in problem


def test_a_header_that_nests_deeply_is_refused_without_being_evaluated() -> None:
    """As a Python expression it would end an interpreter in a browser."""
    nested = "-" * 9_000 + "1"
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({nested},), }}"
    head = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()
    with pytest.raises(NotAnArray, match="does not say type, order and shape"):
        read_array(head + bytes(8))


ARRAYS = st.sampled_from(["<f4", ">f8", "<i8", "|u1", "|b1", "<f2"]).flatmap(
    lambda kind: st.tuples(st.lists(st.integers(0, 5), max_size=3), st.booleans()).map(
        lambda made: np.arange(int(np.prod(made[0]))).astype(kind).reshape(made[0], order="F" if made[1] else "C")
    )
)


@given(ARRAYS, st.booleans())
def test_whatever_numpy_writes_is_read_as_it_was(array: npt.NDArray[Any], fortran: bool) -> None:
    """Every shape, order and type of numbers."""
    array = np.asfortranarray(array) if fortran else array
    found = read_array(npy(array))
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found, array)


@given(st.binary(max_size=200), st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=4))
def test_any_bytes_are_arrays_or_refused(tail: bytes, changes: list[tuple[int, int]]) -> None:
    """No file, however broken, makes the reading itself fail."""
    for whole in (npy(TABLE), npz(x=[1, 2], y=[0, 1])):
        data = bytearray(whole)
        for place, value in changes:
            data[place % len(data)] = value
        for hostile in (bytes(data), whole[: len(tail)] + tail, tail):
            with suppress(NotAnArray):
                read_array(hostile)
            with suppress(NotAnArray, StopIteration):
                read_arrays(hostile, Slice(SystemClock())).send(None)
