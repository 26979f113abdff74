"""Arrays tell what they are as far as anybody can: the label, its classes, the rows. The manifest can be trained on."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from roundtab.clock import SystemClock
from roundtab.data.files import MemoryFile
from roundtab.data.formats.reading import read_data
from roundtab.data.making.making import Made, make_manifest
from roundtab.data.manifests.manifest import parse_manifest
from roundtab.data.verify import verify
from roundtab.errors import InvalidData


def npy(path: str, array: npt.ArrayLike, **options: Any) -> MemoryFile:
    """A file as numpy.save writes it."""
    out = io.BytesIO()
    np.save(out, np.asarray(array), **options)
    return MemoryFile(path, out.getvalue())


def npz(path: str, **arrays: npt.ArrayLike) -> MemoryFile:
    """A file as numpy.savez writes it."""
    out = io.BytesIO()
    np.savez(out, **{name: np.asarray(each) for name, each in arrays.items()})
    return MemoryFile(path, out.getvalue())


async def made(*files: MemoryFile, label: str | None = None) -> tuple[Made, list[dict[str, Any]]]:
    """The manifest of files, which fits them, and what its resources say of labels."""
    found = await make_manifest(files, SystemClock(), label=label)
    manifest = parse_manifest(found.text)
    assert not (await verify(manifest, files, SystemClock())).problems
    told = [
        {"label": each.label, "classes": each.classes, "rows": each.rows, "columns": len(each.fields)}
        for each in manifest.resources
    ]
    for resource, file in zip(manifest.resources, files, strict=True):
        if resource.label:
            assert len(await read_data(file, resource, SystemClock())) == resource.rows
    return found, told


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([0, 1, 0, 1], ("0", "1")),
        ([10, 9, 10, 9], ("9", "10")),
        ([False, True, True, False], ("0", "1")),
        ([2.0, 3.0, 2.0, 3.0], ("2", "3")),
        (["no", "yes", "no", "maybe"], ("maybe", "no", "yes")),
        ([0.5, 1.5, 0.5, 1.5], None),
        ([1, 2, 3, 4], None),
        ([-1, 1, -1, 1], ("-1", "1")),
    ],
)
async def test_labels_of_an_archive_are_classes_or_quantities(labels: list[Any], classes: Any) -> None:
    """Texts are classes, few whole numbers that repeat as well; other numbers are quantities."""
    found, (told,) = await made(npz("a.npz", x=np.ones((4, 2)), Label=labels))
    assert told == {"label": "Label", "classes": classes, "rows": 4, "columns": 0}
    assert [each.path for each in found.notes if "The label is 'Label'" in each.problem] == ["a.npz"]


async def test_the_columns_of_a_table_are_numbered_and_the_last_is_the_label() -> None:
    """Unless another one is named; what was assumed is noted."""
    table = np.column_stack([np.arange(8.0), np.arange(8) % 2, np.arange(8) / 3])
    found, (told,) = await made(npy("a.npy", table))
    assert told == {"label": "column_3", "classes": None, "rows": 8, "columns": 3}
    assert any("the columns are called column_1, column_2" in each.problem for each in found.notes)
    _, (told,) = await made(npy("a.npy", table), label="column_2")
    assert told == {"label": "column_2", "classes": ("0", "1"), "rows": 8, "columns": 3}


async def test_files_of_one_dataset_have_the_same_classes() -> None:
    """Also where one of them lacks a class."""
    train = npz("train.npz", x=[1, 2, 3, 4], y=[0, 1, 2, 2])
    _, told = await made(train, npz("test.npz", x=[1, 2], y=[0, 0]))
    assert [each["classes"] for each in told] == [("0", "1", "2")] * 2


async def test_what_cannot_be_told_is_noted_and_what_cannot_be_used_is_a_problem() -> None:
    """An array without a label may still be data; pickles never are."""
    for file in (
        npz("a.npz", x=[1], z=[2]),
        npz("a.npz", x=[1], y=[[1]]),
        npy("a.npy", [1, 2]),
        npy("a.npy", [["a", "b"]]),
    ):
        found, (told,) = await made(file)
        assert told["label"] is None
        assert [each.action for each in found.notes if each.path == file.path] == [
            "Before training, name the array or column to predict in fl:label."
        ]
    pickled = npy("a.npy", np.array([{}], object), allow_pickle=True)
    with pytest.raises(InvalidData) as caught:
        await made(pickled, MemoryFile("b.npz", b"x"))
    assert [each.path for each in caught.value.problems] == ["a.npy", "b.npz"]
