"""A validation has a trainer of its own, gives it the checkpoint's weights and statistics, and ends it."""

from __future__ import annotations

import asyncio

import pytest
from training.meddling import Trainers, spoil
from training.world import World, manifest, nothing_left, tensors, until

from roundtab.api.client import given
from roundtab.api.engine import Engine
from roundtab.api.local import local_client
from roundtab.api.protocol import JobsValidate
from roundtab.data.files import MemoryFile
from roundtab.errors import NotFound, ParticipantLost, TrainingFailed
from roundtab.records.ids import JobId
from roundtab.records.validations import Validation
from roundtab.training.messages import Evaluated, EvaluateTask, unpack


async def validate(engine: Engine, job: JobId, number: int = 1) -> Validation:
    """Validate a round on the job's own validation data."""
    return await local_client(engine).call(JobsValidate(job=job, round=number))


def trainers(engine: Engine) -> Trainers:
    """The pool, with what was ordered."""
    assert isinstance(engine.trainers, Trainers)
    return engine.trainers


async def test_a_trainer_is_started_for_it_and_gets_what_the_checkpoint_has(world: World) -> None:
    """Tensors that are not the model's own are not among the weights."""
    async with nothing_left():
        engine = await world.engine()
        job = await world.job(engine, rounds=2)
        await world.run(engine, job)
        before = len(trainers(engine).transports)
        await validate(engine, job)
        assert len(trainers(engine).transports) == before + 1
        (task,) = [order for number, order in trainers(engine).orders if number == before + 1]
        assert isinstance(task, EvaluateTask)
        saved = await tensors(engine, job, 1)
        weights = {name: array.tobytes() for name, array in unpack(task.weights).items()}
        assert weights == {name: data for name, data in saved.items() if "/" not in name}
        inputs = {f"inputs/{name}": array.tobytes() for name, array in unpack(task.inputs).items()}
        assert inputs == {name: data for name, data in saved.items() if name.startswith("inputs/")}
        with pytest.raises(ParticipantLost):
            await trainers(engine).transports[-1].receive()


async def test_a_trainer_that_is_lost_is_told_with_what_to_do(world: World) -> None:
    """Nobody's items are drawn again: the call can be made again."""
    async with nothing_left():
        engine = await world.engine()
        job = await world.job(engine, rounds=1)
        ended = await world.run(engine, job)
        call = asyncio.ensure_future(validate(engine, job))
        await until(lambda: trainers(engine).orders[-1][0] == 3)
        trainers(engine).transports[-1].close()
        with pytest.raises(ParticipantLost) as caught:
            await call
        assert caught.value.action == "Try again."
        assert engine.archive.job(job) == ended
        assert await engine.archive.validations.of(job) == []
        assert (await validate(engine, job)).round == 1


async def test_an_answer_to_another_task_answers_nothing(world: World) -> None:
    """It is waited for the right one."""
    async with nothing_left():
        engine = await world.engine()
        job = await world.job(engine, rounds=1)
        await world.run(engine, job)
        number = len(trainers(engine).transports) + 1

        def other(report: object) -> Evaluated:
            assert isinstance(report, Evaluated)
            return Evaluated(lease="another", count=report.count, metrics=report.metrics)

        trainers(engine).meddle = spoil(number, Evaluated, other)
        call = asyncio.ensure_future(validate(engine, job))
        await until(lambda: len(trainers(engine).transports) == number)
        for _ in range(200):
            await asyncio.sleep(0)
        assert not call.done()
        trainers(engine).transports[-1].close()
        with pytest.raises(ParticipantLost):
            await call


async def test_code_that_changed_since_is_not_run(world: World) -> None:
    """The checkpoint is of other code, so its value would be of neither."""
    engine = await world.engine()
    job = await world.job(engine, rounds=1)
    await world.run(engine, job)
    world.write_model("def init(): ...\ndef train(): ...\ndef evaluate(): ...\n")
    later = await world.engine()
    with pytest.raises(NotFound, match="has changed since the job was created"):
        await validate(later, job)


async def test_a_model_whose_values_are_none_fails_it(world: World) -> None:
    """Words are no metrics."""
    world.write_model(
        (world.folder / "small" / "model.py").read_text(encoding="utf-8")
        + "\ndef evaluate(weights, data):\n    return {'accuracy': 'high'}, len(data)\n"
    )
    engine = await world.engine()
    job = await world.job(engine, rounds=1, validation=False)
    await world.run(engine, job)
    data = world.files["validation.csv"]
    held_out = [MemoryFile("validation.csv", data)]
    request = JobsValidate(job=job, manifest=manifest({"validation.csv": data}), files=given(held_out))
    with pytest.raises(TrainingFailed, match="The model's code failed: ValueError"):
        await local_client(engine).call(request, held_out)
