"""The store over IndexedDB. An operation is one function of site/js/idb.js: a transaction ends at Python's `await`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import js
from pyodide.ffi import JsException

from roundtab.browser.ffi import error_name, is_missing, js_buffer, js_object, py_bytes
from roundtab.checkpoints.store import TABLES, Batch, Table, Usage, Value
from roundtab.errors import StaleLeader, StorageFailed, StorageFull

T = TypeVar("T")

DATABASE = "roundtab"


class IdbStore:
    """A `Store` in this browser's IndexedDB."""

    def __init__(self, idb: Any, replaced: Callable[[], None], name: str = DATABASE) -> None:
        """`idb` is the module site/js/idb.js; `replaced` is called when a write was refused as another writer's."""
        self._replaced = replaced
        self._database = idb.database(name, js.Array.of(*TABLES))

    async def lead(self) -> int:
        """Become the writer."""
        return int(await _stored(self._database.lead()))

    async def get(self, table: Table, key: str) -> str | bytes | None:
        """The row, or None."""
        value = await _stored(self._database.get(table, key))
        return None if is_missing(value) else _value(value)

    async def scan(
        self, table: Table, prefix: str, *, after: str = "", limit: int | None = None, newest: bool = False
    ) -> list[tuple[str, str | bytes]]:
        """Rows by prefix, in key order."""
        keys, values = await _stored(self._database.scan(table, prefix, after, limit or 0, newest))
        return [(str(key), _value(value)) for key, value in zip(keys, values, strict=True)]

    async def keys(self, table: Table, prefix: str) -> list[str]:
        """Keys by prefix, in order."""
        return [str(key) for key in await _stored(self._database.keys(table, prefix))]

    async def commit(self, batch: Batch) -> None:
        """Write all or nothing, in one strict transaction."""
        clears = js.Array.of(*(js_object({"table": table, "prefix": prefix}) for table, prefix in batch.clears))
        deletes = js.Array.of(*(js_object({"table": table, "key": key}) for table, key in batch.deletes))
        puts = js.Array.of(
            *(js_object({"table": table, "key": key, "value": _row(value)}) for table, key, value in batch.puts)
        )
        try:
            await _stored(self._database.commit(clears, deletes, puts))
        except StaleLeader:
            self._replaced()
            raise

    async def usage(self) -> Usage:
        """What the browser says; zeros where it says nothing (pages without https)."""
        storage = js.navigator.storage
        if is_missing(storage):
            return Usage(used=0, quota=0, persisted=False)
        estimate = await storage.estimate()
        return Usage(
            used=int(estimate.usage or 0), quota=int(estimate.quota or 0), persisted=bool(await storage.persisted())
        )


async def _stored(promise: Awaitable[T]) -> T:
    """The result of an operation; the browser's errors become ours."""
    try:
        return await promise
    except JsException as error:
        name = error_name(error)
        if name == "StaleLeader":
            raise StaleLeader("Another tab leads now.", "Go on there, or reload this page.") from None
        if name == "QuotaExceededError":
            raise StorageFull(
                "The storage of this browser is full.", "Delete jobs that you no longer need, then try again."
            ) from None
        if name == "VersionError":
            problem = "What is stored in this browser was written by a newer version of Roundtab."
            raise StorageFailed(problem, "Reload the page to get that version.") from None
        action = "Reload the page. If it happens again, allow site data for this address and free space."
        raise StorageFailed(f"The browser did not store the data ({name}: {error}).", action) from None


def _row(value: Value) -> Any:
    return value if isinstance(value, str) else js_buffer(value)


def _value(value: Any) -> str | bytes:
    return value if isinstance(value, str) else py_bytes(value)
