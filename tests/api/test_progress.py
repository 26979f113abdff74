"""Long calls report often enough to be watched and seldom enough to cost nothing."""

from __future__ import annotations

import asyncio

import pytest

from roundtab.api.progress import Progress
from roundtab.clock import SystemClock
from roundtab.errors import Stopped
from roundtab.records.events import Event, RequestProgress


class SetClock(SystemClock):
    """A clock that the test sets."""

    time = 0.0

    def seconds(self) -> float:
        """What was set."""
        return self.time


def reports(progress: Progress, clock: SetClock, *steps: tuple[float, int, str]) -> None:
    """Tell of steps: when, how much is done, and of what."""
    for time, done, what in steps:
        clock.time = time
        progress.tell(done, 100, "bytes", what)


def test_a_step_reports_its_start_ten_times_a_second_and_its_end() -> None:
    """A new step begins at once."""
    told: list[Event] = []
    clock = SetClock()
    steps = (
        (0, 0, "a"),
        (0.05, 1, "a"),
        (0.1, 2, "a"),
        (0.15, 3, "a"),
        (0.16, 100, "a"),
        (0.17, 0, "b"),
        (0.2, 1, "b"),
    )
    reports(Progress("id", told.append, clock), clock, *steps)
    assert told == [
        RequestProgress(id="id", done=done, total=100, unit="bytes", what=what, rate=rate)
        for done, what, rate in ((0, "a", None), (2, "a", 20.0), (100, "a", 625.0), (0, "b", None))
    ]


def test_many_small_files_are_one_step() -> None:
    """Ten thousand of them are not ten thousand events; the file that is told is the one at work then."""
    told: list[Event] = []
    clock = SetClock()
    reports(Progress("id", told.append, clock), clock, *((n / 128, n, f"file {n}") for n in range(100)))
    assert [each.what for each in told if isinstance(each, RequestProgress)] == [f"file {n}" for n in range(0, 100, 13)]


def test_without_an_id_nothing_is_told_but_a_stop_still_stops() -> None:
    """The next step does not happen."""
    told: list[Event] = []
    clock = SetClock()
    progress = Progress(None, told.append, clock)
    reports(progress, clock, (0, 0, "a"))
    progress.stop()
    with pytest.raises(Stopped, match="on request"):
        reports(progress, clock, (1, 1, "a"))
    assert told == []


async def test_a_stop_ends_what_is_awaited_once_it_has_tidied_up() -> None:
    """Only then the call is answered."""
    progress = Progress("id", lambda _: None, SetClock())
    left: list[str] = []

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            left.append("tidy")

    waiting = asyncio.ensure_future(progress.during(work()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    progress.stop()
    with pytest.raises(Stopped, match="on request"):
        await waiting
    assert left == ["tidy"]


async def test_what_is_awaited_gives_its_result_or_its_own_error() -> None:
    """A stop before it begins lets nothing begin; one behind it stops nothing."""
    progress = Progress("id", lambda _: None, SetClock())

    async def work(error: Exception | None = None) -> int:
        if error:
            raise error
        return 7

    assert await progress.during(work()) == 7
    with pytest.raises(ValueError, match="own"):
        await progress.during(work(ValueError("own")))
    progress.stop()
    with pytest.raises(Stopped):
        await progress.during(work())


async def test_who_is_cancelled_meanwhile_is_cancelled() -> None:
    """And so is what was awaited."""
    progress = Progress("id", lambda _: None, SetClock())
    work = asyncio.ensure_future(asyncio.Event().wait())

    async def await_it() -> None:
        await work

    call = asyncio.ensure_future(progress.during(await_it()))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert work.cancelled()
