"""Participants that hang, go away, or are too few."""

from __future__ import annotations

import asyncio

import pytest
from training.meddling import Trainers, spoil
from training.world import World, messages, nothing_left, until

from roundtab.training.messages import Evaluated, Report, Trained, Update


async def test_a_participant_that_hangs_gives_its_items_back(world: World) -> None:
    """The round is committed with what the others did; the task is taken back."""
    async with nothing_left():
        engine = await world.engine(spoil(1, Trained, lambda report: None))
        job = await world.job(engine, rounds=2, deadline_s=1)
        ended = await world.run(engine, job)
        assert ended.status == "completed"
        assert "This tab, trainer 1: No answer within 1 s. Its 6 items go back to the queue." in await messages(
            engine, job
        )
        trainers = engine.trainers
        assert isinstance(trainers, Trainers)
        first, second = ([set(items) for _, number, items in trainers.items() if number == n] for n in (1, 2))
        assert first[0] <= set.union(*second)
        assert [order.kind for number, order in trainers.orders if number == 1].count("stop") == 1  # type: ignore[union-attr]


@pytest.mark.parametrize("kind", [Evaluated, Update])
async def test_a_participant_that_hangs_elsewhere_holds_nobody_up(world: World, kind: type[Report]) -> None:
    """Neither its evaluation nor its update is waited for longer than the deadline."""
    async with nothing_left():
        engine = await world.engine(spoil(1, kind, lambda report: None))
        ended = await world.run(engine, await world.job(engine, rounds=2, deadline_s=1))
        assert ended.status == "completed"


@pytest.mark.parametrize("kind", [Trained, Update, Evaluated])
async def test_a_participant_lost_anywhere_in_a_round_is_done_without(world: World, kind: type[Report]) -> None:
    """Its items are drawn again unless its update was there already, and it never counts as connected again."""
    async with nothing_left():
        engine = await world.engine()
        trainers = engine.trainers
        assert isinstance(trainers, Trainers)

        def lose(report: Report) -> None:
            trainers.transports[0].close()

        trainers.meddle = spoil(1, kind, lose)
        job = await world.job(engine, rounds=4)
        ended = await world.run(engine, job)
        assert ended.status == "completed"
        lost, good = ended.participants
        assert (lost.state, lost.problem) == ("left", "The participant is gone.")
        assert lost.items_done == (6 if kind is Evaluated else 0)
        assert {round_ for number, round_, _ in trainers.items() if number == 1} == {1}
        # 12 items a round, dealt in halves while there were two
        assert good.items_done == (4 * 12 - 6)


async def test_a_job_waits_for_the_participants_that_it_needs(world: World) -> None:
    """That is no failure: the phase says how many are there, and it goes on by itself."""
    async with nothing_left():
        engine = await world.engine()
        job = await world.job(engine, rounds=2, spec={"min_participants": 3})
        await engine.runs.start(job)
        await until(lambda: engine.archive.job(job).phase_reason == "2 of 3")
        waiting = engine.archive.job(job)
        assert (waiting.status, waiting.phase) == ("running", "waiting_for_participants")
        await asyncio.sleep(0.01)
        assert engine.archive.job(job).rounds.done == 0
        await engine.runs.add_local(job)
        await engine.runs.wait(job)
        assert engine.archive.job(job).status == "completed"


async def test_a_job_without_any_participant_waits_and_can_be_cancelled(world: World) -> None:
    """It asks for nobody's tab but waits for those to come."""
    async with nothing_left():
        engine = await world.engine()
        job = await world.job(engine, spec={"local_trainers": 0})
        await engine.runs.start(job)
        await until(lambda: engine.archive.job(job).phase_reason == "0 of 1")
        await engine.runs.cancel(job)
        await engine.runs.wait(job)
        assert engine.archive.job(job).status == "cancelled"
