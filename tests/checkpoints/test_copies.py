"""Copies of data files: piece by piece, by checksum, and kept exactly as long as something needs them."""

from __future__ import annotations

import asyncio

import pytest
from checkpoints.shelf import FailingStore, digest

from roundtab.checkpoints import copies as copies_module
from roundtab.checkpoints.copies import DataCopies
from roundtab.checkpoints.memory_store import MemoryDatabase
from roundtab.checkpoints.store import Batch
from roundtab.errors import NotFound
from roundtab.records.ids import Sha256

PIECE = 10


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pieces of ten bytes."""
    monkeypatch.setattr(copies_module, "FILE_CHUNK", PIECE)


async def open_store(database: MemoryDatabase | None = None) -> FailingStore:
    """A store that leads."""
    store = FailingStore(database or MemoryDatabase())
    await store.lead()
    return store


async def keep(store: FailingStore, data: bytes, *, owned: bool = True) -> Sha256:
    """Copy a file; `owned` makes it a job's."""
    copies, sha256 = DataCopies(store), digest(data)
    for offset in range(0, len(data), PIECE):
        await copies.keep(sha256, offset, data[offset : offset + PIECE])
    if owned:
        await store.commit(Batch(puts=[("files", sha256, str(len(data)))]))
    return sha256


def nothing() -> set[Sha256]:
    """No job uses any file."""
    return set()


async def test_any_part_of_a_copy_reads_as_the_original() -> None:
    """Within a piece, over the border of two, over several, up to the end and beyond it."""
    store = await open_store()
    for length in (1, 9, 10, 11, 35):
        data = bytes(range(length))
        file = await DataCopies(store).open(await keep(store, data), "a.csv")
        assert (file.path, file.size) == ("a.csv", length)
        for offset in range(length + 3):
            for count in (0, 1, 9, 10, 11, 25, 100):
                assert await file.read(offset, count) == data[offset : offset + count]


async def test_a_copy_is_there_once_it_belongs_to_a_job() -> None:
    """Pieces alone are not: nobody knows whether they are all."""
    store = await open_store()
    sha256 = await keep(store, b"abc", owned=False)
    assert not await DataCopies(store).has(sha256)
    with pytest.raises(NotFound, match=r"a\.csv in this browser is gone"):
        await DataCopies(store).open(sha256, "a.csv")
    await keep(store, b"abc")
    assert await DataCopies(store).has(sha256)


async def test_a_piece_that_is_gone_or_short_is_missed() -> None:
    """Reading raises; it never gives other bytes than the original's, and it ends."""
    for index, left in ((0, None), (1, None), (3, None), (1, b"short")):
        store = await open_store()
        sha256 = await keep(store, bytes(35))
        key = f"{sha256}/{index:06d}"
        change = Batch(deletes=[("chunks", key)]) if left is None else Batch(puts=[("chunks", key, left)])
        await store.commit(change)
        file = await DataCopies(store).open(sha256, "a.csv")
        with pytest.raises(NotFound, match="original files"):
            await file.read(0, 35)


async def test_a_sweep_takes_exactly_what_nobody_uses() -> None:
    """With all its pieces, whether it belonged to a job or was never finished."""
    database = MemoryDatabase()
    store = await open_store(database)
    used = await keep(store, bytes(25))
    for data, owned in ((bytes(35), True), (b"unfinished", False)):
        await keep(store, data, owned=owned)
    await DataCopies(store).sweep(lambda: {used})
    assert set(database.tables["chunks"]) == {f"{used}/{index:06d}" for index in range(3)}
    assert set(database.tables["files"]) == {used}


async def test_a_sweep_with_nothing_to_take_writes_nothing() -> None:
    """So it cannot fail either, even where another engine leads by now."""
    database = MemoryDatabase()
    store = await open_store(database)
    used = await keep(store, b"abc")
    await open_store(database)
    store.commits = 0
    await DataCopies(store).sweep(lambda: {used})
    assert store.commits == 0


async def test_what_arrives_is_kept_until_the_last_one_has_it() -> None:
    """Two creations may need the same content; also one that fails lets go of it."""
    database = MemoryDatabase()
    store = await open_store(database)
    copies = DataCopies(store)
    sha256 = await keep(store, b"abc", owned=False)

    async def still_there() -> bool:
        await copies.sweep(nothing)
        return bool(database.tables["chunks"])

    async def fail() -> None:
        with copies.arriving({sha256}):
            assert await still_there()
            raise ZeroDivisionError

    with copies.arriving({sha256}):
        with pytest.raises(ZeroDivisionError):
            await fail()
        assert await still_there()
    assert not await still_there()


async def test_a_job_that_comes_while_a_sweep_reads_keeps_its_data() -> None:
    """What is used is asked last of all."""
    database = MemoryDatabase()
    store = await open_store(database)
    sha256 = await keep(store, b"abc")
    used: set[Sha256] = set()
    keys = store.keys

    async def keys_and_a_job(table: object, prefix: str) -> list[str]:
        found = await keys(table, prefix)  # type: ignore[arg-type]
        used.add(sha256)
        return found

    store.keys = keys_and_a_job  # type: ignore[method-assign]
    await DataCopies(store).sweep(lambda: used)
    assert set(database.tables["files"]) == {sha256}


async def test_a_creation_that_begins_while_a_sweep_writes_copies_its_data_anew() -> None:
    """It must not believe in a copy that is about to go."""
    database = MemoryDatabase()
    store = await open_store(database)
    sha256 = await keep(store, b"abc")
    copies = DataCopies(store)
    store.go_on.clear()
    sweeping = asyncio.ensure_future(copies.sweep(nothing))
    for _ in range(5):
        await asyncio.sleep(0)
    with copies.arriving({sha256}):
        asking = asyncio.ensure_future(copies.has(sha256))
        for _ in range(5):
            await asyncio.sleep(0)
        store.go_on.set()
        await sweeping
        assert await asking == (sha256 in database.tables["files"])
