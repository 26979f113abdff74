"""A perceptron computes what its weights say, descends on the right gradient, and goes over every row."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from nn.differences import numeric, random

from roundtab.nn import perceptron
from roundtab.nn.kernels import Array
from roundtab.nn.losses import squared_error
from roundtab.nn.optimizers import make_optimizer
from roundtab.nn.perceptron import Descent, backward, batches, forward, perceptron_init, stretches

LABELS = random(5)
RNG = np.random.default_rng(1)


def weights_of(hidden: int) -> dict[str, Array]:
    """Random weights for 4 features and 1 output, none of them zero."""
    return {name: random(*array.shape) for name, array in perceptron_init(RNG, 4, hidden, 1).items()}


class Pull(NamedTuple):
    """A loss whose gradient is zero everywhere."""

    grad: Array


def flat(outputs: Array, labels: npt.NDArray[Any]) -> Pull:
    """What teaches nothing."""
    return Pull(np.zeros_like(outputs))


def test_without_a_hidden_layer_it_has_one_weight_for_each_input_and_output() -> None:
    """All zero, so nothing is preferred at first."""
    weights = perceptron_init(RNG, 4, 0, 3)
    assert {name: array.shape for name, array in weights.items()} == {"output/weight": (4, 3), "output/bias": (3,)}
    assert not any(array.any() for array in weights.values())


def test_a_hidden_layer_starts_at_random_and_the_outputs_at_zero() -> None:
    """The generator decides every number; all are float32."""
    weights, again = (perceptron_init(np.random.default_rng(7), 4, 6, 3) for _ in range(2))
    assert weights["hidden/weight"].shape == (4, 6)
    assert weights["output/weight"].shape == (6, 3)
    assert weights["hidden/weight"].all()
    assert not forward(weights, random(5, 4))[1].any()
    assert {array.dtype for array in weights.values()} == {np.dtype(np.float32)}
    assert all(np.array_equal(weights[name], again[name]) for name in weights)


@pytest.mark.parametrize("hidden", [0, 6])
def test_the_gradients_of_all_weights_are_right(hidden: int) -> None:
    """With and without a hidden layer, compared with finite differences."""
    x, weights = random(5, 4), weights_of(hidden)

    def loss_at(name: str, value: npt.NDArray[Any]) -> float:
        at: dict[str, npt.NDArray[Any]] = weights | {name: value}
        inner = np.maximum(x @ at["hidden/weight"] + at["hidden/bias"], 0) if hidden else x
        errors = (inner @ at["output/weight"] + at["output/bias"])[:, 0] - LABELS
        return float((errors**2).mean())

    into_outputs, outputs = forward(weights, x)
    grads = {name: np.empty_like(value) for name, value in weights.items()}
    backward(weights, x, into_outputs, squared_error(outputs, LABELS).grad, grads)
    for name, value in weights.items():
        expected = numeric(lambda at, name=name: loss_at(name, at), value)  # type: ignore[misc]
        np.testing.assert_allclose(grads[name], expected, rtol=5e-3, atol=1e-3, err_msg=name)


def test_a_step_goes_down_the_gradient_and_leaves_the_given_weights_alone() -> None:
    """What it returns is the loss before the step."""
    weights = weights_of(6)
    before = {name: array.tobytes() for name, array in weights.items()}
    descent = Descent(weights, make_optimizer("sgd", 0.01, {}), 0.0)
    told = [descent.step(random(5, 4), LABELS, squared_error).squares for _ in range(3)]
    assert told == sorted(told, reverse=True)
    assert told[0] == squared_error(forward(weights, random(5, 4))[1], LABELS).squares
    assert {name: array.tobytes() for name, array in weights.items()} == before
    assert descent.weights.keys() == weights.keys()


@pytest.mark.parametrize("hidden", [0, 6])
def test_weight_decay_draws_weights_and_not_biases_towards_zero(hidden: int) -> None:
    """By rate times decay with every step where the loss pulls nowhere."""
    weights = weights_of(hidden)
    descent = Descent(weights, make_optimizer("sgd", 0.1, {}), 0.5)
    descent.step(random(5, 4), LABELS, flat)
    for name, array in descent.weights.items():
        np.testing.assert_allclose(array, weights[name] * (1 if name.endswith("bias") else 0.95), rtol=1e-6)


def test_every_epoch_has_each_row_once_in_an_order_of_its_own() -> None:
    """The last batch of an epoch is what is left."""
    found = list(batches(10, 4, 2, np.random.default_rng(3)))
    assert [len(each) for each in found] == [4, 4, 2, 4, 4, 2]
    first, second = np.concatenate(found[:3]), np.concatenate(found[3:])
    assert sorted(first) == sorted(second) == list(range(10))
    assert first.tolist() != second.tolist()


def test_stretches_cover_all_rows_and_are_short_for_large_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that no step of an evaluation holds a worker up."""
    small, large = {"w": np.zeros(10, np.float32)}, {"w": np.zeros(20_000, np.float32)}
    assert [(part.start, part.stop) for part in stretches(1_500, small)] == [(0, 1_024), (1_024, 1_500)]
    assert next(stretches(1_500, large)).stop == 100
    monkeypatch.setattr(perceptron, "MULTIPLICATIONS", 1)
    parts = [(part.start, part.stop) for part in stretches(40, small)]
    assert parts == [(0, 16), (16, 32), (32, 40)]
