"""Trainers of the engine's own tab: workers that the frame starts, since a worker cannot start PyScript workers itself.

A worker takes seconds to start, so one whose participant has left waits a while for the next; nothing of what it did
stays but the code that it loaded.
"""

from __future__ import annotations

import asyncio
from typing import Any

import js

from roundtab.browser.ffi import spawn
from roundtab.browser.port import Port, PortTransport
from roundtab.errors import Unavailable
from roundtab.training.transport import Transport

KEEP_S = 30.0
"""Seconds for which a worker without a participant is kept; it has 90 MB."""
LEAVE_S = 5.0
"""Seconds for a participant to leave its worker; one that is stuck in its model's code is ended with it."""


class TrainerWorker:
    """A worker as the engine sees it: its control port, and the participant that it runs, if any."""

    def __init__(self, name: str, port: Any, idle: Any) -> None:
        """`idle` is called when its participant has left."""
        self.name = name
        self.transport: PortTransport | None = None
        self.timer: asyncio.TimerHandle | None = None
        self._control = Port(port, lambda _: idle(self))

    def serve(self, closed: Any) -> PortTransport:
        """Start a participant in it; the coordinator's end of the transport. `closed` is called when that closes."""
        channel = js.MessageChannel.new()
        self._control.post("serve", ports=[channel.port2], port=channel.port2)
        self.transport = PortTransport(channel.port1, lambda: closed(self))
        return self.transport

    def ends_in(self, seconds: float, end: Any) -> None:
        """Have `end` called with it, unless it is needed before."""
        self.stays()
        self.timer = asyncio.get_running_loop().call_later(seconds, end, self)

    def stays(self) -> None:
        """It is needed."""
        if self.timer:
            self.timer.cancel()
            self.timer = None


class FrameTrainers:
    """The pool of this tab."""

    def __init__(self, port: Port, cores: int, memory: float) -> None:
        """`memory` is the device's, in GiB, as far as the browser tells."""
        self._port = port
        self._expected: dict[str, asyncio.Future[Any]] = {}
        self._workers: dict[str, TrainerWorker] = {}
        self._idle: list[TrainerWorker] = []
        self.default_count = 1 if memory <= 4 else min(2, cores)

    async def start(self, name: str) -> Transport:
        """A participant in a worker that is idle, else in a new one called `name`. Closing the transport ends it."""
        if self._idle:
            worker = self._idle.pop()
            worker.stays()
        else:
            worker = self._workers[name] = TrainerWorker(name, await self._spawned(name), self._left)
        return worker.serve(self._leaving)

    async def _spawned(self, name: str) -> Any:
        """The control port of a new worker."""
        expected = self._expected[name] = asyncio.get_running_loop().create_future()
        self._port.post("spawn", name=name)
        try:
            return await expected
        except BaseException:
            self._port.post("end", name=name)
            raise
        finally:
            del self._expected[name]

    def _leaving(self, worker: TrainerWorker) -> None:
        """The transport of its participant closed."""
        worker.transport = None
        if worker.name in self._workers:
            worker.ends_in(LEAVE_S, self._end)

    def _left(self, worker: TrainerWorker) -> None:
        """Its participant has left: it waits for the next, unless enough of them do."""
        if worker.transport or worker.name not in self._workers:
            return
        if len(self._idle) < self.default_count:
            self._idle.append(worker)
            worker.ends_in(KEEP_S, self._end)
        else:
            self._end(worker)

    def _end(self, worker: TrainerWorker) -> None:
        self._forget(worker)
        self._port.post("end", name=worker.name)

    def _forget(self, worker: TrainerWorker) -> None:
        worker.stays()
        self._workers.pop(worker.name, None)
        if worker in self._idle:
            self._idle.remove(worker)

    def arrived(self, name: str, port: Any) -> None:
        """The frame started it."""
        if (expected := self._expected.get(name)) and not expected.done():
            expected.set_result(port)

    def failed(self, name: str, problem: str) -> None:
        """The frame could not start it."""
        if (expected := self._expected.get(name)) and not expected.done():
            error = Unavailable(f"A trainer did not start: {problem[:300]}.", "Reload the page and retry the job.")
            expected.set_exception(error)

    def ended(self, name: str) -> None:
        """Its worker died, at work, idle or while it started; a port alone would not tell."""
        self.failed(name, "its worker ended")
        if worker := self._workers.get(name):
            self._forget(worker)
            if worker.transport:
                worker.transport.close()


def serve_in_worker(port: Any, participate: Any) -> None:
    """The worker's side: run `participate` with each transport that comes, and tell when that participant has left."""

    async def serve(own: Any) -> None:
        await participate(PortTransport(own))
        control.post("idle")

    control = Port(port, lambda data: spawn(serve(data.port)))
