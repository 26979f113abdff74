"""What tables of one dataset have in common: columns with their types, the label with its classes, the features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from roundtab.data.making.guessing import FEW, MAX_CLASSES, Column, LabelColumn, Place, guess_label, lookalikes
from roundtab.data.manifests.schema import MAX_CLASS_NAME
from roundtab.errors import Problem

CELLS = 16_384
"""Cells looked at in one step, at most 256 rows of them: a few milliseconds in a browser."""


class Draft:
    """What is known of the columns so far. `add` it the rows of every table, then ask for its `members`."""

    def __init__(self, path: str, names: Sequence[str], label: str | None) -> None:
        """`path` is the first table, `names` are its columns; `label` is the one to predict, or None to tell it."""
        self.names = [*names]
        self.path = path
        self._asked = label is not None
        chosen = label if label is not None else guess_label(names)
        self._label = LabelColumn(chosen)
        self._columns: list[Column] = [self._label if name == chosen else Column(name) for name in names]
        self.step = max(1, min(256, CELLS // len(names)))
        """Rows to be added at a time."""

    def add(self, rows: Sequence[Sequence[str]], path: str, number: int) -> None:
        """Look at rows that have a cell for each column; `number` is that of the first one."""
        for column, cells in zip(self._columns, zip(*rows, strict=True), strict=True):
            column.add(cells, path, number)

    def differences(self, names: Sequence[str]) -> str:
        """How another table's columns differ from these, in words; empty where they do not."""
        if [*names] == self.names:
            return ""
        if len(names) != len(self.names):
            return f"It has {len(names):,} columns; {self.path} has {len(self.names):,}."
        number, mine, theirs = next(
            (i, mine, theirs)
            for i, (mine, theirs) in enumerate(zip(names, self.names, strict=True), 1)
            if mine != theirs
        )
        return f"Its column {number} is called {mine[:60]!r}; that of {self.path} is called {theirs[:60]!r}."

    def members(self) -> dict[str, Any]:
        """The members of every table's resource that say what its columns are."""
        fields = [{"name": each.name, "type": each.type} for each in self._columns]
        members: dict[str, Any] = {"schema": {"fields": fields}}
        words = {word for each in self._columns if each.type != "string" for word in each.words}
        if words:
            members["schema"]["missingValues"] = ["", *sorted(words)]
        members["fl:label"] = self._label.name
        classes = self._label.classes()
        if classes is not None:
            members["fl:classes"] = [*classes]
        features = [each.name for each in self._features() if not _unfit(each)]
        if len(features) < len(self._columns) - 1:
            members["fl:features"] = features
        return members

    def problems(self) -> list[Problem]:
        """What keeps any model from being trained on these columns."""
        found = [label] if (label := self._label_problem()) else []
        features = self._features()
        if all(_unfit(each) for each in features):
            problem = "There is no column of numbers to predict from"
            problem += f": {_unfit(features[0])}" if features else "."
            action = "Write the data as numbers, in columns beside the label."
            found.append(Problem(path=self.path, problem=problem, action=action))
        return found

    def _label_problem(self) -> Problem | None:
        label, called = self._label, f"The label {self._label.name[:60]!r}"
        if missing := label.blank or (label.missing if label.type != "string" else None):
            action = "Fill it in, take the row out, or name another column as the label."
            return _at(missing, f"{called} is missing.", action)
        classes = label.classes()
        if classes is None and label.large:
            problem = f"{called}: {label.large[2][:60]!r} is too large for a 32-bit number."
            return _at(label.large, problem, "Correct it, or name another column as the label.")
        if classes is not None and len(classes) > MAX_CLASSES:
            problem = f"{called} has more than {MAX_CLASSES:,} different texts; they cannot be classes."
            return Problem(path=self.path, problem=problem, action="Name another column as the label.")
        if classes and max(map(len, classes)) > MAX_CLASS_NAME:
            problem = f"{called} has a text of more than {MAX_CLASS_NAME} characters; that is no class."
            return Problem(path=self.path, problem=problem, action="Name another column as the label.")
        return None

    def notes(self) -> list[Problem]:
        """What was assumed."""
        left_out = [Problem(path=self.path, problem=unfit, action=_LEFT_OUT) for each in self._features()
                    if (unfit := _unfit(each))]  # fmt: skip
        return [self._label_note(), *self._class_notes(), *left_out]

    def _features(self) -> list[Column]:
        return [each for each in self._columns if each is not self._label]

    def _label_note(self) -> Problem:
        label, classes = self._label, self._label.classes()
        reason = (
            "" if self._asked else ", told from its name" if label is not self._columns[-1] else ", the last column"
        )
        if classes is None:
            what = "a quantity"
            action = "List its values in fl:classes if they are classes."
        else:
            what = f"one of {len(classes):,} classes" if len(classes) != 1 else "a single class, so nothing is learned"
            action = "Check that this is what is to be predicted; another column may be named as the label."
            if label.type == "integer":
                action = f"Take fl:classes out if it is a quantity; up to {FEW} whole numbers that repeat are classes."
        return Problem(path=self.path, problem=f"The label is {label.name[:60]!r}{reason}: {what}.", action=action)

    def _class_notes(self) -> list[Problem]:
        if not (pair := lookalikes(self._label.classes() or ())):
            return []
        problem = f"The label has {pair[0][:60]!r} and {pair[1][:60]!r}; they are taken as two classes."
        return [Problem(path=self.path, problem=problem, action="Write each class in one way if they are the same.")]


_LEFT_OUT = "Nothing is to be done, unless the column is to be predicted from; it is left out of fl:features."


def _unfit(column: Column) -> str:
    """Why a column is no feature, in words; empty where it is one."""
    called = f"Column {column.name[:60]!r}"
    if column.text:
        comma = " (write a point, not a comma)" if _is_decimal_comma(column.text[2]) else ""
        return f"{called} holds texts, as {_shown(column.text)}{comma}."
    if column.missing:
        return f"{called} has missing values, as {_shown(column.missing)}."
    if column.large:
        return f"{called} has numbers too large for 32 bits, as {_shown(column.large)}."
    return ""


def _is_decimal_comma(cell: str) -> bool:
    whole, comma, fraction = cell.strip().lstrip("+-").partition(",")
    return bool(comma) and whole.isdecimal() and fraction.isdecimal()


def _shown(place: Place) -> str:
    path, row, cell = place
    return f"{cell[:60]!r} in row {row:,} of {path}"


def _at(place: Place, problem: str, action: str) -> Problem:
    return Problem(path=place[0], problem=f"Row {place[1]:,}: {problem}", action=action)
