"""Runs of jobs: start, cancel, retry, delete and resume, each at its worst moment."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from training.world import MODEL, SlowStore, World, messages, nothing_left, tensors, throw_away, until, whole

from roundtab.api.engine import Engine
from roundtab.checkpoints.memory_store import MemoryStore
from roundtab.errors import Conflict, NotFound, Unavailable
from roundtab.records.ids import JobId
from roundtab.training.lifecycle import after

NOW = "2026-11-30T09:41:14.123Z"


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A fresh one."""
    return World(tmp_path)


# Repeating ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{}, {"items_per_round": 5}, {"optimizer": "adam", "local_epochs": 3}])
async def test_the_same_seed_gives_the_same_weights_to_the_bit(world: World, settings: dict[str, object]) -> None:
    """In every round."""
    async with nothing_left():
        engine = await world.engine()
        one, other = await world.job(engine, **settings), await world.job(engine, **settings)
        assert {(await world.run(engine, job)).status for job in (one, other)} == {"completed"}
        for number in range(1, 5):
            assert await tensors(engine, one, number) == await tensors(engine, other, number)


async def test_another_seed_gives_other_weights(world: World) -> None:
    """So the seed is used at all."""
    engine = await world.engine()
    one, other = await world.job(engine, seed=1), await world.job(engine, seed=2)
    await world.run(engine, one)
    await world.run(engine, other)
    assert await tensors(engine, one, 1) != await tensors(engine, other, 1)


# Engines that go away -------------------------------------------------------------------------------------------------


async def interrupted(world: World, job: JobId, turns: int) -> None:
    """Train `job` with an engine that is gone after so many turns of the loop."""
    before = asyncio.all_tasks()
    engine = await world.engine(store=SlowStore(world.database))
    if engine.archive.job(job).status == "queued":
        await engine.runs.start(job)
    for _ in range(turns):
        await asyncio.sleep(0)
    world.database.epoch += 1  # another engine leads, before this one can tidy anything up
    await throw_away(before)


@pytest.mark.parametrize("items_per_round", [None, 5, 12, 17])
async def test_a_run_cut_off_anywhere_goes_on_as_if_nothing_had_happened(
    world: World, items_per_round: int | None
) -> None:
    """To the bit, with rounds of any part of a pass, however often and wherever it is cut off."""
    engine = await world.engine()
    straight = await world.job(engine, rounds=5, items_per_round=items_per_round)
    cut = await world.job(engine, rounds=5, items_per_round=items_per_round)
    await world.run(engine, straight)
    resumed = set()
    for turns in (3, 40, 30, 55, 47):
        await interrupted(world, cut, turns)
        resumed.add(whole(world, cut))
    async with nothing_left():
        engine = await world.engine()
        await engine.runs.wait(cut)
        assert engine.archive.job(cut).status == "completed"
        for number in range(1, 6):
            assert await tensors(engine, cut, number) == await tensors(engine, straight, number)
        assert await engine.archive.queue(cut) == await engine.archive.queue(straight)
    assert len(resumed) > 1


async def test_an_engine_that_no_longer_leads_writes_nothing(world: World) -> None:
    """It stops quietly; the job goes on where the lead is."""
    async with nothing_left():
        old = await world.engine()
        job = await world.job(old, rounds=50)
        await old.runs.start(job)
        await until(lambda: old.archive.job(job).rounds.done == 2)
        await MemoryStore(world.database).lead()
        rows = {table: dict(found) for table, found in world.database.tables.items()}
        await old.runs.wait(job)
        assert world.database.tables == rows
        assert old.archive.job(job).error is None


async def test_a_process_that_ends_leaves_its_jobs_running(world: World) -> None:
    """Nobody asked for a cancel, so the next engine goes on."""
    before = asyncio.all_tasks()
    engine = await world.engine()
    job = await world.job(engine)
    await engine.runs.start(job)
    await until(lambda: engine.archive.job(job).rounds.done == 1)
    await throw_away(before)
    engine = await world.engine()
    assert (engine.archive.job(job).status, engine.archive.job(job).phase) == ("running", "recovering")
    await engine.runs.wait(job)
    assert engine.archive.job(job).status == "completed"
    assert "Going on after round 1" in await messages(engine, job)


