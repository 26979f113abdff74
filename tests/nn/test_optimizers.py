"""Optimizers follow their papers, in place."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from roundtab.errors import InvalidData
from roundtab.nn.optimizers import make_optimizer

GRADIENTS = [np.array(each, np.float32) for each in ([1.0, -2.0], [0.5, 0.5], [-1.0, 3.0], [0.0, 1e-3])]
START = np.array([1.0, 2.0], np.float32)


def run(name: str, rate: float, options: dict[str, float]) -> npt.NDArray[np.float32]:
    """The weights after a step for each of the gradients."""
    weights = START.copy()
    optimizer = make_optimizer(name, rate, options)
    for gradient in GRADIENTS:
        optimizer.step(weights, gradient.copy())
    assert weights.dtype == np.float32
    return weights


@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_sgd_follows_its_velocity(momentum: float) -> None:
    """The rule is v ← momentum · v + g, w ← w − rate · v; without momentum the plain gradient."""
    weights, velocity = START.astype(np.float64), np.zeros(2)
    for gradient in GRADIENTS:
        velocity = momentum * velocity + gradient
        weights = weights - 0.1 * velocity
    np.testing.assert_allclose(run("sgd", 0.1, {"momentum": momentum}), weights, rtol=1e-5)


@pytest.mark.parametrize("options", [{}, {"beta1": 0.5, "beta2": 0.9, "epsilon": 1e-3}])
def test_adam_follows_algorithm_1_of_its_paper(options: dict[str, float]) -> None:
    """With both bias corrections."""
    beta1, beta2, epsilon = (options.get(k, d) for k, d in (("beta1", 0.9), ("beta2", 0.999), ("epsilon", 1e-8)))
    weights, mean, square = START.astype(np.float64), np.zeros(2), np.zeros(2)
    for step, gradient in enumerate(GRADIENTS, start=1):
        wide = gradient.astype(np.float64)
        mean = beta1 * mean + (1 - beta1) * wide
        square = beta2 * square + (1 - beta2) * wide**2
        weights = weights - 0.01 * (mean / (1 - beta1**step)) / (np.sqrt(square / (1 - beta2**step)) + epsilon)
    np.testing.assert_allclose(run("adam", 0.01, options), weights, rtol=1e-5)


def test_sgd_without_options_has_no_momentum() -> None:
    """Its usual value is 0."""
    np.testing.assert_array_equal(run("sgd", 0.1, {}), run("sgd", 0.1, {"momentum": 0.0}))


@pytest.mark.parametrize(
    ("name", "options", "paths"),
    [
        ("sgd", {"momentun": 0.9}, ["momentun"]),
        ("sgd", {"momentum": 1.0}, ["momentum"]),
        ("sgd", {"momentum": -0.1}, ["momentum"]),
        ("sgd", {"momentum": float("nan")}, ["momentum"]),
        ("adam", {"momentum": 0.9, "beta1": 2.0, "epsilon": 1e-8}, ["momentum", "beta1"]),
        ("adam", {"epsilon": float("inf")}, ["epsilon"]),
    ],
)
def test_options_that_an_optimizer_lacks_or_out_of_range_are_refused(
    name: str, options: dict[str, float], paths: list[str]
) -> None:
    """All of them at once, each with its path in the job's specification."""
    with pytest.raises(InvalidData) as caught:
        make_optimizer(name, 0.1, options)
    assert [each.path for each in caught.value.problems] == [
        f"$.spec.trainer.optimizer_options.{each}" for each in paths
    ]


def test_an_unknown_optimizer_is_refused_with_those_that_there_are() -> None:
    """The action lists them."""
    with pytest.raises(InvalidData) as caught:
        make_optimizer("lion", 0.1, {})
    assert caught.value.action == "Choose one of sgd, adam."
