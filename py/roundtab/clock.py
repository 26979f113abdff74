"""Time, as the rest of Roundtab sees it: handed in, so that tests set it and browsers bring their own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Container
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """What the core needs of time."""

    def now(self) -> str:
        """The time of day as RFC 3339 text in UTC with milliseconds and `Z`."""
        ...

    def seconds(self) -> float:
        """A monotonic time in seconds, for durations."""
        ...

    async def breathe(self) -> None:
        """Let everything else that waits run once: messages, calls, timers."""
        ...


class SystemClock:
    """The machine's own clock and event loop."""

    def now(self) -> str:
        """The time of day, UTC."""
        return rfc3339(datetime.now(UTC))

    def seconds(self) -> float:
        """Seconds since an arbitrary start."""
        return time.perf_counter()

    async def breathe(self) -> None:
        """Give way to the other tasks of the event loop."""
        await asyncio.sleep(0)


class Slice:
    """Cuts long work into slices: `await slice.pause()` in a loop gives way whenever the slice is used up.

    The Training API promises an answer within 50 ms while a job trains, so no step of the engine may hold the event
    loop for longer than 20 ms; 8 ms leave room for the last piece to be longer than expected.
    """

    SECONDS = 0.008

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since = clock.seconds()

    async def pause(self) -> None:
        """Give way if this slice has used its time."""
        if self._clock.seconds() - self._since >= self.SECONDS:
            await self._clock.breathe()
            self._since = self._clock.seconds()


def rfc3339(moment: datetime) -> str:
    """`moment` in UTC as `2026-11-30T09:41:14.123Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def first_free(moment: str, taken: Container[str]) -> str:
    """`moment` in RFC 3339, or the first millisecond after it that is not taken."""
    while moment in taken:
        moment = rfc3339(datetime.fromisoformat(moment) + timedelta(milliseconds=1))
    return moment
