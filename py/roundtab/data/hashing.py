"""Checksums of files: in short steps, each file once, with progress."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import aclosing

from roundtab.clock import Clock, Slice
from roundtab.data.files import FileSource

STEP = 2**20
"""Bytes hashed in one step: about 8 ms in a browser."""

Progress = Callable[[int, int, str], None]
"""Called with bytes done, bytes in all, and what is being done. May raise to stop the work."""


class Hasher:
    """Computes checksums. Set `total` to the bytes that will be hashed, for progress."""

    def __init__(self, clock: Clock, progress: Progress | None) -> None:
        self._slice = Slice(clock)
        self._progress = progress
        self._digests: dict[str, str | OSError] = {}
        self._done = 0
        self.total = 0

    async def digest(self, file: FileSource) -> str:
        """The sha256 of `file` in hexadecimal digits. Raises `OSError` when it could not be read to its end."""
        if file.path not in self._digests:
            try:
                self._digests[file.path] = await self._compute(file)
            except OSError as error:
                self._digests[file.path] = error
        found = self._digests[file.path]
        if isinstance(found, OSError):
            raise found
        return found

    async def of_bytes(self, data: bytes) -> str:
        """The sha256 of bytes in memory."""
        digest, view = hashlib.sha256(), memoryview(data)
        for start in range(0, len(view), STEP):
            digest.update(view[start : start + STEP])
            await self._slice.pause()
        return digest.hexdigest()

    async def _compute(self, file: FileSource) -> str:
        digest = hashlib.sha256()
        async with aclosing(file.stream(STEP)) as pieces:
            async for piece in pieces:
                digest.update(piece)
                self._done += len(piece)
                if self._progress:
                    self._progress(self._done, max(self.total, self._done), f"Checking checksums: {file.path}")
                await self._slice.pause()
        return digest.hexdigest()