async def test_a_cancel_that_was_asked_for_is_finished_by_the_next_engine(world: World) -> None:
    """It does not go on with what somebody wanted to end."""
    before = asyncio.all_tasks()
    engine = await world.engine()
    job = await world.job(engine)
    await engine.runs.start(job)
    await engine.archive.save(job, lambda job: after(job, "cancel", NOW), "info", "Cancel requested")
    world.database.epoch += 1
    await throw_away(before)
    engine = await world.engine()
    assert engine.archive.job(job).status == "cancelled"
    assert (await messages(engine, job))[-1] == "Job cancelled"


async def test_a_retry_that_was_queued_is_started_by_the_next_engine(world: World) -> None:
    """A retried job never waits for somebody to start it."""
    engine = await world.engine()
    job = await world.job(engine)
    await world.run(engine, job)
    await engine.archive.reset(job, lambda job: after(job, "retry", NOW))
    engine = await world.engine()
    await engine.runs.wait(job)
    assert (engine.archive.job(job).status, engine.archive.job(job).attempt) == ("completed", 2)


async def test_a_new_job_waits_for_its_start(world: World) -> None:
    """Also across engines."""
    job = await world.job(await world.engine())
    engine = await world.engine()
    assert engine.archive.job(job).status == "queued"


async def test_a_job_that_cannot_go_on_does_not_keep_the_engine_from_starting(world: World) -> None:
    """Its capability changed after the retry was queued; other jobs are served."""
    engine = await world.engine()
    stuck, other = await world.job(engine), await world.job(engine)
    await world.run(engine, stuck)
    await engine.archive.reset(stuck, lambda job: after(job, "retry", NOW))
    world.write_model(MODEL + "\n# another version")
    engine = await world.engine()
    assert engine.archive.job(stuck).status == "queued"
    await engine.runs.cancel(stuck)
    await engine.runs.delete(stuck)
    assert engine.archive.job(other).status == "queued"


async def test_an_engine_starts_over_a_full_storage(world: World) -> None:
    """Else nobody could delete jobs to make room. The running job fails; its rounds stay."""
    before = asyncio.all_tasks()
    engine = await world.engine()
    job = await world.job(engine, rounds=50)
    await engine.runs.start(job)
    await until(lambda: engine.archive.job(job).rounds.done == 2)
    world.database.quota = world.database.used()
    world.database.epoch += 1
    await throw_away(before)
    async with nothing_left():
        engine = await world.engine()
        error = engine.archive.job(job).error
        assert error is not None
        assert error.code == "storage_full"
        assert whole(world, job) == 2
        await engine.runs.delete(job)


# Calls at the same time -----------------------------------------------------------------------------------------------


async def test_of_two_starts_at_once_one_is_refused(world: World) -> None:
    """And the job is trained once."""
    async with nothing_left():
        engine = await world.engine(store=SlowStore(world.database))
        job = await world.job(engine)
        answers = await asyncio.gather(engine.runs.start(job), engine.runs.start(job), return_exceptions=True)
        assert [type(each) for each in answers if isinstance(each, Exception)] == [Conflict]
        await engine.runs.wait(job)
        assert (await messages(engine, job)).count("Job started") == 1
        assert engine.archive.job(job).status == "completed"


async def test_a_start_and_a_cancel_at_once_leave_no_run_behind(world: World) -> None:
    """Whichever comes first, the job ends up cancelled."""
    async with nothing_left():
        engine = await world.engine(store=SlowStore(world.database))
        job = await world.job(engine)
        await asyncio.gather(engine.runs.start(job), engine.runs.cancel(job), return_exceptions=True)
        await engine.runs.wait(job)
        assert engine.archive.job(job).status == "cancelled"


async def test_a_start_and_a_delete_at_once_leave_nothing_or_a_whole_job(world: World) -> None:
    """The loser hears of it."""
    async with nothing_left():
        engine = await world.engine(store=SlowStore(world.database))
        job = await world.job(engine)
        answers = await asyncio.gather(engine.runs.start(job), engine.runs.delete(job), return_exceptions=True)
        assert len([each for each in answers if isinstance(each, Conflict | NotFound)]) == 1
        await engine.runs.wait(job)


