"""The checkpoint table: what was saved after each round, to compare and to download."""

from __future__ import annotations

from collections.abc import Sequence

from roundtab.records.capabilities import CapabilityInfo
from roundtab.records.jobs import TERMINAL, Job
from roundtab.records.rounds import Checkpoint, FileFormat, best_round
from roundtab.views.components import button, caption, cell, head, metric_value, note, panel, scroll, sha256, status
from roundtab.views.format import clock_time, date_time, exact_bytes, metric_title
from roundtab.views.html import Child, Element, el
from roundtab.views.workspace.inference import TITLES, chosen, format_switch, how_to_use, offered
from roundtab.views.workspace.state import OpenJob

SHORT = 6
"""So many of the newest checkpoints are shown until the person asks for all; the best one always is."""


def checkpoints_panel(opened: OpenJob, job: Job, catalogue: Sequence[CapabilityInfo]) -> Element:
    """All checkpoints of the job, newest first, and how a downloaded one is used."""
    if not opened.checkpoints:
        saving = job.status == "running" and job.phase == "saving"
        words = "Saving …" if saving else "No checkpoint yet. The first one comes with round 1."
        if job.status in TERMINAL:
            words = "No checkpoint: the job ended before its first round was saved."
        return panel("checkpoints", "Checkpoints", note(words))
    best = best_round(opened.rounds, job.metric)
    newest = list(reversed(opened.checkpoints))
    shown = newest
    if "checkpoints" not in opened.whole:
        shown = [each for place, each in enumerate(newest) if place < SHORT or each.round == best]
    offer = offered(job, catalogue)
    form = chosen(opened, offer)
    names = columns(opened, job)
    table = el(
        "table",
        {"class": "cards"},
        caption("Checkpoints, newest first"),
        head(
            "Round",
            *[(metric_title(name), "num") for name in names],
            ("Size", "num"),
            "sha256",
            "Saved (UTC)",
            "",
        ),
        el("tbody", [_row(each, names, newest[0].round, best, form, opened) for each in shown]),
    )
    return panel(
        "checkpoints",
        "Checkpoints",
        scroll("checkpoints-title", table),
        _rest(len(shown), len(newest)),
        how_to_use(offer[form], opened.copied == "snippet"),
        aside=format_switch(offer, form),
    )


def columns(opened: OpenJob, job: Job) -> list[str]:
    """Training and validation metrics that some checkpoint has; the one that decides comes last."""
    names = dict.fromkeys(name for each in opened.checkpoints for name in each.metrics)
    found = [name for name in names if name.startswith(("train_", "val_"))]
    return sorted(found, key=lambda name: (name.endswith(f"_{job.metric.name}"), name))


def _row(
    checkpoint: Checkpoint, names: list[str], latest: int, best: int | None, form: FileFormat, opened: OpenJob
) -> Element:
    number = checkpoint.round
    tags: list[Child] = [" ", el("span", {"class": "tag"}, "latest")] if number == latest else []
    tags += [" ", el("span", {"class": "tag best"}, "best")] if number == best else []
    loading = f"checkpoint.download {number} {form}" in opened.busy
    doing = "Reading …" if form == "safetensors" else "Writing …"
    download = button(
        doing if loading else "Download",
        "checkpoint.download",
        style="outline",
        small=True,
        name=None if loading else f"Download round {number} as {TITLES[form]}",
        busy=loading,
        round=number,
        format=form,
    )
    saved = status("completed", clock_time(checkpoint.created_at))
    return el(
        "tr",
        {"id": f"checkpoint-{number}", "data-current": number == best},
        el("th", {"scope": "row", "data-label": "Round"}, number, tags),
        [cell(metric_title(name), metric_value(checkpoint.metrics.get(name)), number=True) for name in names],
        cell("Size", exact_bytes(checkpoint.bytes), number=True),
        cell("sha256", sha256(checkpoint.sha256)),
        cell("Saved", el("span", {"title": f"{date_time(checkpoint.created_at)} UTC"}, saved)),
        el("td", {"class": "end"}, el("div", {"class": "row"}, download)),
    )


def _rest(shown: int, total: int) -> Element | None:
    if shown == total:
        return None
    more = button(
        f"Show all {total:,}",
        "show.all",
        name=f"Show all {total:,} checkpoints",
        style="quiet",
        small=True,
        list="checkpoints",
    )
    return el("p", {"class": "row note"}, f"Showing {shown} of {total:,}", more)
