"""The participants panel: who trains, in which state, and what is wrong where something is."""

from __future__ import annotations

from roundtab.records.jobs import TERMINAL, Job, Participant
from roundtab.views.components import StatusKind, button, caption, cell, head, note, panel, status
from roundtab.views.format import ago, count, seconds_between
from roundtab.views.html import Child, Element, el
from roundtab.views.workspace.state import OpenJob


def participants_panel(opened: OpenJob, job: Job, now: str | None) -> Element:
    """A row a participant, in the order of joining."""
    connected = sum(each.state != "left" for each in opened.participants)
    words = f"{connected} connected, {job.config.min_participants} needed"
    if job.status in TERMINAL:
        words = f"{len(opened.participants)} took part"
    aside: list[Child] = [note(words)]
    if job.status == "running" and not job.cancel_requested_at:
        busy = bool(opened.busy & {"participants.add", "job.cancel"})
        aside.append(
            button("Add a trainer in this tab", "participants.add", style="outline", small=True, disabled=busy)
        )
    body: Child = _table(opened, job, now) if opened.participants else note(_nobody(job))
    return panel("participants", "Participants", body, aside=el("div", {"class": "row"}, aside))


def _nobody(job: Job) -> str:
    if job.status == "queued":
        return "Nobody yet. The trainers in this tab join when the job starts."
    if job.status == "running" and job.config.local_trainers == 0:
        return "Nobody yet. This job starts no trainers in this tab; add one, or wait for participants."
    if job.status == "running":
        return "The trainers in this tab are starting."
    return "Nobody is connected: the job has ended."


def _table(opened: OpenJob, job: Job, now: str | None) -> Element:
    unit = job.work.unit.capitalize()
    return el(
        "table",
        {"class": "cards"},
        caption("Participants of this job with their state and what they have done"),
        head("Participant", "State", ("Items now", "num"), (f"{unit} done", "num"), "Last seen"),
        el("tbody", [_row(each, job, unit, now) for each in opened.participants]),
    )


def _row(participant: Participant, job: Job, unit: str, now: str | None) -> Element:
    seen = participant.last_seen_at
    since = ago(seconds_between(seen, now)) if seen and now else "–"
    return el(
        "tr",
        {"id": f"row-{participant.id}"},
        el("th", {"scope": "row"}, participant.name),
        cell("State", _state(participant, job), span=6 if participant.problem else 3),
        cell("Items now", count(participant.items_now), number=True, span=2 if participant.problem else 3),
        cell(f"{unit} done", count(participant.examples_done), number=True, span=2 if participant.problem else 3),
        cell("Last seen", since, span=2 if participant.problem else 3),
    )


def _state(participant: Participant, job: Job) -> Element:
    kind, label = _LABELS[participant.state]
    if participant.state == "reported":
        label = f"Reported round {job.rounds.done + 1}"
    if participant.state == "left" and job.status == "completed" and not participant.problem:
        kind, label = "completed", "Finished"
    if participant.problem and participant.state != "left":
        kind = "waiting"
    return el(
        "span",
        status(kind, label),
        el("span", {"class": "problem help"}, participant.problem) if participant.problem else None,
        el("small", {"class": "help"}, participant.action) if participant.action else None,
    )


_LABELS: dict[str, tuple[StatusKind, str]] = {
    "starting": ("queued", "Starting"),
    "ready": ("queued", "Ready"),
    "training": ("running", "Training"),
    "reported": ("completed", "Reported"),
    "evaluating": ("running", "Evaluating"),
    "left": ("cancelled", "Left"),
}
