"""Errands: single tasks outside of any run, each with a trainer that is no run's.

So a finished job is validated or exported as well as a running one is, and the trainers of a run are left to it. Where
starting a trainer takes seconds, one that has done its errand waits a while for the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from roundtab.clock import Clock
from roundtab.errors import ParticipantLost
from roundtab.records.ids import new_id
from roundtab.training.roster import Member, Roster
from roundtab.training.trainers import TrainerPool

PATIENCE = 60.0
"""Seconds for a trainer to become ready."""
AT_ONCE = 4
"""Errands under way together; further ones wait."""


class Errands:
    """Starts the trainers."""

    def __init__(self, trainers: TrainerPool, clock: Clock) -> None:
        self._trainers = trainers
        self._clock = clock
        self._turn = asyncio.Semaphore(AT_ONCE)
        self._waiting: Roster | None = None
        """Of the trainer that waits for the next errand."""
        self._end: asyncio.TimerHandle | None = None
        self._closing: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def trainer(self) -> AsyncIterator[Member]:
        """A trainer that is ready for tasks. It ends with the block, unless that went well and it waits for the next.

        Raises `Unavailable` or `ParticipantLost` when none can be had, or when it is lost within the block.
        """
        async with self._turn:
            roster, well = self._kept() or Roster(self._clock, lambda _: None), False
            try:
                member = roster.members[0] if roster.members else await self._ready(roster)
                if not member.connected:
                    raise ParticipantLost(member.record.problem or "The trainer ended.", "Try again.")
                try:
                    yield member
                except ParticipantLost as error:
                    raise ParticipantLost(error.problem, "Try again.") from None
                well = True
            finally:
                if not (well and self._keep(roster)):
                    await roster.close()

    async def _ready(self, roster: Roster) -> Member:
        try:
            async with asyncio.timeout(PATIENCE):
                member = roster.join("errand", await self._trainers.start(new_id("errand")))
                while roster.starting():
                    await roster.change()
        except TimeoutError:
            raise ParticipantLost(
                f"No trainer was ready within {PATIENCE:g} s.", "Reload the page, then try again."
            ) from None
        return member

    def _keep(self, roster: Roster) -> bool:
        """Let a trainer wait, if that is worth it; whether it does."""
        if not self._trainers.keep_s or self._waiting or not roster.connected():
            return False
        self._waiting = roster
        self._end = asyncio.get_running_loop().call_later(self._trainers.keep_s, self._dismiss)
        return True

    def _kept(self) -> Roster | None:
        """The trainer that waits, if it is still there."""
        roster, self._waiting = self._waiting, None
        if self._end:
            self._end.cancel()
            self._end = None
        return roster if roster and roster.connected() else None

    def _dismiss(self) -> None:
        if roster := self._kept():
            task = asyncio.ensure_future(roster.close())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)
