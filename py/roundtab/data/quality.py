"""What is odd about data that can be used: nothing of it stops a job, and all is worth a look before one starts."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import numpy as np
import numpy.typing as npt

from roundtab.clock import Clock, Slice
from roundtab.data.dataset import Dataset

VALUES = 2**16
"""Numbers looked at in one step."""
IMBALANCE = 20
"""The largest class may have so many times the rows of the smallest."""
EXACT = 2**24
"""Up to here a 32-bit number tells every whole number from the next."""
MAX_COMPARED = 2_000_000
"""Rows up to which two sets are compared for shared ones: each takes some tens of bytes meanwhile."""
SHOWN = 5

Note = tuple[str, str]
"""What is odd, and what to do."""


async def oddities(data: Dataset, clock: Clock) -> list[Note]:
    """Constant columns, whole numbers that lose digits, classes that are missing, rare or far from balanced."""
    least, most = await _ranges(data.features, Slice(clock))
    notes: list[Note] = []
    constant = [name for name, same in zip(data.feature_names, least == most, strict=True) if same]
    if constant and len(data) > 1:
        told = f"The same value stands in every row of {_listed(constant, 'the column', 'the columns')}."
        notes.append((told, "Leave it out with fl:features; it says nothing about the label."))
    large = [
        name
        for name, low, high in zip(data.feature_names, least, most, strict=True)
        if max(-low, high) > EXACT and float(low).is_integer() and float(high).is_integer()
    ]
    if large:
        told = (
            f"Whole numbers beyond {EXACT:,} lose their last digits in {_listed(large, 'the column', 'the columns')}."
        )
        notes.append((told, "Subtract what they have in common, or leave the column out if it is an id."))
    return notes + _class_notes(data)


async def _ranges(
    features: npt.NDArray[np.float32], pace: Slice
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """The least and the greatest value of each column."""
    least, most = features[0].copy(), features[0].copy()
    step = max(1, VALUES // features.shape[1])
    for start in range(0, len(features), step):
        part = features[start : start + step]
        np.minimum(least, part.min(axis=0), out=least)
        np.maximum(most, part.max(axis=0), out=most)
        await pace.pause()
    return least, most


def _class_notes(data: Dataset) -> list[Note]:
    if not data.classes:
        return []
    counts = np.bincount(data.labels.astype(np.int64, copy=False), minlength=len(data.classes)).tolist()
    notes: list[Note] = []
    none = [name for name, count in zip(data.classes, counts, strict=True) if not count]
    if none:
        told = f"There is no row of {_listed(none, 'the class', 'the classes')}."
        notes.append((told, "A model cannot learn a class that it never sees."))
    single = [name for name, count in zip(data.classes, counts, strict=True) if count == 1]
    if single:
        notes.append((f"There is one row only of {_listed(single, 'the class', 'the classes')}.", "Add rows of it."))
    present = [count for count in counts if count]
    if present and max(present) > IMBALANCE * min(present):
        told = f"The largest class has {max(present):,} rows, the smallest {min(present):,}."
        notes.append((told, "Accuracy says little here: always naming the largest class would look good."))
    return notes


async def shared_rows(train: Dataset, held_out: Dataset, clock: Clock) -> Note | None:
    """Whether held-out rows stand in the training data too, where they prove nothing."""
    if len(train) + len(held_out) > MAX_COMPARED:
        told = f"Training and validation data have over {MAX_COMPARED:,} rows; shared ones were not looked for."
        return told, "Make sure that no row is in both."
    pace = Slice(clock)
    known: set[int] = set()
    async for keys in _row_keys(train, pace):
        known.update(keys)
    shared = 0
    async for keys in _row_keys(held_out, pace):
        shared += sum(key in known for key in keys)
    if not shared:
        return None
    rows = "1 validation row is" if shared == 1 else f"{shared:,} validation rows are"
    return f"{rows} in the training data, too.", "Take such rows out: values measured on them prove nothing."


async def _row_keys(data: Dataset, pace: Slice) -> AsyncIterator[list[int]]:
    """Yield a number for each row, some rows at a time; equal rows have equal numbers, others hardly ever."""
    words = np.ascontiguousarray(data.features).view(np.uint32)
    factors = np.random.default_rng(1).integers(1, 2**63, words.shape[1] + 1, np.uint64) * np.uint64(2) + np.uint64(1)
    labels = data.labels.astype(np.float32).view(np.uint32)
    step = max(1, VALUES // words.shape[1])
    for start in range(0, len(words), step):
        part = words[start : start + step].astype(np.uint64)
        with np.errstate(over="ignore"):
            keys = (part * factors[:-1]).sum(axis=1, dtype=np.uint64) + labels[start : start + step] * factors[-1]
        yield keys.tolist()
        await pace.pause()


def _listed(names: Sequence[str], one: str, many: str) -> str:
    """`the column 'a'`, `the columns 'a', 'b' and 3 more`."""
    shown = ", ".join(repr(name[:40]) for name in names[:SHOWN])
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return f"{one if len(names) == 1 else many} {shown}{more}"
