"""The trainer: a worker that is one participant after the other."""

from __future__ import annotations

from typing import Any

from roundtab.browser.clock import BrowserClock
from roundtab.browser.frame_trainers import serve_in_worker
from roundtab.browser.port import PortTransport
from roundtab.browser.worker import hold, site_catalogue
from roundtab.training.participant import Participant


def start(event: Any) -> None:
    """Serve the coordinators whose ports come over the port that the frame hands over."""
    hold(str(event.data.lock))
    catalogue = site_catalogue(str(event.data.root))

    async def participate(transport: PortTransport) -> None:
        await Participant(transport, catalogue, BrowserClock()).serve()

    serve_in_worker(event.data.port, participate)
