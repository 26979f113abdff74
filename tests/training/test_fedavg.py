"""Federated averaging is the mean weighted by examples, whatever the number of participants."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtab.errors import InvalidData
from roundtab.training.aggregation.fedavg import FedAvg


def weights(*values: float) -> dict[str, npt.NDArray[np.float32]]:
    """A vector and a scalar."""
    return {"w": np.array(values, np.float32), "s": np.array(values[0], np.float32)}


def test_each_update_counts_as_much_as_its_examples() -> None:
    """300 examples weigh three times as much as 100."""
    mean = FedAvg()
    mean.add(weights(1.0, 2.0), 100)
    mean.add(weights(5.0, 6.0), 300)
    result = mean.result()
    assert result["w"].tolist() == [4.0, 5.0]
    assert result["s"].shape == ()
    assert {array.dtype for array in result.values()} == {np.dtype(np.float32)}


@given(
    st.lists(
        st.tuples(st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3), st.integers(0, 10_000)),
        min_size=1,
        max_size=20,
    ).filter(lambda updates: any(count for _, count in updates))
)
def test_the_mean_is_that_of_numpy(updates: list[tuple[list[float], int]]) -> None:
    """To the last digits of float32."""
    mean = FedAvg()
    for values, count in updates:
        mean.add(weights(*values), count)
    stacked = np.array([values for values, _ in updates], np.float32).astype(np.float64)
    expected = np.average(stacked, axis=0, weights=[count for _, count in updates])
    np.testing.assert_allclose(mean.result()["w"], expected, rtol=1e-6, atol=1e-6)


def test_the_same_updates_in_the_same_order_give_the_same_bits() -> None:
    """So a run can be repeated exactly."""
    rng = np.random.default_rng(1)
    updates = [({"w": rng.standard_normal(100, np.float32)}, int(rng.integers(1, 50))) for _ in range(7)]

    def result() -> bytes:
        mean = FedAvg()
        for update, count in updates:
            mean.add(update, count)
        return mean.result()["w"].tobytes()

    assert result() == result()


def test_one_update_comes_out_as_it_went_in() -> None:
    """A single participant trains as if it were alone."""
    mean = FedAvg()
    update = {"w": np.random.default_rng(2).standard_normal(1_000, np.float32)}
    mean.add(update, 37)
    assert mean.result()["w"].tobytes() == update["w"].tobytes()


def test_adding_changes_no_update_and_keeps_only_one_sum() -> None:
    """The caller may use its arrays again at once, and memory does not grow with the participants."""
    mean = FedAvg()
    update = weights(1.0, 2.0)
    for _ in range(3):
        mean.add(update, 1)
        update["w"] += 0
    assert update["w"].tolist() == [1.0, 2.0]
    update["w"][:] = 99
    assert mean.result()["w"].tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    "update",
    [
        {"w": np.zeros(3, np.float32), "s": np.float32(0)},
        {"w": np.zeros(2, np.float32)},
        weights(1.0, 2.0) | {"x": np.zeros(1)},
    ],
)
def test_updates_with_other_tensors_are_refused_and_change_nothing(update: dict[str, npt.NDArray[np.float32]]) -> None:
    """Broadcasting would make nonsense of them silently."""
    mean = FedAvg()
    mean.add(weights(1.0, 2.0), 1)
    with pytest.raises(InvalidData, match="other tensors"):
        mean.add({name: np.asarray(array) for name, array in update.items()}, 1)
    assert mean.result()["w"].tolist() == [1.0, 2.0]


def test_a_negative_count_is_refused() -> None:
    """It would turn the mean around."""
    with pytest.raises(InvalidData, match="-1 examples"):
        FedAvg().add(weights(1.0), -1)


def test_without_examples_there_is_no_mean() -> None:
    """Neither of no updates nor of empty ones."""
    mean = FedAvg()
    with pytest.raises(InvalidData, match="nothing to average"):
        mean.result()
    mean.add(weights(1.0), 0)
    with pytest.raises(InvalidData, match="nothing to average"):
        mean.result()
