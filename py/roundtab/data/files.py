"""Files as the core reads them: a path, a size and pieces of bytes, wherever the bytes may be."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Protocol, TypeAlias

Stream: TypeAlias = AsyncGenerator[bytes, None]
"""Pieces of bytes; to be closed by who does not take all of them."""


class FileSource(Protocol):
    """A chosen file. Reading may fail with `OSError` when the file was changed or removed since it was chosen."""

    @property
    def path(self) -> str:
        """The path that the manifest has for it, with `/` between folders."""
        ...

    @property
    def size(self) -> int:
        """Bytes."""
        ...

    async def read(self, offset: int, length: int) -> bytes:
        """Up to `length` bytes from `offset`; fewer only at the end of the file."""
        ...

    def stream(self, piece: int) -> Stream:
        """All bytes in order, at most `piece` at a time. Raises `OSError` where the file ends early, too."""
        ...


async def in_pieces(file: FileSource, piece: int) -> Stream:
    """The bytes of a file that `read` reads; for sources without a faster way to read them in order."""
    done = 0
    while done < file.size:
        data = await file.read(done, min(piece, file.size - done))
        if not data:
            raise OSError(f"{file.path} is shorter than it was")
        yield data
        done += len(data)


class MemoryFile:
    """A file whose bytes are in memory."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.size = len(data)
        self._data = data

    async def read(self, offset: int, length: int) -> bytes:
        """The bytes from `offset` on, at most `length` of them."""
        return self._data[offset : offset + length]

    def stream(self, piece: int) -> Stream:
        """All bytes in order."""
        return in_pieces(self, piece)