@pytest.mark.parametrize("call", ["retry", "delete"])
async def test_what_follows_a_cancel_at_once_waits_until_the_run_has_tidied_up(world: World, call: str) -> None:
    """The old run writes nothing into the new attempt, nor into a job that is gone."""
    async with nothing_left():
        engine = await world.engine(store=SlowStore(world.database))
        job = await world.job(engine, rounds=30)
        await engine.runs.start(job)
        await until(lambda: engine.archive.job(job).rounds.done == 2)
        await engine.runs.cancel(job)
        await until(lambda: engine.archive.job(job).status == "cancelled")
        await getattr(engine.runs, call)(job)
        if call == "delete":
            assert engine.archive.jobs() == []
            assert not any(world.database.tables.values())
            return
        await engine.runs.wait(job)
        assert (engine.archive.job(job).status, engine.archive.job(job).attempt) == ("completed", 2)
        assert whole(world, job) == 30


async def test_of_two_retries_at_once_one_is_refused(world: World) -> None:
    """There is one second attempt."""
    async with nothing_left():
        engine = await world.engine(store=SlowStore(world.database))
        job = await world.job(engine)
        await world.run(engine, job)
        answers = await asyncio.gather(engine.runs.retry(job), engine.runs.retry(job), return_exceptions=True)
        assert [type(each) for each in answers if isinstance(each, Exception)] == [Conflict]
        await engine.runs.wait(job)
        assert engine.archive.job(job).attempt == 2


async def test_a_retry_gives_the_same_weights_again(world: World) -> None:
    """The log of the first attempt stays, its rounds go."""
    engine = await world.engine()
    job = await world.job(engine)
    await world.run(engine, job)
    first = await tensors(engine, job, 4)
    await engine.runs.retry(job)
    assert whole(world, job) < 4
    await engine.runs.wait(job)
    assert await tensors(engine, job, 4) == first
    logs = await engine.archive.logs(job, None, 1_000)
    assert [entry.attempt for entry in logs] == sorted(entry.attempt for entry in logs)
    assert {entry.attempt for entry in logs} == {1, 2}


async def test_a_retry_that_cannot_start_changes_nothing(world: World) -> None:
    """The rounds of the first attempt are still there."""
    engine = await world.engine()
    job = await world.job(engine)
    await world.run(engine, job)
    world.database.tables["files"].clear()
    with pytest.raises(NotFound, match=r"copy of train\.csv"):
        await engine.runs.retry(job)
    assert (engine.archive.job(job).status, whole(world, job)) == ("completed", 4)


# Cancelling -----------------------------------------------------------------------------------------------------------


async def test_a_job_cancelled_the_moment_it_starts_is_cancelled(world: World) -> None:
    """Before its run has taken a single step."""
    async with nothing_left():
        engine = await world.engine()
        job = await world.job(engine)
        await engine.runs.start(job)
        await engine.runs.cancel(job)
        await engine.runs.wait(job)
        assert engine.archive.job(job).status == "cancelled"


async def test_a_cancel_anywhere_leaves_no_half_round(world: World) -> None:
    """Tried at every turn of the loop from the start to the end: committed rounds stay, the rest never was."""
    seen: set[tuple[str, int]] = set()
    async with nothing_left():
        engine = await world.engine(store=SlowStore(world.database))
        for turns in range(10_000):
            job = await world.job(engine, rounds=2)
            await engine.runs.start(job)
            for _ in range(turns):
                await asyncio.sleep(0)
            ended = await cancelled(engine, job)
            status, participants = engine.archive.job(job).status, engine.archive.job(job).participants
            done = whole(world, job)
            seen.add((status, done))
            assert engine.archive.job(job).rounds.done == done
            assert status == ("completed" if done == 2 else "cancelled")
            assert sum(each.items_done for each in participants) == 12 * done
            assert {each.state for each in participants} <= {"left"}
            assert (await messages(engine, job)).count("Round 1 committed") == (done > 0)
            await engine.runs.delete(job)
            if ended:
                break
    assert seen == {("cancelled", 0), ("cancelled", 1), ("completed", 2)}


