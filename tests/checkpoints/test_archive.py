"""The archive keeps jobs whole: a write happens or leaves nothing, is told of afterwards, and survives the engine."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from checkpoints.shelf import NOW, Shelf, digest, shelf

from roundtab.checkpoints import store as store_module
from roundtab.checkpoints.memory_store import MemoryDatabase
from roundtab.errors import Conflict, NotFound, StaleLeader, StorageFailed, StorageFull
from roundtab.records.events import CheckpointSaveFailed
from roundtab.records.ids import JobId
from roundtab.records.jobs import Job
from roundtab.records.rounds import QueueState

JOB = JobId("job-1")


def same(job: Job) -> Job:
    """A change that changes nothing."""
    return job


def running(job: Job) -> Job:
    """A change that starts a job."""
    return replace(job, status="running")


def refuse(job: Job) -> Job:
    """A change that the job's state does not allow."""
    raise Conflict("No.", "Leave it.")


def again(job: Job) -> Job:
    """A change as by a retry."""
    return replace(job, attempt=job.attempt + 1, rounds=replace(job.rounds, done=0))


WRITES: dict[str, Callable[[Shelf], Awaitable[object]]] = {
    "create": lambda it: it.create("job-2"),
    "save": lambda it: it.archive.save(JOB, running, "info", "Started"),
    "round": lambda it: it.commit(JOB, 3),
    "reset": lambda it: it.archive.reset(JOB, again),
    "delete": lambda it: it.archive.delete(JOB, same),
    "log": lambda it: it.archive.log(JOB, "info", "Said"),
}
"""Everything that the archive writes."""


async def filled(database: MemoryDatabase | None = None) -> Shelf:
    """An archive with a job of two rounds, and a neighbour whose name begins like the job's."""
    it = await shelf(database)
    await it.create("job-1", b"data")
    await it.create("job-10", b"other")
    for number in (1, 2):
        await it.commit(JOB, number)
    await it.commit(JobId("job-10"), 1)
    it.told.clear()
    it.store.commits = 0
    return it


async def picture(it: Shelf) -> tuple[object, ...]:
    """All that an archive says of its jobs."""
    jobs = it.archive.jobs()
    parts = [
        (
            it.archive.item(job),
            await it.archive.history.rounds(job.id),
            await it.archive.history.checkpoints(job.id),
            await it.archive.history.queue(job.id),
            await it.archive.logs(job.id, None, 1_000),
        )
        for job in jobs
    ]
    return jobs, parts


# Rounds ---------------------------------------------------------------------------------------------------------------


async def test_a_committed_round_is_there_with_all_its_parts() -> None:
    """Row, checkpoint, weights, queue, record, newest values and log."""
    it = await filled()
    assert [each.round for each in await it.archive.history.rounds(JOB)] == [1, 2]
    assert [each.round for each in await it.archive.history.checkpoints(JOB)] == [1, 2]
    assert await it.archive.history.queue(JOB) == QueueState(seed=1, pass_=0, position=2)
    assert it.archive.job(JOB).rounds.done == 2
    assert it.archive.item(it.archive.job(JOB)).latest == {"train_loss": 0.5}
    checkpoint, data = await it.archive.history.checkpoint(JOB, 2)
    assert (checkpoint.sha256, data) == (digest(b"weights"), b"weights")
    entries = await it.archive.logs(JOB, None, 10)
    assert [each.message for each in entries] == ["Job created; 1 data files copied", "Committed", "Committed"]
    assert entries[-1].data == {"round": 2, "train_loss": 0.5, "bytes": 7}


async def test_a_later_engine_finds_what_was_stored() -> None:
    """All of it, and nothing else; with a higher epoch."""
    database = MemoryDatabase()
    before = await filled(database)
    after = await shelf(database)
    assert await picture(after) == await picture(before)
    assert after.archive.epoch > before.archive.epoch


async def test_a_round_is_told_of_once_it_is_stored() -> None:
    """First the record, then its parts, then the log, in the order in which they were written."""
    it = await filled()
    it.store.go_on.clear()
    writing = asyncio.ensure_future(it.commit(JOB, 3, b"weights", "Round 3 committed", "Job completed"))
    await asyncio.sleep(0)
    assert (it.store.commits, it.tags()) == (1, [])
    assert it.archive.job(JOB).rounds.done == 2
    it.store.go_on.set()
    await writing
    assert it.tags() == ["job.updated", "round.completed", "checkpoint.saved", "log.appended", "log.appended"]
    assert (await it.messages(JOB))[-2:] == ["Round 3 committed", "Job completed"]


