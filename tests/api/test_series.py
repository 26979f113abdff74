"""Series tell missing values from values that are no numbers."""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from training.world import World

from roundtab.api.local import local_client
from roundtab.api.protocol import JobsGet, JobsList, JobsSeries
from roundtab.errors import InvalidRequest
from roundtab.records.ids import Sha256
from roundtab.records.rounds import Checkpoint, QueueState, Round

VALUES: tuple[dict[str, float | None], ...] = (
    {"train_loss": 1.5, "val_loss": None},
    {"train_loss": math.nan},
    {"train_loss": math.inf, "val_loss": -math.inf, "val_extra": 0.0},
)


async def test_a_missing_value_is_not_nan(tmp_path: Path) -> None:
    """A round without a metric is masked in the buffers and null in the record; NaN and the infinities are values."""
    world = World(tmp_path)
    engine = await world.engine()
    job = await world.job(engine)
    for number, metrics in enumerate(VALUES, 1):
        row = Round(
            round=number, steps=number, epochs=0.5, examples=4, metrics=metrics, committed_at="2026-11-30T09:41:14.123Z"
        )
        checkpoint = Checkpoint(
            job=job,
            round=number,
            name="c",
            bytes=1,
            sha256=Sha256(hashlib.sha256(b"c").hexdigest()),
            metrics=metrics,
            created_at="2026-11-30T09:41:14.123Z",
        )
        queue = QueueState(seed=1, pass_=0, position=number)
        await engine.archive.commit_round(
            lambda record, n=number: replace(record, rounds=replace(record.rounds, done=n)),  # type: ignore[misc]
            row,
            checkpoint,
            memoryview(b"c"),
            queue,
            [],
        )
    client = local_client(engine)
    keys = ("train_loss", "val_loss", "val_extra")
    series = await client.call(JobsSeries(job=job, keys=keys))
    values = np.frombuffer(series.values.data, "<f8").reshape(3, 3)
    mask = np.frombuffer(series.mask.data, np.uint8).reshape(3, 3)
    np.testing.assert_array_equal(mask, [[1, 1, 1], [0, 0, 1], [0, 0, 1]])
    np.testing.assert_array_equal(values[0], [1.5, math.nan, math.inf])
    assert (values[1, 2], values[2, 2]) == (-math.inf, 0.0)
    record = await client.call(JobsGet(job=job))
    assert record.metrics["val_loss"] == [None, None, "-Infinity"]
    assert record.metrics["train_loss"] == [1.5, "NaN", "Infinity"]
    assert record.metrics["best_train_loss"] == 1.5
    (item,) = (await client.call(JobsList())).items
    assert item.latest == VALUES[2]
    again = await world.engine()
    assert [each.metrics for each in await again.archive.history.rounds(job)][2] == VALUES[2]
    assert again.archive.item(again.archive.job(job)).latest == VALUES[2]


async def test_each_unknown_series_is_named_where_it_stands(tmp_path: Path) -> None:
    """Also where the same one is asked for twice, and however long its name is."""
    world = World(tmp_path)
    engine = await world.engine()
    keys = ("lost", "rounds", "lost", "x" * 100_000)
    with pytest.raises(InvalidRequest) as caught:
        await local_client(engine).call(JobsSeries(job=await world.job(engine), keys=keys))
    assert [each.path for each in caught.value.problems] == [f"$.params.keys[{index}]" for index in (0, 2, 3)]
    assert len(str(caught.value)) < 1_000
