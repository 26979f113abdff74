"""What is the memory store's own, beside the rules of every store: it counts bytes, and shares a database."""

from __future__ import annotations

import pytest

from roundtab.checkpoints.memory_store import MemoryDatabase, MemoryStore
from roundtab.checkpoints.store import Batch
from roundtab.errors import StorageFull


async def used(store: MemoryStore) -> int:
    """Bytes used."""
    return (await store.usage()).used


async def test_usage_is_the_bytes_of_all_rows() -> None:
    """Texts count as UTF-8; a row that is replaced or deleted counts no more."""
    store = MemoryStore()
    await store.lead()
    assert await used(store) == 0
    await store.commit(Batch(puts=[("jobs", "a", "Größe"), ("weights", "b", memoryview(bytes(100))[:10])]))
    assert await used(store) == 7 + 10
    await store.commit(Batch(puts=[("jobs", "a", "x")]))
    assert await used(store) == 1 + 10
    await store.commit(Batch(deletes=[("weights", "b")], clears=[("jobs", "")]))
    assert await used(store) == 0


async def test_a_batch_may_fill_the_quota_to_the_last_byte() -> None:
    """One more is refused, with both numbers; what the batch itself makes room for counts."""
    store = MemoryStore(MemoryDatabase(quota=1_234))
    await store.lead()
    await store.commit(Batch(puts=[("chunks", "a", bytes(1_234))]))
    assert (await store.usage()).quota == await used(store) == 1_234
    with pytest.raises(StorageFull, match="1,235 bytes are needed, 1,234 may be used"):
        await store.commit(Batch(puts=[("jobs", "a", "x")]))
    await store.commit(Batch(deletes=[("chunks", "a")], puts=[("chunks", "b", bytes(1_234))]))
    assert await store.keys("chunks", "") == ["b"]


async def test_stores_without_a_common_database_have_nothing_to_do_with_each_other() -> None:
    """Neither rows nor the lead."""
    one, other = MemoryStore(), MemoryStore()
    assert await one.lead() == await other.lead() == 1
    await one.commit(Batch(puts=[("jobs", "a", "1")]))
    assert await other.keys("jobs", "") == []


async def test_a_memory_promises_nothing() -> None:
    """It is gone with its process."""
    assert not (await MemoryStore().usage()).persisted