async def test_weights_of_several_rows_come_back_as_one_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """However the store cuts them, also where nothing is left over, and where there are none."""
    monkeypatch.setattr(store_module, "CHUNK", 10)
    it = await shelf()
    await it.create("job-1")
    files = [bytes(range(length)) for length in (0, 9, 10, 11, 20, 105)]
    for number, data in enumerate(files, 1):
        await it.commit(JOB, number, data)
    assert [(await it.archive.history.checkpoint(JOB, number))[1] for number in range(1, 7)] == files


async def test_a_full_storage_leaves_the_round_out_and_says_so() -> None:
    """Nothing of the round is stored or shown; once there is room the same round can be committed."""
    database = MemoryDatabase()
    it = await filled(database)
    before, tables = await picture(it), copy.deepcopy(database.tables)
    database.quota = database.used() + 1_000
    with pytest.raises(StorageFull):
        await it.commit(JOB, 3, bytes(2_000))
    assert (await picture(it), database.tables) == (before, tables)
    (told,) = it.told
    assert isinstance(told, CheckpointSaveFailed)
    assert (told.job, told.round) == (JOB, 3)
    assert "storage is full" in told.problem
    database.quota *= 2
    await it.commit(JOB, 3, bytes(2_000))
    assert it.archive.job(JOB).rounds.done == 3


async def test_a_round_of_an_engine_that_no_longer_leads_is_not_told_of() -> None:
    """It is the other engine's to commit and to tell of, so this one does not even say that it failed."""
    database = MemoryDatabase()
    it = await filled(database)
    other = await shelf(database)
    before = await picture(other)
    with pytest.raises(StaleLeader):
        await it.commit(JOB, 3)
    assert it.told == []
    assert await picture(other) == await picture(await shelf(database)) == before


async def test_a_checkpoint_is_never_read_half_from_another_attempt() -> None:
    """A retry between the reading of its record and of its bytes must not give the file of no attempt."""
    it = await filled()
    reading = asyncio.ensure_future(it.archive.history.checkpoint(JOB, 1))
    get = it.store.get

    async def get_then_others(*key: object) -> str | bytes | None:
        found = await get(*key)  # type: ignore[arg-type]
        await asyncio.sleep(0)
        return found

    it.store.get = get_then_others  # type: ignore[method-assign]
    retry = asyncio.ensure_future(it.archive.reset(JOB, again))
    checkpoint, data = await reading
    assert digest(data) == checkpoint.sha256
    await retry
    with pytest.raises(NotFound, match="no checkpoint of round 1"):
        await it.archive.history.checkpoint(JOB, 1)


# Every write ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("write", WRITES)
async def test_a_write_that_fails_changes_nothing(write: str) -> None:
    """Neither in the store nor in memory, and nobody is told that anything changed."""
    database = MemoryDatabase()
    it = await filled(database)
    before, tables = await picture(it), copy.deepcopy(database.tables)
    it.store.failing = {1}
    with pytest.raises(StorageFailed):
        await WRITES[write](it)
    assert (await picture(it), database.tables) == (before, tables)
    assert it.tags() == (["checkpoint.save_failed"] if write == "round" else [])
    await WRITES[write](it)
    assert await picture(it) != before


@pytest.mark.parametrize("write", WRITES)
async def test_an_engine_that_no_longer_leads_changes_nothing(write: str) -> None:
    """What it still does is refused, and it tells of nothing."""
    database = MemoryDatabase()
    it = await filled(database)
    await shelf(database)
    tables, before = copy.deepcopy(database.tables), await picture(it)
    with pytest.raises(StaleLeader):
        await WRITES[write](it)
    assert (database.tables, await picture(it), it.told) == (tables, before, [])


async def test_a_refused_change_writes_nothing() -> None:
    """Whether a job is saved, reset or deleted; the archive goes on."""
    it = await filled()
    before = await picture(it)
    for write in (
        it.archive.save(JOB, refuse, "info", "Never"),
        it.archive.reset(JOB, refuse),
        it.archive.delete(JOB, refuse),
    ):
        with pytest.raises(Conflict):
            await write
    assert (await picture(it), it.told, it.store.commits) == (before, [], 0)
    await it.archive.log(JOB, "info", "Said")
    assert (await it.messages(JOB))[-1] == "Said"


