"""The page's address behind the #: which part of the workspace it shows."""

from __future__ import annotations

import re
from dataclasses import replace

from roundtab.records.ids import JobId
from roundtab.views.workspace.state import OpenJob, WorkspaceState

_JOB = re.compile(r"#/job/([A-Za-z0-9-]{1,80})")


def with_route(state: WorkspaceState, fragment: str) -> WorkspaceState:
    """The state for an address; an unknown one is the job list."""
    if fragment == "#/new":
        return replace(state, route="new", open=None)
    match = _JOB.fullmatch(fragment)
    if not match:
        return replace(state, route="jobs", open=None)
    if state.open and state.open.id == match.group(1):
        return replace(state, route="job")
    return replace(state, route="job", open=OpenJob(id=JobId(match.group(1))))
