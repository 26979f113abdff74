"""Checkpoints in other formats: who writes them, and when that is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from training.world import DEFINITION, GRAPH, MODEL, World, nothing_left

from roundtab.api.engine import Engine
from roundtab.api.local import local_client
from roundtab.api.protocol import CheckpointFile, CheckpointsRead
from roundtab.errors import NotFound, ParticipantLost, TrainingFailed
from roundtab.records.ids import JobId
from roundtab.records.rounds import FileFormat
from roundtab.training.messages import Exported, ExportTask, Report

OFFER = """
[[inference]]
format = "onnx"
tool = "onnxruntime"
snippet = 'run("checkpoint.onnx")'
"""


def offering(folder: Path, model: str = MODEL + GRAPH) -> World:
    """A world whose model can be had as ONNX."""
    world = World(folder, model)
    (folder / "small" / "capability.toml").write_text(DEFINITION + OFFER, encoding="utf-8")
    return world


async def read(engine: Engine, job: JobId, form: FileFormat) -> CheckpointFile:
    """The checkpoint of round 1."""
    return await local_client(engine).call(CheckpointsRead(job=job, round=1, format=form))


def exporters(engine: Engine) -> list[int]:
    """The numbers of the trainers that were asked for a file, counted from the first that the engine started."""
    return [number for number, order in engine.trainers.orders if isinstance(order, ExportTask)]  # type: ignore[attr-defined]


async def test_a_trainer_of_its_own_writes_the_file_and_ends(tmp_path: Path) -> None:
    """Also while the job trains; those of the run are left to it."""
    world = offering(tmp_path)
    async with nothing_left():
        engine = await world.engine()
        job = await world.job(engine, rounds=40)
        await engine.runs.start(job)
        while not engine.archive.job(job).rounds.done:
            await engine.clock.breathe()
        files = [await read(engine, job, "onnx"), await read(engine, job, "npz")]
        assert engine.archive.job(job).status == "running"
        assert exporters(engine) == [3, 4]  # the run has two
        await engine.runs.wait(job)
        assert files == [await read(engine, job, "onnx"), await read(engine, job, "npz")]


async def test_a_model_that_offers_no_onnx_is_refused_before_a_trainer_starts(tmp_path: Path) -> None:
    """Its tensors can be had all the same."""
    world = World(tmp_path)
    engine = await world.engine()
    job = await world.job(engine)
    await world.run(engine, job)
    with pytest.raises(NotFound) as caught:
        await read(engine, job, "onnx")
    assert caught.value.problem == "small@1.0.0 does not say how its model is written as onnx."
    assert caught.value.action == "Take it as safetensors or npz."
    assert exporters(engine) == []
    assert (await read(engine, job, "npz")).name == f"{job}-round-1.npz"


async def test_changed_code_does_not_write_the_files_of_an_old_job(tmp_path: Path) -> None:
    """Its graph may not be that of these weights; tensors alone are safe."""
    world = offering(tmp_path)
    engine = await world.engine()
    job = await world.job(engine)
    await world.run(engine, job)
    (tmp_path / "small" / "model.py").write_text(f"{MODEL}{GRAPH}\n# changed", encoding="utf-8")
    engine = await world.engine()
    with pytest.raises(NotFound, match="has changed since the job was created"):
        await read(engine, job, "onnx")
    assert (await read(engine, job, "npz")).name == f"{job}-round-1.npz"


async def test_a_graph_that_fails_is_told_in_words(tmp_path: Path) -> None:
    """As the trainer reports it."""
    world = offering(tmp_path, f"{MODEL}\ndef graph(weights):\n    raise ValueError('boom')\n")
    async with nothing_left():
        engine = await world.engine()
        job = await world.job(engine)
        await world.run(engine, job)
        with pytest.raises(TrainingFailed, match="ValueError: boom"):
            await read(engine, job, "onnx")


async def test_a_trainer_that_ends_at_work_is_told_in_words(tmp_path: Path) -> None:
    """What to do fits the call: there is no item to draw again."""
    world = World(tmp_path)

    def meddle(number: int, report: Report) -> Report | None:
        if not isinstance(report, Exported):
            return report
        engine.trainers.transports[number - 1].close()  # type: ignore[attr-defined]
        return None

    async with nothing_left():
        engine = await world.engine(meddle)
        job = await world.job(engine)
        await world.run(engine, job)
        with pytest.raises(ParticipantLost) as caught:
            await read(engine, job, "npz")
        assert (caught.value.problem, caught.value.action) == ("The participant is gone.", "Try again.")
