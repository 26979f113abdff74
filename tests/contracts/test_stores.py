"""The stores keep the rules of `Store`: memory everywhere, IndexedDB where the tests run in a browser."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Awaitable, Callable, Iterator

import pytest
from contracts.store_suite import RULES, MakeStores

from roundtab.checkpoints.memory_store import MemoryDatabase, MemoryStore
from roundtab.checkpoints.store import Store

NUMBERS = itertools.count()


@pytest.fixture(params=["memory", *(["indexeddb"] if sys.platform == "emscripten" else [])])
def make_stores(request: pytest.FixtureRequest) -> Iterator[MakeStores]:
    """Makes two stores over one new database."""
    if request.param == "memory":
        yield memory_stores
    else:
        yield from indexeddb_stores()


def memory_stores(quota: int | None = None) -> tuple[Store, Store]:
    """Two stores in memory."""
    database = MemoryDatabase() if quota is None else MemoryDatabase(quota=quota)
    return MemoryStore(database), MemoryStore(database)


def indexeddb_stores() -> Iterator[MakeStores]:
    """Two stores in this browser, removed after the test."""
    import js  # noqa: TID251
    from polyscript import js_modules  # noqa: TID251

    from roundtab.browser.idb_store import IdbStore

    made: list[str] = []

    def make(quota: int | None = None) -> tuple[Store, Store]:
        if quota is not None:
            pytest.skip("the quota of a browser is set from outside of it")
        made.append(f"contract-{next(NUMBERS)}")
        return IdbStore(js_modules.idb, lambda: None, made[-1]), IdbStore(js_modules.idb, lambda: None, made[-1])

    yield make
    for name in made:
        js.indexedDB.deleteDatabase(name)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
async def test_the_store_keeps_the_rule(rule: Callable[[MakeStores], Awaitable[None]], make_stores: MakeStores) -> None:
    """Each rule has its own words."""
    await rule(make_stores)
