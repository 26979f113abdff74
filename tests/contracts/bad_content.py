"""Data files whose content cannot be trained on, or is odd, each with its outcome. Manifest and checksums are right."""

from __future__ import annotations

import hashlib
import io
import warnings
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from contracts.api_world import Data
from contracts.outcomes import Case

from roundtab.data.files import MemoryFile

HEADER = "a,b,label\n"
GOOD = "1,2,no\n3,4,yes\n5,6,no\n7,9,yes\n"


def data(content: bytes, form: str = "csv", **members: Any) -> Data:
    """A manifest that fits `content` in name, size and checksum."""
    types = (("a", "number"), ("b", "number"), ("label", "string"))
    resource = {
        "name": "rows",
        "path": f"rows.{form}",
        "format": form,
        "bytes": len(content),
        "hash": f"sha256:{hashlib.sha256(content).hexdigest()}",
        "schema": {"fields": [{"name": name, "type": kind} for name, kind in types]},
        "fl:label": "label",
        "fl:classes": ["no", "yes"],
        **members,
    }
    given = {key: value for key, value in resource.items() if value is not None}
    return Data({"name": "rows", "resources": [given]}, (MemoryFile(f"rows.{form}", content),))


def table(number: int, title: str, text: str | bytes, words: str = "", *, odd: bool = False, **members: Any) -> Case:
    """A CSV file that is refused, or used and odd; without words nothing is said of it."""
    content = text.encode() if isinstance(text, str) else text
    path = "rows.csv" if words else ""
    return Case(number, title, data(content, **members), None if odd or not words else "content", path, words)


def saved(array: npt.ArrayLike, **options: Any) -> bytes:
    """The file that numpy.save writes."""
    out = io.BytesIO()
    np.save(out, np.asarray(array), **options)
    return out.getvalue()


def array(number: int, title: str, content: bytes, words: str = "", **members: Any) -> Case:
    """An .npy file."""
    found = data(content, "npy", **members)
    return Case(number, title, found, "content" if words else None, "rows.npy" if words else "", words)


def archive(number: int, title: str, words: str = "", *, label: Any = (0, 1), **arrays: Any) -> Case:
    """An .npz file."""
    members = arrays if label is None else {"label": label, **arrays}
    out = io.BytesIO()
    np.savez_compressed(out, **{name: np.asarray(each) for name, each in members.items()})
    return zipped(number, title, out.getvalue(), words)


def zipped(number: int, title: str, content: bytes, words: str = "") -> Case:
    """An .npz file of these bytes."""
    found = data(content, "npz", schema=None)
    return Case(number, title, found, "content" if words else None, "rows.npz" if words else "", words)


