"""The .npy format of one array: its header is read here, without `eval`, and no pickle is ever opened.

Source: numpy.lib.format, versions 1 to 3. numpy evaluates the header as a Python expression; a hostile one can nest so
deeply that a Pyodide interpreter ends for good, so the three entries are matched one by one instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

MAGIC = b"\x93NUMPY"
MAX_HEADER = 10_000
"""Bytes, as numpy has it."""
MAX_DIMENSIONS = 32
MAX_LENGTH = 2**31 - 1
"""Of one dimension; the largest index where pointers have 32 bits, as in a browser."""
_ENTRY = re.compile(r"\s*'(descr|fortran_order|shape)'\s*:\s*('[^']*'|True|False|\([\d,\s]*\)|\[)\s*,?")
_DTYPE = re.compile(r"([<>|=]?)([biufUSOVcmMO])(\d+)?(\[.*\])?")
_KINDS = {
    "O": "Python objects (pickles), which are never opened",
    "V": "structures",
    "S": "bytes",
    "c": "complex numbers",
    "m": "time spans",
    "M": "dates",
}


class NotAnArray(Exception):
    """Says in a sentence why bytes are no array that can be used."""


@dataclass(frozen=True, slots=True)
class Header:
    """What the head of a file says of its array."""

    dtype: np.dtype[np.generic]
    fortran: bool
    shape: tuple[int, ...]
    start: int
    """The byte at which the numbers begin."""

    @property
    def bytes(self) -> int:
        """Of the numbers."""
        count = self.dtype.itemsize
        for length in self.shape:
            count *= length
        return count


def read_header(data: bytes | memoryview) -> Header:
    """The header at the beginning of `data`. Raises `NotAnArray`."""
    head = bytes(data[:12])
    if not head.startswith(MAGIC) or len(head) < 12:
        raise NotAnArray("It is not an array as numpy.save writes it.")
    if head[6] not in (1, 2, 3):
        raise NotAnArray(f"It is written in version {head[6]} of the format, which is not known.")
    first = 10 if head[6] == 1 else 12
    length = int.from_bytes(head[8:first], "little")
    if length > MAX_HEADER:
        raise NotAnArray(f"Its header has {length:,} bytes, more than {MAX_HEADER:,}.")
    text = bytes(data[first : first + length]).decode("utf-8", "replace")
    if len(data) < first + length or not (text.startswith("{") and text.rstrip().endswith("}")):
        raise NotAnArray("It ends within its header.")
    entries = {match[1]: match[2] for match in _ENTRY.finditer(text[1:])}
    if len(entries) != 3:
        raise NotAnArray("Its header does not say type, order and shape.")
    return Header(
        dtype=_dtype(entries["descr"]),
        fortran=entries["fortran_order"] == "True",
        shape=_shape(entries["shape"]),
        start=first + length,
    )


def read_array(data: bytes | memoryview) -> npt.NDArray[np.generic]:
    """The array in `data`, a view of it. Raises `NotAnArray`."""
    header = read_header(data)
    have = len(data) - header.start
    if have != header.bytes:
        what = "was cut off" if have < header.bytes else "has something behind its numbers"
        raise NotAnArray(f"It {what}: {words(header.shape)} needs {header.bytes:,} bytes, there are {have:,}.")
    numbers = np.frombuffer(data, header.dtype, offset=header.start)
    return numbers.reshape(header.shape, order="F" if header.fortran else "C")


def words(shape: tuple[int, ...]) -> str:
    """A shape for people: `100 × 64`."""
    return " × ".join(f"{length:,}" for length in shape) or "a single number"


def _dtype(entry: str) -> np.dtype[np.generic]:
    if entry == "[":
        raise NotAnArray(f"It holds {_KINDS['V']}.")
    match = _DTYPE.fullmatch(entry[1:-1]) if entry.startswith("'") else None
    if match is None:
        raise NotAnArray(f"Its type {entry[:40]} is not known.")
    order, kind, size = match[1], match[2], int((match[3] or "0")[:6])
    if kind in _KINDS:
        raise NotAnArray(f"It holds {_KINDS[kind]}.")
    sizes = {"b": (1,), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "f": (2, 4, 8), "U": range(1, 1_001)}[kind]
    if size not in sizes or match[4]:
        raise NotAnArray(f"Its type {entry[:40]} is not supported.")
    return np.dtype(f"{order}{kind}{size}")


def _shape(entry: str) -> tuple[int, ...]:
    sizes = [each.strip() for each in entry[1:-1].split(",")] if entry.startswith("(") else ["x"]
    if sizes and not sizes[-1]:
        sizes.pop()  # (3,) and ()
    if len(sizes) > MAX_DIMENSIONS or any(not each.isdecimal() or len(each) > 18 for each in sizes):
        raise NotAnArray(f"Its shape {entry[:60]} is none.")
    shape = tuple(int(each) for each in sizes)
    if max(shape, default=0) > MAX_LENGTH:
        raise NotAnArray(f"Its shape {words(shape)} is too large.")
    return shape
