"""Time is handed in, and long work gives way."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta, timezone

from roundtab.clock import Slice, SystemClock, first_free, rfc3339


class ManualClock:
    """A clock that a test sets, and that counts how often work gave way."""

    def __init__(self) -> None:
        self.time = 0.0
        self.breaths = 0

    def now(self) -> str:
        """Not used here."""
        return rfc3339(datetime.fromtimestamp(self.time, UTC))

    def seconds(self) -> float:
        """What the test set."""
        return self.time

    async def breathe(self) -> None:
        """Count, and let a millisecond pass."""
        self.breaths += 1
        self.time += 0.001


def test_times_are_utc_with_milliseconds_and_z() -> None:
    """One form on every wire, whatever zone a time was given in."""
    moment = datetime(2026, 11, 30, 10, 41, 14, 123456, timezone(timedelta(hours=1)))
    assert rfc3339(moment) == "2026-11-30T09:41:14.123Z"


def test_the_system_clock_tells_the_time_of_day() -> None:
    """`now` is the machine's time, and `seconds` never goes back."""
    clock = SystemClock()
    before = clock.seconds()
    told = datetime.fromisoformat(clock.now())
    assert abs((datetime.now(UTC) - told).total_seconds()) < 5
    assert clock.seconds() >= before


async def test_breathing_lets_other_tasks_run() -> None:
    """A step that breathes does not hold the loop."""
    ran: list[str] = []

    async def other() -> None:
        ran.append("other")

    task = asyncio.ensure_future(other())
    await SystemClock().breathe()
    assert ran == ["other"]
    await task


async def test_a_slice_gives_way_only_when_its_time_is_used_up() -> None:
    """Giving way costs time itself, so short work is not cut."""
    clock = ManualClock()
    slice_ = Slice(clock)
    await slice_.pause()
    assert clock.breaths == 0
    clock.time += Slice.SECONDS
    await slice_.pause()
    assert clock.breaths == 1
    await slice_.pause()
    assert clock.breaths == 1, "a new slice begins after giving way"


def test_a_taken_moment_gives_way_to_the_first_free_one_after_it() -> None:
    """Across the second, too."""
    taken = {"2026-11-30T09:41:14.998Z", "2026-11-30T09:41:14.999Z", "2026-11-30T09:41:15.001Z"}
    assert first_free("2026-11-30T09:41:14.998Z", taken) == "2026-11-30T09:41:15.000Z"
    assert first_free("2026-11-30T09:41:14.997Z", taken) == "2026-11-30T09:41:14.997Z"
