"""A record agrees with itself, also while rounds are committed and the store takes its time."""

from __future__ import annotations

import asyncio
from pathlib import Path

from training.world import World

from roundtab.api.local import local_client
from roundtab.api.protocol import JobsGet, JobsState
from roundtab.checkpoints.memory_store import MemoryStore
from roundtab.checkpoints.store import Table
from roundtab.records.jobs import TERMINAL, Job


class SlowToRead(MemoryStore):
    """A store in which rounds are committed while somebody reads."""

    async def scan(
        self, table: Table, prefix: str, *, after: str = "", limit: int | None = None, newest: bool = False
    ) -> list[tuple[str, str | bytes]]:
        """Rows by prefix, some turns of the loop later."""
        for _ in range(50):
            await asyncio.sleep(0)
        return await super().scan(table, prefix, after=after, limit=limit, newest=newest)


def agrees(job: Job) -> bool:
    """Whether its parts are of the same committed round."""
    numbers = list(range(1, job.rounds.done + 1))
    return (
        job.metrics.get("rounds", []) == numbers
        and [each["round"] for each in job.artifacts["checkpoints"]] == numbers
        and job.metrics.get("examples", 0) == job.work.done
    )


async def test_metrics_and_checkpoints_are_those_of_the_rounds_that_are_done(tmp_path: Path) -> None:
    """A round that is committed while the record is being read comes with the next record, whole."""
    world = World(tmp_path)
    engine = await world.engine(store=SlowToRead(world.database))
    client, job = local_client(engine), await world.job(engine, rounds=12)
    await engine.runs.start(job)
    seen = set()
    while (record := await client.call(JobsGet(job=job))).status not in TERMINAL:
        assert agrees(record), (record.rounds, record.metrics.get("rounds"))
        seen.add(record.rounds.done)
        await asyncio.sleep(0)
    await engine.runs.wait(job)
    assert agrees(record)
    assert record.rounds.done == 12
    assert len(seen) > 2, "it ended before anybody could look"


async def test_the_state_is_one_moment(tmp_path: Path) -> None:
    """Record, rows and checkpoints are of the same committed round."""
    world = World(tmp_path)
    engine = await world.engine(store=SlowToRead(world.database))
    client, job = local_client(engine), await world.job(engine, rounds=12)
    await engine.runs.start(job)
    while (state := await client.call(JobsState(job=job))).job.status not in TERMINAL:
        numbers = list(range(1, state.job.rounds.done + 1))
        assert agrees(state.job)
        assert [each.round for each in state.rounds] == [each.round for each in state.checkpoints] == numbers
        await asyncio.sleep(0)
    await engine.runs.wait(job)
