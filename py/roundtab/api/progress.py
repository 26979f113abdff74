"""Long calls: what they report, and how they are stopped."""

from __future__ import annotations

from collections.abc import Callable

from roundtab.clock import Clock
from roundtab.errors import Stopped
from roundtab.records.events import Event, RequestProgress

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

    def stop(self) -> None:
        """The next `tell` raises `Stopped`."""
        self._stopped = True

    def tell(self, done: int, total: int, unit: str, what: str) -> None:
        """Report that `done` of `total` units of the step `what` are done. Raises `Stopped`."""
        if self._stopped:
            raise Stopped("The call was stopped on request.", "Make it again when you want to.")
        now = self._clock.seconds()
        if self.id is None or (now - self._told[0] < EVERY and self._told[1] == what and done < total):
            return
        self._told = (now, what)
        self._announce(RequestProgress(id=self.id, done=done, total=total, unit=unit, what=what))
