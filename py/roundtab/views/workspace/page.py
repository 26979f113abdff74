"""The workspace page put together, and its title."""

from __future__ import annotations

from roundtab.records.jobs import TERMINAL, Job, JobItem
from roundtab.views.format import percent
from roundtab.views.html import Element, Fragment, el, fragment
from roundtab.views.workspace.connection import connection_panel
from roundtab.views.workspace.job import job_section
from roundtab.views.workspace.jobs import jobs_panel
from roundtab.views.workspace.new_job import new_job_page
from roundtab.views.workspace.state import WorkspaceState
from roundtab.views.workspace.words import LABELS, job_title

PRODUCT = "Roundtab"


def page(state: WorkspaceState) -> Fragment:
    """What stands in the page's `<main>`."""
    if state.route == "new":
        lede = "Creating a job checks everything and starts nothing. You start it on its page."
        return fragment(_head("New job", lede), connection_panel(state), new_job_page(state))
    return fragment(
        _head("Workspace", "Jobs that this browser coordinates.", _new_job()),
        connection_panel(state),
        jobs_panel(state),
        job_section(state, state.open) if state.open else None,
    )


def _head(title: str, lede: str, action: Element | None = None) -> Element:
    words = el("div", el("h1", {"id": "page-title", "tabindex": -1}, title), el("p", {"class": "lede"}, lede))
    return el("div", {"class": "page-head"}, words, action)


def _new_job() -> Element:
    return el("a", {"role": "button", "href": "#/new", "id": "new-job-link"}, "New job")


def title(state: WorkspaceState) -> str:
    """The tab's title: how far a running job is, how the open one ended, else the page."""
    if state.route == "new":
        return f"New job · {PRODUCT}"
    job: Job | JobItem | None = state.open.job if state.open else None
    if job is None and state.open is None and state.jobs:
        job = next((each for each in state.jobs.items if each.status == "running"), None)
    if job is None or job.status == "queued":
        return f"{job_title(job)} · {PRODUCT}" if job else f"Workspace · {PRODUCT}"
    if job.status in TERMINAL:
        return f"{LABELS[job.status]} · {job_title(job)} · {PRODUCT}"
    return f"{percent(job.work.done, job.work.total)} · {job_title(job)} · {PRODUCT}"