async def test_what_changes_during_a_write_is_not_lost() -> None:
    """A phase that is noted while a record is being written stays behind the write."""
    it = await filled()
    it.store.go_on.clear()
    saving = asyncio.ensure_future(it.archive.save(JOB, running, "info", "Started"))
    await asyncio.sleep(0)
    it.archive.change(JOB, lambda job: replace(job, phase="training"))
    it.store.go_on.set()
    job = await saving
    assert job == it.archive.job(JOB)
    assert (job.status, job.phase) == ("running", "training")


async def test_of_two_changes_at_once_the_second_sees_the_first() -> None:
    """Each is made from the record as it is when its turn comes; none gets lost, in memory or in the store."""
    database = MemoryDatabase()
    it = await filled(database)

    def tag(name: str) -> Callable[[Job], Job]:
        return lambda job: job if name in job.tags else replace(job, tags=(*job.tags, name))

    await asyncio.gather(*(it.archive.save(JOB, tag(str(number)), "info", str(number)) for number in range(9)))
    expected = tuple(str(number) for number in range(9))
    assert it.archive.job(JOB).tags == (await shelf(database)).archive.job(JOB).tags == expected


async def test_a_write_that_waits_finds_the_job_deleted() -> None:
    """It must not bring it back."""
    database = MemoryDatabase()
    it = await filled(database)
    it.store.go_on.clear()
    deleting = asyncio.ensure_future(it.archive.delete(JOB, same))
    await asyncio.sleep(0)
    late = [asyncio.ensure_future(WRITES[name](it)) for name in ("save", "round", "reset", "log")]
    await asyncio.sleep(0)
    it.store.go_on.set()
    await deleting
    outcomes = await asyncio.gather(*late, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [NotFound] * 4
    assert not [key for rows in database.tables.values() for key in rows if key == JOB or key.startswith(f"{JOB}/")]


async def test_what_is_asked_of_an_unknown_job_is_not_found() -> None:
    """In few words, however long its id."""
    it = await filled()
    for call in (
        it.archive.save(JobId("x" * 1_000), same, "info", ""),
        it.archive.log(JobId("x" * 1_000), "info", ""),
        it.archive.reset(JobId("x" * 1_000), same),
        it.archive.delete(JobId("x" * 1_000), same),
    ):
        with pytest.raises(NotFound) as caught:
            await call
        assert len(str(caught.value)) < 200
    with pytest.raises(NotFound, match="List its checkpoints"):
        await it.archive.history.checkpoint(JOB, 9)


# Jobs -----------------------------------------------------------------------------------------------------------------


async def test_no_two_jobs_have_the_same_time_of_creation() -> None:
    """Lists page by it, so jobs of one millisecond are told apart; a clock that goes on is believed again."""
    it = await shelf()
    times = [(await it.create(f"job-{number}")).created_at for number in range(3)]
    assert times == [NOW, NOW.replace("000Z", "001Z"), NOW.replace("000Z", "002Z")]
    it.clock.time = "2026-11-30T10:00:01.000Z"
    assert (await it.create("job-9")).created_at == it.clock.time


async def test_jobs_stay_in_the_order_of_their_creation() -> None:
    """Also for a later engine, and also where an id was minted before and its files took long to copy."""
    database = MemoryDatabase()
    it = await shelf(database)
    for name in ("job-2", "job-3", "job-1"):
        await it.create(name)
    for archive in (it.archive, (await shelf(database)).archive):
        assert [job.id for job in archive.jobs()] == ["job-2", "job-3", "job-1"]


async def test_a_reset_takes_the_rounds_and_keeps_the_log() -> None:
    """Behind a divider of the new attempt; manifest, data and the neighbours are left alone."""
    database = MemoryDatabase()
    it = await filled(database)
    neighbour = await it.archive.history.rounds(JobId("job-10"))
    await it.archive.reset(JOB, again)
    assert await it.archive.history.rounds(JOB) == await it.archive.history.checkpoints(JOB) == []
    assert (await it.archive.history.queue(JOB), it.archive.item(it.archive.job(JOB)).latest) == (None, {})
    assert not [key for key in database.tables["weights"] if key.startswith("job-1/")]
    entries = await it.archive.logs(JOB, None, 10)
    assert [(each.seq, each.attempt) for each in entries] == [(1, 1), (2, 1), (3, 1), (4, 2)]
    assert entries[-1].message == "Attempt 2"
    assert await it.archive.manifest(JOB, "train") == "manifest of job-1"
    assert await it.archive.copies.has(digest(b"data"))
    assert await it.archive.history.rounds(JobId("job-10")) == neighbour
    assert await it.archive.history.checkpoint(JobId("job-10"), 1)


async def test_a_deleted_job_is_gone_whole_and_alone() -> None:
    """No row of any table bears its name; its neighbour has everything."""
    database = MemoryDatabase()
    it = await filled(database)
    await it.archive.delete(JOB, same)
    rows = {table: set(rows) for table, rows in database.tables.items()}
    kept = "job-10/000001"
    assert rows["jobs"] == rows["queues"] == {"job-10"}
    assert rows["rounds"] == rows["checkpoints"] == {kept}
    assert rows["weights"] == {f"{kept}/000000"}
    assert rows["manifests"] == {"job-10/train"}
    assert all(key.startswith("job-10/") for key in rows["logs"])
    assert rows["files"] == {digest(b"other")}
    assert it.tags() == ["job.updated"]
    with pytest.raises(NotFound):
        it.archive.job(JOB)


async def test_a_job_made_after_a_delete_numbers_its_log_anew() -> None:
    """Nothing of a job outlives it."""
    it = await filled()
    await it.archive.delete(JOB, same)
    await it.create("job-1")
    assert [each.seq for each in await it.archive.logs(JOB, None, 10)] == [1]


# Data -----------------------------------------------------------------------------------------------------------------


async def test_data_goes_with_the_last_job_that_uses_it() -> None:
    """Whether as training or as held-out data; equal content is stored once."""
    database = MemoryDatabase()
    it = await shelf(database)
    await it.create("job-1", b"shared", b"own")
    await it.create("job-2", b"other", held_out=b"shared")
    assert len(database.tables["chunks"]) == 3
    await it.archive.delete(JOB, same)
    assert set(database.tables["files"]) == {digest(b"shared"), digest(b"other")}
    await it.archive.delete(JobId("job-2"), same)
    assert not any(database.tables.values())


async def test_an_engine_removes_the_data_of_a_creation_that_was_cut_off() -> None:
    """It belongs to no job; that of the jobs stays."""
    database = MemoryDatabase()
    it = await filled(database)
    await it.archive.copies.keep(digest(b"cut off"), 0, b"cut off")
    await shelf(database)
    assert {key.partition("/")[0] for key in database.tables["chunks"]} == {digest(b"data"), digest(b"other")}


async def test_a_delete_leaves_the_data_of_a_creation_under_way() -> None:
    """Its files belong to no job yet, and some were copied for the very job that goes."""
    database = MemoryDatabase()
    it = await filled(database)
    shared, new = digest(b"data"), digest(b"new")
    with it.archive.copies.arriving({shared, new}):
        await it.archive.copies.keep(new, 0, b"new")
        await it.archive.delete(JOB, same)
        assert {f"{shared}/000000", f"{new}/000000"} <= set(database.tables["chunks"])
    await it.archive.delete(JobId("job-10"), same)
    assert not any(database.tables.values())


async def test_a_delete_stands_even_if_its_data_cannot_be_removed_yet() -> None:
    """The job is gone by then, so the call has done what it was asked for; the next sweep takes the data."""
    database = MemoryDatabase()
    it = await filled(database)
    it.store.failing = {2}
    await it.archive.delete(JOB, same)
    assert digest(b"data") in database.tables["files"]
    await shelf(database)
    assert digest(b"data") not in database.tables["files"]


async def test_an_engine_opens_even_if_old_data_cannot_be_removed_yet() -> None:
    """Or nobody could ever delete a job to make room."""
    database = MemoryDatabase()
    it = await filled(database)
    await it.archive.copies.keep(digest(b"cut off"), 0, b"cut off")
    it.store.failing = {it.store.commits + 1}
    await it.archive.open()
    assert [job.id for job in it.archive.jobs()] == ["job-1", "job-10"]


async def test_manifests_are_kept_by_part() -> None:
    """A job without held-out data of its own has no second one."""
    it = await shelf()
    await it.create("job-1", b"a", held_out=b"b")
    await it.create("job-2", b"a")
    assert [await it.archive.manifest(JOB, part) for part in ("train", "validation")] == [  # type: ignore[arg-type]
        "manifest of job-1",
        "held out",
    ]
    assert await it.archive.manifest(JobId("job-2"), "validation") is None


# Logs -----------------------------------------------------------------------------------------------------------------


async def test_log_entries_are_told_of_in_the_order_of_their_numbers() -> None:
    """However many are written at once."""
    it = await filled()
    await asyncio.gather(*(it.archive.log(JOB, "info", str(number)) for number in range(30)))
    told = [(event.entry.seq, event.entry.message) for event in it.told]  # type: ignore[union-attr]
    assert told == [(number + 4, str(number)) for number in range(30)]
    assert (await it.messages(JOB))[3:] == [str(number) for number in range(30)]


async def test_log_entries_count_on_under_a_later_engine() -> None:
    """It goes on behind the newest entry of the store."""
    database = MemoryDatabase()
    await filled(database)
    it = await shelf(database)
    await it.archive.log(JOB, "warning", "Later", {"a": float("nan")})
    entry = (await it.archive.logs(JOB, None, 1))[0]
    assert (entry.seq, entry.level, entry.data) == (4, "warning", {"a": "NaN"})


async def test_an_entry_that_was_given_up_is_never_overwritten() -> None:
    """A cancel cannot tell whether its write got through, so the number is not used again."""
    database = MemoryDatabase()
    it = await filled(database)
    it.store.go_on.clear()
    writing = asyncio.ensure_future(it.archive.log(JOB, "info", "Given up"))
    await asyncio.sleep(0)
    writing.cancel()
    await asyncio.wait([writing])
    it.store.go_on.set()
    await it.archive.log(JOB, "info", "Next")
    assert [each.seq for each in await it.archive.logs(JOB, 3, 10)] == [5]


async def test_logs_are_read_behind_a_number_or_from_the_end() -> None:
    """Oldest first in both cases, and never those of a neighbour."""
    it = await filled()
    for number in range(4, 13):
        await it.archive.log(JOB, "info", str(number))

    async def numbers(after: int | None, limit: int) -> list[int]:
        return [each.seq for each in await it.archive.logs(JOB, after, limit)]

    assert await numbers(None, 3) == [10, 11, 12]
    assert await numbers(0, 3) == [1, 2, 3]
    assert await numbers(9, 3) == [10, 11, 12]
    assert await numbers(11, 3) == [12]
    assert await numbers(12, 3) == await numbers(2**53 - 1, 3) == []
    assert await numbers(-7, 100) == list(range(1, 13))


async def test_a_record_that_cannot_be_read_costs_no_other_job_and_no_data() -> None:
    """It may be of another version, whose page will read it again: its data stays, and other jobs go on."""
    database = MemoryDatabase()
    it = await shelf(database)
    await it.create("one", b"data of one")
    await it.create("two", b"data of two")
    for broken in ('{"job": {"id": "one"}, "latest": {}}', "{}", "not JSON", '{"job": 7, "latest": []}'):
        database.tables["jobs"]["one"] = broken
        again = await shelf(database)
        assert [each.id for each in again.archive.jobs()] == ["two"]
        await again.create("three", b"data of three")
        await again.archive.delete(JobId("three"), lambda job: job)
        assert await again.archive.copies.has(digest(b"data of one"))


async def test_rounds_that_were_read_once_are_known_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job of a thousand rounds is asked for often; commits and retries keep what is known right."""
    it = await filled()
    assert [each.round for each in await it.archive.history.rounds(JOB)] == [1, 2]
    await it.commit(JOB, 3)

    async def refuse(*_: object, **__: object) -> None:
        raise AssertionError("it was read again")

    monkeypatch.setattr(it.store, "scan", refuse)
    assert [each.round for each in await it.archive.history.rounds(JOB)] == [1, 2, 3]
    assert [each.round for each in await it.archive.history.checkpoints(JOB)] == [1, 2, 3]
    monkeypatch.undo()
    await it.archive.reset(JOB, lambda job: replace(job, attempt=2))
    assert await it.archive.history.rounds(JOB) == []
