"""Long calls: what they report, and how they are stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from roundtab.clock import Clock
from roundtab.errors import Stopped
from roundtab.records.events import Event, RequestProgress

T = TypeVar("T")

EVERY = 0.1
"""Seconds between two reports of the same step."""


class Progress:
    """One call's progress: reports it when the caller gave an id, and stops the work on request."""

    def __init__(self, request_id: str | None, announce: Callable[[Event], None], clock: Clock) -> None:
        self.id = request_id
        self._announce = announce
        self._clock = clock
        self._stopped = False
        self._told = (-EVERY, "")
        self._work: asyncio.Task[Any] | None = None

    def stop(self) -> None:
        """The next `tell` raises `Stopped`, and what is being awaited is cancelled."""
        self._stopped = True
        if self._work:
            self._work.cancel()

    async def during(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of `work`, which waits for something that reports no progress.

        A stop cancels it there; once it has tidied up, this raises `Stopped`. One at a time.
        """
        task: asyncio.Task[T] = asyncio.ensure_future(work)
        self._work = task
        if self._stopped:
            task.cancel()
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait([task])
            raise
        finally:
            self._work = None
        if task.cancelled():
            raise _stopped()
        return task.result()

    def tell(self, done: int, total: int, unit: str, what: str) -> None:
        """Report that `done` of `total` units of the step `what` are done. Raises `Stopped`."""
        if self._stopped:
            raise _stopped()
        now = self._clock.seconds()
        if self.id is None or (now - self._told[0] < EVERY and self._told[1] == what and done < total):
            return
        self._told = (now, what)
        self._announce(RequestProgress(id=self.id, done=done, total=total, unit=unit, what=what))


def _stopped() -> Stopped:
    return Stopped("The call was stopped on request.", "Make it again when you want to.")
