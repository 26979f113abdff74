"""What a table is, told from its text: delimiter, header, what its columns hold, which one is the label.

Types come from all rows of all files, for a type that is guessed from the first rows is wrong in the last one. What a
column is called here is what `tables.read_table` takes: the same numbers, the same missing values.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from contextlib import suppress

from roundtab.data.formats.cells import MOST

DELIMITERS = ("\t", ";", "|", ",")
"""The comma comes last: where another one divides all rows alike too, commas are those of decimal numbers or texts."""
LABELS = ("label", "target", "class", "y")
MISSING_WORDS = frozenset({"NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "none", "?", "-", "#N/A"})
"""What people and programs write into a column of numbers where there is none."""
MAX_CLASSES = 1_000
EXACT = 2**53
"""Beyond it a whole number is taken for any number."""
FEW = 50
"""The most classes of whole numbers."""

_SAMPLE = 2**14
"""Characters from which the delimiter is told."""
_NUMBER = re.compile(r"[ \t]*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[ \t]*", re.ASCII)
_NOT_OF_NUMBERS = re.compile(r"[^0-9eE+\-. \t\n]")
_NOT_WHOLE = re.compile(r"[eE.]")

Place = tuple[str, int, str]
"""The path of a file, a row in it, and what stands there."""


def guess_delimiter(text: str, default: str) -> str:
    """The delimiter that divides most of the first rows into as many cells as the first one, which are two or more.

    Among equals the one that comes first in `DELIMITERS`; `default` where none divides anything.
    """
    lines = text[:_SAMPLE].split("\n")
    if len(text) > _SAMPLE and len(lines) > 1:
        lines.pop()  # it was cut off
    shares = {each: _share(lines, each) for each in DELIMITERS}
    best = max(DELIMITERS, key=lambda each: shares[each])
    return best if shares[best] else default


def _share(lines: Sequence[str], delimiter: str) -> float:
    widths: list[int] = []
    with suppress(csv.Error):  # the rows before it count
        widths.extend(len(row) for row in csv.reader([f"{line}\n" for line in lines], delimiter=delimiter) if row)
    return widths.count(widths[0]) / len(widths) if widths and widths[0] > 1 else 0.0


def is_header(row: Sequence[str]) -> bool:
    """Whether the first row of a table names its columns: it does unless one of its cells is a number."""
    return not any(_NUMBER.fullmatch(cell) for cell in row)


def header_faults(names: Sequence[str]) -> list[str]:
    """What is wrong with the names of columns, in words."""
    faults = [f"Column {number} has no name." for number, name in enumerate(names, 1) if not name.strip()]
    seen: set[str] = set()
    for name in names:
        if name in seen and name.strip():
            faults.append(f"The column {name[:60]!r} stands there twice.")
        seen.add(name)
    return faults


def guess_label(names: Sequence[str]) -> str:
    """The column called label, target, class or y (in this order, in any case), else the last one."""
    for word in LABELS:
        for name in names:
            if name.strip().lower() == word:
                return name
    return names[-1]


class Column:
    """What stands in one column. `add` it piece by piece."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.text: Place | None = None
        """The first cell that is no number; then the others do not matter."""
        self.missing: Place | None = None
        self.large: Place | None = None
        """The first number beyond 32 bits."""
        self.words: set[str] = set()
        """Words that stand for missing values."""
        self._whole = True
        self._numbers = False

    @property
    def type(self) -> str:
        """Its type in a Table Schema."""
        if self.text or not self._numbers:
            return "string"
        return "integer" if self._whole else "number"

    def add(self, cells: Sequence[str], path: str, row: int) -> None:
        """Look at `cells`, which stand below each other from this row on."""
        if self.text:
            return
        joined = "\n".join(cells)
        if values := _numbers(cells, joined):
            self._numbers = True
            self._whole = self._whole and not _NOT_WHOLE.search(joined) and max(max(values), -min(values)) <= EXACT
            return
        for number, cell in enumerate(cells, row):
            self._look(cell, (path, number, cell))

    def _look(self, cell: str, place: Place) -> None:
        if not cell.strip() or cell in MISSING_WORDS:
            self.missing = self.missing or place
            self.words |= {cell} & MISSING_WORDS
        elif not _NUMBER.fullmatch(cell):
            self.text = self.text or place
        else:
            self._numbers = True
            self._whole = self._whole and not _NOT_WHOLE.search(cell) and abs(float(cell)) <= EXACT
            if abs(float(cell)) > MOST:
                self.large = self.large or place


def _numbers(cells: Sequence[str], joined: str) -> list[float] | None:
    """The numbers in `cells` where all are numbers as a table has them; `joined` is all of them, a line each."""
    try:
        values = [*map(float, cells)]
    except ValueError:
        return None
    strict = not _NOT_OF_NUMBERS.search(joined)  # Python reads `1_000`, `١` and `inf` too
    fits = strict and joined.count("\n") == len(cells) - 1 and min(values) >= -MOST and max(values) <= MOST
    return values if fits else None


class LabelColumn(Column):
    """The column to predict: its different values are kept, as far as they can be classes."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.values: set[str] = set()
        """At most one more than `MAX_CLASSES`."""
        self.blank: Place | None = None
        self.rows = 0

    def add(self, cells: Sequence[str], path: str, row: int) -> None:
        """Look at `cells`, which stand below each other from this row on."""
        super().add(cells, path, row)
        self.rows += len(cells)
        fresh = set(cells) - self.values
        for cell in sorted(fresh):
            if not cell.strip():
                self.blank = self.blank or (path, row + cells.index(cell), cell)
            elif len(self.values) <= MAX_CLASSES:
                self.values.add(cell)

    @property
    def type(self) -> str:
        """Its type in a Table Schema. Whole numbers that are classes are texts where spaces stand around one."""
        kind = super().type
        padded = kind == "integer" and self._few() and any(each != each.strip() for each in self.values)
        return "string" if padded else kind

    def classes(self) -> tuple[str, ...] | None:
        """Its classes in order; None where it is a quantity.

        The values of a text are classes, in alphabetical order. Whole numbers are classes where there are at most 50
        different ones and each stands there twice on average; they are in the order of numbers. Other numbers are
        quantities.
        """
        if self.type == "string":
            return tuple(sorted(self.values))
        if self.type == "integer" and self._few():
            return tuple(sorted(self.values, key=lambda each: (float(each), each)))
        return None

    def _few(self) -> bool:
        return len(self.values) <= min(FEW, self.rows // 2)


def lookalikes(classes: Sequence[str]) -> tuple[str, str] | None:
    """Two classes that are probably one, written in two ways: `yes` and `Yes `, `1` and `01`."""
    seen: dict[str, str] = {}
    for each in classes:
        key = str(float(each)) if _NUMBER.fullmatch(each) else each.strip().casefold()
        if key in seen:
            return seen[key], each
        seen[key] = each
    return None
