"""What the tests of built-in models share: a participant's task, run to its end, and rounds on a sample of the site."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import roundtab.capabilities
from roundtab.capabilities.catalogue import Catalogue
from roundtab.capabilities.contract import Data, Inputs, Metrics, Model, Settings
from roundtab.capabilities.definition import check_parameters
from roundtab.clock import SystemClock
from roundtab.data.dataset import Dataset
from roundtab.data.files import MemoryFile
from roundtab.data.formats.tables import read_table
from roundtab.data.manifests.manifest import parse_manifest
from roundtab.data.queue import Queue
from roundtab.records.capabilities import CapabilityInfo
from roundtab.records.codec import from_plain
from roundtab.records.rounds import QueueState
from roundtab.records.spec import Parameter, TrainerSettings
from roundtab.training.aggregation.fedavg import FedAvg
from roundtab.training.plan import statistics

SAMPLES = Path(__file__).parents[2] / "site" / "samples"
CATALOGUE = Catalogue.of_folders(Path(roundtab.capabilities.__file__).parent)


def finish(work: Any) -> tuple[Any, list[int]]:
    """Run a generator to its end: its result and what it yielded."""
    told: list[int] = []
    while True:
        try:
            told.append(next(work))
        except StopIteration as end:
            return end.value, told


def settings_of(info: CapabilityInfo, parameters: dict[str, Parameter], **changes: Any) -> Settings:
    """The settings that the capability proposes, with `changes`."""
    trainer = from_plain(TrainerSettings, info.defaults)
    made = Settings(
        local_epochs=trainer.local_epochs,
        batch_size=trainer.batch_size,
        learning_rate=trainer.learning_rate,
        optimizer=trainer.optimizer,
        optimizer_options=trainer.optimizer_options,
        parameters=parameters,
    )
    return replace(made, **changes)


async def read_sample(name: str) -> tuple[Dataset, Dataset]:
    """Training and validation rows of a sample, standardised with the statistics of the training rows."""
    manifest = parse_manifest((SAMPLES / name / "datapackage.json").read_text(encoding="utf-8"))
    parts = [
        await read_table(MemoryFile(each.path, (SAMPLES / name / each.path).read_bytes()), each, SystemClock())
        for each in (*manifest.part("train"), *manifest.part("validation"))
    ]
    mean, scale = statistics(parts[0].features)
    train_part, validation_part = (replace(each, features=(each.features - mean) / scale) for each in parts)
    return train_part, validation_part


async def rounds_on(sample: str, info: CapabilityInfo, model: Model) -> Metrics:
    """The metrics on held-out rows after the rounds of two participants, all with the proposed settings."""
    rows, held_out = await read_sample(sample)
    trainer = from_plain(TrainerSettings, info.defaults)
    parameters = check_parameters(info, {})
    mean, scale = (0.0, 1.0) if rows.classes else map(float, statistics(rows.labels))
    inputs = Inputs(features=rows.features.shape[1], classes=len(rows.classes), label_mean=mean, label_scale=scale)
    weights = model.init(parameters, inputs, np.random.default_rng(trainer.seed))
    queue = Queue(len(rows), trainer.batch_size, QueueState(seed=trainer.seed, pass_=0, position=0))
    for number in range(trainer.rounds):
        items, average = queue.draw(queue.items_per_pass), FedAvg()
        for participant in (0, 1):
            chosen = np.concatenate([item.rows for item in items[participant::2]])
            data = Data(features=rows.features[chosen], labels=rows.labels[chosen])
            rng = np.random.default_rng([trainer.seed, number, participant])
            update, _, count = finish(model.train(weights, data, settings_of(info, parameters), rng))[0]
            average.add(update, count)
        weights = average.result()
    evaluated = finish(model.evaluate(weights, Data(features=held_out.features, labels=held_out.labels)))[0]
    metrics: Metrics = evaluated[0]
    return metrics
