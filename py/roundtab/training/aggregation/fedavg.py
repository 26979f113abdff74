"""Federated averaging: the mean of the participants' weights, each weighted by its number of examples.

McMahan, Moore, Ramage, Hampson and Agüera y Arcas, «Communication-Efficient Learning of Deep Networks from
Decentralized Data», AISTATS 2017, arXiv 1602.05629, algorithm 1.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from roundtab.errors import InvalidData


class FedAvg:
    """A running weighted mean. It holds one sum, however many participants there are.

    Sums are float64 and built in the order of `add`, so the same updates in the same order give the same bits.
    """

    def __init__(self) -> None:
        self._sums: dict[str, npt.NDArray[np.float64]] = {}
        self._count = 0

    def add(self, weights: Mapping[str, npt.NDArray[np.float32]], count: int) -> None:
        """Add the weights that a participant trained on `count` examples.

        Raises `InvalidData`, and adds nothing, where names or shapes differ from the first update or `count` is
        negative.
        """
        if count < 0:
            raise InvalidData(f"An update says that it comes from {count} examples.", "Send the number of examples.")
        if not self._sums:
            self._sums = {name: np.zeros(array.shape, np.float64) for name, array in weights.items()}
        if {name: array.shape for name, array in weights.items()} != {n: a.shape for n, a in self._sums.items()}:
            raise InvalidData(
                "An update has other tensors than the first one of its round.",
                "Send the tensors that the task came with, in the same shapes.",
            )
        for name, total in self._sums.items():
            total += np.multiply(weights[name], count, dtype=np.float64)
        self._count += count

    def result(self) -> dict[str, npt.NDArray[np.float32]]:
        """The mean. Raises `InvalidData` where no update, or none with examples, was added."""
        if not self._count:
            raise InvalidData("There is nothing to average: the updates come from no examples.", "Train on data first.")
        return {name: (total / self._count).astype(np.float32) for name, total in self._sums.items()}
