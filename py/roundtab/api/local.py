"""The whole of Roundtab in one process: the same service over a store in memory, for CPython."""

from __future__ import annotations

from roundtab.api.access import Caller
from roundtab.api.client import Client
from roundtab.api.engine import Engine
from roundtab.api.envelope import Envelope
from roundtab.api.protocol import Site
from roundtab.api.service import Service
from roundtab.capabilities.catalogue import Catalogue
from roundtab.checkpoints.memory_store import MemoryStore
from roundtab.checkpoints.store import Store
from roundtab.clock import SystemClock
from roundtab.training.trainers import InProcessTrainers

THIS_PROCESS = Caller(site=Site(origin="local", grants=("training",)), client="local")


class ServiceWire:
    """A `Wire` to a service in this process."""

    def __init__(self, service: Service, caller: Caller = THIS_PROCESS) -> None:
        self._service = service
        self._caller = caller

    async def exchange(self, envelope: Envelope) -> Envelope:
        """The service's response."""
        return await self._service.exchange(envelope, self._caller)


def local_engine(catalogue: Catalogue, store: Store | None = None) -> Engine:
    """An engine of this process, not yet open."""
    clock = SystemClock()
    trainers = InProcessTrainers(catalogue, clock)
    return Engine(store=store or MemoryStore(), catalogue=catalogue, trainers=trainers, clock=clock, backend="local")


def local_client(engine: Engine) -> Client:
    """A client of an open engine."""
    return Client(ServiceWire(Service(engine)))
