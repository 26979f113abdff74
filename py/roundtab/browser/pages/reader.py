"""What the page knows: it is read through the Training API, and kept up to date by the events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

from roundtab.api.client import Client
from roundtab.api.protocol import CapabilitiesList, GetStatus, JobsList, JobsState
from roundtab.browser.ffi import spawn
from roundtab.clock import Clock
from roundtab.errors import RoundtabError
from roundtab.records.events import JobUpdated, event_from_plain
from roundtab.views.workspace.live import read, reading, with_event
from roundtab.views.workspace.state import Connection, Trouble, WorkspaceState


class Reader:
    """Fills the page's state. `get` and `put` reach it; `gone` is called when the open job was deleted."""

    def __init__(
        self,
        client: Client,
        clock: Clock,
        get: Callable[[], WorkspaceState],
        put: Callable[[WorkspaceState], None],
        gone: Callable[[], None],
    ) -> None:
        self._client = client
        self._clock = clock
        self._get = get
        self._put = put
        self._gone = gone
        self._numbers = count(1)
        self._seen = (0, 0)

    def connected(self, state: dict[str, Any]) -> None:
        """The connection changed."""
        phase = state["phase"]
        step = f"{state.get('text', '')}, step {state.get('step')} of {state.get('steps')}"
        known = self._get().connection.status
        self._change(
            connection=Connection(
                phase=phase,
                step=step,
                reason=state.get("reason", ""),
                action=state.get("action", ""),
                status=known if phase == "ready" else None,
            )
        )
        if phase == "ready":
            spawn(self._read_all())

    def heard(self, event: dict[str, Any]) -> None:
        """An event came. A gap, or another engine, means that something was missed: read again."""
        before, self._seen = self._seen, (event["epoch"], event["seq"])
        if before[0] and self._seen != (before[0], before[1] + 1):
            spawn(self._read_all())
            return
        known = event_from_plain(event)
        if known is None:
            return
        standing = self._standing()
        self._put(with_event(self._get(), known))
        opened = self._get().open
        if isinstance(known, JobUpdated) and opened and opened.id == known.job:
            if known.item is None:
                self._gone()
            elif standing and standing != self._standing():
                spawn(self.read_job())

    async def _read_all(self) -> None:
        try:
            status = await self._client.call(GetStatus())
            self._change(connection=replace(self._get().connection, status=status))
            if self._get().capabilities is None:
                self._change(capabilities=(await self._client.call(CapabilitiesList())).items)
        except RoundtabError as error:  # the engine ended meanwhile; the next one says that it is ready
            self._change(jobs_trouble=Trouble.of(error))
            return
        await self.read_jobs()
        await self.read_job()

    async def read_jobs(self) -> None:
        """The first page of the list."""
        try:
            self._change(jobs=await self._client.call(JobsList()), jobs_trouble=None)
        except RoundtabError as error:
            self._change(jobs_trouble=Trouble.of(error))

    async def more_jobs(self) -> None:
        """The page of the list after those that are shown."""
        shown = self._get().jobs
        if shown is None:
            return
        following = JobsList(page=shown.page + 1, as_of=shown.as_of)
        try:
            more = await self._client.call(following)
        except RoundtabError as error:
            self._change(jobs_trouble=Trouble.of(error))
            return
        known = {each.id for each in shown.items}
        self._change(jobs=replace(more, items=(*shown.items, *(each for each in more.items if each.id not in known))))

    async def read_job(self) -> None:
        """All of the open job. What is heard of it meanwhile is newer than the answer and is told again over it."""
        opened = self._get().open
        if opened is None or self._get().connection.phase != "ready":
            return
        number = next(self._numbers)
        self._put(reading(self._get(), number))
        try:
            answer = await self._client.call(JobsState(job=opened.id))
        except RoundtabError as error:
            current = self._get().open
            if current and current.reading == number:
                self._change(open=replace(current, reading=None, heard=(), trouble=Trouble.of(error)))
            return
        engine = self._get().connection.status
        if engine:
            self._change(connection=replace(self._get().connection, status=replace(engine, storage=answer.storage)))
        self._put(read(self._get(), number, answer, self._clock.now()))
        standing = self._standing()
        if standing and standing != (answer.job.id, answer.job.status, answer.job.attempt):
            await self.read_job()  # it started or ended meanwhile, so the API state that is shown is out of date

    def _standing(self) -> tuple[object, ...] | None:
        """Which job is open and how it stands: with this, everything about it changes."""
        job = self._get().open and self._get().open.job  # type: ignore[union-attr]
        return (job.id, job.status, job.attempt) if job else None

    def _change(self, **changes: Any) -> None:
        self._put(replace(self._get(), **changes))
