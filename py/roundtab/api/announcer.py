"""Tells subscribers what happened, numbered so that they notice a gap."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from roundtab.records.events import Event, event_to_plain

log = logging.getLogger(__name__)

Listener = Callable[[dict[str, Any]], None]


class Announcer:
    """One engine's events. `epoch` is set once the engine leads."""

    def __init__(self) -> None:
        self.epoch = 0
        self._seq = 0
        self._listeners: list[Listener] = []

    def __call__(self, event: Event) -> None:
        """Tell everybody."""
        self._seq += 1
        plain = event_to_plain(event, self.epoch, self._seq)
        for listener in tuple(self._listeners):
            try:
                listener(plain)
            except Exception:  # a subscriber's fault must not stop what it only listens to
                log.exception("a subscriber failed at %s", event.tag)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with every event from now on; returns what ends that."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe
