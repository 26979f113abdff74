"""The round loop when models and participants do what they should not."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from training.world import (
    MODEL,
    ROWS,
    Meddle,
    SlowStore,
    Trainers,
    World,
    messages,
    nothing_left,
    until,
    whole,
)

from roundtab.records.jobs import Participant
from roundtab.training.messages import Evaluated, Failed, Report, Trained, Update, pack, unpack


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A fresh one."""
    return World(tmp_path)


def spoil(number: int, kind: type[Report], change: Callable[[Report], Report | None], times: int = 1) -> Meddle:
    """Change the first reports of this kind of participant `number`; starting weights are left alone."""
    left = [times]

    def meddle(participant: int, report: Report) -> Report | None:
        starting = isinstance(report, Update) and left[0] > 0 and not meddle.trained  # type: ignore[attr-defined]
        meddle.trained |= isinstance(report, Trained)  # type: ignore[attr-defined]
        if participant != number or not isinstance(report, kind) or starting or not left[0]:
            return report
        left[0] -= 1
        return change(report)

    meddle.trained = False  # type: ignore[attr-defined]
    return meddle


def weights(change: Callable[[np.ndarray], dict[str, np.ndarray]]) -> Callable[[Report], Report]:
    """An update with other tensors."""

    def changed(report: Report) -> Report:
        assert isinstance(report, Update)
        return replace(report, weights=pack(change(unpack(report.weights)["w"].copy())))

    return changed


def with_nan(w: np.ndarray) -> dict[str, np.ndarray]:
    """One value is not finite."""
    w[0, 0] = np.nan
    return {"w": w}


REFUSED: dict[str, tuple[type[Report], Callable[[Report], Report], str]] = {
    "nan": (Update, weights(with_nan), "w has 1 values that are not finite."),
    "infinite": (Update, weights(lambda w: {"w": np.full_like(w, np.inf)}), "w has 6 values that are not finite."),
    "shape": (Update, weights(lambda w: {"w": w[:1]}), "w has the shape (1, 2), the model has (3, 2)."),
    "type": (Update, weights(lambda w: {"w": w.astype(np.float64)}), "w has the type float64, the model has float32."),
    "name": (Update, weights(lambda w: {"v": w}), "Tensors are missing (['w']) or unknown (['v'])."),
    "extra": (Update, weights(lambda w: {"w": w, "v": w}), "Tensors are missing ([]) or unknown (['v'])."),
    "none": (Trained, lambda report: replace(report, count=0), "It counts 0 examples, 24 were handed out."),
    "many": (
        Trained,
        lambda report: replace(report, count=10**9),
        "It counts 1000000000 examples, 24 were handed out.",
    ),
    "round": (Trained, lambda report: replace(report, round=7), "The report is for round 7, this is round 1."),
    "failed": (
        Trained,
        lambda r: Failed(lease=r.lease, problem="Out of memory.", action="Close tabs."),
        "Out of memory.",
    ),
    "kind": (Trained, lambda r: Evaluated(lease=r.lease, count=1, metrics={}), "The answer is no report of training."),
}


@pytest.mark.parametrize("what", REFUSED)
async def test_an_update_that_does_not_fit_is_refused_in_words(world: World, what: str) -> None:
    """The participant shows the reason, the log names it, and its items are drawn again; the job goes on."""
    kind, change, problem = REFUSED[what]
    seen: list[Participant] = []
    async with nothing_left():
        engine = await world.engine(spoil(1, kind, change))
        engine.announcer.subscribe(
            lambda event: seen.append(event["data"]["participant"]) if event["name"] == "participant.updated" else None
        )
        job = await world.job(engine, rounds=2)
        ended = await world.run(engine, job)
        assert ended.status == "completed"
        shown = [each for each in seen if each["problem"]]  # type: ignore[index]
        assert {(each["number"], each["problem"], each["refusals"]) for each in shown} == {(1, problem, 1)}  # type: ignore[index]
        assert all(each["action"] for each in shown)  # type: ignore[index]
        assert f"This tab, trainer 1: {problem} Its 6 items go back to the queue." in await messages(engine, job)
        assert [(each.refusals, each.problem) for each in ended.participants] == [(0, None), (0, None)]


async def test_every_item_of_a_pass_is_counted_once_whatever_is_refused(world: World) -> None:
    """Items of a refused update are drawn again before others, and counted when they count."""
    refused: list[str] = []
    rng = np.random.default_rng(3)

    def meddle(number: int, report: Report) -> Report:
        if isinstance(report, Trained) and rng.random() < 0.3:
            refused.append(report.lease)
            return replace(report, count=0)
        return report

    async with nothing_left():
        engine = await world.engine(meddle)
        job = await world.job(engine, rounds=30, items_per_round=5, spec={"local_trainers": 3})
        ended = await world.run(engine, job)
        assert refused
        trainers = engine.trainers
        assert isinstance(trainers, Trainers)
        counted = Counter(
            item
            for _, order in trainers.orders
            if getattr(order, "kind", "") == "train" and order.lease not in refused  # type: ignore[union-attr]
            for item in order.items  # type: ignore[union-attr]
        )
        assert set(counted.values()) == {1}
        queue = await engine.archive.queue(job)
        assert queue is not None
        drawn = {f"{pass_}:{index}" for pass_ in range(queue.pass_) for index in range(12)}
        drawn |= {f"{queue.pass_}:{index}" for index in range(queue.position)}
        assert set(counted) == drawn - set(queue.returned)
        assert (await engine.archive.rounds(job))[-1].steps == len(counted)
        assert ended.work.done == sum(2 if item.endswith(":11") else 4 for item in counted)
        assert ended.work.done == sum(each.examples_done for each in ended.participants)


