"""Errands: single tasks outside of any run. A trainer of its own is started for each, and ends with it.

So a finished job is validated or exported as well as a running one is, and the trainers of a run are left to it.
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


class Errands:
    """Starts the trainers."""

    def __init__(self, trainers: TrainerPool, clock: Clock) -> None:
        self._trainers = trainers
        self._clock = clock

    @asynccontextmanager
    async def trainer(self) -> AsyncIterator[Member]:
        """A trainer that is ready for tasks; it has ended when the block has.

        Raises `Unavailable` or `ParticipantLost` when none can be had, or when it is lost within the block.
        """
        roster = Roster(self._clock, lambda _: None)
        try:
            member = await self._ready(roster)
            if not member.connected:
                raise ParticipantLost(member.record.problem or "The trainer ended.", "Try again.")
            try:
                yield member
            except ParticipantLost as error:
                raise ParticipantLost(error.problem, "Try again.") from None
        finally:
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
