"""What is checked before arithmetic sees an update."""

from __future__ import annotations

import numpy as np
import pytest

from roundtab.errors import TrainingFailed
from roundtab.training.messages import Trained
from roundtab.training.updates import check_report, check_start, check_weights

MODEL = {"w": np.zeros((2, 3), np.float32), "b": np.zeros(3, np.float32)}


def report(**changes: int) -> Trained:
    """A report of round 2 over 8 examples."""
    return Trained(lease="a", metrics={}, **({"round": 2, "count": 8} | changes))


@pytest.mark.parametrize("count", [1, 8])
def test_a_report_counts_from_one_to_all_examples(count: int) -> None:
    """Some rows may be left out by the model."""
    check_report(report(count=count), round_number=2, handed_out=8)


@pytest.mark.parametrize("changes", [{"count": 0}, {"count": -1}, {"count": 9}, {"round": 1}, {"round": 3}])
def test_other_reports_are_refused_with_both_numbers(changes: dict[str, int]) -> None:
    """What it says and what it should say."""
    with pytest.raises(TrainingFailed, match=str(next(iter(changes.values())))):
        check_report(report(**changes), round_number=2, handed_out=8)


def test_weights_like_the_model_pass() -> None:
    """The order of names does not matter."""
    check_weights({"b": MODEL["b"], "w": MODEL["w"]}, MODEL)
    check_start(MODEL)


@pytest.mark.parametrize(
    ("weights", "problem"),
    [
        ({"w": MODEL["w"]}, r"missing \(\['b'\]\)"),
        (MODEL | {"x": MODEL["b"]}, r"unknown \(\['x'\]\)"),
        (MODEL | {"w": MODEL["w"].T}, r"w has the shape \(3, 2\), the model has \(2, 3\)"),
        (MODEL | {"b": np.zeros((3, 1), np.float32)}, "b has the shape"),
        (MODEL | {"b": np.zeros(3, np.float64)}, "b has the type float64"),
        (MODEL | {"b": np.array([1, np.nan, -np.inf], np.float32)}, "b has 2 values that are not finite"),
    ],
)
def test_weights_unlike_the_model_are_refused_in_words(weights: dict[str, np.ndarray], problem: str) -> None:
    """Which tensor, what is wrong, what was expected."""
    with pytest.raises(TrainingFailed, match=problem) as refused:
        check_weights(weights, MODEL)
    assert "drawn again" in refused.value.action
