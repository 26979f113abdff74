"""Whether data fits a model, and held-out data the training data: both sides are told, each with its number.

The engine asks before it makes a job, the page as soon as the files are read, so that nobody has to try.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from roundtab.records.capabilities import CapabilityInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class DataForm:
    """What the numbers of a data set look like."""

    feature_names: tuple[str, ...]
    classes: tuple[str, ...]
    """Empty where the labels are quantities."""
    rows: int
    classes_present: int
    """Classes that some row is of."""


Fault = tuple[str, str]
"""What does not fit, and what to do."""


def misfits(info: CapabilityInfo, *, features: int, classes: int) -> Iterator[Fault]:
    """What keeps the model from training on data with so many features and classes."""
    fit = info.fit
    if not fit.min_features <= features <= fit.max_features:
        wanted = _between(fit.min_features, fit.max_features, "feature", "features")
        yield f"{info.title} takes {wanted}; the data has {features:,}.", "Choose other columns in fl:features."
    if fit.label == "number" and classes:
        problem = f"{info.title} predicts a number; the manifest lists {classes:,} classes for the label."
        yield problem, "Take fl:classes out of the manifest, or choose a classifier."
    elif fit.label == "class" and not classes:
        problem = f"{info.title} predicts a class; the manifest lists none for the label."
        yield problem, "List them in fl:classes, or choose a model that predicts numbers."
    elif fit.label == "class" and not fit.min_classes <= classes <= fit.max_classes:
        wanted = _between(fit.min_classes, fit.max_classes, "class", "classes")
        yield f"{info.title} takes {wanted}; the manifest lists {classes:,}.", "Correct fl:classes."


def training_faults(data: DataForm, info: CapabilityInfo) -> Iterator[Fault]:
    """What keeps the model from training on `data`."""
    yield from misfits(info, features=len(data.feature_names), classes=len(data.classes))
    if data.classes and data.classes_present < 2:
        yield "Every row is of the same class; two at least are needed.", "Add rows of other classes."


def held_out_faults(
    data: DataForm, feature_names: tuple[str, ...], classes: tuple[str, ...], other: str = "the training data"
) -> Iterator[Fault]:
    """What keeps `data` from being used with other data, which has these features and classes and is called `other`."""
    mine, theirs = len(data.feature_names), len(feature_names)
    action = "Give validation data with the same columns in the same order."
    if mine != theirs:
        yield f"It has {_count(mine, 'feature', 'features')}, {other} has {theirs:,}.", action
    elif data.feature_names != feature_names:
        pairs = zip(data.feature_names, feature_names, strict=True)
        number, (own, theirs_named) = next((n, pair) for n, pair in enumerate(pairs, start=1) if pair[0] != pair[1])
        yield f"Feature {number:,} is {own[:60]!r}; in {other} it is {theirs_named[:60]!r}.", action
    mine, theirs = len(data.classes), len(classes)
    action = "Give validation data with the same classes in the same order."
    if mine != theirs:
        yield f"It has {_count(mine, 'class', 'classes')}, {other} has {theirs:,}.", action
    elif data.classes != classes:
        pairs = zip(data.classes, classes, strict=True)
        number, (own, theirs_named) = next((n, pair) for n, pair in enumerate(pairs) if pair[0] != pair[1])
        yield f"Class {number:,} is {own[:60]!r}; in {other} it is {theirs_named[:60]!r}.", action


def _between(least: int, most: int, one: str, many: str) -> str:
    if least == most:
        return f"exactly {_count(least, one, many)}"
    return f"{least:,} to {most:,} {many}"


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
