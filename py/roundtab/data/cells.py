"""Cells of a table to numbers: whole chunks fast, and one row in words when something is wrong with it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from roundtab.data.dataset import Labels
from roundtab.data.resources import Resource
from roundtab.errors import InvalidData, Problem

_NUMBER = re.compile(r"[ \t]*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[ \t]*", re.ASCII)
_INTEGER = re.compile(r"[ \t]*[+-]?\d+[ \t]*", re.ASCII)
MOST = float(np.finfo(np.float32).max)


class Columns:
    """Where in a row the features and the label stand, and how their cells are read.

    Raises `InvalidData` where the resource does not say what a supervised model needs.
    """

    def __init__(self, resource: Resource) -> None:
        _require_trainable(resource)
        self._names = [field.name for field in resource.fields]
        types = {field.name: field.type for field in resource.fields}
        place = {name: index for index, name in enumerate(self._names)}
        self.features = [place[name] for name in resource.features]
        self.label = place[resource.label or ""]
        self._integers = {place[name] for name in resource.features if types[name] == "integer"}
        self._missing = frozenset(resource.missing_values)
        self._classes = class_numbers(resource.classes or (), integer=types[resource.label or ""] == "integer")
        self.label_type = np.dtype(np.int64 if resource.classes else np.float32)
        self._pick = _picker(self.features)
        self.loose = bool(self._integers) or any(_NUMBER.fullmatch(each) for each in self._missing)
        """Whether cells may convert and still be wrong: not whole, or a number that stands for a missing value."""

    def convert(self, rows: Sequence[Sequence[str]], features: npt.NDArray[np.float32], labels: Labels) -> bool:
        """Write `rows` into the arrays; False if a row does not convert, so that `faults` has to tell why."""
        width = len(self._names)
        if any(len(row) != width for row in rows):
            return False
        try:
            with np.errstate(over="ignore"):
                if self._classes:
                    labels[:] = [self._classes[row[self.label]] for row in rows]
                else:
                    labels[:] = [float(row[self.label]) for row in rows]
                features[:] = np.array([[*map(float, self._pick(row))] for row in rows])
        except (KeyError, ValueError):
            return False
        return bool(np.isfinite(features).all() and np.isfinite(labels).all())

    def faults(self, row: Sequence[str]) -> list[str]:
        """What is wrong with one row, in words."""
        if not row:
            return ["The row is empty."]
        if len(row) != len(self._names):
            return [f"The row has {len(row)} cells instead of {len(self._names)}."]
        numbers = self.features if self._classes else [*self.features, self.label]
        found = [f"Column {self._names[i]!r}: {fault}" for i in numbers if (fault := self._cell(row[i], i))]
        label = row[self.label]
        if self._classes and label not in self._classes:
            known = ", ".join(repr(each) for each in [*self._classes][:10])
            what = "The label is missing" if label in self._missing else f"{label[:60]!r} is no class"
            more = ", …" if len(self._classes) > 10 else ""
            found.append(f"Column {self._names[self.label]!r}: {what}; the classes are {known}{more}.")
        return found

    def _cell(self, cell: str, index: int) -> str:
        if cell in self._missing or not cell.strip():
            return "The value is missing."
        if not _NUMBER.fullmatch(cell):
            hint = " Write a point, not a comma." if re.fullmatch(r"[+-]?\d+,\d+", cell) else ""
            return f"{cell[:60]!r} is not a number.{hint}"
        if not math.isfinite(float(cell)) or abs(float(cell)) > MOST:
            return f"{cell[:60]!r} is too large for a 32-bit number."
        if index in self._integers and not _INTEGER.fullmatch(cell):
            return f"{cell[:60]!r} is not a whole number."
        return ""


def class_numbers(classes: Sequence[str], *, integer: bool) -> dict[str, int]:
    """The number of each class by what stands in a label's cell.

    A cell holds the name of its class. Where the column is of integers and the names are none (`malignant`, `benign`),
    it holds the number of its class instead.
    """
    if integer and not all(_INTEGER.fullmatch(each) for each in classes):
        return {str(number): number for number in range(len(classes))}
    return {name: number for number, name in enumerate(classes)}


def _picker(places: Sequence[int]) -> Callable[[Sequence[str]], Sequence[str]]:
    """A function that takes the cells at `places` out of a row; `itemgetter` of a single place would give no tuple."""
    if len(places) == 1:
        place = places[0]
        return lambda row: (row[place],)
    return itemgetter(*places)


def _require_trainable(resource: Resource) -> None:
    problems: list[tuple[str, str]] = []
    if resource.format != "csv":
        problems.append((f"Data in the format {resource.format!r} cannot be trained on yet.", "Save it as CSV."))
    elif resource.label is None:
        problems.append(("The manifest does not say which column to predict.", "Name it in fl:label."))
    elif not resource.features:
        problems.append(("There is no column to predict from.", "Add one beside the label."))
    numeric = {field.name for field in resource.fields if field.type in ("number", "integer")}
    for name in resource.features if not problems else ():
        if name not in numeric:
            action = "Give it the type number, or list the others in fl:features."
            problems.append((f"The column {name[:60]!r} is not of numbers.", action))
    if not problems and resource.classes is None and resource.label not in numeric:
        action = "List its classes in fl:classes, in order, or give it the type number."
        problems.append((f"The label {(resource.label or '')[:60]!r} is neither a number nor a class.", action))
    if problems:
        listed = [Problem(path=resource.path, problem=problem, action=action) for problem, action in problems]
        raise InvalidData(f"{resource.path} cannot be trained on.", "Correct each problem listed.", listed)
