"""The metrics panel."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

from roundtab.records.jobs import Metric
from roundtab.views.workspace.metrics import metrics_panel

RMSE = Metric(name="rmse", direction="minimize")


def panel(make: Any, read: Any, job: Any = None, **changes: Any) -> Any:
    """The panel of a job."""
    job = job or make.job()
    return read(metrics_panel(make.opened(job, **changes), job, (make.capability(),)))


def test_the_metric_that_decides_is_shown_first(make: Any, read: Any) -> None:
    """The others are a click away."""
    document = panel(make, read)
    assert document.one("h3").words == "Accuracy by round"
    buttons = document.all("button", data_action="metric.choose")
    assert [(each["data-metric"], each["aria-pressed"]) for each in buttons] == [
        ("accuracy", "true"),
        ("loss", "false"),
    ]


def test_a_chosen_metric_is_drawn(make: Any, read: Any) -> None:
    """A choice that this job does not have falls back to the one that decides."""
    assert panel(make, read, metric="loss").one(data_chart="loss")["id"] == "chart-metric"
    assert panel(make, read, metric="nonsense").one("h3").words == "Accuracy by round"


def test_the_words_tell_direction_and_best_round(make: Any, read: Any) -> None:
    """As the model declares them."""
    assert panel(make, read).one("figcaption").words == (
        "Higher is better, as the model declares. Round 4 is the best on validation data; "
        "training accuracy alone does not show quality on unseen examples."
    )
    words = panel(make, read, metric="loss").one("figcaption").words
    assert words.startswith(
        "Lower is better, as the model declares. Round 4 is the best on validation data by accuracy;"
    )


def test_the_direction_of_the_metric_decides_which_round_is_best(make: Any, read: Any) -> None:
    """With a loss to minimize, the smallest value wins."""
    rounds = make.rounds(4, val_loss=9.0)
    job = make.job(metric=Metric(name="loss", direction="minimize"))
    assert "Round 3 is the best" in panel(make, read, job, rounds=rounds).one("figcaption").words


def test_the_error_of_a_regressor_is_better_where_it_is_smaller(make: Any, read: Any) -> None:
    """In the words, and in the mark of the best round; an abbreviation is written as one."""
    rounds = tuple(
        replace(each, metrics={"train_rmse": value, "val_rmse": value + 2, "train_mae": 1.0, "val_mae": 1.0})
        for each, value in zip(make.rounds(4), (70.0, 56.0, 54.0, 55.0), strict=True)
    )
    job = make.job(metric=RMSE)
    document = panel(make, read, job, rounds=rounds)
    assert document.one("h3").words == "RMSE by round"
    assert [each.words for each in document.all("button", data_action="metric.choose")] == ["RMSE", "MAE"]
    assert document.one("figcaption").words == (
        "Lower is better, as the model declares. Round 3 is the best on validation data; "
        "training RMSE alone does not show quality on unseen examples."
    )
    assert "by RMSE; training MAE alone" in panel(make, read, job, rounds=rounds, metric="mae").words
    chart = document.one(data_chart="rmse")
    line, *_ = json.loads(chart["data-option"])["series"][0]["markLine"]["data"]
    assert (line["xAxis"], line["label"]["formatter"]) == (3, "best: round 3")
    assert (
        "validation falls from 72.000 in round 1 to 57.000 in round 4, best 56.000 in round 3." in chart["aria-label"]
    )


def test_without_validation_no_round_is_best(make: Any, read: Any) -> None:
    """And there is no validation line to explain."""
    document = panel(make, read, rounds=make.rounds(4, validation=False))
    assert document.one("figcaption").words == (
        "Higher is better, as the model declares. No validation data, so no round is marked best. "
        "Lower training loss alone does not establish quality on unseen examples."
    )
    assert document.one("ul", class_="legend").words == "training"


def test_without_validation_the_way_to_it_is_a_click_away(make: Any, read: Any) -> None:
    """For a model that can be evaluated; with validation values nobody is sent there."""
    rounds = make.rounds(4, validation=False)
    link = panel(make, read, rounds=rounds).one("a")
    assert (link.words, link["href"]) == ("Validate with a file", "#field-validate-round")
    assert not panel(make, read).all("a")
    opened = make.opened(rounds=rounds)
    mute = (make.capability(evaluation="none"),)
    assert not read(metrics_panel(opened, opened.job, mute)).all("a")


def test_values_that_are_no_numbers_are_not_called_missing(make: Any, read: Any) -> None:
    """There is validation data; it only shows nothing."""
    words = panel(make, read, make.job(1), rounds=make.rounds(1, val_accuracy=math.nan)).one("figcaption").words
    assert "No validation value is a number, so no round is marked best." in words
    assert "No validation data" not in words


def test_a_single_metric_needs_no_switch(make: Any, read: Any) -> None:
    """A switch with one position does nothing."""
    rounds = tuple(make.rounds(1, train_accuracy=None, val_accuracy=None))
    del rounds[0].metrics["train_accuracy"], rounds[0].metrics["val_accuracy"]
    assert not panel(make, read, rounds=rounds).all("button")


def test_the_round_in_progress_has_a_band_while_the_job_runs(make: Any, read: Any) -> None:
    """Not before and not after."""

    def band(job: Any) -> bool:
        option = json.loads(panel(make, read, job).one(data_chart="accuracy")["data-option"])
        return "markArea" in option["series"][0]

    assert band(make.job())
    assert not band(make.job(status="completed"))
    assert not band(make.job(20))


def test_no_metrics_yet_says_when_they_come(make: Any, read: Any) -> None:
    """Instead of an empty chart."""
    document = panel(make, read, make.job(0))
    assert "No metrics yet. They appear with the first committed round." in document.words
    assert not document.all(data_chart="accuracy")
