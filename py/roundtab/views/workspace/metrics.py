"""The metrics panel: one chart by round, and a switch between the metrics of the model."""

from __future__ import annotations

from collections.abc import Sequence

from roundtab.records.capabilities import CapabilityInfo
from roundtab.records.jobs import TERMINAL, Job
from roundtab.records.metrics import metric_names
from roundtab.records.rounds import Round, best_round
from roundtab.views.charts import metric_chart
from roundtab.views.components import note, panel, segments
from roundtab.views.format import metric_title, metric_words
from roundtab.views.html import Element, el
from roundtab.views.workspace.state import OpenJob
from roundtab.views.workspace.validate_form import FIRST_FIELD, INVITATION, why_never
from roundtab.views.workspace.words import capability_of


def metrics_panel(opened: OpenJob, job: Job, catalogue: Sequence[CapabilityInfo]) -> Element:
    """Training and validation values by round, the best round marked by the metric's direction."""
    names = measured(opened.rounds, job)
    if not names:
        words = "No metrics yet. They appear with the first committed round."
        if job.status in TERMINAL:
            words = "No metrics: the job ended before its first round was saved."
        return panel("metrics", "Metrics", note(words))
    shown = opened.metric if opened.metric in names else names[0]
    best = best_round(opened.rounds, job.metric)
    running = job.rounds.done + 1 if job.status == "running" and job.rounds.done < job.rounds.total else None
    chart = metric_chart(opened.rounds, shown, job.rounds.total, best, running)
    return panel(
        "metrics",
        f"{metric_title(shown)} by round",
        el(
            "figure",
            {"class": "chart"},
            chart.node,
            el("figcaption", {"class": "note"}, _words(shown, job, best, opened.rounds, catalogue)),
        ),
        _invitation(opened, job, catalogue),
        aside=el("div", {"class": "row"}, _legend(opened.rounds, shown), _switch(names, shown)),
    )


def measured(rounds: Sequence[Round], job: Job) -> list[str]:
    """Metrics with training or validation values, the one that decides first."""
    names = [name.split("_", 1)[1] for name in metric_names(rounds) if name.startswith(("train_", "val_"))]
    return sorted(dict.fromkeys(names), key=lambda name: name != job.metric.name)


def _legend(rounds: Sequence[Round], name: str) -> Element:
    held_out = any(each.metrics.get(f"val_{name}") is not None for each in rounds)
    return el(
        "ul", {"class": "legend"}, el("li", "training"), el("li", {"class": "val"}, "validation") if held_out else None
    )


def _switch(names: Sequence[str], shown: str) -> Element | None:
    if len(names) < 2:
        return None
    return segments("Metric", "metric.choose", "metric", [(name, metric_title(name)) for name in names], shown)


def _words(shown: str, job: Job, best: int | None, rounds: Sequence[Round], catalogue: Sequence[CapabilityInfo]) -> str:
    words = []
    direction = _direction(shown, job, catalogue)
    if direction:
        words.append(f"{'Higher' if direction == 'maximize' else 'Lower'} is better, as the model declares.")
    if best is None and _validated(rounds, job):
        words.append("No validation value is a number, so no round is marked best.")
    elif best is None:
        words.append("No validation data, so no round is marked best.")
        words.append("Lower training loss alone does not establish quality on unseen examples.")
    else:
        by = "" if shown == job.metric.name else f" by {metric_words(job.metric.name)}"
        words.append(
            f"Round {best} is the best on validation data{by}; training {metric_words(shown)} alone does not show "
            "quality on unseen examples."
        )
    return " ".join(words)


def _validated(rounds: Sequence[Round], job: Job) -> bool:
    return any(f"val_{job.metric.name}" in each.metrics for each in rounds)


def _invitation(opened: OpenJob, job: Job, catalogue: Sequence[CapabilityInfo]) -> Element | None:
    """The way to validation values for a job that has none of its own."""
    if _validated(opened.rounds, job) or why_never(opened, job, catalogue):
        return None
    link = el("a", {"href": f"#{FIRST_FIELD}", "role": "button", "class": "outline secondary small"}, INVITATION)
    return el("p", {"class": "row"}, link)


def _direction(shown: str, job: Job, catalogue: Sequence[CapabilityInfo]) -> str | None:
    if shown == job.metric.name:
        return job.metric.direction
    known = capability_of(job, catalogue)
    return next((each.direction for each in known.metrics if each.name == shown), None) if known else None
