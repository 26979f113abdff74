"""Reads a CSV or TSV file into arrays by its Table Schema, and says of every bad cell which row and column it is in.

Numbers are converted block by block by numpy's own reader, which is strict; only a block that it refuses is looked at
cell by cell. The work is cut into short steps, because it runs beside the Training API.
"""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import aclosing

import numpy as np

from roundtab.clock import Clock, Slice
from roundtab.data.dataset import Dataset, Labels
from roundtab.data.files import FileSource
from roundtab.data.formats.cells import Columns, Rows
from roundtab.data.formats.faults import Faults
from roundtab.data.formats.text import Progress, rows
from roundtab.data.manifests.resources import Resource

MAX_VALUES = 2**27
"""Numbers of one table: 512 MiB as float32. An engine in a browser has 4 GiB, and rows are copied on their way."""
STEP = 64
"""Rows looked at cell by cell in one step."""


async def read_table(source: FileSource, resource: Resource, clock: Clock, progress: Progress | None = None) -> Dataset:
    """The rows of `source` as `resource` describes them.

    Rows are numbered as a spreadsheet shows them: the header is row 1. Raises `InvalidData` with at most 20 problems
    and the number of further ones: text that is not UTF-8, another header than the schema, rows with too few or too
    many cells, cells that are blank, no number or not finite, labels that are no class, another row count than
    `fl:rows`, more than `MAX_VALUES` numbers.
    """
    table = _Table(resource, source.path, clock)
    async with aclosing(rows(source, resource.quote, clock, progress)) as parts:
        async for text, quoted in parts:
            await (table.add_quoted(text) if quoted else table.add_plain(text))
    return await table.end()


class _Table:
    """The rows read so far."""

    def __init__(self, resource: Resource, path: str, clock: Clock) -> None:
        self._resource = resource
        self._columns = Columns(resource)
        self._pace = Slice(clock)
        self._faults = Faults(path)
        self._header = resource.header
        self._parts: deque[Rows] = deque()
        self._number = 0
        """Of the last row, the header included."""

    async def end(self) -> Dataset:
        """The dataset, once all text was added. Raises `InvalidData` where anything is wrong."""
        if self._header:
            self._check_header([])
        rows = self._number - self._resource.header
        if not len(self._faults):
            self._faults.add(0, _count_faults(rows, self._resource))
        self._faults.raise_if_any()
        features = np.empty((rows, len(self._resource.features)), np.float32)
        labels: Labels = np.empty(rows, np.int64) if self._resource.classes else np.empty(rows, np.float32)
        done = 0
        while self._parts:
            some, theirs = self._parts.popleft()  # so that it need not stay in memory twice
            features[done : done + len(some)], labels[done : done + len(some)] = some, theirs
            done += len(some)
            await self._pace.pause()
        return Dataset(
            features=features,
            labels=labels,
            feature_names=self._resource.features,
            classes=self._resource.classes or (),
        )

    async def add_plain(self, text: str) -> None:
        """Rows without quotes: every line is one."""
        lines = text.removesuffix("\n").split("\n")
        if self._header:
            first = lines.pop(0).removesuffix("\r")
            self._check_header(first.split(self._resource.delimiter) if first else [])
        if not lines:
            return
        found = self._columns.convert(lines, self._resource.delimiter)
        if found:
            self._keep(found, len(lines))
        else:
            await self._add_rows(self._reader(lines))

    async def add_quoted(self, text: str) -> None:
        """Rows with quotes; only line feeds end a line, other breaks may stand in a cell."""
        reader = self._reader(text.removesuffix("\n").split("\n"))
        if self._header:
            self._check_header(self._next(reader) or [])
        await self._add_rows(reader)

    def _reader(self, lines: Sequence[str]) -> Iterator[list[str]]:
        resource = self._resource
        whole = (f"{line}\n" for line in lines)
        return csv.reader(whole, delimiter=resource.delimiter, quotechar=resource.quote, strict=True)

    def _next(self, reader: Iterator[list[str]]) -> list[str] | None:
        """The next row; None at the end. Raises `InvalidData` where there is none to be made out."""
        try:
            return next(reader, None)
        except csv.Error as error:
            self._faults.add(self._number + 1, [csv_words(error)])
            self._faults.raise_if_any()
            raise

    async def _add_rows(self, reader: Iterator[list[str]]) -> None:
        """Rows one by one: those that are right are kept, the others told."""
        rows: list[list[str]] = []
        while (row := self._next(reader)) is not None:
            self._number += 1
            faults = self._columns.faults(row)
            self._faults.add(self._number, faults)
            if not faults:
                rows.append(row)
            if len(rows) == STEP:
                self._keep(self._columns.rows(rows), 0)
                rows.clear()
            await self._pace.pause()
        if rows:
            self._keep(self._columns.rows(rows), 0)

    def _keep(self, rows: Rows, count: int) -> None:
        """Keep numbers of rows, `count` of which are not counted yet."""
        self._number += count
        if self._number * len(self._resource.features) > MAX_VALUES:
            most = MAX_VALUES // len(self._resource.features)
            self._faults.add(0, [f"It has more than {most:,} rows of {len(self._resource.features):,} features."])
            self._faults.raise_if_any()
        self._parts.append(rows)

    def _check_header(self, header: Sequence[str]) -> None:
        """Raise `InvalidData` unless the header is that of the schema: with other columns, no row means anything."""
        self._header, self._number = False, 1
        names = [field.name for field in self._resource.fields]
        problems = [] if header else ["The file has no header."]
        for number, (name, expected) in enumerate(zip(header, names, strict=False), start=1):
            if name != expected:
                problems.append(f"Column {number} is called {name[:60]!r}; the schema says {expected[:60]!r}.")
        if header and len(header) != len(names):
            problems.append(f"The header has {len(header):,} columns; the schema has {len(names):,}.")
            if len(header) == 1 and any(mark in header[0] for mark in ";\t,|"):
                problems.append(f"The delimiter seems not to be {self._resource.delimiter!r}.")
        self._faults.add(1, problems)
        self._faults.raise_if_any()


def _count_faults(rows: int, resource: Resource) -> list[str]:
    if not rows:
        return ["There are no rows."]
    if resource.rows is not None and rows != resource.rows:
        return [f"There {'is 1 row' if rows == 1 else f'are {rows:,} rows'}; the manifest says {resource.rows:,}."]
    return []


def csv_words(error: csv.Error) -> str:
    """Why a row cannot be read."""
    text = str(error)
    if "unexpected end of data" in text:
        return "A quotation mark is opened and never closed."
    if "new-line character" in text:
        return "A line ends with a carriage return alone; end lines with a line feed."
    if "field larger than" in text:
        return "A cell has more than 131,072 characters; a quotation mark may be missing."
    return f"The row cannot be read: {text}."
