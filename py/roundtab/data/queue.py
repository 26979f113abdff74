"""The queue of a job: which rows are trained when, decided by a seed alone.

Pass p over the data is the permutation drawn from (seed, p), cut into items of `batch_size` rows (the last one may be
shorter). Items that were given back are drawn again before others. So the state, four small values, decides every item
still to come, and a queue restored from it draws exactly what an uninterrupted one would have drawn.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from roundtab.errors import InternalError, InvalidData
from roundtab.records.rounds import QueueState


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A piece of work: the row numbers of one batch. `id` is `pass:index`."""

    id: str
    rows: npt.NDArray[np.int64]


class Queue:
    """Items of `rows` rows in batches of `batch_size`, from `state` on.

    Raises `InvalidData` if the state does not fit.
    """

    def __init__(self, rows: int, batch_size: int, state: QueueState) -> None:
        if rows < 1 or batch_size < 1:
            raise InvalidData("There are no rows to train on.", "Choose data with at least one row.")
        self._rows = rows
        self._batch_size = batch_size
        self._seed = state.seed
        self._pass = state.pass_
        self._position = state.position
        self._permutations: dict[int, npt.NDArray[np.int64]] = {}
        if self._pass < 0 or not 0 <= self._position <= self.items_per_pass:
            raise InvalidData(
                f"The queue state stands at item {self._position} of {self.items_per_pass}.",
                "Use the data and the batch size that the state was saved with, or start with a fresh queue.",
            )
        self._returned = sorted(self._key(id_) for id_ in state.returned)

    @property
    def items_per_pass(self) -> int:
        """Items that cover every row once."""
        return -(-self._rows // self._batch_size)

    @property
    def state(self) -> QueueState:
        """Where the queue stands now."""
        return QueueState(
            seed=self._seed,
            pass_=self._pass,
            position=self._position,
            returned=tuple(f"{number}:{index}" for number, index in self._returned),
        )

    def draw(self, count: int) -> list[Item]:
        """The next `count` items: returned ones first, oldest first; past the end of a pass the next one begins."""
        keys, self._returned = self._returned[:count], self._returned[count:]
        while len(keys) < count:
            if self._position == self.items_per_pass:
                self._pass, self._position = self._pass + 1, 0
            keys.append((self._pass, self._position))
            self._position += 1
        return [self._item(*key) for key in keys]

    def give_back(self, items: Iterable[Item]) -> None:
        """Return items that were drawn but not trained. Their order does not matter: older ones are drawn first."""
        self._returned = sorted({*self._returned, *(self._key(item.id) for item in items)})

    def item(self, id_: str) -> Item:
        """The item of this id, which was drawn from this queue at some time."""
        return self._item(*self._key(id_))

    def _key(self, id_: str) -> tuple[int, int]:
        number, _, index = id_.partition(":")
        if not (number.isdecimal() and index.isdecimal()):
            raise InvalidData(f"{id_[:40]!r} is not an item of this queue.", "Give an id that the queue drew.")
        key = (int(number), int(index))
        if key[1] >= self.items_per_pass:
            raise InvalidData(
                f"The item {id_} is beyond the {self.items_per_pass} items of a pass.",
                "Use the data and the batch size that the queue began with, or start with a fresh queue.",
            )
        if key >= (self._pass, self._position):
            raise InternalError(f"The item {id_} was never drawn.", "Report this with the log of the job.")
        return key

    def _item(self, number: int, index: int) -> Item:
        permutation = self._permutations.get(number)
        if permutation is None:
            permutation = np.random.default_rng([self._seed, number]).permutation(self._rows)
            # Items come from this pass and, where some were given back, from the one before: two are enough.
            for old in sorted(self._permutations)[:-1]:
                del self._permutations[old]
            self._permutations[number] = permutation
        start = index * self._batch_size
        return Item(id=f"{number}:{index}", rows=permutation[start : start + self._batch_size])
