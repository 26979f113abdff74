"""Cells of a table to numbers: many rows at once by numpy's reader, and one row in words when something is wrong."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from roundtab.data.dataset import Labels
from roundtab.data.manifests.resources import Resource
from roundtab.errors import InvalidData, Problem

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
MOST = float(np.finfo(np.float32).max)
MOST_INTEGER = 2**63 - 1

Rows = tuple[npt.NDArray[np.float32], Labels]
"""Features [rows, features] and labels [rows]."""


class Columns:
    """Where in a row the features and the label stand, and how their cells are read.

    Raises `InvalidData` where the resource does not say what a supervised model needs.
    """

    def __init__(self, resource: Resource) -> None:
        require_trainable(resource)
        self._names = [field.name for field in resource.fields]
        types = {field.name: field.type for field in resource.fields}
        place = {name: index for index, name in enumerate(self._names)}
        self._features = [place[name] for name in resource.features]
        self._label = place[resource.label or ""]
        integers = {place[name] for name, kind in types.items() if kind == "integer"}
        self._integers = integers & {*self._features, *([] if resource.classes else [self._label])}
        self._missing = frozenset(resource.missing_values)
        self._suspects = [float(each) for each in self._missing if _NUMBER.fullmatch(each)]
        """Numbers that may stand for a missing value."""
        self.classes = Classes(resource.classes or (), integer=self._label in integers)
        self._kinds = [self._kind(index) for index in range(len(self._names))]

    def _kind(self, index: int) -> tuple[str, Any]:
        """A name and type for numpy's reader: it takes whole numbers for integers only, and never a blank cell."""
        if index == self._label and self.classes.numbers:
            return f"c{index}", f"U{self.classes.width}"
        if index in self._integers:
            return f"c{index}", np.int64
        return f"c{index}", np.float32 if index == self._label or index in self._features else "U1"

    def convert(self, lines: Sequence[str], delimiter: str) -> Rows | None:
        """The numbers in `lines`, which have no quotes; None if a line does not convert, so that `faults` tells why."""
        try:
            with warnings.catch_warnings(action="error"), np.errstate(over="ignore"):
                table = np.loadtxt(lines, self._kinds, delimiter=delimiter, comments=None, ndmin=1)
        except (ValueError, Warning):
            return None
        features = np.empty((len(table), len(self._features)), np.float32)
        for column, index in enumerate(self._features):
            features[:, column] = table[f"c{index}"]
        cells = table[f"c{self._label}"]
        labels = self.classes.find(cells) if self.classes.numbers else cells.astype(np.float32)
        if labels is None or len(table) != len(lines):  # numpy's reader leaves out empty lines
            return None
        if not np.isfinite(features).all() or not np.isfinite(labels).all():
            return None
        if self._suspects and (np.isin(features, self._suspects).any() or np.isin(labels, self._suspects).any()):
            return None
        return features, labels

    def rows(self, rows: Sequence[Sequence[str]]) -> Rows:
        """The numbers in rows without faults, whatever quotes they had."""
        features = np.array([[float(row[index].strip()) for index in self._features] for row in rows], np.float32)
        numbers, label = self.classes.numbers, self._label
        if numbers:
            return features, np.array([numbers[row[label]] for row in rows], np.int64)
        return features, np.array([float(row[label].strip()) for row in rows], np.float32)

    def faults(self, row: Sequence[str]) -> list[str]:
        """What is wrong with one row, in words."""
        if not row:
            return ["The row is empty."]
        if len(row) != len(self._names):
            return [f"The row has {len(row)} cells instead of {len(self._names)}."]
        classes = self.classes.numbers
        numbers = self._features if classes else [*self._features, self._label]
        found = [f"Column {self._names[i]!r}: {fault}" for i in numbers if (fault := self._cell(row[i], i))]
        label = row[self._label]
        if classes and label not in classes:
            what = "The label is missing" if label in self._missing else f"{label[:60]!r} is no class"
            found.append(f"Column {self._names[self._label]!r}: {what}; the classes are {self.classes.listed()}.")
        return found

    def _cell(self, cell: str, index: int) -> str:
        if cell in self._missing or not cell.strip():
            return "The value is missing."
        cell = cell.strip()
        if not _NUMBER.fullmatch(cell):
            return f"{cell[:60]!r} is not a number.{_hint(cell)}"
        if not math.isfinite(float(cell)) or abs(float(cell)) > MOST:
            return f"{cell[:60]!r} is too large for a 32-bit number."
        if index not in self._integers:
            return ""
        if not _INTEGER.fullmatch(cell):
            return f"{cell[:60]!r} is not a whole number."
        return "" if abs(float(cell)) <= MOST_INTEGER else f"{cell[:60]!r} is too large for a whole number."


def _hint(cell: str) -> str:
    """What was probably meant."""
    if re.fullmatch(r"[+-]?\d{1,3}([,'’ .]\d{3})+([.,]\d+)?", cell):
        return " Write numbers without thousands separators, and a point before decimals."
    if re.fullmatch(r"[+-]?\d+,\d+", cell):
        return " Write a point, not a comma."
    if cell.casefold() in ("na", "n/a", "nan", "null", "none", "-", "?"):
        return " If it stands for a missing value, fill it in or leave the row out."
    return ""


class Classes:
    """The number of each class by what stands in a label's cell.

    A cell holds the name of its class. Where the column is of integers and the names are none (`malignant`, `benign`),
    it holds the number of its class instead.
    """

    def __init__(self, names: Sequence[str], *, integer: bool) -> None:
        by_number = integer and not all(_INTEGER.fullmatch(each) for each in names)
        self.numbers = {str(i) if by_number else name: i for i, name in enumerate(names)}
        self.width = max(map(len, self.numbers), default=0) + 1
        """Characters after which a cell can be cut off and still is no class that it was not before."""
        self._sorted = np.array(sorted(self.numbers), f"U{self.width}")
        self._order = np.array([self.numbers[name] for name in self._sorted.tolist()], np.int64)

    def find(self, cells: npt.NDArray[np.str_]) -> Labels | None:
        """The numbers of the classes in `cells`; None if one of them is no class."""
        places = np.minimum(np.searchsorted(self._sorted, cells), len(self._sorted) - 1)
        return self._order[places] if (self._sorted[places] == cells).all() else None

    def listed(self) -> str:
        """The first ones, for messages."""
        more = ", …" if len(self.numbers) > 10 else ""
        return ", ".join(repr(each[:60]) for each in [*self.numbers][:10]) + more


def require_trainable(resource: Resource) -> None:
    """Raise `InvalidData` where the manifest does not say what to predict, or from what."""
    problems: list[tuple[str, str]] = []
    if resource.format not in ("csv", "tsv", "npy"):
        problems.append((f"Data in the format {resource.format!r} cannot be trained on.", "Save it as CSV or npz."))
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
        problems.append((f"The label {str(resource.label)[:60]!r} is neither a number nor a class.", action))
    if problems:
        listed = [Problem(path=resource.path, problem=problem, action=action) for problem, action in problems]
        raise InvalidData(f"{resource.path} cannot be trained on.", "Correct each problem listed.", listed)
