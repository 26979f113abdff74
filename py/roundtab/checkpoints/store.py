"""The store protocol: tables of rows by text key, written in batches that happen whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

Table = Literal[
    "jobs", "logs", "rounds", "queues", "checkpoints", "weights", "validations", "manifests", "files", "chunks"
]
TABLES: tuple[Table, ...] = (
    "jobs",
    "logs",
    "rounds",
    "queues",
    "checkpoints",
    "weights",
    "validations",
    "manifests",
    "files",
    "chunks",
)
"""All of them. A table may be added: a database that lacks it gets it and keeps its rows. None may be removed."""

Value: TypeAlias = str | bytes | memoryview
"""JSON text of a record, or bytes (at most 32 MiB: browsers refuse single values from 127 MiB)."""

CHUNK = 32 * 2**20
"""The largest row of bytes."""


@dataclass(slots=True)
class Batch:
    """Changes that belong together."""

    puts: list[tuple[Table, str, Value]] = field(default_factory=list)
    deletes: list[tuple[Table, str]] = field(default_factory=list)
    clears: list[tuple[Table, str]] = field(default_factory=list)
    """Table and key prefix; deletes and clears happen before the puts."""

    def put(self, table: Table, key: str, value: Value) -> None:
        """Write a row, replacing one with the same key."""
        self.puts.append((table, key, value))

    def put_bytes(self, table: Table, key: str, data: memoryview) -> None:
        """Write `data` in rows `key/000000`, `key/000001`, … of at most `CHUNK` bytes."""
        for index, start in enumerate(range(0, max(len(data), 1), CHUNK)):
            self.put(table, f"{key}/{index:06d}", data[start : start + CHUNK])


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Bytes used and available, and whether the store promised to keep them."""

    used: int
    quota: int
    persisted: bool


class Store(Protocol):
    """Where jobs are kept. Implementations pass tests/contracts/test_stores.py."""

    async def lead(self) -> int:
        """Become the writer: raises the epoch and returns it. Stores with an older epoch may write nothing more."""
        ...

    async def get(self, table: Table, key: str) -> str | bytes | None:
        """The row, or None."""
        ...

    async def scan(
        self, table: Table, prefix: str, *, after: str = "", limit: int | None = None, newest: bool = False
    ) -> list[tuple[str, str | bytes]]:
        """Rows whose key starts with `prefix`, in key order, from behind `after`; with `newest` the last `limit`."""
        ...

    async def keys(self, table: Table, prefix: str) -> list[str]:
        """The keys that start with `prefix`, in order; reads no rows."""
        ...

    async def commit(self, batch: Batch) -> None:
        """Write the batch, durably, in one transaction.

        Raises `StaleLeader` when another store led since, `StorageFull` when the quota does not hold it,
        `StorageFailed` for any other reason. After an error nothing of the batch is stored.
        """
        ...

    async def usage(self) -> Usage:
        """How much is stored and may be stored."""
        ...
