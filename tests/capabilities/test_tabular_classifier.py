"""The built-in classifier learns, and repeats itself exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from capabilities.tasks import CATALOGUE, finish, rounds_on, settings_of

from roundtab.capabilities.contract import Data, Evaluated, Inputs, Model, Trained
from roundtab.capabilities.definition import check_parameters
from roundtab.capabilities.tabular_classifier import model as classifier
from roundtab.nn import perceptron
from roundtab.records.spec import Parameter

INFO = CATALOGUE.info("tabular-classifier@1.0.0")
MODEL: Model = classifier
INPUTS = Inputs(features=4, classes=3)


def blobs(rows: int = 90, seed: int = 1) -> Data:
    """Three clouds of points that are easy to tell apart."""
    rng = np.random.default_rng(seed)
    labels = np.arange(rows, dtype=np.int64) % 3
    centres = np.array([[2, 0, 0, 0], [0, 2, 0, 0], [0, 0, 2, 0]], np.float32)
    return Data(features=centres[labels] + 0.5 * rng.standard_normal((rows, 4), np.float32), labels=labels)


def train(parameters: dict[str, Parameter], data: Data, seed: int = 1, **changes: Any) -> tuple[Trained, list[int]]:
    """Train from the beginning."""
    weights = MODEL.init(parameters, INPUTS, np.random.default_rng(0))
    return finish(MODEL.train(weights, data, settings_of(INFO, parameters, **changes), np.random.default_rng(seed)))


@pytest.mark.parametrize("hidden_units", [0, 8])
def test_the_model_learns_to_tell_clouds_apart(hidden_units: int) -> None:
    """With and without a hidden layer, and it reports what it did."""
    parameters = check_parameters(INFO, {"hidden_units": hidden_units})
    (weights, metrics, count), told = train(parameters, blobs(), local_epochs=10)
    assert count == 90, "each row once, however many epochs"
    assert told[-1] == 900
    assert told == sorted(told)
    assert set(metrics) == {"loss", "accuracy"}
    evaluated: Evaluated = finish(MODEL.evaluate(weights, blobs(seed=2)))[0]
    assert evaluated[0]["accuracy"] > 0.95
    assert evaluated[0]["loss"] < 0.3
    assert evaluated[1] == 90


def test_without_hidden_units_it_is_softmax_regression() -> None:
    """One weight for each feature and class, nothing else."""
    weights = MODEL.init(check_parameters(INFO, {"hidden_units": 0}), INPUTS, np.random.default_rng(1))
    assert {name: array.shape for name, array in weights.items()} == {"output/weight": (4, 3), "output/bias": (3,)}


def test_a_hidden_layer_adds_its_weights() -> None:
    """All of them float32, the hidden ones from the generator that was given."""
    parameters = check_parameters(INFO, {"hidden_units": 5})
    weights = MODEL.init(parameters, INPUTS, np.random.default_rng(1))
    assert weights["hidden/weight"].shape == (4, 5)
    assert weights["output/weight"].shape == (5, 3)
    assert {array.dtype for array in weights.values()} == {np.dtype(np.float32)}
    again = MODEL.init(parameters, INPUTS, np.random.default_rng(1))
    assert all(np.array_equal(weights[name], again[name]) for name in weights)


def test_an_untrained_model_finds_every_class_equally_likely() -> None:
    """Its loss is the logarithm of the number of classes."""
    weights = MODEL.init(check_parameters(INFO, {}), INPUTS, np.random.default_rng(1))
    (metrics, _), _ = finish(MODEL.evaluate(weights, blobs()))
    assert metrics["loss"] == pytest.approx(np.log(3), rel=1e-6)


def test_training_changes_nothing_that_it_was_given() -> None:
    """Several trainers in one interpreter may share weights and rows."""
    parameters = check_parameters(INFO, {"hidden_units": 8})
    weights, data = MODEL.init(parameters, INPUTS, np.random.default_rng(0)), blobs()
    arrays: list[npt.NDArray[Any]] = [*weights.values(), data.features, data.labels]
    before = [array.tobytes() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    finish(MODEL.train(weights, data, settings_of(INFO, parameters), np.random.default_rng(1)))
    finish(MODEL.evaluate(weights, data))
    assert before == [array.tobytes() for array in arrays]


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_the_same_seed_gives_the_same_bits(optimizer: str) -> None:
    """And another one does not: the batches are shuffled by it."""
    parameters = check_parameters(INFO, {"hidden_units": 8})
    options: dict[str, Any] = {"optimizer": optimizer, "optimizer_options": {}}

    def bits(seed: int) -> list[bytes]:
        return [array.tobytes() for array in train(parameters, blobs(), seed, **options)[0][0].values()]

    assert bits(1) == bits(1)
    assert bits(1) != bits(2)


def test_weight_decay_draws_weights_and_not_biases_towards_zero() -> None:
    """On rows that carry no information, only the weights shrink."""
    data = Data(features=np.zeros((64, 4), np.float32), labels=np.zeros(64, np.int64))
    start = {"output/weight": np.ones((4, 3), np.float32), "output/bias": np.array([50, 0, 0], np.float32)}
    parameters = check_parameters(INFO, {"hidden_units": 0, "weight_decay": 1.0})
    settings = settings_of(INFO, parameters, optimizer_options={}, learning_rate=0.1)
    (weights, _, _), _ = finish(MODEL.train(start, data, settings, np.random.default_rng(1)))
    np.testing.assert_allclose(weights["output/weight"], 0.9**2 * np.ones((4, 3)), rtol=1e-5)
    np.testing.assert_allclose(weights["output/bias"], start["output/bias"], atol=1e-6)


def test_evaluation_goes_in_steps_and_is_the_same_in_any_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Large models take fewer rows in a step, so that a step stays short."""
    parameters = check_parameters(INFO, {"hidden_units": 8})
    weights, data = train(parameters, blobs())[0][0], blobs(rows=100)
    whole, once = finish(MODEL.evaluate(weights, data))
    monkeypatch.setattr(perceptron, "MULTIPLICATIONS", 1)
    parts, often = finish(MODEL.evaluate(weights, data))
    assert (once, often[-1], len(often)) == ([100], 100, 7)
    assert parts[0] == pytest.approx(whole[0], rel=1e-6)


@pytest.mark.parametrize(("name", "least"), [("digits", 0.962), ("wdbc", 0.96), ("wine", 0.97)])
async def test_two_participants_reach_the_accuracy_of_one_model_with_the_proposed_settings(
    name: str, least: float
) -> None:
    """Within 20 rounds of weighted averaging, on real data that the model never saw."""
    assert (await rounds_on(name, INFO, MODEL))["accuracy"] >= least
