"""The connection panel: ready, or why not and what to do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from roundtab.api.protocol import Site, Storage
from roundtab.views.workspace.connection import connection_panel, connection_status
from roundtab.views.workspace.state import Connection, WorkspaceState


def test_it_says_ready_with_what_the_site_may_use(make: Any, read: Any) -> None:
    """The words are the ones that people look for."""
    document = read(connection_panel(make.state()))
    assert document.one("span", class_="status", data_status="completed").words == "Training API ready"
    assert document.one("p").words == (
        "Version 1 · this site may use training and recordings · 2 trainers in this tab · "
        "41.2 MB of 2.1 GB used, kept by the browser"
    )


def test_it_warns_where_the_browser_may_clear_the_storage(make: Any, read: Any) -> None:
    """Checkpoints would go with it."""
    engine = make.engine(storage=Storage(used=0, quota=10**9, persisted=False), site=Site(origin="x", grants=()))
    document = read(connection_panel(make.state(connection=Connection(phase="ready", status=engine))))
    assert "0 B of 1.0 GB used, the browser may clear it when it runs short" in document.words
    assert "may use nothing" in document.words


def test_while_starting_it_says_what_is_under_way(read: Any) -> None:
    """And how long that takes."""
    document = read(connection_panel(WorkspaceState()))
    assert document.words == "StartingLoading Python, step 2 of 4. About 4 seconds; the first visit takes longer."


def test_an_unavailable_api_has_reason_action_and_button(make: Any, read: Any) -> None:
    """Whatever the reason."""
    connection = Connection(phase="unavailable", reason="This site is not registered.", action="Ask the owner.")
    document = read(connection_panel(make.state(connection=connection)))
    assert document.one("p", class_="problem").words == "This site is not registered."
    assert "Ask the owner." in document.words
    assert document.one("button", data_action="connection.retry").words == "Try again"
    assert document.one(role="alert")["data-level"] == "error"


def test_the_rail_shows_the_same_status(make: Any, read: Any) -> None:
    """A shape and words for each phase."""
    shown = {
        phase: read(connection_status(replace(Connection(), phase=phase))).one("span").attributes["data-status"]
        for phase in ("starting", "ready", "unavailable")
    }
    assert shown == {"starting": "queued", "ready": "completed", "unavailable": "failed"}
