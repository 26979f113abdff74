"""Calls at the same time, and trainers that come and go."""

from __future__ import annotations

import asyncio

import pytest
from training.world import SlowStore, World, messages, nothing_left, tensors, until, whole

from roundtab.errors import Conflict, NotFound, Unavailable


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
