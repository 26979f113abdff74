"""Reads and writes `.safetensors`, the file format of checkpoints.

The file is an 8-byte little-endian length, a JSON header of that length and the bytes of the tensors without gaps. What
`save` writes is byte for byte what the `safetensors` package writes, with the metadata sorted by key (the package
leaves their order to chance); what `load` accepts, that package accepts too.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from roundtab.errors import InvalidData
from roundtab.records.strict_json import MAX_DEPTH, depth

Tensors = Mapping[str, npt.NDArray[Any]]

MAX_HEADER = 100_000_000
_METADATA = "__metadata__"
_LENGTH = struct.Struct("<Q")

_DTYPES = {
    "BOOL": "|b1", "U8": "|u1", "I8": "|i1", "I16": "<i2", "U16": "<u2", "F16": "<f2", "I32": "<i4", "U32": "<u4",
    "F32": "<f4", "C64": "<c8", "F64": "<f8", "I64": "<i8", "U64": "<u8",
}  # fmt: skip
"""Types by name, in the order of the format, which writers put them in from the last to the first."""
_NAMES = {np.dtype(code): name for name, code in _DTYPES.items()}
_RANK = {name: rank for rank, name in enumerate(_DTYPES)}


def save(tensors: Tensors, metadata: Mapping[str, str] | None = None) -> bytes:
    """The file with `tensors` and `metadata` in it. Raises `InvalidData` for types that the format does not have."""
    entries: list[tuple[str, str, npt.NDArray[Any]]] = []
    for name, value in tensors.items():
        array = np.asarray(value)
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        if name == _METADATA or array.dtype not in _NAMES:
            _refuse(f"The tensor {name!r} of type {array.dtype} cannot be stored.", "Give it another name or type.")
        entries.append((name, _NAMES[array.dtype], array))
    entries.sort(key=lambda entry: (-_RANK[entry[1]], entry[0].encode()))
    header: dict[str, Any] = {_METADATA: dict(sorted(metadata.items()))} if metadata is not None else {}
    end = 0
    for name, dtype, array in entries:
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [end, end + array.nbytes]}
        end += array.nbytes
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([_LENGTH.pack(len(text)), text, *(array.tobytes() for _, _, array in entries)])


def load(data: bytes | memoryview) -> tuple[dict[str, npt.NDArray[Any]], dict[str, str]]:
    """Tensors by name and the metadata of the file `data`.

    The tensors are read-only views of `data` unless it is a writable buffer; nothing is copied. Raises `InvalidData`,
    which says what is wrong with the file.
    """
    view = memoryview(data).cast("B")
    header, start = _header(view)
    metadata = header.pop(_METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        _refuse("The metadata does not map texts to texts.")
    spans = sorted((_span(name, entry) for name, entry in header.items()), key=lambda span: span[:2])
    tensors: dict[str, npt.NDArray[Any]] = {}
    end = 0
    for first, last, name, dtype, shape in spans:
        if first != end or last < first:
            _refuse(f"The tensor {name!r} begins at byte {first} instead of {end}: tensors overlap or leave a gap.")
        size = _size(name, shape) * np.dtype(_DTYPES[dtype]).itemsize
        if size != last - first:
            _refuse(f"The tensor {name!r} needs {size} bytes for its shape, and has {last - first}.")
        if start + last > len(view):
            _refuse(f"The file ends within the tensor {name!r}.", "It was cut off; download it again.")
        try:
            tensors[name] = np.frombuffer(view[start + first : start + last], dtype=_DTYPES[dtype]).reshape(shape)
        except (ValueError, OverflowError) as error:  # the latter where pointers have 32 bits
            _refuse(f"The tensor {name!r} has an impossible shape: {error}.")
        end = last
    if start + end != len(view):
        _refuse(f"{len(view) - start - end} bytes follow the last tensor.")
    return tensors, metadata


def _header(view: memoryview) -> tuple[dict[str, Any], int]:
    """The parsed header and where the data begins."""
    if len(view) < 8:
        _refuse("The file is shorter than 8 bytes.", "It was cut off; download it again.")
    (length,) = _LENGTH.unpack(view[:8])
    if length > MAX_HEADER:
        _refuse(f"Its header would have {length} bytes, more than {MAX_HEADER} allowed.")
    if 8 + length > len(view):
        _refuse("The file ends within its header.", "It was cut off; download it again.")
    try:
        text = bytes(view[8 : 8 + length]).decode()
    except UnicodeDecodeError:
        _refuse("Its header is not UTF-8.")
    if depth(text) > MAX_DEPTH:
        _refuse(f"Its header is nested deeper than {MAX_DEPTH} levels.")
    try:
        header = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_int=_integer)
        json.dumps(header, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        _refuse("Its header has half of a Unicode character pair in it.")
    except ValueError as error:
        _refuse(f"Its header cannot be read: {error}.")
    if not isinstance(header, dict):
        _refuse("Its header is not a JSON object.")
    return header, 8 + length


def _span(name: str, entry: Any) -> tuple[int, int, str, str, list[int]]:
    """First and last byte, name, type and shape of a tensor."""
    if not isinstance(entry, dict) or not {"dtype", "shape", "data_offsets"} <= entry.keys():
        _refuse(f"The tensor {name!r} needs dtype, shape and data_offsets.")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in _DTYPES:
        _refuse(f"The tensor {name!r} has the type {dtype!r}, which is not supported.", "Convert it to F32.")
    if not isinstance(shape, list) or len(shape) > 64 or not all(map(_is_size, shape)):
        _refuse(f"The shape of the tensor {name!r} is not a list of sizes.")
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(_is_size, offsets)):
        _refuse(f"The data_offsets of the tensor {name!r} are not two positions.")
    return offsets[0], offsets[1], name, dtype, shape


def _size(name: str, shape: list[int]) -> int:
    """Number of elements. The check in the loop keeps a hostile shape from making huge numbers."""
    count = 1
    for length in shape:
        count *= length
        if count >= 2**64 or length >= 2**63:
            _refuse(f"The shape of the tensor {name!r} is too large.")
    return count


def _is_size(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**64


def _unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} stands twice")
        found[key] = value
    return found


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")


def _integer(text: str) -> int:
    if text[0] == "-" or len(text) > 20:
        raise ValueError(f"the number {text[:24]} is out of range")
    return int(text)


def _refuse(problem: str, action: str = "Choose a .safetensors file that was saved whole.") -> NoReturn:
    raise InvalidData(f"This is not a checkpoint that can be read. {problem}", action)
