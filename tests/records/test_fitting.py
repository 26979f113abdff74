"""Data fits a model or it is said why not, with both numbers."""

from __future__ import annotations

from typing import Any

import pytest

from roundtab.records.capabilities import CapabilityInfo, Fit
from roundtab.records.fitting import DataForm, held_out_faults, misfits, training_faults
from roundtab.records.jobs import Metric


def info(**fit: Any) -> CapabilityInfo:
    """A capability that takes such data."""
    return CapabilityInfo(
        name="model", version="1.0.0", sha256="0" * 64, title="Model", trainer_type="supervised", inputs="table",
        fit=Fit(**fit), metrics=(Metric(name="loss", direction="minimize"),), work_unit="samples",
        evaluation="dataset", parameters=(), inference=(), requirements=(), defaults={},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("fit", "features", "classes", "problem"),
    [
        ({}, 1, 2, None),
        ({"label": "number"}, 1, 0, None),
        ({"max_features": 10}, 11, 2, "Model takes 1 to 10 features; the data has 11."),
        ({"min_features": 64, "max_features": 64}, 13, 2, "Model takes exactly 64 features; the data has 13."),
        ({"min_features": 1, "max_features": 1}, 2, 2, "Model takes exactly 1 feature; the data has 2."),
        ({"max_classes": 2}, 1, 3, "Model takes exactly 2 classes; the manifest lists 3."),
        ({"max_classes": 9}, 1, 10, "Model takes 2 to 9 classes; the manifest lists 10."),
        ({}, 1, 0, "Model predicts a class; the manifest lists none for the label."),
        ({"label": "number"}, 1, 3, "Model predicts a number; the manifest lists 3 classes for the label."),
    ],
)
def test_what_a_model_does_not_take_is_told(fit: dict[str, Any], features: int, classes: int, problem: str) -> None:
    """Once, and with something to do."""
    found = list(misfits(info(**fit), features=features, classes=classes))
    assert [each for each, _ in found] == ([problem] if problem else [])
    assert all(action for _, action in found)


def form(features: str = "ab", classes: tuple[str, ...] = ("no", "yes"), present: int = 2) -> DataForm:
    """A data set of ten rows; its features have names of one letter."""
    return DataForm(feature_names=tuple(features), classes=classes, rows=10, classes_present=present)


def test_rows_of_one_class_teach_nothing() -> None:
    """However many the manifest lists."""
    assert not list(training_faults(form(), info()))
    assert [each for each, _ in training_faults(form(present=1), info())] == [
        "Every row is of the same class; two at least are needed."
    ]
    assert not list(training_faults(form(classes=(), present=0), info(label="number")))


@pytest.mark.parametrize(
    ("held_out", "problems"),
    [
        (form(present=1), []),
        (form("abc"), ["It has 3 features, the training data has 2."]),
        (form("a"), ["It has 1 feature, the training data has 2."]),
        (form("ba"), ["Feature 1 is 'b'; in the training data it is 'a'."]),
        (form(classes=("no", "yes", "x")), ["It has 3 classes, the training data has 2."]),
        (form(classes=("no", "x")), ["Class 1 is 'x'; in the training data it is 'yes'."]),
        (
            form("ax", ()),
            ["Feature 2 is 'x'; in the training data it is 'b'.", "It has 0 classes, the training data has 2."],
        ),
    ],
)
def test_held_out_data_has_the_form_of_the_training_data(held_out: DataForm, problems: list[str]) -> None:
    """The first difference is named; that rows of some class are missing does no harm."""
    assert [each for each, _ in held_out_faults(held_out, ("a", "b"), ("no", "yes"))] == problems