def content() -> Iterator[Case]:
    """Yield every content of the list."""
    yield table(23, "no rows", HEADER, "There are no rows.")
    yield table(23, "nothing but a line feed", "\n", "The file has no header.")
    yield table(23, "no header", GOOD, "Row 1: Column 1 is called '1'; the schema says 'a'.")
    yield table(23, "blank header", "a,,label\n" + GOOD, "Column 2 is called ''")
    yield table(23, "header twice", "a,a,label\n" + GOOD, "Column 2 is called 'a'; the schema says 'b'.")
    yield table(23, "byte order mark", "\ufeff" + HEADER + GOOD, "byte order mark")
    yield table(24, "too short", HEADER + GOOD + "1,2\n", "Row 6: The row has 2 cells instead of 3.")
    yield table(24, "too long", HEADER + "1,2,no,4\n" + GOOD, "Row 2: The row has 4 cells instead of 3.")
    quoted = HEADER.replace("label", '"label"') + '1,2,"no"\n3,4,"y\nes"\n5,5,"y\nes"\n' + GOOD
    yield table(24, "quoted line feed", quoted, **{"fl:classes": ["no", "yes", "y\nes"]})
    yield table(24, "open quote", HEADER + GOOD + '1,2,"no\n', "Row 6: A quotation mark is opened and never closed.")
    yield table(24, "long cell", HEADER + f'"{"9" * 140_000}",2,no\n', "more than 131,072 characters")
    yield table(
        25, "decimal comma", HEADER + '"1,5",2,no\n' + GOOD, "Row 2: Column 'a': '1,5' is not a number. Write a point"
    )
    yield table(25, "thousands", HEADER + '"1,234.5",2,no\n' + GOOD, "without thousands separators")
    yield table(25, "semicolons", "a;b;label\n1;2;no\n", "The delimiter seems not to be ','.")
    latin = HEADER.encode() + GOOD.encode() + "1,2,größer\n".encode("cp1252")
    yield table(25, "Windows-1252", latin, "Line 6 is not UTF-8 (byte 0xf6).")
    yield table(25, "UTF-16", (HEADER + GOOD).encode("utf-16"), "text in UTF-16")
    yield table(26, "word", HEADER + "abc,2,no\n" + GOOD, "Row 2: Column 'a': 'abc' is not a number.")
    yield table(26, "1e400", HEADER + "1e400,2,no\n" + GOOD, "too large for a 32-bit number")
    yield table(26, "NaN", HEADER + "NaN,2,no\n" + GOOD, "'NaN' is not a number.")
    yield table(26, "infinity", HEADER + "inf,2,no\n" + GOOD, "'inf' is not a number.")
    yield table(26, "blank", HEADER + ",2,no\n" + GOOD, "Row 2: Column 'a': The value is missing.")
    yield table(
        26, "large ids", HEADER + GOOD + "20000001,2,no\n", "lose their last digits in the column 'a'", odd=True
    )
    yield table(27, "label missing", HEADER + GOOD + "1,2,\n", "Row 6: Column 'label': The label is missing")
    yield table(27, "unseen class", HEADER + GOOD + "1,2,maybe\n", "'maybe' is no class")
    numbers = {"schema": {"fields": [{"name": name, "type": "integer"} for name in ("a", "b", "label")]}}
    yield table(
        27, "class 2 of two", HEADER + "1,2,0\n3,4,2\n", "'2' is no class; the classes are '0', '1'.", **numbers
    )
    yield table(27, "class 0.5", HEADER + "1,2,0\n3,4,0.5\n", "'0.5' is no class", **numbers)
    yield table(27, "unbalanced", HEADER + GOOD + "7,8,no\n" * 60, "The largest class has 62 rows", odd=True)
    yield table(
        27, "one row of a class", HEADER + "1,2,no\n3,4,yes\n5,6,no\n", "one row only of the class 'yes'", odd=True
    )
    yield table(
        27, "constant column", HEADER + "1,2,no\n1,4,yes\n1,6,no\n1,8,yes\n", "every row of the column 'a'", odd=True
    )
    yield table(28, "other row count", HEADER + GOOD, "There are 4 rows; the manifest says 5.", **{"fl:rows": 5})
    good = [[1, 2, 0], [3, 4, 1], [5, 6, 0], [7, 9, 1]]
    yield array(29, "objects", saved(np.array(good, object), allow_pickle=True), "Python objects (pickles)")
    yield array(29, "structure", saved(np.zeros(3, [("a", "f4"), ("b", "f4")])), "structures")
    yield array(29, "big-endian", saved(np.array(good, ">f8")))
    yield array(29, "Fortran order", saved(np.asfortranarray(np.array(good, float))))
    yield array(29, "cut off", saved(np.array(good, float))[:-8], "It was cut off")
    yield array(29, "too long", saved(np.array(good, float)) + b"12345678", "something behind its numbers")
    text = saved(np.array(good, float))
    header = text[:8] + (20_000).to_bytes(2, "little") + text[10:].ljust(30_000)
    yield array(29, "long header", header, "header has 20,000 bytes")
    yield array(29, "other type", text, "are float64; the manifest says float32", **{"fl:dtype": "float32"})
    yield array(29, "other shape", text, "Its shape is 4 × 3; the manifest says 4 × 4", **{"fl:shape": [4, 4]})
    yield array(29, "NaN", saved([[1, np.nan, 0], [1, 2, 1]]), "Row 1: Column 'b': The value is missing (NaN).")
    yield archive(29, "archive", x=[[1, 2], [3, 5], [1, 3], [9, 9]], label=["no", "yes", "no", "yes"])
    yield archive(29, "no label", "no array 'label'", label=None, x=[1, 2])
    yield archive(30, "images", "the shape 2 × 8 × 8", x=np.zeros((2, 8, 8)))
    yield archive(30, "other length", "has 3 rows; the label has 2", x=[1, 2, 3])
    yield from _hostile_archives()
    yield table(26, "no text", b"PK\x03\x04" + bytes(40), "spreadsheet or an archive")


def _hostile_archives() -> Iterator[Case]:
    label, x = ("label.npy", saved([0, 1])), ("x.npy", saved([1.0, 2.0]))
    yield zipped(29, "array twice", _archive(label, x, x), "'x.npy' in it twice")
    yield zipped(22, "path that leaves", _archive(label, ("../x.npy", x[1])), "'../x.npy' in it, which is no array")
    yield zipped(22, "archive in it", _archive(label, ("x.zip", _archive(x))), "'x.zip' in it, which is no array")
    pickled = saved(np.array([{}, {}], object), allow_pickle=True)
    yield zipped(29, "pickle in it", _archive(label, ("x.npy", pickled)), "Python objects (pickles)")
    bomb = bytearray(_archive(label, x))
    place = bomb.rfind(b"PK\x01\x02") + 24
    bomb[place : place + 4] = (2**31).to_bytes(4, "little")
    yield zipped(29, "inflates to 2 GiB", bytes(bomb), "more than 1,073,741,824")
    locked = bytearray(_archive(label, x))
    locked[locked.rfind(b"PK\x01\x02") + 8] |= 1
    yield zipped(22, "encrypted", bytes(locked), "encrypted")


def _archive(*members: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made, warnings.catch_warnings(action="ignore"):
        for name, content in members:
            made.writestr(name, content)
    return out.getvalue()
