"""Whether data fits a model: what the model declares it takes, against what the data is; both numbers are told."""

from __future__ import annotations

from collections.abc import Iterator

from roundtab.data.dataset import Dataset
from roundtab.records.capabilities import CapabilityInfo


def misfits(data: Dataset, info: CapabilityInfo) -> Iterator[tuple[str, str]]:
    """What keeps the model from training on `data`, each as (problem, action)."""
    fit, features, classes = info.fit, data.features.shape[1], len(data.classes)
    if not fit.min_features <= features <= fit.max_features:
        wanted = _between(fit.min_features, fit.max_features, "feature")
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
    elif classes and (data.labels == data.labels[0]).all():
        only = data.classes[int(data.labels[0])]
        yield f"Every row is of the class {only[:60]!r}; two at least are needed.", "Add rows of other classes."


def _between(least: int, most: int, noun: str, nouns: str | None = None) -> str:
    nouns = nouns or f"{noun}s"
    if least == most:
        return f"exactly {least:,} {noun if least == 1 else nouns}"
    return f"{least:,} to {most:,} {nouns}"
