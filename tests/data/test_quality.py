"""What is odd about usable data is told; ordinary data is not talked about."""

from __future__ import annotations

from typing import Any

import numpy as np

from roundtab.clock import SystemClock
from roundtab.data.dataset import Dataset
from roundtab.data.quality import oddities, shared_rows


def dataset(features: Any, labels: Any, classes: tuple[str, ...] = ("no", "yes")) -> Dataset:
    """A dataset with the columns a, b and so on."""
    rows = np.array(features, np.float32)
    return Dataset(
        features=rows,
        labels=np.array(labels, np.int64 if classes else np.float32),
        feature_names=tuple("abcdefgh"[: rows.shape[1]]),
        classes=classes,
    )


async def notes_of(data: Dataset) -> list[str]:
    """What is odd about `data`."""
    found = await oddities(data, SystemClock())
    assert all(action for _, action in found)
    return [told for told, _ in found]


async def test_ordinary_data_is_not_talked_about() -> None:
    """Neither classes nor quantities."""
    assert await notes_of(dataset([[1, 2], [3, 4], [5, 7], [9, 9]], [0, 1, 0, 1])) == []
    assert await notes_of(dataset([[1], [2]], [5, 5], ())) == []


async def test_constant_columns_are_named() -> None:
    """The first few of them."""
    assert await notes_of(dataset([[1, 2], [1, 3], [1, 4], [1, 5]], [0, 1, 0, 1])) == [
        "The same value stands in every row of the column 'a'."
    ]
    (told,) = await notes_of(dataset(np.ones((4, 8)), [0, 1, 0, 1]))
    assert told == "The same value stands in every row of the columns 'a', 'b', 'c', 'd', 'e' and 3 more."


async def test_whole_numbers_that_lose_digits_are_named() -> None:
    """Ids are the usual case; large fractions are not."""
    assert await notes_of(dataset([[2**24 + 2, 1e9 + 0.5], [7, 0.25], [8, 1], [9, 2]], [0, 1, 0, 1])) == [
        "Whole numbers beyond 16,777,216 lose their last digits in the column 'a'."
    ]


async def test_missing_rare_and_unbalanced_classes_are_told() -> None:
    """With the numbers."""
    rows = [[n] for n in range(44)]
    labels = [0] * 42 + [1, 1]
    assert await notes_of(dataset(rows, labels)) == ["The largest class has 42 rows, the smallest 2."]
    assert await notes_of(dataset(rows[:3], [0, 0, 1], ("no", "yes", "maybe"))) == [
        "There is no row of the class 'maybe'.",
        "There is one row only of the class 'yes'.",
    ]


async def test_held_out_rows_that_were_trained_on_are_counted() -> None:
    """A row is the same where its numbers and its label are."""
    train = dataset([[1, 2], [3, 4], [0, 0]], [0, 1, 0])
    assert await shared_rows(train, dataset([[1, 2], [3, 4], [2, 1]], [1, 0, 0]), SystemClock()) is None
    found = await shared_rows(train, dataset([[3, 4], [3, 4], [4, 3]], [1, 1, 1]), SystemClock())
    assert found
    assert found[0] == "2 validation rows are in the training data, too."
    found = await shared_rows(train, dataset([[0, 0]], [0]), SystemClock())
    assert found
    assert found[0] == "1 validation row is in the training data, too."


async def test_the_order_of_numbers_tells_rows_apart() -> None:
    """Thousands of random rows share none with others."""
    rng = np.random.default_rng(5)
    train, other = rng.integers(0, 9, (4_000, 8)), rng.integers(0, 9, (4_000, 8))
    known = {tuple(row) for row in train.tolist()}
    expected = sum(tuple(row) in known for row in other.tolist())
    labels = np.zeros(4_000)
    found = await shared_rows(dataset(train, labels), dataset(other, labels), SystemClock())
    assert (found is not None) == (expected > 0)
