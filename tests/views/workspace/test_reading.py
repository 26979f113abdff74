"""A job that is opened while it trains: what is read late, and what is heard meanwhile, make one whole picture."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from contracts.late_store import LateStore
from training.world import World, until

from roundtab.api.engine import Engine
from roundtab.api.local import local_client
from roundtab.api.protocol import JobsState
from roundtab.records.events import event_from_plain
from roundtab.views.workspace.live import read, reading, with_event
from roundtab.views.workspace.state import OpenJob, WorkspaceState


class Page:
    """A page that follows the events of an engine."""

    def __init__(self, engine: Engine, job: str) -> None:
        self.engine = engine
        self.state = WorkspaceState(route="job", open=OpenJob(id=job))  # type: ignore[arg-type]
        engine.announcer.subscribe(self._hear)

    def _hear(self, plain: object) -> None:
        if (event := event_from_plain(plain)) is not None:  # type: ignore[arg-type]
            self.state = with_event(self.state, event)

    @property
    def open(self) -> OpenJob:
        assert self.state.open
        return self.state.open

    async def read(self, number: int) -> None:
        """The reading with this number."""
        self.state = reading(self.state, number)
        answer = await local_client(self.engine).call(JobsState(job=self.open.id))
        self.state = read(self.state, number, answer, "2026-11-30T10:00:00.000Z")


async def training(tmp_path: Path, rounds: int) -> Page:
    """A page with a job under way, which it has not read."""
    world = World(tmp_path)
    engine = await world.engine(store=LateStore(world.database))
    job = await world.job(engine, rounds=rounds)
    await engine.runs.start(job)
    await until(lambda: engine.archive.job(job).rounds.done >= 3)
    return Page(engine, job)


async def test_a_job_read_while_it_trains_misses_no_round_and_no_log_entry(tmp_path: Path) -> None:
    """Each stands once and in its order, however often the job is read."""
    page = await training(tmp_path, 25)
    assert page.open.rounds == ()
    await page.read(1)
    assert page.open.job
    assert page.open.job.status == "running"
    await asyncio.gather(page.engine.runs.wait(page.open.id), page.read(2))
    assert [each.round for each in page.open.rounds] == list(range(1, 26))
    assert [each.round for each in page.open.checkpoints] == list(range(1, 26))
    entries = [each.seq for each in page.open.logs]
    assert entries == list(range(entries[0], entries[0] + len(entries)))
    assert page.open.logs[-1].message == (await page.engine.archive.logs(page.open.id, None, 1))[0].message
    assert page.open.job.status == "completed"
    assert page.open.heard == ()


async def test_a_job_that_ends_while_it_is_first_read_is_shown_as_ended(tmp_path: Path) -> None:
    """The answer still says running; the event that came meanwhile is newer."""
    page = await training(tmp_path, 4)
    answer = await local_client(page.engine).call(JobsState(job=page.open.id))
    page.state = reading(page.state, 1)
    await page.engine.runs.wait(page.open.id)
    page.state = read(page.state, 1, answer, "2026-11-30T10:00:00.000Z")
    assert page.open.job
    assert (answer.job.status, page.open.job.status) == ("running", "completed")
    assert page.open.rounds[-1].round == 4


async def test_the_answer_of_an_older_reading_is_dropped(tmp_path: Path) -> None:
    """Its events were given up when the later one began."""
    page = await training(tmp_path, 4)
    answer = await local_client(page.engine).call(JobsState(job=page.open.id))
    page.state = reading(reading(page.state, 1), 2)
    before = page.state
    assert read(before, 1, answer, "2026-11-30T10:00:00.000Z") is before
    await page.engine.runs.wait(page.open.id)
    other = replace(before, open=OpenJob(id=page.open.id))
    assert read(other, 2, answer, "2026-11-30T10:00:00.000Z") is other
