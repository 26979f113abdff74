"""Arrays of one dataset, read to find out what they are: which one is the label, with which classes, and their rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from roundtab.clock import Clock, Slice
from roundtab.data.files import FileSource
from roundtab.data.formats.arrays import class_name, read_bytes
from roundtab.data.formats.npy import NotAnArray, read_array
from roundtab.data.formats.npz import read_arrays
from roundtab.data.making.guessing import FEW, LABELS, MAX_CLASSES
from roundtab.data.steps import Step
from roundtab.data.verify import unreadable
from roundtab.errors import Problem

NAMES = (*LABELS, "labels", "targets", "classes")
"""What the array to predict is called, in any case."""
VALUES = 2**16
"""Labels looked at in one step."""
_UNTOLD = "Before training, name the array or column to predict in fl:label."

Array = npt.NDArray[np.generic]


@dataclass(frozen=True, slots=True)
class _Found:
    """The label of one file."""

    name: str
    rows: int
    columns: int
    """Of an .npy; 0 of an .npz, whose arrays have names."""


class ArrayDrafts:
    """`read` the files, then look at `problems` and `notes`, and ask for the `members` of each."""

    def __init__(self, label: str | None, clock: Clock) -> None:
        """`label` is the array or column to predict, or None to have it told."""
        self._label = label
        self._clock = clock
        self._found: dict[str, _Found] = {}
        self._values: dict[str, int] | None = {}
        """How often each label stands in all files together; None where they are quantities."""
        self._text = False
        self.problems: list[Problem] = []
        self.notes: list[Problem] = []

    async def read(self, files: Mapping[str, tuple[FileSource, str]], step: Step) -> None:
        """Read files and their formats, by path."""
        pace = Slice(self._clock)
        for path, (file, form) in files.items():
            try:
                data = await read_bytes(file, pace, step.of(file, f"Reading {path}"))
                arrays = {"": read_array(data)} if form == "npy" else await read_arrays(data, pace)
            except OSError as error:
                self.problems.append(Problem(path=path, problem=unreadable(error), action="Choose it again."))
            except NotAnArray as error:
                action = "Save it again, with numpy.save or numpy.savez and without pickles."
                self.problems.append(Problem(path=path, problem=str(error), action=action))
            else:
                await self._look(path, arrays, pace)
        self._notes_on_labels()

    def members(self, path: str) -> dict[str, Any]:
        """The members of the file's resource that say what is in it; none where nobody can tell."""
        found = self._found.get(path)
        if found is None:
            return {}
        members: dict[str, Any] = {"fl:rows": found.rows}
        if found.columns:
            names = [f"column_{number}" for number in range(1, found.columns + 1)]
            members["schema"] = {"fields": [{"name": name, "type": "number"} for name in names]}
        members["fl:label"] = found.name
        if (classes := self._classes()) is not None:
            members["fl:classes"] = classes
        return members

    async def _look(self, path: str, arrays: Mapping[str, Array], pace: Slice) -> None:
        name, label, columns = self._label_of(arrays)
        if label is None:
            listed = ", ".join(repr(each[:40]) for each in arrays if each)
            problem = f"Which of its arrays is to be predicted cannot be told{f': {listed}' if listed else ''}."
            self.notes.append(Problem(path=path, problem=problem, action=_UNTOLD))
            return
        self._found[path] = _Found(name, len(label), columns)
        self._text = self._text or label.dtype.kind == "U"
        for start in range(0, len(label), VALUES):
            self._count(label[start : start + VALUES])
            await pace.pause()

    def _label_of(self, arrays: Mapping[str, Array]) -> tuple[str, Array | None, int]:
        """The label's name and values, and the number of columns where it is one of a table."""
        if "" in arrays:
            table = arrays[""]
            if table.ndim != 2 or table.shape[1] < 2 or table.dtype.kind == "U":
                return "", None, 0
            names = [f"column_{number}" for number in range(1, table.shape[1] + 1)]
            name = self._label if self._label in names else names[-1]
            return name, table[:, names.index(name)], len(names)
        wanted = (self._label,) if self._label is not None else NAMES
        name = next((each for each in arrays if each in wanted or each.casefold() in wanted), "")
        label = arrays.get(name)
        return name, label if label is not None and label.ndim == 1 else None, 0

    def _count(self, label: Array) -> None:
        if self._values is None:
            return
        for value in map(class_name, label.tolist()):
            self._values[value] = self._values.get(value, 0) + 1
        most = MAX_CLASSES if self._text else FEW
        if len(self._values) > most or (not self._text and not all(_is_whole(value) for value in self._values)):
            self._values = None

    def _classes(self) -> list[str] | None:
        """The classes in order; None of quantities. Whole numbers are classes where each stands twice on average."""
        if self._values is None or (not self._text and sum(self._values.values()) < 2 * len(self._values)):
            return None
        return sorted(self._values) if self._text else sorted(self._values, key=int)

    def _notes_on_labels(self) -> None:
        classes = self._classes()
        what = "a quantity" if classes is None else f"one of {len(classes):,} classes"
        for path, found in self._found.items():
            called = f"The label is {found.name[:60]!r}"
            if found.columns and found.name != self._label:
                called += ", the last column; the columns are called column_1, column_2, …"
            action = "Check that this is what is to be predicted."
            self.notes.append(Problem(path=path, problem=f"{called}: {what}.", action=action))


def _is_whole(value: str) -> bool:
    return value.removeprefix("-").isdecimal()
