"""The participant's side: takes a task, runs the capability's model on it, reports. Nothing is kept between tasks."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
from collections.abc import Generator
from dataclasses import asdict
from typing import Any

import numpy as np

from roundtab.capabilities.catalogue import Catalogue
from roundtab.capabilities.contract import Data, Inputs, Model, Settings
from roundtab.clock import Clock, Slice
from roundtab.errors import ParticipantLost, RoundtabError
from roundtab.records.ids import Sha256
from roundtab.records.jobs import CapabilityRef
from roundtab.records.values import Blob
from roundtab.training.exports import as_npz, as_onnx
from roundtab.training.messages import (
    Collect,
    Evaluated,
    EvaluateTask,
    Exported,
    ExportTask,
    Failed,
    InitTask,
    Progress,
    Ready,
    Report,
    StopTask,
    Task,
    Trained,
    TrainTask,
    Update,
    decode,
    encode,
    pack,
    unpack,
)
from roundtab.training.transport import Transport

log = logging.getLogger(__name__)

PROGRESS_EVERY = 0.1
"""Seconds between two progress reports."""


class Participant:
    """Serves one coordinator over one transport."""

    def __init__(self, transport: Transport, catalogue: Catalogue, clock: Clock) -> None:
        self._transport = transport
        self._catalogue = catalogue
        self._clock = clock
        self._lease = ""
        self._task: asyncio.Task[None] | None = None
        self._update: Update | None = None
        self._models: dict[Sha256, Model] = {}

    async def serve(self) -> None:
        """Take orders until the transport closes. An order that is none closes it too: the coordinator must know."""
        try:
            await self._say(Ready())
            while True:
                await self._take(decode(await self._transport.receive()))
        except ParticipantLost:
            log.debug("the coordinator ended the participation")
        except RoundtabError as error:
            log.warning("the coordinator sent what is no order: %s", error)
        finally:
            self._transport.close()
            await self._drop()

    async def _take(self, order: object) -> None:
        match order:
            case InitTask() | TrainTask() | EvaluateTask() | ExportTask():
                await self._drop()
                self._lease = order.lease
                self._task = asyncio.ensure_future(self._work(order))
            case StopTask(lease=lease) if lease == self._lease:
                await self._drop()
            case Collect(lease=lease) if self._update and lease == self._lease:
                update, self._update = self._update, None
                await self._say(update)
            case Collect(lease=lease):
                await self._say(Failed(lease=lease, problem="There is no such update.", action="Send the task again."))

    async def _drop(self) -> None:
        """Give up the current task and its result, and wait until it has ended."""
        self._update = None
        self._lease = ""
        task, self._task = self._task, None
        if task:
            task.cancel()
            await asyncio.wait([task])

    async def _work(self, task: Task) -> None:
        try:
            report = await self._run(task)
        except RoundtabError as error:
            report = Failed(lease=task.lease, problem=error.problem, action=error.action)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a model's code may raise anything; the coordinator hears of it
            problem = f"The model's code failed: {type(error).__name__}: {str(error)[:500]}"
            report = Failed(lease=task.lease, problem=problem, action="Check the capability and the data it was given.")
        with contextlib.suppress(ParticipantLost):  # nobody is left to hear it
            await self._say(report)

    async def _run(self, task: Task) -> Report:
        if isinstance(task, ExportTask):
            return Exported(lease=task.lease, file=await self._export(task))
        model = await self._model(task.capability)
        match task:
            case InitTask():
                rng = np.random.default_rng([task.seed])
                shape = Inputs(**asdict(task.shape))
                return Update(lease=task.lease, weights=pack(model.init(task.parameters, shape, rng)))
            case TrainTask():
                settings = Settings(
                    local_epochs=task.settings.local_epochs,
                    batch_size=task.settings.batch_size,
                    learning_rate=task.settings.learning_rate,
                    optimizer=task.settings.optimizer,
                    optimizer_options=task.settings.optimizer_options,
                    parameters=task.parameters,
                )
                rng = np.random.default_rng([task.seed, task.round, _number(task.items)])
                data = standardised(task.rows, task.inputs)
                result = await self._drive(model.train(unpack(task.weights), data, settings, rng), task.lease)
                weights, metrics, count = result
                self._update = Update(lease=task.lease, weights=pack(weights))
                return Trained(lease=task.lease, round=task.round, count=int(count), metrics=_floats(metrics))
            case EvaluateTask():
                data = standardised(task.rows, task.inputs)
                metrics, count = await self._drive(model.evaluate(unpack(task.weights), data), task.lease)
                return Evaluated(lease=task.lease, count=int(count), metrics=_floats(metrics))

    async def _export(self, task: ExportTask) -> Blob:
        if task.format == "npz":  # it needs no code, which may be another one by now
            return as_npz(task.checkpoint)
        return as_onnx(task.checkpoint, await self._model(task.capability))

    async def _model(self, capability: CapabilityRef) -> Model:
        """The capability's code, fetched and checked once."""
        if capability.sha256 not in self._models:
            name = f"{capability.name}@{capability.version}"
            self._models[capability.sha256] = await self._catalogue.load(name, capability.sha256)
        return self._models[capability.sha256]

    async def _drive(self, result: Any, lease: str) -> Any:
        """The result of a model's call; a generator is driven in slices, so that orders get through meanwhile."""
        if not isinstance(result, Generator):
            return result
        pace = Slice(self._clock)
        reported = self._clock.seconds()
        while True:
            try:
                done = next(result)
            except StopIteration as end:
                return end.value
            if self._clock.seconds() - reported >= PROGRESS_EVERY:
                reported = self._clock.seconds()
                await self._say(Progress(lease=lease, done=int(done)))
            await pace.pause()

    async def _say(self, report: Report) -> None:
        await self._transport.send(encode(report))


def standardised(rows: Blob, inputs: Blob) -> Data:
    """The rows of a task with the input statistics applied: (x - mean) / scale, float32."""
    arrays, statistics = unpack(rows), unpack(inputs)
    features = (arrays["features"] - statistics["mean"]) / statistics["scale"]
    return Data(features=features.astype(np.float32, copy=False), labels=arrays["labels"])


def _number(items: tuple[str, ...]) -> int:
    """A number that stands for these item ids, to seed with."""
    return int.from_bytes(hashlib.sha256("\n".join(items).encode()).digest()[:8], "little")


def _floats(metrics: Any) -> dict[str, float]:
    return {str(name): float(value) for name, value in metrics.items()}
