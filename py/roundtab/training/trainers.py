"""Trainers of the coordinator's own tab: who starts them, and the ones that live in this process."""

from __future__ import annotations

import asyncio
from typing import Protocol

from roundtab.capabilities.catalogue import Catalogue
from roundtab.clock import Clock
from roundtab.training.participant import Participant
from roundtab.training.transport import Transport, memory_pair


class TrainerPool(Protocol):
    """Starts trainers. Closing the transport ends the trainer."""

    default_count: int
    """Trainers that suit this machine."""

    async def start(self, name: str) -> Transport:
        """Start a trainer and return the coordinator's end of its transport. Raises `Unavailable`."""
        ...


class InProcessTrainers:
    """Trainers that are tasks of this event loop: for CPython, and for tests."""

    default_count = 2

    def __init__(self, catalogue: Catalogue, clock: Clock) -> None:
        self._catalogue = catalogue
        self._clock = clock
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, name: str) -> Transport:
        """Start a participant task; `name` is for workers, a task needs none."""
        ours, theirs = memory_pair()
        task = asyncio.ensure_future(Participant(theirs, self._catalogue, self._clock).serve())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return ours
