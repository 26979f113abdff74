"""Reads .npy and .npz files into a dataset, and says of every number that is none which row and column it is in.

An .npy holds one table [rows, columns] whose columns the manifest names. An .npz holds several arrays; `fl:label` names
the one to predict, [rows], and `fl:features` those to predict from, [rows] or [rows, columns].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from roundtab.clock import Clock, Slice
from roundtab.data.dataset import Dataset, Labels
from roundtab.data.files import FileSource
from roundtab.data.formats.cells import Classes, require_trainable
from roundtab.data.formats.faults import MAX_PROBLEMS, Faults
from roundtab.data.formats.npy import NotAnArray, read_array, words
from roundtab.data.formats.npz import read_arrays
from roundtab.data.formats.tables import MAX_VALUES
from roundtab.data.formats.text import Progress, refusal
from roundtab.data.manifests.resources import Resource

PIECE = 4 * 2**20
"""Bytes read at a time."""
VALUES = 2**16
"""Numbers converted in one step."""

Array = npt.NDArray[np.generic]


@dataclass(frozen=True, slots=True)
class _Column:
    """Numbers [rows, n] to predict from, and what their columns are called."""

    names: Sequence[str]
    values: Array


async def read_array_file(
    source: FileSource, resource: Resource, clock: Clock, progress: Progress | None = None
) -> Dataset:
    """The rows of `source` as `resource` describes them; the first row is row 1.

    Raises `InvalidData` for what is no array of numbers, for other shapes and types than the manifest says, for NaN and
    infinities, for labels that are no class, and for another row count than `fl:rows`; `OSError` where the file cannot
    be read any more.
    """
    pace = Slice(clock)
    if resource.format == "npy":
        require_trainable(resource)
    data = await read_bytes(source, pace, progress)
    try:
        if resource.format == "npy":
            columns, label = _of_table(read_array(data), resource)
        else:
            columns, label = _of_members(await read_arrays(data, pace), resource)
    except NotAnArray as error:
        _refuse(source.path, str(error))
    return await _dataset(columns, label, resource, source.path, pace)


async def read_bytes(source: FileSource, pace: Slice, progress: Progress | None) -> bytes:
    """All bytes of a file. Raises `OSError` where it cannot be read any more."""
    pieces, done = [], 0
    async with aclosing(source.stream(PIECE)) as stream:
        async for piece in stream:
            pieces.append(piece)
            done += len(piece)
            if progress:
                progress(done)
            await pace.pause()
    return b"".join(pieces)


def _of_table(table: Array, resource: Resource) -> tuple[list[_Column], Array]:
    """Features and label of an .npy."""
    kind, fields = table.dtype.newbyteorder("=").name, resource.fields
    if resource.dtype is not None and kind != resource.dtype:
        raise NotAnArray(f"Its numbers are {kind}; the manifest says {resource.dtype[:40]}.")
    if resource.shape is not None and table.shape != resource.shape:
        raise NotAnArray(f"Its shape is {words(table.shape)}; the manifest says {words(resource.shape)}.")
    if table.ndim != 2 or table.shape[1] != len(fields):
        raise NotAnArray(f"Its shape is {words(table.shape)}; the schema has {len(fields):,} columns.")
    if table.dtype.kind == "U":
        raise NotAnArray("It holds text; only numbers can be trained on.")
    place = {field.name: index for index, field in enumerate(fields)}
    columns = [_Column([name], table[:, place[name] : place[name] + 1]) for name in resource.features]
    return columns, table[:, place[resource.label or ""]]


def _of_members(arrays: Mapping[str, Array], resource: Resource) -> tuple[list[_Column], Array]:
    """Features and label of an .npz."""
    listed = ", ".join(repr(name[:40]) for name in arrays) or "none"
    if resource.label is None:
        raise NotAnArray(f"The manifest does not say in fl:label which array to predict. There are {listed}.")
    names = resource.features or tuple(name for name in arrays if name != resource.label)
    for name in (*names, resource.label):
        if name not in arrays:
            raise NotAnArray(f"It has no array {name[:40]!r}. There are {listed}.")
    if not names:
        raise NotAnArray("There is no array to predict from beside the label.")
    label = arrays[resource.label]
    if label.ndim != 1:
        raise NotAnArray(f"The label has the shape {words(label.shape)}; one number a row is needed.")
    if label.dtype.kind == "U" and resource.classes is None:
        raise NotAnArray("The label is text; the manifest lists no classes for it in fl:classes.")
    return [_member(name, arrays[name], label) for name in names], label


def _member(name: str, array: Array, label: Array) -> _Column:
    shown = repr(name[:40])
    if array.ndim not in (1, 2):
        raise NotAnArray(f"The array {shown} has the shape {words(array.shape)}; a table has rows and columns only.")
    if len(array) != len(label):
        raise NotAnArray(f"The array {shown} has {len(array):,} rows; the label has {len(label):,}.")
    if array.dtype.kind == "U":
        raise NotAnArray(f"The array {shown} holds text; only numbers can be predicted from.")
    if array.ndim == 1:
        return _Column([name], array[:, None])
    return _Column([f"{name}[{index}]" for index in range(array.shape[1])], array)


async def _dataset(columns: list[_Column], label: Array, resource: Resource, path: str, pace: Slice) -> Dataset:
    """The numbers as float32, each looked at."""
    names = [name for column in columns for name in column.names]
    rows = len(label)
    if rows * len(names) > MAX_VALUES:
        _refuse(path, f"It has {rows:,} rows of {len(names):,} features; at most {MAX_VALUES:,} numbers are read.")
    faults = Faults(path)
    features = np.empty((rows, len(names)), np.float32)
    labels = _Labels(label, resource)
    step = max(1, VALUES // len(names))
    for start in range(0, rows, step):
        end, place = min(start + step, rows), 0
        for column in columns:
            with np.errstate(over="ignore"):
                features[start:end, place : place + len(column.names)] = column.values[start:end]
            place += len(column.names)
        places = np.argwhere(~np.isfinite(features[start:end]))
        for row, index in places[:MAX_PROBLEMS].tolist():
            value = features[start + row, index]
            faults.add(start + row + 1, [f"Column {names[index]!r}: {_not_finite(value)}"])
        faults.more(max(0, len(places) - MAX_PROBLEMS))
        labels.convert(start, end, faults)
        await pace.pause()
    if not rows:
        faults.add(0, ["There are no rows."])
    elif resource.rows is not None and resource.rows != rows:
        faults.add(0, [f"There are {rows:,} rows; the manifest says {resource.rows:,}."])
    faults.raise_if_any()
    return Dataset(
        features=features, labels=labels.made, feature_names=tuple(names), classes=tuple(resource.classes or ())
    )


class _Labels:
    """The labels of all rows: numbers of classes where the manifest lists some, else quantities."""

    def __init__(self, given: Array, resource: Resource) -> None:
        self._given = given
        self._name = resource.label or ""
        self._classes = Classes(resource.classes, integer=given.dtype.kind != "U") if resource.classes else None
        self.made: Labels = np.zeros(len(given), np.int64) if self._classes else np.zeros(len(given), np.float32)

    def convert(self, start: int, end: int, faults: Faults) -> None:
        """Make the labels of these rows; tell those that are none."""
        part = self._given[start:end]
        if self._classes is None:
            with np.errstate(over="ignore"):
                self.made[start:end] = part
            wrong = np.flatnonzero(~np.isfinite(self.made[start:end])).tolist()
            told = [_not_finite(self.made[start + row]) for row in wrong[:MAX_PROBLEMS]]
        else:
            cells = [class_name(value) for value in part.tolist()]
            numbers = self._classes.numbers
            self.made[start:end] = [numbers.get(cell, 0) for cell in cells]
            wrong = [row for row, cell in enumerate(cells) if cell not in numbers]
            known = self._classes.listed()
            told = [f"{cells[row][:60]!r} is no class; the classes are {known}." for row in wrong[:MAX_PROBLEMS]]
        for row, fault in zip(wrong, told, strict=False):
            faults.add(start + row + 1, [f"The label {self._name!r}: {fault}"])
        faults.more(len(wrong) - len(told))


def class_name(value: object) -> str:
    """What a label says, as a cell of a table would: 3.0 and True are the numbers 3 and 1."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(int(value)) if isinstance(value, bool) else str(value)


def _not_finite(value: np.generic) -> str:
    return "The value is missing (NaN)." if np.isnan(value) else "The value is too large for a 32-bit number."


def _refuse(path: str, problem: str) -> NoReturn:
    raise refusal(path, problem, "Save the arrays again, with numpy.save or numpy.savez and without pickles.")
