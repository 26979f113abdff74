"""The round loop: what is dealt, counted and stored."""

from __future__ import annotations

import pytest
from training.meddling import Trainers
from training.world import MODEL, ROWS, SlowStore, World, nothing_left, until, whole


async def test_without_validation_data_there_are_training_values_only(world: World) -> None:
    """And no evaluation is asked for."""
    engine = await world.engine()
    job = await world.job(engine, validation=False)
    await world.run(engine, job)
    assert {name for row in await engine.archive.history.rounds(job) for name in row.metrics} == {
        "train_norm",
        "learning_rate",
    }


async def test_rounds_stand_on_three_axes(world: World) -> None:
    """Rounds, items and passes, each counted over committed work."""
    engine = await world.engine()
    job = await world.job(engine, rounds=5, items_per_round=5)
    ended = await world.run(engine, job)
    rows = await engine.archive.history.rounds(job)
    assert [row.steps for row in rows] == [5, 10, 15, 20, 25]
    assert [row.examples for row in rows] == [20, 20, 18, 20, 18]
    assert [row.epochs for row in rows] == [round(done / ROWS, 6) for done in (20, 40, 58, 78, 96)]
    assert (ended.work.done, ended.work.total, ended.rounds.done) == (96, 96, 5)
    assert (ended.phase, ended.phase_reason) == (None, None)


async def test_training_metrics_are_weighted_by_examples(world: World) -> None:
    """A participant with more rows counts for more."""
    world.write_model(f"{MODEL}\ndef train(w, data, settings, rng):\n    return w, {{'rows': len(data)}}, len(data)\n")
    engine = await world.engine()
    job = await world.job(engine, rounds=1)
    await world.run(engine, job)
    (row,) = await engine.archive.history.rounds(job)
    sizes = [each.examples_done for each in engine.archive.job(job).participants]
    assert sum(sizes) == ROWS
    assert row.metrics["train_rows"] == pytest.approx(sum(size * size for size in sizes) / ROWS)


async def test_items_are_dealt_in_turn_in_the_order_of_joining(world: World) -> None:
    """The first one gets the rest; one without items is left out of the round."""
    engine = await world.engine()
    await world.run(engine, await world.job(engine, rounds=1, items_per_round=2, spec={"local_trainers": 3}))
    trainers = engine.trainers
    assert isinstance(trainers, Trainers)
    assert trainers.items() == [(1, 1, ("0:0",)), (2, 1, ("0:1",))]


async def test_a_full_storage_fails_the_job_and_nothing_else(world: World) -> None:
    """Nothing of the round is stored; what was committed stays; the engine serves and trains on once there is room."""
    async with nothing_left():
        engine = await world.engine(store=SlowStore(world.database))
        job, other = await world.job(engine, rounds=50), await world.job(engine)
        await engine.runs.start(job)
        await until(lambda: engine.archive.job(job).rounds.done == 2)
        world.database.quota = world.database.used() + 300
        await engine.runs.wait(job)
        ended = engine.archive.job(job)
        assert ended.error is not None
        assert (ended.status, ended.error.code) == ("failed", "storage_full")
        assert "Delete jobs" in ended.error.action
        assert whole(world, job) == ended.rounds.done
        assert sum(each.items_done for each in ended.participants) == 12 * ended.rounds.done
        await engine.runs.delete(job)
        world.database.quota = 2**40
        assert (await world.run(engine, other)).status == "completed"
