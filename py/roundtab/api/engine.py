"""The engine: everything that one leading tab (or one process) runs, put together from its outside world."""

from __future__ import annotations

from typing import Literal

from roundtab.api.announcer import Announcer
from roundtab.capabilities.catalogue import Catalogue
from roundtab.checkpoints.archive import Archive
from roundtab.checkpoints.store import Store
from roundtab.clock import Clock
from roundtab.training.errands import Errands
from roundtab.training.runs import Runs
from roundtab.training.trainers import TrainerPool

Backend = Literal["browser", "local"]


class Engine:
    """Archive, catalogue and runs of one scope. `open` before anything else."""

    def __init__(
        self, *, store: Store, catalogue: Catalogue, trainers: TrainerPool, clock: Clock, backend: Backend
    ) -> None:
        self.backend = backend
        self.clock = clock
        self.catalogue = catalogue
        self.trainers = trainers
        self.errands = Errands(trainers, clock)
        self.announcer = Announcer()
        self.archive = Archive(store, clock, self.announcer)
        self.runs = Runs(self.archive, catalogue, trainers, clock, self.announcer)

    async def open(self) -> None:
        """Take the lead over the store and go on with the jobs that were running."""
        await self.archive.open()
        self.announcer.epoch = self.archive.epoch
        await self.runs.resume()
