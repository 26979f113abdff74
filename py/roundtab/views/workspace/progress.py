"""The progress panel: work done, saved rounds, how fast, how long still."""

from __future__ import annotations

from collections.abc import Sequence

from roundtab.records.jobs import Job
from roundtab.records.rounds import Round, best_round
from roundtab.views.components import note, panel
from roundtab.views.format import clock_time, count, date_time, duration, percent, seconds_between
from roundtab.views.html import Child, Element, el
from roundtab.views.workspace.state import OpenJob

RECENT = 10
"""The pace is that of so many rounds: older ones may have had other participants."""


def progress_panel(opened: OpenJob, job: Job, now: str | None) -> Element:
    """Work units done of all, with one segment a round."""
    work, total = job.work, max(job.rounds.total, 1)
    return panel(
        "progress",
        "Progress",
        el(
            "div",
            {"class": "row ahead"},
            el("p", {"class": "big"}, f"{count(work.done)} of {count(work.total)} {work.unit}"),
            note(_pace(opened, job, now)),
        ),
        el(
            "div",
            {"class": "ruler", "style": f"--rounds: {min(total, 100)}"},
            el(
                "progress",
                {
                    "value": work.done,
                    "max": max(work.total, 1),
                    "aria-label": f"{work.unit.capitalize()} trained in committed rounds",
                },
                percent(work.done, work.total),
            ),
            el("div", {"class": "marks", "aria-hidden": "true"}, _marks(job, best_round(opened.rounds, job.metric))),
        ),
        aside=note(_times(job, now)),
    )


def _times(job: Job, now: str | None) -> str:
    if job.started_at is None:
        return f"Created {date_time(job.created_at)} UTC"
    words = [f"Started {clock_time(job.started_at)} UTC"]
    end = job.completed_at or now
    if end:
        words.append(duration(seconds_between(job.started_at, end)))
    return " · ".join(words)


def _pace(opened: OpenJob, job: Job, now: str | None) -> str:
    """Saved rounds; while the job runs, its rate and the time left."""
    words = [f"round {job.rounds.done} of {job.rounds.total} saved" if job.rounds.done else "no round saved yet"]
    pace = seconds_per_round(opened.rounds, job.started_at)
    if pace:
        examples = sum(each.examples for each in opened.rounds[-RECENT:]) / len(opened.rounds[-RECENT:])
        words.append(f"{duration(pace)} a round")
        words.append(f"{count(examples / pace)} {job.work.unit}/s")
    if (
        pace
        and now
        and job.status == "running"
        and not job.cancel_requested_at
        and job.phase != "waiting_for_participants"
    ):
        since = seconds_between(opened.rounds[-1].committed_at, now)
        left = max((job.rounds.total - job.rounds.done) * pace - since, 0)
        words.append(f"about {duration(max(round(left), 1) if left < 10 else left)} left" if left else "nearly done")
    return " · ".join(words)


def seconds_per_round(rounds: Sequence[Round], started_at: str | None) -> float | None:
    """The pace of the last rounds; None before it is known."""
    recent = rounds[-RECENT:]
    if not recent or started_at is None:
        return None
    if len(recent) == 1:
        return max(seconds_between(started_at, recent[0].committed_at), 0) or None
    return seconds_between(recent[0].committed_at, recent[-1].committed_at) / (len(recent) - 1) or None


def _marks(job: Job, best: int | None) -> list[Child]:
    """Round numbers under the ruler: quarters, the last saved one, the best one. Numbers too close to it give way."""
    total = max(job.rounds.total, 1)
    marks: list[Child] = []
    quarters = {round(total * part / 4) for part in (1, 2, 3)} if total >= 4 else set()
    for number in sorted(quarters | {job.rounds.done}):
        near_best = best is not None and abs(number - best) < total * 0.07
        if 0 < number < total and not near_best:
            marks.append(el("span", {"class": "minor", "style": _at(number, total)}, number))
    if best is not None:
        kind = "best edge" if best > total * 0.93 else "best"
        marks.append(el("span", {"class": kind, "style": _at(best, total)}, f"{best} best"))
    if best is None or best < total * 0.86:
        marks.append(el("span", {"class": "edge", "style": "--at: 100%"}, total))
    return marks


def _at(number: int, total: int) -> str:
    return f"--at: {100 * number / total:.4g}%"
