"""Reads a CSV file into arrays by its Table Schema, and says of every bad cell which row and column it is in.

Numbers are converted in chunks; only a chunk with something wrong in it is looked at cell by cell. The work is cut into
short steps, because it runs beside the Training API.
"""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NoReturn

import numpy as np

from roundtab.clock import Clock, Slice
from roundtab.data.cells import Columns
from roundtab.data.dataset import Dataset
from roundtab.data.files import FileSource
from roundtab.data.resources import Resource
from roundtab.errors import InvalidData, Problem

PIECE = 2**18
"""Bytes read and decoded in one step."""
CELLS = 16_384
"""Cells converted in one step, at most 256 rows of them: a few milliseconds in a browser."""
MAX_PROBLEMS = 20


async def read_table(source: FileSource, resource: Resource, clock: Clock) -> Dataset:
    """The rows of `source`, a CSV file, as `resource` describes it.

    Rows are numbered as a spreadsheet shows them: the header is row 1. Raises `InvalidData` with at most 20 problems
    and the number of further ones: text that is not UTF-8, another header than the schema, rows with too few or too
    many cells, cells that are blank, no number or not finite, labels that are no class, another row count than
    `fl:rows`.
    """
    columns = Columns(resource)
    slice_ = Slice(clock)
    text = await _read(source, slice_)
    table = _Rows(csv.reader(_lines(text.pieces), delimiter=resource.delimiter, quotechar=resource.quote, strict=True))
    faults = Faults(source.path)
    if resource.header:
        header = table.take(1)
        _check_header(header[0] if header else [], resource, faults)
    features = np.empty((text.breaks + 1, len(columns.features)), np.float32)
    labels = np.empty(text.breaks + 1, columns.label_type)
    step = max(1, min(256, CELLS // len(resource.fields)))
    done = 0
    while rows := table.take(step):
        end = done + len(rows)
        fits = columns.convert(rows, features[done:end], labels[done:end])
        if not fits or columns.loose or not text.plain:
            for number, row in enumerate(rows, start=done + 1 + resource.header):
                faults.add(number, columns.faults(row))
                await slice_.pause()
        done = end
        await slice_.pause()
    if table.error:
        faults.add(done + 1 + resource.header, [_csv_words(table.error)])
    if not len(faults):
        faults.add(0, _count_faults(done, resource))
    faults.raise_if_any()
    return Dataset(
        features=features[:done], labels=labels[:done], feature_names=resource.features, classes=resource.classes or ()
    )


class _Rows:
    """Rows of a CSV reader, some at a time, up to the first one that cannot be read."""

    def __init__(self, reader: Iterator[list[str]]) -> None:
        self._reader = reader
        self.error: csv.Error | None = None

    def take(self, count: int) -> list[list[str]]:
        """The next `count` rows; fewer at the end or before `error`."""
        rows: list[list[str]] = []
        try:
            # `extend` keeps the rows before an error.
            rows.extend(islice(self._reader, count if not self.error else 0))
        except csv.Error as error:
            self.error = error
        return rows


class Faults:
    """Collects what is wrong in the rows of a file: the first ones in words, the others by number."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._first: list[Problem] = []
        self._count = 0

    def __len__(self) -> int:
        """How many there are."""
        return self._count

    def add(self, row: int, faults: Sequence[str]) -> None:
        """Note faults of a row; row 0 is the file as a whole."""
        for fault in faults:
            self._count += 1
            if len(self._first) < MAX_PROBLEMS:
                where = f"Row {row}: " if row else ""
                self._first.append(
                    Problem(path=self._path, problem=f"{where}{fault}", action="Correct the file and its manifest.")
                )

    def raise_if_any(self) -> None:
        """Raise `InvalidData` if anything was noted."""
        if not self._count:
            return
        more = self._count - len(self._first)
        listed = [*self._first]
        if more:
            listed.append(
                Problem(path=self._path, problem=f"{more:,} more problems follow.", action="Correct these first.")
            )
        raise InvalidData(
            f"{self._path} has {self._count:,} problem{'s' if self._count > 1 else ''} in its content.",
            "Correct the file, then make its manifest again.",
            listed,
        )


@dataclass(frozen=True, slots=True)
class _Text:
    pieces: list[str]
    breaks: int
    """Line feeds: no table has more rows than these and one."""
    plain: bool
    """Whether, below the header, nothing stands that Python's numbers allow and a table's do not: `1_000`, `١`."""


async def _read(source: FileSource, slice_: Slice) -> _Text:
    """The text of the file."""
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    pieces: list[str] = []
    offset = breaks = 0
    plain = True
    while offset < source.size:
        data = await source.read(offset, min(PIECE, source.size - offset))
        if not data:
            _refuse(source.path, "The file is shorter than it was.", "Choose it again.")
        piece = _decode(decoder, data, source.path, offset)
        body = piece if pieces else piece[piece.find("\n") :]
        plain = plain and body.isascii() and "_" not in body
        breaks += piece.count("\n")
        pieces.append(piece)
        offset += len(data)
        await slice_.pause()
    _decode(decoder, b"", source.path, offset, final=True)
    if pieces and pieces[0].startswith("\ufeff"):
        _refuse(source.path, "The file begins with a byte order mark.", "Save it as UTF-8 without one.")
    return _Text(pieces, breaks, plain)


def _decode(decoder: codecs.IncrementalDecoder, data: bytes, path: str, offset: int, final: bool = False) -> str:
    try:
        return decoder.decode(data, final)
    except UnicodeDecodeError as error:
        held_back = len(error.object) - len(data)
        problem = f"The text is not UTF-8 at byte {offset - held_back + error.start:,}."
        _refuse(path, problem, "Save the file as UTF-8 (not Latin-1 or Windows-1252).")


def _lines(pieces: Sequence[str]) -> Iterator[str]:
    """The lines of the text, each with its end. Only line feeds end a line: other breaks may stand in a cell."""
    rest = ""
    for piece in pieces:
        *lines, rest = (rest + piece).split("\n")
        for line in lines:
            yield f"{line}\n"
    if rest:
        yield rest


def _check_header(header: Sequence[str], resource: Resource, faults: Faults) -> None:
    """Raise `InvalidData` unless the header is that of the schema: with other columns, no row means anything."""
    names = [field.name for field in resource.fields]
    problems = [] if header else ["The file has no header."]
    for number, (name, expected) in enumerate(zip(header, names, strict=False), start=1):
        if name != expected:
            problems.append(f"Column {number} is called {name[:60]!r}; the schema says {expected[:60]!r}.")
    if header and len(header) != len(names):
        problems.append(f"The header has {len(header)} columns; the schema has {len(names)}.")
        if len(header) == 1 and any(mark in header[0] for mark in ";\t,"):
            problems.append(f"The delimiter seems not to be {resource.delimiter!r}.")
    faults.add(1, problems)
    faults.raise_if_any()


def _count_faults(rows: int, resource: Resource) -> list[str]:
    if not rows:
        return ["There are no rows."]
    if resource.rows is not None and rows != resource.rows:
        return [f"There are {rows:,} rows; the manifest says {resource.rows:,}."]
    return []


def _csv_words(error: csv.Error) -> str:
    text = str(error)
    if "unexpected end of data" in text:
        return "A quotation mark is opened and never closed."
    if "new-line character" in text:
        return "A line ends with a carriage return alone; end lines with a line feed."
    if "field larger than" in text:
        return "A cell has more than 131,072 characters; a quotation mark may be missing."
    return f"The row cannot be read: {text}."


def _refuse(path: str, problem: str, action: str) -> NoReturn:
    listed = [Problem(path=path, problem=problem, action=action)]
    raise InvalidData(f"{path} cannot be read.", "See the problem listed.", listed)
