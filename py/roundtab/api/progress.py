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
"""Seconds between two reports of the same step, and before a rate means anything."""


class Progress:
    """One call's progress: reports it when the caller gave an id, and stops the work on request."""

    def __init__(self, request_id: str | None, announce: Callable[[Event], None], clock: Clock) -> None:
        self.id = request_id
        self._announce = announce
        self._clock = clock
        self._stopped = False
        self._told = -EVERY
        self._step = (0.0, 0, 0)
        """When the present step began, how much was done then, and its total."""
        self._done = 0
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
        """Report that `done` of `total` units of a step are done, and `what` at present. Raises `Stopped`.

        A step begins with another total, or with less done than before.
        """
        if self._stopped:
            raise _stopped()
        now = self._clock.seconds()
        begins = total != self._step[2] or done < self._done
        if begins:
            self._step = (now, done, total)
        self._done = done
        if self.id is None or (now - self._told < EVERY and not begins and done < total):
            return
        self._told = now
        spent, progress = now - self._step[0], done - self._step[1]
        rate = progress / spent if spent >= EVERY and progress else None
        self._announce(RequestProgress(id=self.id, done=done, total=total, unit=unit, what=what, rate=rate))


def _stopped() -> Stopped:
    return Stopped("The call was stopped on request.", "Make it again when you want to.")
