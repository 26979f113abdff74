"""Runs repeat themselves to the bit, and outlive the engines that train them."""

from __future__ import annotations

import asyncio

import pytest
from training.world import MODEL, SlowStore, World, messages, nothing_left, tensors, throw_away, until, whole

from roundtab.checkpoints.memory_store import MemoryStore
from roundtab.records.ids import JobId
from roundtab.training.lifecycle import after

NOW = "2026-11-30T09:41:14.123Z"


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
        assert await engine.archive.history.queue(cut) == await engine.archive.history.queue(straight)
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
