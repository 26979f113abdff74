"""What the tests of whole runs share: a small table, a small model, and engines over one database.

Rows are dealt and counted as with real data; a run of a few rounds takes some milliseconds.
"""

from __future__ import annotations

import asyncio
import gc
import hashlib
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
from training.meddling import Meddle, Trainers

from roundtab.api.client import given
from roundtab.api.engine import Engine
from roundtab.api.local import local_client
from roundtab.api.protocol import CheckpointsRead, JobsCreate
from roundtab.capabilities.catalogue import Catalogue
from roundtab.checkpoints import safetensors
from roundtab.checkpoints.memory_store import MemoryDatabase, MemoryStore
from roundtab.checkpoints.store import Batch
from roundtab.clock import SystemClock
from roundtab.data.files import MemoryFile
from roundtab.records.ids import JobId
from roundtab.records.jobs import Job

DEFINITION = """
name = "small"
version = "1.0.0"
title = "Small"
trainer_type = "supervised"
inputs = "table"
work_unit = "samples"
evaluation = "dataset"
metrics = [{name = "accuracy", direction = "maximize", primary = true}]
"""

MODEL = """
import numpy as np

def init(parameters, inputs, rng):
    return {"w": rng.standard_normal((inputs.features, inputs.classes)).astype(np.float32)}

def train(weights, data, settings, rng):
    w = weights["w"].copy()
    for _ in range(settings.local_epochs):
        order = rng.permutation(len(data))
        for start in range(0, len(data), settings.batch_size):
            rows = order[start:start + settings.batch_size]
            x, labels = data.features[rows], data.labels[rows]
            p = np.exp(x @ w)
            p /= p.sum(axis=1, keepdims=True)
            p[np.arange(len(rows)), labels] -= 1
            w -= np.float32(settings.learning_rate / len(rows)) * (x.T @ p)
            yield start + len(rows)
    return {"w": w}, {"norm": float(np.abs(w).sum())}, len(data)

def evaluate(weights, data):
    return {"accuracy": float(((data.features @ weights["w"]).argmax(axis=1) == data.labels).mean())}, len(data)
"""
"""Softmax regression. Tests append functions that replace some of these."""

GRAPH = """
from roundtab.records.graphs import STANDARDISED, Graph, Node, Value

def graph(weights):
    node = Node(op="MatMul", inputs=(STANDARDISED, "w"), output="scores")
    return Graph(nodes=(node,), outputs=(Value(name="scores", type="float32", shape=(2,)),))
"""
"""What makes it a model that can be written as ONNX."""

ROWS = 46
"""Of training: with batches of 4 a pass has 12 items, the last one of 2 rows."""


class SlowStore(MemoryStore):
    """A store that takes its time, like a browser's: there is a moment before and one after each write."""

    async def commit(self, batch: Batch) -> None:
        """Write all or nothing, later."""
        await asyncio.sleep(0)
        await super().commit(batch)
        await asyncio.sleep(0)


class World:
    """A folder of capabilities, a database that outlives engines, and the table to train on."""

    def __init__(self, folder: Path, model: str = MODEL) -> None:
        self.folder = folder
        self.database = MemoryDatabase()
        self.write_model(model)
        self.files = {"train.csv": table(ROWS), "validation.csv": table(20)}

    def write_model(self, model: str) -> None:
        """Make `model` the code of small@1.0.0."""
        home = self.folder / "small"
        home.mkdir(exist_ok=True)
        (home / "capability.toml").write_text(DEFINITION, encoding="utf-8")
        (home / "model.py").write_text(model, encoding="utf-8")

    async def engine(self, meddle: Meddle | None = None, store: MemoryStore | None = None) -> Engine:
        """A new engine that leads over the database."""
        catalogue = Catalogue.of_folders(self.folder)
        engine = Engine(
            store=store or MemoryStore(self.database),
            catalogue=catalogue,
            trainers=Trainers(catalogue, meddle),
            clock=SystemClock(),
            backend="local",
        )
        await engine.open()
        return engine

    async def job(self, engine: Engine, *, validation: bool = True, **settings: Any) -> JobId:
        """A queued job. Settings of the trainer are given by name, others of the spec as `spec={…}`."""
        trainer = {"rounds": 4, "batch_size": 4, **settings}
        spec = {"capability": "small@1.0.0", "local_trainers": 2, **trainer.pop("spec", {}), "trainer": trainer}
        contents = self.files if validation else {"train.csv": self.files["train.csv"]}
        files = [MemoryFile(path, data) for path, data in contents.items()]
        request = JobsCreate(spec=spec, manifest=manifest(contents), files=given(files))
        return (await local_client(engine).call(request, files)).id

    async def run(self, engine: Engine, job: JobId) -> Job:
        """Start a job and wait for its end."""
        await engine.runs.start(job)
        await engine.runs.wait(job)
        return engine.archive.job(job)


