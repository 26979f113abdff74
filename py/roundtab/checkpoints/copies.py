"""Copies of the jobs' data files: in chunks, by checksum, equal content once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from roundtab.checkpoints.store import Batch, Store
from roundtab.data.files import Stream, in_pieces
from roundtab.errors import NotFound
from roundtab.records.ids import Sha256

FILE_CHUNK = 8 * 2**20
"""Bytes of one row. A file is copied piece by piece, so this bounds the memory that it takes."""


class StoredFile:
    """A `FileSource` over the chunks of a stored file."""

    def __init__(self, store: Store, sha256: Sha256, path: str, size: int) -> None:
        self._store = store
        self._sha256 = sha256
        self.path = path
        self.size = size

    async def read(self, offset: int, length: int) -> bytes:
        """Bytes from `offset` on, at most `length`. Raises `NotFound` when a chunk is gone."""
        end = min(offset + length, self.size)
        pieces = []
        while offset < end:
            index, start = divmod(offset, FILE_CHUNK)
            chunk = await self._store.get("chunks", _key(self._sha256, index))
            if not isinstance(chunk, bytes) or start >= len(chunk):
                raise _gone(self.path)
            pieces.append(chunk[start : start + end - offset])
            offset += len(pieces[-1])
        return b"".join(pieces)

    def stream(self, piece: int) -> Stream:
        """All bytes in order."""
        return in_pieces(self, piece)


class DataCopies:
    """The file copies of one store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._arriving: dict[Sha256, int] = {}
        self._sweeping = asyncio.Lock()
        """Held while a sweep removes what it found, so that `has` does not answer for what is about to go."""

    async def has(self, sha256: Sha256) -> bool:
        """Whether this content is there and belongs to a job."""
        async with self._sweeping:
            return await self._store.get("files", sha256) is not None

    async def open(self, sha256: Sha256, path: str) -> StoredFile:
        """A file of a job. Raises `NotFound` when the copy is gone."""
        size = await self._store.get("files", sha256)
        if size is None:
            raise _gone(path)
        return StoredFile(self._store, sha256, path, int(size))

    @contextmanager
    def arriving(self, sha256s: set[Sha256]) -> Iterator[None]:
        """While a job is being created its files belong to no job yet: keep `sweep` away from them."""
        for sha256 in sha256s:
            self._arriving[sha256] = self._arriving.get(sha256, 0) + 1
        try:
            yield
        finally:
            for sha256 in sha256s:
                self._arriving[sha256] -= 1

    async def keep(self, sha256: Sha256, offset: int, data: bytes) -> None:
        """Store the piece of a file at `offset`, a multiple of `FILE_CHUNK`."""
        await self._store.commit(Batch(puts=[("chunks", _key(sha256, offset // FILE_CHUNK), data)]))

    async def sweep(self, used: Callable[[], set[Sha256]]) -> None:
        """Remove what no job uses: the data of deleted jobs, and of creations that were cut off.

        `used` is asked after the store was read, for jobs may have come and gone while it was.
        """
        stored = {Sha256(key.partition("/")[0]) for key in await self._store.keys("chunks", "")}
        stored |= {Sha256(key) for key in await self._store.keys("files", "")}
        async with self._sweeping:
            kept = used() | {sha256 for sha256, count in self._arriving.items() if count}
            batch = Batch()
            for sha256 in sorted(stored - kept):
                batch.deletes.append(("files", sha256))
                batch.clears.append(("chunks", f"{sha256}/"))
            if batch.deletes:
                await self._store.commit(batch)


def _key(sha256: Sha256, index: int) -> str:
    return f"{sha256}/{index:06d}"


def _gone(path: str) -> NotFound:
    return NotFound(f"The copy of {path} in this browser is gone.", "Create the job again from the original files.")
