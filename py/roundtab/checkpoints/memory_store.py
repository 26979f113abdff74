"""A store in memory: for jobs in this process, and the honest stand-in for IndexedDB in tests."""

from __future__ import annotations

from dataclasses import dataclass, field

from roundtab.checkpoints.store import TABLES, Batch, Table, Usage
from roundtab.errors import StaleLeader, StorageFull


@dataclass(slots=True)
class MemoryDatabase:
    """What several stores may share, as two tabs share a browser's database."""

    quota: int = 2**40
    epoch: int = 0
    tables: dict[Table, dict[str, str | bytes]] = field(default_factory=lambda: {table: {} for table in TABLES})

    def used(self) -> int:
        """Bytes of all rows."""
        return sum(_size(value) for rows in self.tables.values() for value in rows.values())


class MemoryStore:
    """A `Store` over a `MemoryDatabase`."""

    def __init__(self, database: MemoryDatabase | None = None) -> None:
        self._database = database or MemoryDatabase()
        self._epoch = 0

    async def lead(self) -> int:
        """Become the writer."""
        self._database.epoch += 1
        self._epoch = self._database.epoch
        return self._epoch

    async def get(self, table: Table, key: str) -> str | bytes | None:
        """The row, or None."""
        return self._database.tables[table].get(key)

    async def scan(
        self, table: Table, prefix: str, *, after: str = "", limit: int | None = None, newest: bool = False
    ) -> list[tuple[str, str | bytes]]:
        """Rows by prefix, in key order."""
        rows = self._database.tables[table].items()
        found = sorted((key, value) for key, value in rows if key.startswith(prefix) and key > after)
        if limit is None:
            return found
        return found[-limit:] if newest else found[:limit]

    async def keys(self, table: Table, prefix: str) -> list[str]:
        """Keys by prefix, in order."""
        return sorted(key for key in self._database.tables[table] if key.startswith(prefix))

    async def commit(self, batch: Batch) -> None:
        """Write all or nothing."""
        database = self._database
        if not self._epoch or database.epoch != self._epoch:
            raise StaleLeader("Another tab leads now.", "Go on there, or reload this page.")
        tables = {table: dict(rows) for table, rows in database.tables.items()}
        for table, prefix in batch.clears:
            for key in [key for key in tables[table] if key.startswith(prefix)]:
                del tables[table][key]
        for table, key in batch.deletes:
            tables[table].pop(key, None)
        for table, key, value in batch.puts:
            tables[table][key] = value if isinstance(value, str) else bytes(value)
        used = sum(_size(value) for rows in tables.values() for value in rows.values())
        if used > database.quota:
            raise StorageFull(
                f"The storage is full: {used:,} bytes are needed, {database.quota:,} may be used.",
                "Delete jobs that you no longer need, then try again.",
            )
        database.tables = tables

    async def usage(self) -> Usage:
        """Bytes of all rows against the quota."""
        return Usage(used=self._database.used(), quota=self._database.quota, persisted=False)


def _size(value: str | bytes) -> int:
    return len(value.encode()) if isinstance(value, str) else len(value)
