"""Collects what is wrong in a data file: the first faults in words, the others by number."""

from __future__ import annotations

from collections.abc import Sequence

from roundtab.errors import InvalidData, Problem

MAX_PROBLEMS = 20


class Faults:
    """What is wrong in the rows of one file."""

    def __init__(self, path: str, action: str = "Correct the file and its manifest.") -> None:
        self._path = path
        self._action = action
        self._first: list[Problem] = []
        self._count = 0

    def __len__(self) -> int:
        """How many there are."""
        return self._count

    def add(self, row: int, faults: Sequence[str]) -> None:
        """Note faults of a row; row 0 is the file as a whole."""
        for fault in faults:
            self._count += 1
            if len(self._first) < MAX_PROBLEMS:
                where = f"Row {row:,}: " if row else ""
                self._first.append(Problem(path=self._path, problem=f"{where}{fault}", action=self._action))

    def more(self, count: int) -> None:
        """Count faults that are not told in words."""
        self._count += count

    def raise_if_any(self) -> None:
        """Raise `InvalidData` if anything was noted."""
        if not self._count:
            return
        more = self._count - len(self._first)
        listed = [*self._first]
        if more:
            listed.append(
                Problem(path=self._path, problem=f"{more:,} more problems follow.", action="Correct these first.")
            )
        raise InvalidData(
            f"{self._path} has {self._count:,} problem{'s' if self._count > 1 else ''} in its content.",
            "Correct the file, then make its manifest again.",
            listed,
        )
