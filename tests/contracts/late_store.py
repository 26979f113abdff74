"""A store that answers some turns of the loop later, as a browser's does: what happens meanwhile is seen."""

from __future__ import annotations

import asyncio

from roundtab.checkpoints.memory_store import MemoryStore
from roundtab.checkpoints.store import Batch, Table


class LateStore(MemoryStore):
    """In memory, but late."""

    async def get(self, table: Table, key: str) -> str | bytes | None:
        """The row, or None."""
        await turns()
        return await super().get(table, key)

    async def scan(
        self, table: Table, prefix: str, *, after: str = "", limit: int | None = None, newest: bool = False
    ) -> list[tuple[str, str | bytes]]:
        """Rows by prefix, in key order."""
        await turns()
        return await super().scan(table, prefix, after=after, limit=limit, newest=newest)

    async def keys(self, table: Table, prefix: str) -> list[str]:
        """Keys by prefix, in order."""
        await turns()
        return await super().keys(table, prefix)

    async def commit(self, batch: Batch) -> None:
        """Write all or nothing."""
        await turns()
        await super().commit(batch)
        await turns()


async def turns(count: int = 3) -> None:
    """Let others go on."""
    for _ in range(count):
        await asyncio.sleep(0)
