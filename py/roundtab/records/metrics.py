"""The metrics of a job record: series by committed round, and the scalars drawn from them."""

from __future__ import annotations

from collections.abc import Sequence

from roundtab.records.rounds import Round
from roundtab.records.values import Json

AXES = ("rounds", "steps", "epochs")


def metric_names(rounds: Sequence[Round]) -> list[str]:
    """Every metric that some round has, in the order in which they first appear."""
    return list(dict.fromkeys(name for each in rounds for name in each.metrics))


def series(rounds: Sequence[Round]) -> dict[str, list[float | None]]:
    """One list a key, one entry a round: the axes, each metric, and plain `accuracy` for `val_accuracy`.

    A missing value is None; NaN stays NaN.
    """
    columns: dict[str, list[float | None]] = {
        "rounds": [each.round for each in rounds],
        "steps": [each.steps for each in rounds],
        "epochs": [each.epochs for each in rounds],
    }
    for name in metric_names(rounds):
        columns[name] = [each.metrics.get(name) for each in rounds]
        if name == "val_accuracy":
            columns["accuracy"] = columns[name]
    return columns


def job_metrics(rounds: Sequence[Round]) -> dict[str, Json]:
    """The `metrics` of a job record: all series and the scalars that the run has."""
    if not rounds:
        return {}
    columns: dict[str, Json] = dict(series(rounds))
    columns["examples"] = sum(each.examples for each in rounds)
    losses = [value for value in columns.get("train_loss", []) if value is not None]
    if losses:
        columns["latest_train_loss"] = losses[-1]
        comparable = [value for value in losses if value == value]  # NaN differs from itself
        if comparable:
            columns["best_train_loss"] = min(comparable)
    evaluated = [value for value in columns.get("val_loss", []) if value is not None]
    if evaluated:
        columns["eval_loss"] = evaluated[-1]
    return columns
