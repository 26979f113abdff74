"""Updates that are refused: why, and what becomes of their items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from training.meddling import Trainers, spoil
from training.world import World, messages, nothing_left

from roundtab.training.messages import Evaluated, Failed, Report, Trained, Update, pack, unpack


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
    seen: list[dict[str, Any]] = []
    async with nothing_left():
        engine = await world.engine(spoil(1, kind, change))
        engine.announcer.subscribe(
            lambda event: seen.append(event["data"]["participant"]) if event["name"] == "participant.updated" else None
        )
        job = await world.job(engine, rounds=2)
        ended = await world.run(engine, job)
        assert ended.status == "completed"
        shown = [each for each in seen if each["problem"]]
        assert {(each["number"], each["problem"], each["refusals"]) for each in shown} == {(1, problem, 1)}
        assert all(each["action"] for each in shown)
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
        queue = await engine.archive.history.queue(job)
        assert queue is not None
        drawn = {f"{pass_}:{index}" for pass_ in range(queue.pass_) for index in range(12)}
        drawn |= {f"{queue.pass_}:{index}" for index in range(queue.position)}
        assert set(counted) == drawn - set(queue.returned)
        assert (await engine.archive.history.rounds(job))[-1].steps == len(counted)
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
