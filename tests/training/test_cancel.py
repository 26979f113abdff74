"""A cancel ends a run at any moment, and leaves no half round."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from training.meddling import Trainers
from training.world import MODEL, SlowStore, World, messages, nothing_left, until, whole

from roundtab.api.engine import Engine
from roundtab.capabilities.catalogue import Catalogue
from roundtab.checkpoints.store import Batch
from roundtab.clock import SystemClock
from roundtab.errors import Conflict, StorageFailed
from roundtab.records.ids import JobId
from roundtab.training.lifecycle import after


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


async def test_a_job_is_cancelled_after_its_trainers_have_left(world: World) -> None:
    """Who hears that it is cancelled may close, delete or retry at once: nothing computes any more."""
    engine = await world.engine(store=SlowStore(world.database))
    job = await world.job(engine, rounds=50)
    states: list[set[str]] = []

    def hear(event: dict[str, Any]) -> None:
        item = event["data"].get("item") if event["name"] == "job.updated" else None
        if item and item["status"] == "cancelled":
            states.append({each.state for each in engine.runs.participants(job)})

    engine.announcer.subscribe(hear)
    await engine.runs.start(job)
    await until(lambda: engine.archive.job(job).rounds.done >= 2)
    await engine.runs.cancel(job)
    await engine.runs.wait(job)
    assert states[0] == {"left"}
    assert {each["state"] for each in json.loads(world.database.tables["jobs"][job])["job"]["participants"]} == {"left"}


class Stubborn(SlowStore):
    """A store that refuses one write, not for want of space."""

    refuses = False

    async def commit(self, batch: Batch) -> None:
        """Write, or refuse once."""
        if self.refuses:
            self.refuses = False
            raise StorageFailed("The disk is busy.", "Try again.")
        await super().commit(batch)


async def test_a_job_that_could_not_go_on_after_a_restart_can_be_cancelled(world: World) -> None:
    """And then deleted: nobody is left alone with a job that is running in name only."""
    first = await world.engine()
    job = await world.job(first)
    await first.archive.save(job, lambda record: after(record, "start", record.created_at), "info", "Job started")
    store = Stubborn(world.database)
    engine = Engine(
        store=store,
        catalogue=Catalogue.of_folders(world.folder),
        trainers=Trainers(Catalogue.of_folders(world.folder), None),
        clock=SystemClock(),
        backend="local",
    )
    await engine.archive.open()
    store.refuses = True
    await engine.runs.resume()
    assert engine.archive.job(job).status == "running"
    await engine.runs.cancel(job)
    assert engine.archive.job(job).status == "cancelled"
    await engine.runs.delete(job)
