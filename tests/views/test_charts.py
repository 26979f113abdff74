"""A chart is plain JSON, and a sentence says the same."""

from __future__ import annotations

import json
import math
from typing import Any

from roundtab.views.charts import Chart, metric_chart


def series(chart: Chart, name: str) -> Any:
    """The series with this name."""
    return next(each for each in chart.option["series"] if each["name"] == name)


def test_the_option_is_strict_json(make: Any) -> None:
    """NaN and Infinity are no JSON, so they must not get into it."""
    rounds = make.rounds(3, train_loss=math.nan, val_loss=-math.inf)
    json.dumps(metric_chart(rounds, "loss", 20, None).option, allow_nan=False)


def test_training_is_solid_with_circles_and_validation_dashed_with_squares(make: Any) -> None:
    """So that they differ without colour too."""
    chart = metric_chart(make.rounds(3), "accuracy", 20, 3)
    train, validation = series(chart, "training"), series(chart, "validation")
    assert (train["symbol"], train["lineStyle"]["type"], train["lineStyle"]["width"]) == ("circle", "solid", 2)
    assert (validation["symbol"], validation["lineStyle"]["type"]) == ("rect", [5, 3])
    assert train["lineStyle"]["color"] == "token:--rt-chart-train"
    assert validation["lineStyle"]["color"] == "token:--rt-chart-val"


def test_a_missing_value_and_no_number_are_gaps(make: Any) -> None:
    """A line through them would invent values."""
    rounds = make.rounds(2, val_loss=None) + make.rounds(3, train_loss=math.nan)[2:]
    chart = metric_chart(rounds, "loss", 20, None)
    assert series(chart, "validation")["data"][1] == [2, None]
    assert series(chart, "training")["data"][2] == [3, None]
    assert series(chart, "training")["connectNulls"] is False


def test_the_word_of_a_value_that_is_no_number_stands_at_its_round(make: Any) -> None:
    """A gap alone does not say whether the value is missing or NaN."""
    chart = metric_chart(make.rounds(3, train_loss=math.nan, val_loss=math.inf), "loss", 20, None)
    (mark,) = series(chart, "training")["markLine"]["data"]
    assert mark["xAxis"] == 3
    assert mark["label"]["formatter"] == "NaN / Infinity"


def test_the_best_round_and_the_one_in_progress_are_marked(make: Any) -> None:
    """The best one by a line with its number, the other by a band from the last round to it."""
    train = series(metric_chart(make.rounds(3), "accuracy", 20, 2, 4), "training")
    assert train["markLine"]["data"][0]["xAxis"] == 2
    assert train["markLine"]["data"][0]["label"]["formatter"] == "best: round 2"
    assert train["markArea"]["data"] == [[{"xAxis": 3}, {"xAxis": 4}]]


def test_the_words_at_the_best_round_stay_off_the_axis_and_inside_the_chart(make: Any) -> None:
    """At the edges they stand beside the line instead of around it."""
    for best, side in ((1, "left"), (10, "center"), (19, "right")):
        train = series(metric_chart(make.rounds(20), "accuracy", 20, best), "training")
        assert train["markLine"]["data"][0]["label"]["align"] == side


def test_without_validation_there_is_nothing_to_mark(make: Any) -> None:
    """No best round, no round in progress: no marks at all."""
    train = series(metric_chart(make.rounds(3, validation=False), "accuracy", 20, None), "training")
    assert "markLine" not in train
    assert "markArea" not in train


def test_the_axis_shows_the_whole_job(make: Any) -> None:
    """So the line grows into the chart instead of being squeezed from round to round."""
    axis = metric_chart(make.rounds(3), "accuracy", 20, 3).option["xAxis"]
    assert (axis["min"], axis["max"]) == (0, 20)


def test_many_rounds_have_no_points(make: Any) -> None:
    """Sixty points beside each other are a thick line."""
    assert series(metric_chart(make.rounds(60), "loss", 99, 1), "training")["showSymbol"] is True
    assert series(metric_chart(make.rounds(61), "loss", 99, 1), "training")["showSymbol"] is False


def test_the_label_says_what_the_chart_shows(make: Any) -> None:
    """First and last value of each line, and the best round."""
    assert metric_chart(make.rounds(4), "accuracy", 20, 4).label == (
        "Accuracy by round. Training rises from 0.800 in round 1 to 0.950 in round 4; "
        "validation rises from 0.750 in round 1 to 0.938 in round 4, best 0.938 in round 4."
    )
    assert metric_chart(make.rounds(1, validation=False), "loss", 20, None).label == (
        "Loss by round. Training is 1.000 in round 1."
    )
    assert "1 value is not a number" in metric_chart(make.rounds(3, train_loss=math.nan), "loss", 20, None).label
    assert metric_chart((), "loss", 20, None).label == "Loss by round. No values yet."


def test_the_node_carries_option_and_label(make: Any, read: Any) -> None:
    """charts.js reads the one, a screen reader the other."""
    chart = metric_chart(make.rounds(2), "loss", 20, 2)
    found = read(chart.node).one("div", class_="echart")
    assert json.loads(found["data-option"]) == chart.option
    assert (found["role"], found["aria-label"], found["data-chart"]) == ("img", chart.label, "loss")
