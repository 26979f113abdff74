"""Files as the core reads them: a path, a size and pieces of bytes, wherever the bytes may be."""

from __future__ import annotations

from typing import Protocol


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


class MemoryFile:
    """A file whose bytes are in memory."""

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.size = len(data)
        self._data = data

    async def read(self, offset: int, length: int) -> bytes:
        """The bytes from `offset` on, at most `length` of them."""
        return self._data[offset : offset + length]
