"""Events are numbered and told to everybody, whatever a listener does."""

from __future__ import annotations

from typing import Any

import pytest

from roundtab.api.announcer import Announcer
from roundtab.records.events import JobUpdated
from roundtab.records.ids import JobId

EVENT = JobUpdated(job=JobId("job-1"), item=None)


def test_events_carry_the_epoch_and_count_on() -> None:
    """From 1, without a gap, also where nobody listened for a while."""
    announcer, heard = Announcer(), []  # type: ignore[var-annotated]
    announcer.epoch = 3
    announcer(EVENT)
    unsubscribe = announcer.subscribe(heard.append)
    announcer(EVENT)
    announcer(EVENT)
    unsubscribe()
    unsubscribe()
    announcer(EVENT)
    assert [(each["epoch"], each["seq"]) for each in heard] == [(3, 2), (3, 3)]
    assert heard[0] == {"name": "job.updated", "epoch": 3, "seq": 2, "data": {"job": "job-1", "item": None}}


def test_a_listener_that_fails_hinders_nobody(caplog: pytest.LogCaptureFixture) -> None:
    """Neither the other listeners nor the work that is told of; the log has its fault."""
    announcer, heard = Announcer(), []  # type: ignore[var-annotated]

    def broken(_: dict[str, Any]) -> None:
        raise ZeroDivisionError

    announcer.subscribe(broken)
    announcer.subscribe(heard.append)
    announcer(EVENT)
    assert len(heard) == 1
    assert "ZeroDivisionError" in caplog.text


def test_a_listener_may_unsubscribe_while_it_hears() -> None:
    """The others still hear that event."""
    announcer, heard = Announcer(), []  # type: ignore[var-annotated]

    def once(event: dict[str, Any]) -> None:
        heard.append(event)
        unsubscribe()

    unsubscribe = announcer.subscribe(once)
    announcer.subscribe(heard.append)
    announcer(EVENT)
    announcer(EVENT)
    assert [each["seq"] for each in heard] == [1, 1, 2]
