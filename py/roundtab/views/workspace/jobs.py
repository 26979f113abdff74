"""The job list."""

from __future__ import annotations

from roundtab.api.protocol import JobPage
from roundtab.records.jobs import JobItem
from roundtab.views.components import button, caption, cell, head, issue, metric_value, note, panel, scroll, status
from roundtab.views.format import count, plural
from roundtab.views.html import Child, Element, el
from roundtab.views.workspace.state import WorkspaceState
from roundtab.views.workspace.words import brief_phase, job_status, job_title


def jobs_panel(state: WorkspaceState) -> Element:
    """All jobs of this browser, newest first. Beside an open job the list keeps a limited height."""
    page = state.jobs
    aside = note(f"{plural(page.total, 'job')}, newest first · times in UTC") if page else None
    return panel("jobs", "Jobs", el("div", {"class": "jobs-body"}, *_body(state, page)), aside=aside, level="h2")


def _body(state: WorkspaceState, page: JobPage | None) -> list[Child]:
    children: list[Child] = []
    if state.jobs_trouble:
        trouble = state.jobs_trouble
        again = button("Try again", "jobs.reload", small=True)
        children.append(issue(f"Jobs could not be read: {trouble.problem}", trouble.action, buttons=[again]))
    if page and page.items:
        selected = state.open.id if state.open else None
        children.append(scroll("jobs-title", _table(page, selected), tall=state.open is not None, reveal=selected))
        if len(page.items) < page.total:
            children.append(
                el(
                    "p",
                    {"class": "row note"},
                    f"Showing {len(page.items):,} of {page.total:,}",
                    button("Show more", "jobs.more", style="quiet", small=True),
                )
            )
    elif page:
        children.append(
            el(
                "p",
                {"class": "row"},
                "No jobs yet. Create one with the sample data; it takes about a minute.",
                el("a", {"href": "#/new", "role": "button", "class": "small"}, "New job"),
            )
        )
    elif state.connection.phase == "unavailable":
        children.append(note("Jobs appear here as soon as the Training API is available."))
    elif not state.jobs_trouble:
        children.append(el("p", {"class": "note late"}, "Reading jobs …"))
    return children


def _table(page: JobPage, selected: str | None) -> Element:
    return el(
        "table",
        {"class": "cards"},
        caption("Jobs of this workspace with status, progress, participants and latest metric"),
        head("Job", "Status", ("Progress", "num"), ("Participants", "num"), "Latest metric"),
        el("tbody", [_row(item, item.id == selected) for item in page.items]),
    )


def _row(item: JobItem, current: bool) -> Element:
    link: dict[str, str | bool | None] = {"href": f"#/job/{item.id}", "aria-current": "true" if current else None}
    return el(
        "tr",
        {"id": f"row-{item.id}", "data-current": current},
        el(
            "th",
            {"scope": "row"},
            el(
                "span",
                el("a", link, job_title(item)),
                el("small", {"class": "help"}, f"{item.capability.name}@{item.capability.version}"),
            ),
        ),
        cell(
            "Status",
            el("span", status(*job_status(item)), el("small", {"class": "help"}, brief_phase(item))),
            span=3,
        ),
        cell("Progress", f"{count(item.work.done)} of {count(item.work.total)} {item.work.unit}", number=True, span=3),
        cell("Participants", item.participants, number=True, span=3),
        cell("Latest metric", *_latest(item), span=3),
    )


def _latest(item: JobItem) -> list[Child]:
    """The value that decides, from validation data where there is one."""
    for name in (f"val_{item.metric.name}", f"train_{item.metric.name}"):
        if item.latest.get(name) is not None:
            return [f"{name} ", metric_value(item.latest[name])]
    return ["–"]
