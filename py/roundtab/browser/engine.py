"""The engine's worker: the Training API service over IndexedDB, connected to the gate by one port."""

from __future__ import annotations

import logging
from typing import Any

from roundtab.api.access import Caller
from roundtab.api.engine import Engine
from roundtab.api.envelope import Envelope, write_event
from roundtab.api.protocol import Site
from roundtab.api.service import Service
from roundtab.browser.clock import BrowserClock
from roundtab.browser.ffi import py_bytes, spawn
from roundtab.browser.files import BrowserFile
from roundtab.browser.frame_trainers import FrameTrainers
from roundtab.browser.idb_store import IdbStore
from roundtab.browser.port import Port
from roundtab.browser.worker import hold, site_catalogue
from roundtab.errors import InternalError, RoundtabError

log = logging.getLogger(__name__)


class EngineWorker:
    """Takes the gate's messages: calls, and the ports of trainers that it started."""

    def __init__(self, hello: Any, idb: Any) -> None:
        """`hello` is the gate's first message: port, root, lock, cores, memory."""
        self._port = Port(hello.port, self._receive)
        self._root = str(hello.root)
        self._trainers = FrameTrainers(self._port, int(hello.cores), float(hello.memory))
        self._store = IdbStore(idb, self._replaced)
        self._service: Service | None = None
        hold(str(hello.lock))
        spawn(self._open())

    async def _open(self) -> None:
        self._port.post("opening")
        try:
            engine = Engine(
                store=self._store,
                catalogue=site_catalogue(self._root),
                trainers=self._trainers,
                clock=BrowserClock(),
                backend="browser",
            )
            engine.announcer.subscribe(lambda event: self._port.post("event", json=write_event(event).json))
            await engine.open()
        except Exception as error:
            action = "Reload the page; report it if it happens again."
            told = error if isinstance(error, RoundtabError) else InternalError.of(error, action)
            log.error("the engine did not open", exc_info=error)
            self._port.post("failed", code=told.code, problem=told.problem, action=told.action)
            return
        self._service = Service(engine)
        self._port.post("ready", epoch=engine.archive.epoch)

    def _replaced(self) -> None:
        """Another engine led meanwhile, or all data was cleared: what this one knows is no longer true."""
        self._port.post("replaced")

    def _receive(self, data: Any) -> None:
        if data.kind == "call":
            spawn(self._call(data))
        elif data.kind == "trainer":
            self._trainers.arrived(str(data.name), data.port)
        elif data.kind == "trainer_failed":
            self._trainers.failed(str(data.name), str(data.problem))
        elif data.kind == "trainer_ended":
            self._trainers.ended(str(data.name))

    async def _call(self, data: Any) -> None:
        if self._service is None:
            raise RuntimeError("a call came before the engine was ready")
        site = Site(origin=str(data.caller.site.origin), grants=tuple(str(each) for each in data.caller.site.grants))
        caller = Caller(site=site, client=str(data.caller.client))
        files = [BrowserFile(each) for each in data.files]
        envelope = Envelope(str(data.json), [py_bytes(each) for each in data.buffers], files)
        answer = await self._service.exchange(envelope, caller)
        self._port.post("result", answer.buffers, call=data.call, json=answer.json)
