"""The log panel: newest first, earlier attempts behind a divider."""

from __future__ import annotations

import json

from roundtab.records.codec import to_plain
from roundtab.records.jobs import Job
from roundtab.records.rounds import LogEntry
from roundtab.views.components import button, note, panel
from roundtab.views.format import clock_time, plural
from roundtab.views.html import Child, Element, el
from roundtab.views.workspace.state import OpenJob

SHORT = 100
"""So many of the newest entries are shown until the person asks for all."""


def log_panel(opened: OpenJob, job: Job) -> Element:
    """The log of the job."""
    if not opened.logs:
        return panel("log", "Log", note("Nothing yet."))
    newest = list(reversed(opened.logs))
    shown = newest if "log" in opened.whole else newest[:SHORT]
    lines: list[Child] = []
    attempt = job.attempt
    for entry in shown:
        if entry.attempt != attempt:
            attempt = entry.attempt
            words = f"Attempt {attempt} ended here"
            lines.append(el("li", {"class": "divider", "id": f"attempt-{attempt}"}, words))
        lines.append(_line(entry))
    return panel(
        "log",
        "Log",
        el(
            "div",
            {"class": "log", "id": "log", "role": "region", "aria-labelledby": "log-title", "tabindex": 0},
            el("ol", lines),
        ),
        _rest(len(shown), len(newest)),
        aside=note("newest first · times in UTC"),
    )


def _line(entry: LogEntry) -> Element:
    data = None
    if entry.data is not None:
        data = el("code", json.dumps(to_plain(entry.data), ensure_ascii=False, allow_nan=False))
    return el(
        "li",
        {"id": f"log-{entry.seq}"},
        el("time", {"datetime": entry.timestamp}, clock_time(entry.timestamp)),
        el("span", {"class": "level", "data-level": entry.level}, entry.level),
        el("span", entry.message),
        data,
    )


def _rest(shown: int, total: int) -> Element | None:
    if shown == total:
        return None
    more = button(
        f"Show all {total:,}", "show.all", name=f"Show all {total:,} log entries", style="quiet", small=True, list="log"
    )
    return el("p", {"class": "row note"}, f"Showing {shown} of {plural(total, 'entry', 'entries')}", more)
