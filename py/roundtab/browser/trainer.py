"""The trainer: a worker that is one participant."""

from __future__ import annotations

from typing import Any

from roundtab.browser.clock import BrowserClock
from roundtab.browser.ffi import spawn
from roundtab.browser.port import PortTransport
from roundtab.browser.worker import hold, site_catalogue
from roundtab.training.participant import Participant


def start(event: Any) -> None:
    """Serve the coordinator at the other end of the port that the frame hands over."""
    hold(str(event.data.lock))
    transport = PortTransport(event.data.port)
    spawn(Participant(transport, site_catalogue(str(event.data.root)), BrowserClock()).serve())
