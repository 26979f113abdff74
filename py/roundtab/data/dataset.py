"""A dataset in memory: numbers to predict from, and of each row its class or the quantity to predict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from roundtab.errors import InvalidData
from roundtab.records.fitting import DataForm

Labels: TypeAlias = npt.NDArray[np.int64] | npt.NDArray[np.float32]
"""[rows]: int64 numbers of classes, or float32 quantities."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """Rows of a table. `features` is float32 [rows, columns]; without `classes` the labels are quantities."""

    features: npt.NDArray[np.float32]
    labels: Labels
    feature_names: tuple[str, ...]
    classes: tuple[str, ...]

    @property
    def form(self) -> DataForm:
        """What its numbers look like."""
        return DataForm(
            feature_names=self.feature_names,
            classes=self.classes,
            rows=len(self.labels),
            classes_present=len(np.unique(self.labels)) if self.classes else 0,
        )

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.labels)


def concatenate(parts: Sequence[Dataset]) -> Dataset:
    """All rows of `parts`, in order.

    Raises `InvalidData` where they differ in columns or classes, or where there are none.
    """
    if not parts:
        raise InvalidData("There are no data files.", "Give at least one.")
    first = parts[0]
    for part in parts[1:]:
        if part.feature_names != first.feature_names or part.classes != first.classes:
            what = "columns" if part.feature_names != first.feature_names else "classes"
            raise InvalidData(
                f"The data files differ in their {what}.",
                "Give every file the same schema, fl:features, fl:label and fl:classes, in the same order.",
            )
    if len(parts) == 1:
        return first
    return Dataset(
        features=np.concatenate([part.features for part in parts]),
        labels=np.concatenate([part.labels for part in parts]),
        feature_names=first.feature_names,
        classes=first.classes,
    )