async def cancelled(engine: Engine, job: JobId) -> bool:
    """Cancel a job and wait for its end; whether it had ended before."""
    try:
        await engine.runs.cancel(job)
    except Conflict:
        await engine.runs.wait(job)
        return True
    await engine.runs.wait(job)
    return False


async def test_a_cancel_while_a_failure_is_being_recorded_does_not_lose_the_failure(world: World) -> None:
    """Tried at every turn: the job always ends, as failed or as cancelled."""
    world.write_model(MODEL + "\ndef init(parameters, inputs, rng):\n    raise ValueError('boom')\n")
    seen = set()
    async with nothing_left():
        engine = await world.engine(store=SlowStore(world.database))
        for turns in range(10_000):
            job = await world.job(engine)
            await engine.runs.start(job)
            for _ in range(turns):
                await asyncio.sleep(0)
            ended = await cancelled(engine, job)
            seen.add(engine.archive.job(job).status)
            await engine.runs.delete(job)
            if ended:
                break
    assert seen == {"failed", "cancelled"}


async def test_a_second_cancel_is_no_error(world: World) -> None:
    """People press twice."""
    engine = await world.engine()
    job = await world.job(engine)
    await engine.runs.start(job)
    first = await engine.runs.cancel(job)
    assert (await engine.runs.cancel(job)).cancel_requested_at == first.cancel_requested_at
    await engine.runs.wait(job)


# Participants ---------------------------------------------------------------------------------------------------------


async def test_a_trainer_added_to_a_run_takes_part_from_the_next_round(world: World) -> None:
    """And does its share from then on."""
    async with nothing_left():
        engine = await world.engine()
        job = await world.job(engine, rounds=6, spec={"local_trainers": 1})
        await engine.runs.start(job)
        await until(lambda: engine.archive.job(job).rounds.done == 2)
        await engine.runs.add_local(job)
        await engine.runs.wait(job)
        by_round = {(number, round_) for number, round_, _ in engine.trainers.items()}  # type: ignore[attr-defined]
        assert {(2, 4), (2, 5), (2, 6)} <= by_round
        assert not {(2, 1), (2, 2)} & by_round
        assert [each.number for each in engine.archive.job(job).participants] == [1, 2]


async def test_a_job_that_does_not_run_takes_no_trainers(world: World) -> None:
    """The call says what to do."""
    engine = await world.engine()
    job = await world.job(engine)
    with pytest.raises(Conflict, match="queued takes no participants") as refused:
        await engine.runs.add_local(job)
    assert refused.value.action == "Start the job first."


async def test_a_trainer_that_comes_when_the_run_has_ended_is_sent_away(world: World) -> None:
    """It must not stay behind as a worker that nobody ends."""
    async with nothing_left():
        engine = await world.engine()
        job = await world.job(engine, rounds=1)
        gate, start = asyncio.Event(), engine.trainers.start

        async def late(name: str) -> object:
            await gate.wait()
            return await start(name)

        await engine.runs.start(job)
        await until(lambda: bool(engine.archive.job(job).participants))
        engine.trainers.start = late  # type: ignore[method-assign, assignment]
        adding = asyncio.ensure_future(engine.runs.add_local(job))
        await engine.runs.wait(job)
        gate.set()
        with pytest.raises(Conflict, match="ended while"):
            await adding
        assert len(engine.archive.job(job).participants) == 2


async def test_trainers_that_came_are_ended_when_another_one_does_not_start(world: World) -> None:
    """The job fails with the reason, and no worker stays behind."""
    async with nothing_left():
        engine = await world.engine()
        job, start = await world.job(engine), engine.trainers.start

        async def second_fails(name: str) -> object:
            if name.endswith("-2"):
                raise Unavailable("A trainer did not start.", "Reload.")
            return await start(name)

        engine.trainers.start = second_fails  # type: ignore[method-assign, assignment]
        ended = await world.run(engine, job)
        assert ended.error is not None
        assert (ended.status, ended.error.code) == ("failed", "unavailable")