async def test_a_participant_is_stopped_after_three_refusals_in_a_row(world: World) -> None:
    """The others go on without it; two refusals, a good update and two more do not stop it."""
    async with nothing_left():
        engine = await world.engine(spoil(1, Trained, lambda report: replace(report, count=0), times=3))
        job = await world.job(engine, rounds=5)
        ended = await world.run(engine, job)
        assert ended.status == "completed"
        stopped, good = ended.participants
        assert (stopped.refusals, stopped.items_done, good.refusals) == (3, 0, 0)
        assert stopped.action == "It was stopped after three refusals in a row."
        assert stopped.problem == "It counts 0 examples, 24 were handed out."
        trainers = engine.trainers
        assert isinstance(trainers, Trainers)
        assert [round_ for number, round_, _ in trainers.items() if number == 1] == [1, 2, 3]


async def test_refusals_count_in_a_row_only(world: World) -> None:
    """A good update in between starts the count again."""
    turn = [0]

    def every_other(report: Report) -> Report:
        turn[0] += 1
        return replace(report, count=0) if turn[0] % 2 else report  # type: ignore[type-var, arg-type]

    engine = await world.engine(spoil(1, Trained, every_other, times=100))
    ended = await world.run(engine, await world.job(engine, rounds=10))
    assert (ended.status, ended.participants[0].refusals) == ("completed", 0)
    assert ended.participants[0].items_done > 0


# Models ---------------------------------------------------------------------------------------------------------------

RAISES = "raise ValueError('the matrix is singular')"
BROKEN = {
    "init": f"def init(parameters, inputs, rng):\n    {RAISES}",
    "train": f"def train(weights, data, settings, rng):\n    {RAISES}",
    "train later": f"def train(weights, data, settings, rng):\n    yield 1\n    {RAISES}",
    "evaluate": f"def evaluate(weights, data):\n    {RAISES}",
}


@pytest.mark.parametrize("where", BROKEN)
async def test_a_model_that_raises_fails_the_job_with_its_message(world: World, where: str) -> None:
    """Nothing of the round is kept."""
    world.write_model(f"{MODEL}\n{BROKEN[where]}\n")
    async with nothing_left():
        engine = await world.engine()
        job = await world.job(engine)
        ended = await world.run(engine, job)
        assert ended.error is not None
        assert (ended.status, ended.error.code) == ("failed", "training_failed")
        assert "The model's code failed: ValueError: the matrix is singular" in ended.error.problem
        assert ended.error.action
        assert whole(world, job) == 0
        assert (await messages(engine, job))[-1] == ended.error.problem


async def test_a_model_that_diverges_fails_the_job(world: World) -> None:
    """It neither trains on with values that are none, nor goes round for ever."""
    diverging = (
        "def train(weights, data, settings, rng):\n    return {'w': weights['w'] * np.float32('nan')}, {}, len(data)"
    )
    world.write_model(f"{MODEL}\n{diverging}\n")
    async with nothing_left():
        engine = await world.engine()
        ended = await world.run(engine, await world.job(engine))
        assert ended.error is not None
        assert "Every participant was stopped. The last one: w has 6 values that are not finite." in ended.error.problem
        assert "smaller learning rate" in ended.error.action


@pytest.mark.parametrize(
    ("returned", "problem"),
    [
        ("{}", "The model has no weights."),
        ("{'w': np.zeros((3, 2))}", "w starts with the type float64."),
        ("{'w': np.full((3, 2), np.inf, np.float32)}", "w starts with values that are not finite."),
        (
            "{'inputs/w': np.zeros(3, np.float32)}",
            "The model calls a tensor 'inputs/w'; that name is kept for checkpoints.",
        ),
    ],
)
async def test_starting_weights_that_do_not_fit_fail_the_job_at_once(world: World, returned: str, problem: str) -> None:
    """Not after three rounds, with another reason."""
    world.write_model(f"{MODEL}\ndef init(parameters, inputs, rng):\n    return {returned}\n")
    engine = await world.engine()
    ended = await world.run(engine, await world.job(engine))
    assert ended.error is not None
    assert ended.error.problem == problem
    assert "init" in ended.error.action


async def test_a_model_that_returns_nonsense_fails_the_job_in_words(world: World) -> None:
    """Whatever a model does, the participant lives to tell."""
    world.write_model(f"{MODEL}\ndef train(weights, data, settings, rng):\n    return None\n")
    engine = await world.engine()
    ended = await world.run(engine, await world.job(engine))
    assert ended.error is not None
    assert "The model's code failed: TypeError" in ended.error.problem


async def test_without_validation_data_there_are_training_values_only(world: World) -> None:
    """And no evaluation is asked for."""
    engine = await world.engine()
    job = await world.job(engine, validation=False)
    await world.run(engine, job)
    assert {name for row in await engine.archive.rounds(job) for name in row.metrics} == {"train_norm", "learning_rate"}


# Rounds ---------------------------------------------------------------------------------------------------------------


async def test_rounds_stand_on_three_axes(world: World) -> None:
    """Rounds, items and passes, each counted over committed work."""
    engine = await world.engine()
    job = await world.job(engine, rounds=5, items_per_round=5)
    ended = await world.run(engine, job)
    rows = await engine.archive.rounds(job)
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
    (row,) = await engine.archive.rounds(job)
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


# Storage --------------------------------------------------------------------------------------------------------------


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


# Participants that hang or go away ------------------------------------------------------------------------------------


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
