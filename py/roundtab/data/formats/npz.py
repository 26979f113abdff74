"""The .npz format: arrays by name in a zip archive. Names, counts and sizes are held to limits before anything is
inflated, and again while it is, for what an archive says of itself may be a lie.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from io import BytesIO

import numpy as np
import numpy.typing as npt

from roundtab.clock import Slice
from roundtab.data.formats.npy import NotAnArray, read_array

MAX_ARRAYS = 64
MAX_DIRECTORY = 2**16
"""Bytes of the archive's list of its members."""
MAX_INFLATED = 2**30
"""Bytes of all arrays together."""
STEP = 2**20
"""Bytes inflated in one step."""

_END = struct.Struct("<4s4H2LH")
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OverflowError,
    ValueError,
    OSError,
)
"""What zipfile raises for archives that are broken, encrypted or compressed in another way."""


async def read_arrays(data: bytes, pace: Slice) -> dict[str, npt.NDArray[np.generic]]:
    """The arrays of the archive by their names. Raises `NotAnArray`."""
    _check_directory(data)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            members = archive.infolist()
            _check_members(members)
            return {each.filename.removesuffix(".npy"): await _array(archive, each, pace) for each in members}
    except _BROKEN as error:
        raise NotAnArray(f"The archive cannot be read: {str(error)[:200] or type(error).__name__}.") from None


def _check_directory(data: bytes) -> None:
    """The end of the archive says how long the list of its members is; zipfile would read any number of them."""
    place = data.rfind(b"PK\x05\x06", max(0, len(data) - _END.size - 2**16))
    if place < 0 or place + _END.size > len(data):
        raise NotAnArray("It is not an archive as numpy.savez writes it, or it was cut off.")
    _, _, _, _, count, size, _, _ = _END.unpack_from(data, place)
    if count > MAX_ARRAYS or size > MAX_DIRECTORY:
        raise NotAnArray(f"It lists {count:,} arrays in {size:,} bytes; at most {MAX_ARRAYS} are read.")


def _check_members(members: list[zipfile.ZipInfo]) -> None:
    names = [each.filename for each in members]
    for each in members:
        shown = repr(each.filename[:60])
        if not each.filename.endswith(".npy") or "/" in each.filename or "\\" in each.filename:
            raise NotAnArray(f"The archive has {shown} in it, which is no array.")
        if names.count(each.filename) > 1:
            raise NotAnArray(f"The archive has {shown} in it twice.")
        if each.flag_bits & 1:
            raise NotAnArray(f"The array {shown} is encrypted.")
    total = sum(each.file_size for each in members)
    if total > MAX_INFLATED:
        raise NotAnArray(f"Its arrays have {total:,} bytes, more than {MAX_INFLATED:,}.")


async def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo, pace: Slice) -> npt.NDArray[np.generic]:
    pieces, size = [], 0
    with archive.open(member) as stream:
        while piece := stream.read(STEP):
            pieces.append(piece)
            size += len(piece)
            if size > member.file_size:
                raise NotAnArray(f"The array {member.filename[:60]!r} is longer than the archive says.")
            await pace.pause()
    try:
        return read_array(b"".join(pieces))
    except NotAnArray as error:
        raise NotAnArray(f"The array {member.filename.removesuffix('.npy')[:60]!r}: {error}") from None
