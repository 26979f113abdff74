"""The transports keep the rules of `Transport`: memory everywhere, MessagePorts where the tests run in a browser."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterator

import pytest
from contracts.transport_suite import RULES

from roundtab.training.transport import Transport, memory_pair

Rule = Callable[[Transport, Transport], Awaitable[None]]


@pytest.fixture(params=["memory", *(["port"] if sys.platform == "emscripten" else [])])
def ends(request: pytest.FixtureRequest) -> Iterator[tuple[Transport, Transport]]:
    """The two ends of a new channel."""
    one, other = memory_pair() if request.param == "memory" else port_pair()
    yield one, other
    one.close()
    other.close()


def port_pair() -> tuple[Transport, Transport]:
    """Two ends of a MessageChannel of this browser."""
    import js  # noqa: TID251

    from roundtab.browser.port import PortTransport

    channel = js.MessageChannel.new()
    return PortTransport(channel.port1), PortTransport(channel.port2)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
async def test_the_transport_keeps_the_rule(rule: Rule, ends: tuple[Transport, Transport]) -> None:
    """Each rule has its own words."""
    await rule(*ends)
