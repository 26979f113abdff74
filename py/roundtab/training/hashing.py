"""Checksums of bytes in memory, in slices that let calls be answered meanwhile."""

from __future__ import annotations

import hashlib

from roundtab.clock import Clock, Slice

PIECE = 2**20
"""Bytes hashed at a time: 4 to 8 ms in Pyodide."""


async def sha256_in_slices(data: memoryview, clock: Clock) -> str:
    """The sha256 of `data` as 64 hexadecimal digits."""
    digest = hashlib.sha256()
    pace = Slice(clock)
    for start in range(0, len(data), PIECE):
        digest.update(data[start : start + PIECE])
        await pace.pause()
    return digest.hexdigest()
