"""The connection panel: is the Training API ready, or why not and what to do."""

from __future__ import annotations

from roundtab.api.protocol import EngineStatus
from roundtab.views.components import StatusKind, button, issue, status
from roundtab.views.format import plural, size
from roundtab.views.html import Element, el
from roundtab.views.workspace.state import Connection, WorkspaceState

LABELS: dict[str, tuple[StatusKind, str]] = {
    "starting": ("queued", "Starting"),
    "ready": ("completed", "Training API ready"),
    "unavailable": ("failed", "Training API not available"),
}


def connection_panel(state: WorkspaceState) -> Element:
    """The banner on top of every page of the workspace."""
    connection = state.connection
    if connection.phase == "unavailable":
        return el(
            "section",
            {"class": "stack", "id": "connection", "aria-label": "Connection"},
            issue(
                connection.reason or "The Training API is not available.",
                connection.action or "Reload the page.",
                buttons=[button("Try again", "connection.retry", small=True)],
            ),
        )
    if connection.phase == "ready" and connection.status:
        words = _facts(connection.status)
    else:
        words = f"{connection.step}. About 4 seconds; the first visit takes longer."
    return el(
        "section",
        {"class": "banner", "id": "connection", "aria-label": "Connection"},
        el("span", {"role": "status"}, connection_status(connection)),
        el("p", words),
    )


def connection_status(connection: Connection) -> Element:
    """The status alone, as the rail shows it too."""
    return status(*LABELS[connection.phase])


def _facts(engine: EngineStatus) -> str:
    grants = " and ".join(engine.site.grants) or "nothing"
    kept = "kept by the browser" if engine.storage.persisted else "the browser may clear it when it runs short"
    return " · ".join(
        [
            f"Version {engine.version}",
            f"this site may use {grants}",
            f"{plural(engine.local_trainers, 'trainer')} in this tab",
            f"{size(engine.storage.used)} of {size(engine.storage.quota)} used, {kept}",
        ]
    )
