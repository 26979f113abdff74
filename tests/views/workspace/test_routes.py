from __future__ import annotations

import pytest

from roundtab.records.ids import JobId
from roundtab.views.workspace.routes import with_route
from roundtab.views.workspace.state import OpenJob, WorkspaceState


@pytest.mark.parametrize("fragment", ["", "#", "#/", "#/nowhere", "#/job/", "#/job/<b>", "#/job/" + "a" * 81])
def test_an_address_that_means_nothing_shows_the_jobs(fragment: str) -> None:
    """Addresses come from outside, so anything may stand in one."""
    state = with_route(WorkspaceState(), fragment)
    assert (state.route, state.open) == ("jobs", None)


def test_an_address_names_a_job_or_the_form() -> None:
    """`#/job/<id>` opens the job, `#/new` the form."""
    assert with_route(WorkspaceState(), "#/job/job-1").open == OpenJob(id=JobId("job-1"))
    assert with_route(WorkspaceState(), "#/new").route == "new"


def test_the_open_job_stays_as_it_was_read() -> None:
    """Its own address again does not empty its page."""
    state = WorkspaceState(route="job", open=OpenJob(id=JobId("job-1"), search="x"))
    assert with_route(state, "#/job/job-1") == state
