"""Reads tables to find out what they are: of each its delimiter, header and rows, of all together their columns."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from itertools import islice

from roundtab.clock import Clock, Slice
from roundtab.data.files import FileSource
from roundtab.data.formats.faults import Faults
from roundtab.data.formats.tables import csv_words
from roundtab.data.formats.text import rows
from roundtab.data.making.draft import Draft
from roundtab.data.making.guessing import guess_delimiter, header_faults, is_header
from roundtab.data.manifests.schema import MAX_COLUMNS
from roundtab.data.steps import Step
from roundtab.data.verify import unreadable
from roundtab.errors import InvalidData, Problem

QUOTE = '"'
DELIMITERS = {"csv": ",", "tsv": "\t"}
"""What divides the columns, unless a dialect says otherwise, by format."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What one table's file is."""

    delimiter: str
    header: bool
    rows: int


class Sheets:
    """Tables of one dataset. `read` them, then look at `problems`."""

    def __init__(self, label: str | None, clock: Clock) -> None:
        """`label` is the column to predict, or None to have it told."""
        self.label = label
        self.by_path: dict[str, Sheet] = {}
        self.draft: Draft | None = None
        """None until the first header was read."""
        self.problems: list[Problem] = []
        self._clock = clock

    async def read(self, files: Mapping[str, tuple[FileSource, str]], step: Step) -> None:
        """Read files and their formats, by path."""
        for path, (file, form) in files.items():
            try:
                reading = _Reading(self, path, DELIMITERS[form], Slice(self._clock))
                told = step.of(file, f"Reading {path}")
                async with aclosing(rows(file, QUOTE, self._clock, told)) as parts:
                    async for text, _ in parts:
                        await reading.add(text)
                self.by_path[path] = reading.end()
            except InvalidData as error:
                self.problems += [replace(each, path=path) for each in error.problems]
            except OSError as error:
                self.problems.append(Problem(path=path, problem=unreadable(error), action="Choose it again."))
        if self.draft and not self.problems:
            self.problems += self.draft.problems()


class _Reading:
    """One file. Raises `InvalidData` where no more can be made out of it, at the end for everything else."""

    def __init__(self, sheets: Sheets, path: str, delimiter: str, pace: Slice) -> None:
        self._sheets = sheets
        self._path = path
        self._pace = pace
        self._delimiter = delimiter
        """What the format stands for; from the first block on, what the file has."""
        self._header: bool | None = None
        """Whether it has one; None before the first block."""
        self._number = 0
        """Of the last row, the header included."""
        self._faults = Faults(path, "Correct the file, then try again.")

    def end(self) -> Sheet:
        """What the file is, once all of it was added."""
        rows = self._number - bool(self._header)
        if not rows:
            self._faults.add(0, ["There are no rows."])
        self._faults.raise_if_any()
        return Sheet(delimiter=self._delimiter, header=bool(self._header), rows=rows)

    async def add(self, text: str) -> None:
        """Look at whole rows."""
        begins = self._header is None
        if begins:
            self._delimiter = guess_delimiter(text, self._delimiter)
        # Only line feeds end a line: other breaks may stand in a cell.
        lines = (f"{line}\n" for line in text.removesuffix("\n").split("\n"))
        rows = csv.reader(lines, delimiter=self._delimiter, strict=True)
        if begins:
            self._begin(self._take(rows, 1)[0])
        draft = self._draft()
        while taken := self._take(rows, draft.step):
            self._add(taken)
            await self._pace.pause()

    def _take(self, rows: Iterator[list[str]], count: int) -> list[list[str]]:
        """The next rows. Raises `InvalidData` where from one on nothing can be made out."""
        taken: list[list[str]] = []
        try:
            taken.extend(islice(rows, count))  # it keeps the rows before an error
        except csv.Error as error:
            if taken:
                self._add(taken)
            self._faults.add(self._number + 1, [csv_words(error)])
            self._faults.raise_if_any()
        return taken

    def _begin(self, first: Sequence[str]) -> None:
        """Tell from the first row what the columns are called. Raises `InvalidData` where they cannot be these."""
        self._header = is_header(first)
        names = first if self._header else [f"column_{number}" for number in range(1, len(first) + 1)]
        self._faults.add(1, self._name_faults(names))
        self._faults.raise_if_any()
        self._sheets.draft = self._sheets.draft or Draft(self._path, names, self._sheets.label)
        if difference := self._sheets.draft.differences(names):
            action = "Give every table the same columns in the same order, or make a manifest of each."
            problem = Problem(path=self._path, problem=difference, action=action)
            raise InvalidData(difference, action, [problem])
        if self._header:
            self._number = 1
        else:
            self._add([first])

    def _name_faults(self, names: Sequence[str]) -> list[str]:
        label = self._sheets.label
        if not names:
            return ["The row is empty."]
        if len(names) > MAX_COLUMNS:
            return [f"There are more than {MAX_COLUMNS:,} columns."]
        faults = header_faults(names)
        if label is not None and label not in names:
            listed = ", ".join(repr(each[:60]) for each in names[:10])
            faults.append(f"There is no column {label[:60]!r}; there are {listed}{', …' if names[10:] else ''}.")
        return faults

    def _draft(self) -> Draft:
        assert self._sheets.draft
        return self._sheets.draft

    def _add(self, rows: Sequence[Sequence[str]]) -> None:
        """Look at rows that follow those before; they are numbered as a spreadsheet shows them."""
        draft = self._draft()
        width = len(draft.names)
        if all(len(row) == width for row in rows):
            draft.add(rows, self._path, self._number + 1)
        else:
            for number, row in enumerate(rows, self._number + 1):
                if len(row) != width:
                    self._faults.add(number, [_width_fault(len(row), width)])
        self._number += len(rows)


def _width_fault(cells: int, width: int) -> str:
    return f"The row has {cells:,} cells instead of {width:,}." if cells else "The row is empty."