def table(rows: int) -> bytes:
    """A table of three numbers and a class that can be learned from them."""
    rng = np.random.default_rng([rows])
    x = rng.standard_normal((rows, 3))
    labels = (x[:, 0] + x[:, 1] > 0).astype(int)
    lines = ["a,b,c,label", *(f"{a:.4f},{b:.4f},{c:.4f},{y}" for (a, b, c), y in zip(x, labels, strict=True))]
    return ("\n".join(lines) + "\n").encode()


def manifest(contents: dict[str, bytes]) -> dict[str, Any]:
    """The manifest of such tables."""
    fields = [{"name": name, "type": "number"} for name in "abc"] + [{"name": "label", "type": "integer"}]
    return {
        "name": "small",
        "resources": [
            {
                "name": path.removesuffix(".csv"),
                "path": path,
                "format": "csv",
                "bytes": len(data),
                "hash": f"sha256:{hashlib.sha256(data).hexdigest()}",
                "schema": {"fields": fields},
                "fl:split": path.removesuffix(".csv"),
                "fl:label": "label",
                "fl:classes": ["0", "1"],
            }
            for path, data in contents.items()
        ],
    }


async def tensors(engine: Engine, job: JobId, number: int) -> dict[str, bytes]:
    """The tensors of a checkpoint as bytes; what names the job is left out."""
    file = await local_client(engine).call(CheckpointsRead(job=job, round=number))
    return {name: array.tobytes() for name, array in safetensors.load(file.bytes.data)[0].items()}


async def messages(engine: Engine, job: JobId) -> list[str]:
    """The log."""
    return [entry.message for entry in await engine.archive.logs(job, None, 1_000)]


async def until(condition: Callable[[], bool], turns: int = 20_000) -> None:
    """Let the loop turn until `condition` holds."""
    for _ in range(turns):
        if condition():
            return
        await asyncio.sleep(0)
    raise AssertionError("it never came to that")


def whole(world: World, job: JobId) -> int:
    """Check that each stored round is stored whole and everything else agrees with it; the number of rounds."""
    tables = world.database.tables
    row = json.loads(tables["jobs"][job])["job"]
    done: int = row["rounds"]["done"]
    expected = [f"{job}/{number:06d}" for number in range(1, done + 1)]
    assert sorted(key for key in tables["rounds"] if key.startswith(job)) == expected
    assert sorted(key for key in tables["checkpoints"] if key.startswith(job)) == expected
    assert sorted(key.rpartition("/")[0] for key in tables["weights"] if key.startswith(job)) == expected
    assert (job in tables["queues"]) == bool(done)
    assert row["work"]["done"] == sum(json.loads(tables["rounds"][key])["examples"] for key in expected)
    return done


@asynccontextmanager
async def nothing_left() -> AsyncIterator[None]:
    """Fail if tasks are left at the end, or if an error went unheard on the way."""
    loop = asyncio.get_running_loop()
    before, unheard = asyncio.all_tasks(), []
    loop.set_exception_handler(lambda _, context: unheard.append(context))
    try:
        yield
        for _ in range(5):
            await asyncio.sleep(0)
        gc.collect()
        assert asyncio.all_tasks() <= before, f"tasks are left: {asyncio.all_tasks() - before}"
        assert not unheard, f"errors went unheard: {unheard}"
    finally:
        loop.set_exception_handler(None)


async def throw_away(before: set[asyncio.Task[Any]]) -> None:
    """What becomes of an engine whose tab is closed: its tasks stop where they are, whatever they held."""
    tasks = asyncio.all_tasks() - before - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks) if tasks else None
