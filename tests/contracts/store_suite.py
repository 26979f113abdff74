"""What every `Store` keeps to, whatever it is made of.

A rule takes `make_stores`: it makes two stores that share one new database, as two tabs of a browser share theirs, with
room for `quota` bytes if one is given. Nothing here knows how an implementation is made.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

import pytest

from roundtab.checkpoints.store import CHUNK, TABLES, Batch, Store
from roundtab.errors import StaleLeader, StorageFull


class MakeStores(Protocol):
    def __call__(self, quota: int | None = None) -> tuple[Store, Store]: ...


async def contents(store: Store) -> dict[str, list[tuple[str, str | bytes]]]:
    """All rows of all tables."""
    return {table: await store.scan(table, "") for table in TABLES}


async def filled(store: Store, *keys: str) -> None:
    """Lead, and put rows with these keys into `logs`; each holds its own key."""
    await store.lead()
    await store.commit(Batch(puts=[("logs", key, key) for key in keys]))


# Reading --------------------------------------------------------------------------------------------------------------


async def what_is_put_is_read_back(make_stores: MakeStores) -> None:
    """Texts of any kind and bytes of any length; a text stays a text and bytes stay bytes."""
    store, _ = make_stores()
    await store.lead()
    block = bytes(range(256))
    values: dict[str, str | bytes] = {
        "a": "",
        "b": "{}",
        "c": "Größe, 数, 🙂\n\0",
        "d": b"",
        "e": block,
        "f": block * 4096,
    }
    await store.commit(Batch(puts=[("weights", key, value) for key, value in values.items()]))
    assert dict(await store.scan("weights", "")) == values
    for key, value in values.items():
        found = await store.get("weights", key)
        assert (type(found), found) == (type(value), value)


async def a_part_of_a_buffer_is_put_as_that_part(make_stores: MakeStores) -> None:
    """A memoryview stands for its own bytes, not for those of the buffer around it."""
    store, _ = make_stores()
    await store.lead()
    await store.commit(Batch(puts=[("weights", "part", memoryview(b"0123456789")[3:6])]))
    assert await store.get("weights", "part") == b"345"


async def what_was_put_does_not_change_with_the_buffer_it_came_from(make_stores: MakeStores) -> None:
    """The caller may use its buffer again."""
    store, _ = make_stores()
    await store.lead()
    buffer = bytearray(b"first")
    await store.commit(Batch(puts=[("weights", "row", memoryview(buffer))]))
    buffer[:] = b"other"
    assert await store.get("weights", "row") == b"first"


async def bytes_of_any_length_are_put_in_rows_of_bounded_size(make_stores: MakeStores) -> None:
    """The rows make up the bytes again; even no bytes at all leave a row."""
    store, _ = make_stores()
    await store.lead()
    long = bytes(range(251)) * (CHUNK // 251 + 1)
    for name, data in {"empty": b"", "full": long[:CHUNK], "longer": long[: CHUNK + 5]}.items():
        batch = Batch()
        batch.put_bytes("weights", name, memoryview(data))
        await store.commit(batch)
        rows = await store.scan("weights", f"{name}/")
        assert [key for key, _ in rows] == [f"{name}/{index:06d}" for index in range(max(1, -(-len(data) // CHUNK)))]
        assert b"".join(row for _, row in rows if isinstance(row, bytes)) == data


async def what_is_not_there_is_none(make_stores: MakeStores) -> None:
    """Before the first write as well as for another table."""
    store, _ = make_stores()
    assert await store.get("jobs", "a") is None
    assert (await store.scan("jobs", ""), await store.keys("jobs", "")) == ([], [])
    await filled(store, "a")
    assert await store.get("jobs", "a") is None
    assert await store.get("logs", "") is None


async def a_scan_gives_the_rows_of_a_prefix_in_the_order_of_keys(make_stores: MakeStores) -> None:
    """However they were put; a prefix ends where it ends, so `job-1/` has nothing of `job-10/`."""
    store, _ = make_stores()
    await filled(store, "job-2/1", "job-1/3", "job-10/1", "job-1/1", "job-1/2", "job-1")
    assert await store.scan("logs", "job-1/") == [(key, key) for key in ("job-1/1", "job-1/2", "job-1/3")]
    assert [key for key, _ in await store.scan("logs", "")] == sorted(
        ["job-2/1", "job-1/3", "job-10/1", "job-1/1", "job-1/2", "job-1"]
    )
    assert await store.scan("logs", "job-3") == []


async def the_keys_are_those_of_a_scan(make_stores: MakeStores) -> None:
    """Without the rows."""
    store, _ = make_stores()
    await filled(store, "b/2", "a/1", "b/1")
    assert await store.keys("logs", "b/") == ["b/1", "b/2"]
    assert await store.keys("logs", "") == ["a/1", "b/1", "b/2"]


async def a_scan_goes_on_behind_a_key(make_stores: MakeStores) -> None:
    """That key itself is left out, and need not exist; the prefix holds on."""
    store, _ = make_stores()
    await filled(store, "a/1", "a/2", "a/4", "b/1")

    async def behind(after: str) -> list[str]:
        return [key for key, _ in await store.scan("logs", "a/", after=after)]

    assert await behind("a/1") == ["a/2", "a/4"]
    assert await behind("a/3") == ["a/4"]
    assert await behind("a/4") == []
    assert await behind("a/") == ["a/1", "a/2", "a/4"]
    assert await behind("") == ["a/1", "a/2", "a/4"]


async def a_limit_takes_the_first_rows_or_the_newest(make_stores: MakeStores) -> None:
    """Both in the order of keys, and both also behind a key; a limit above the number of rows takes all."""
    store, _ = make_stores()
    await filled(store, *(f"a/{number}" for number in range(1, 6)), "b/1")

    async def some(limit: int, after: str = "", newest: bool = False) -> list[str]:
        found = await store.scan("logs", "a/", after=after, limit=limit, newest=newest)
        return [key.removeprefix("a/") for key, _ in found]

    assert await some(2) == ["1", "2"]
    assert await some(2, newest=True) == ["4", "5"]
    assert await some(2, after="a/1") == ["2", "3"]
    assert await some(3, after="a/3", newest=True) == ["4", "5"]
    assert await some(9) == await some(9, newest=True) == ["1", "2", "3", "4", "5"]


# Writing --------------------------------------------------------------------------------------------------------------


async def a_row_replaces_the_one_with_its_key(make_stores: MakeStores) -> None:
    """A text may replace bytes. Of two puts in one batch the later one counts."""
    store, _ = make_stores()
    await store.lead()
    await store.commit(Batch(puts=[("queues", "a", b"bytes")]))
    await store.commit(Batch(puts=[("queues", "a", "first"), ("queues", "a", "second")]))
    assert await store.scan("queues", "") == [("a", "second")]


async def clears_and_deletes_come_before_puts(make_stores: MakeStores) -> None:
    """So a batch can replace all rows of a job, whatever the order in which it was put together."""
    store, _ = make_stores()
    await filled(store, "a/1", "a/2", "b", "ab")
    batch = Batch()
    batch.put("logs", "a/2", "new")
    batch.put("logs", "b", "new")
    batch.clears.append(("logs", "a/"))
    batch.deletes.append(("logs", "b"))
    await store.commit(batch)
    assert await store.scan("logs", "") == [("a/2", "new"), ("ab", "ab"), ("b", "new")]


async def a_clear_takes_exactly_the_keys_of_its_prefix(make_stores: MakeStores) -> None:
    """Neighbours in the order of keys stay, and so do other tables."""
    store, _ = make_stores()
    await filled(store, "job-1", "job-1/1", "job-1/2", "job-10/1", "job-2/1")
    await store.commit(Batch(puts=[("rounds", "job-1/1", "kept")]))
    await store.commit(Batch(clears=[("logs", "job-1/")]))
    assert await store.keys("logs", "") == ["job-1", "job-10/1", "job-2/1"]
    assert await store.keys("rounds", "") == ["job-1/1"]


async def deleting_what_is_not_there_is_no_error(make_stores: MakeStores) -> None:
    """The rest of the batch is written."""
    store, _ = make_stores()
    await store.lead()
    await store.commit(Batch(deletes=[("jobs", "none")], clears=[("logs", "none/")], puts=[("jobs", "a", "1")]))
    assert await store.keys("jobs", "") == ["a"]


async def a_batch_is_written_over_all_its_tables(make_stores: MakeStores) -> None:
    """One commit may touch every table."""
    store, _ = make_stores()
    await store.lead()
    await store.commit(Batch(puts=[(table, "a", table) for table in TABLES]))
    assert await contents(store) == {table: [("a", table)] for table in TABLES}


async def a_batch_that_does_not_fit_leaves_everything_as_it_was(make_stores: MakeStores) -> None:
    """Neither its puts nor its deletes and clears count, and later batches that fit are written."""
    store, _ = make_stores(quota=2_000_000)
    await filled(store, "a/1", "b")
    before = await contents(store)
    batch = Batch(deletes=[("logs", "b")], clears=[("logs", "a/")])
    batch.put("jobs", "a", "small")
    batch.put("weights", "a", bytes(8_000_000))
    with pytest.raises(StorageFull, match="full"):
        await store.commit(batch)
    assert await contents(store) == before
    await store.commit(Batch(puts=[("jobs", "a", "small")]))
    assert await store.get("jobs", "a") == "small"


async def commits_count_in_the_order_in_which_they_were_asked_for(make_stores: MakeStores) -> None:
    """Also when nobody waited for the first one."""
    store, _ = make_stores()
    await store.lead()
    await asyncio.gather(*(store.commit(Batch(puts=[("jobs", "a", str(number))])) for number in range(20)))
    assert await store.get("jobs", "a") == "19"


# Leading --------------------------------------------------------------------------------------------------------------


async def each_leader_has_a_higher_epoch(make_stores: MakeStores) -> None:
    """Whoever leads, and however often."""
    one, other = make_stores()
    epochs = [await one.lead(), await other.lead(), await other.lead(), await one.lead()]
    assert epochs == sorted(set(epochs))


async def a_store_that_never_led_writes_nothing(make_stores: MakeStores) -> None:
    """Not even into an empty database."""
    store, _ = make_stores()
    with pytest.raises(StaleLeader):
        await store.commit(Batch(puts=[("jobs", "a", "1")]))
    assert await store.keys("jobs", "") == []


async def an_older_leader_writes_nothing_any_more(make_stores: MakeStores) -> None:
    """Its batch is refused whole, whatever is in it, even an empty one; it may still read."""
    one, other = make_stores()
    await filled(one, "a/1", "b")
    await other.lead()
    before = await contents(other)
    for batch in (
        Batch(puts=[("jobs", "a", "1"), ("weights", "a", b"1")]),
        Batch(deletes=[("logs", "b")]),
        Batch(clears=[("logs", "a/")]),
        Batch(),
    ):
        with pytest.raises(StaleLeader, match="leads now"):
            await one.commit(batch)
    assert await contents(other) == before == await contents(one)
    await other.commit(Batch(puts=[("jobs", "a", "2")]))
    assert await one.get("jobs", "a") == "2"


async def the_lead_can_be_taken_back(make_stores: MakeStores) -> None:
    """Then the other one is the older leader."""
    one, other = make_stores()
    await one.lead()
    await other.lead()
    await one.lead()
    await one.commit(Batch(puts=[("jobs", "a", "1")]))
    with pytest.raises(StaleLeader):
        await other.commit(Batch(puts=[("jobs", "a", "2")]))
    assert await other.get("jobs", "a") == "1"


async def a_commit_under_way_when_the_lead_changes_is_written_whole_or_refused(make_stores: MakeStores) -> None:
    """Whichever comes first: the outcome that is reported is what happened."""
    one, other = make_stores()
    await one.lead()
    batch = Batch(puts=[("jobs", "a", "1"), ("logs", "a", "1")])
    outcome, _ = await asyncio.gather(one.commit(batch), other.lead(), return_exceptions=True)
    written = [await other.get("jobs", "a"), await other.get("logs", "a")]
    assert written == ["1", "1"] if outcome is None else [None, None]
    assert outcome is None or isinstance(outcome, StaleLeader)


async def usage_says_what_is_used_of_what(make_stores: MakeStores) -> None:
    """In bytes."""
    store, _ = make_stores()
    await filled(store, "a")
    usage = await store.usage()
    assert 0 <= usage.used <= usage.quota
    assert usage.persisted in (True, False)


RULES = (
    what_is_put_is_read_back,
    a_part_of_a_buffer_is_put_as_that_part,
    what_was_put_does_not_change_with_the_buffer_it_came_from,
    bytes_of_any_length_are_put_in_rows_of_bounded_size,
    what_is_not_there_is_none,
    a_scan_gives_the_rows_of_a_prefix_in_the_order_of_keys,
    the_keys_are_those_of_a_scan,
    a_scan_goes_on_behind_a_key,
    a_limit_takes_the_first_rows_or_the_newest,
    a_row_replaces_the_one_with_its_key,
    clears_and_deletes_come_before_puts,
    a_clear_takes_exactly_the_keys_of_its_prefix,
    deleting_what_is_not_there_is_no_error,
    a_batch_is_written_over_all_its_tables,
    a_batch_that_does_not_fit_leaves_everything_as_it_was,
    commits_count_in_the_order_in_which_they_were_asked_for,
    each_leader_has_a_higher_epoch,
    a_store_that_never_led_writes_nothing,
    an_older_leader_writes_nothing_any_more,
    the_lead_can_be_taken_back,
    a_commit_under_way_when_the_lead_changes_is_written_whole_or_refused,
    usage_says_what_is_used_of_what,
)
