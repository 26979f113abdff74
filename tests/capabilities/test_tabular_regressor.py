"""The built-in regressor learns quantities and tells its errors in their unit."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from capabilities.tasks import CATALOGUE, finish, rounds_on, settings_of

from roundtab.capabilities.contract import Data, Inputs, Model, Trained, Weights
from roundtab.capabilities.definition import check_parameters
from roundtab.capabilities.tabular_regressor import model as regressor
from roundtab.records.spec import Parameter

INFO = CATALOGUE.info("tabular-regressor@1.0.0")
MODEL: Model = regressor
MEAN, SCALE = 500.0, 20.0
INPUTS = Inputs(features=3, classes=0, label_mean=MEAN, label_scale=SCALE)


def slope(rows: int = 96, noise: float = 1.0) -> Data:
    """Quantities around 500 that follow from two of three features, with some noise."""
    rng = np.random.default_rng(rows)
    features = rng.standard_normal((rows, 3), np.float32)
    labels = MEAN + 16 * features[:, 0] - 12 * features[:, 1] + noise * rng.standard_normal(rows)
    return Data(features=features, labels=labels.astype(np.float32))


def bend(rows: int = 96) -> Data:
    """Quantities that no straight line follows."""
    data = slope(rows)
    return Data(features=data.features, labels=(MEAN + 25 * np.abs(data.features[:, 0])).astype(np.float32))


def train(parameters: dict[str, Parameter], data: Data, seed: int = 1, **changes: Any) -> tuple[Trained, list[int]]:
    """Train from the beginning."""
    weights = MODEL.init(parameters, INPUTS, np.random.default_rng(0))
    return finish(MODEL.train(weights, data, settings_of(INFO, parameters, **changes), np.random.default_rng(seed)))


def metrics_of(weights: Weights, data: Data) -> dict[str, float]:
    """What `evaluate` says."""
    metrics, count = finish(MODEL.evaluate(weights, data))[0]
    assert count == len(data)
    return dict(metrics)


def test_it_predicts_numbers_and_less_error_is_better() -> None:
    """The root mean squared error decides which round is best."""
    assert INFO.fit.label == "number"
    assert [(each.name, each.direction) for each in INFO.metrics] == [
        ("rmse", "minimize"),
        ("mae", "minimize"),
        ("loss", "minimize"),
    ]


def test_an_untrained_model_predicts_the_mean() -> None:
    """Its error is the spread of the labels, in their unit, and its loss is 1."""
    weights = MODEL.init(check_parameters(INFO, {"hidden_units": 8}), INPUTS, np.random.default_rng(1))
    data = slope()
    apart = data.labels.astype(np.float64) - MEAN
    metrics = metrics_of(weights, data)
    assert metrics["rmse"] == pytest.approx(np.sqrt((apart**2).mean()), rel=1e-5)
    assert metrics["mae"] == pytest.approx(np.abs(apart).mean(), rel=1e-5)
    assert metrics["loss"] == pytest.approx((apart**2).mean() / SCALE**2, rel=1e-5)


@pytest.mark.parametrize("hidden_units", [0, 8])
def test_the_model_learns_a_slope(hidden_units: int) -> None:
    """Down to the noise, with and without a hidden layer, and it reports what it did."""
    parameters = check_parameters(INFO, {"hidden_units": hidden_units, "weight_decay": 0.0})
    (weights, metrics, count), told = train(parameters, slope(), local_epochs=60, learning_rate=0.01)
    assert count == 96, "each row once, however many epochs"
    assert told[-1] == 60 * 96
    assert told == sorted(told)
    assert set(metrics) == {"rmse", "mae", "loss"}
    assert metrics_of(weights, slope(200))["rmse"] < 2.5


def test_only_a_hidden_layer_follows_a_bend() -> None:
    """Without it the model is linear regression."""
    found = {}
    for hidden_units in (0, 16):
        parameters = check_parameters(INFO, {"hidden_units": hidden_units})
        (weights, _, _), _ = train(parameters, bend(), local_epochs=60, learning_rate=0.02)
        found[hidden_units] = metrics_of(weights, bend(200))["rmse"]
    assert found[16] < found[0] / 2


def test_linear_regression_finds_the_least_squares() -> None:
    """The same predictions as the closed solution."""
    data = slope()
    parameters = check_parameters(INFO, {"weight_decay": 0.0})
    (weights, _, _), _ = train(parameters, data, batch_size=96, local_epochs=300, learning_rate=0.05)
    columns = np.column_stack([data.features, np.ones(len(data))])
    expected = columns @ np.linalg.lstsq(columns, data.labels, rcond=None)[0]
    predicted = (data.features @ weights["output/weight"] + weights["output/bias"])[:, 0] * SCALE + MEAN
    np.testing.assert_allclose(predicted, expected, rtol=1e-5)


def test_mean_and_scale_of_the_labels_stay_in_the_weights() -> None:
    """A checkpoint says by itself what unit it predicts in; no training changes that."""
    start = MODEL.init(check_parameters(INFO, {}), INPUTS, np.random.default_rng(1))
    assert {name: array.tolist() for name, array in start.items() if name.startswith("labels/")} == {
        "labels/mean": [500.0],
        "labels/scale": [20.0],
    }
    assert {array.dtype for array in start.values()} == {np.dtype(np.float32)}
    (weights, _, _), _ = train(check_parameters(INFO, {"weight_decay": 1.0}), slope())
    assert weights.keys() == start.keys()
    assert [weights[name].tolist() for name in ("labels/mean", "labels/scale")] == [[500.0], [20.0]]


def test_training_changes_nothing_that_it_was_given() -> None:
    """Several trainers in one interpreter may share weights and rows."""
    parameters = check_parameters(INFO, {"hidden_units": 8})
    weights, data = MODEL.init(parameters, INPUTS, np.random.default_rng(0)), slope()
    arrays: list[npt.NDArray[Any]] = [*weights.values(), data.features, data.labels]
    before = [array.tobytes() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    finish(MODEL.train(weights, data, settings_of(INFO, parameters), np.random.default_rng(1)))
    finish(MODEL.evaluate(weights, data))
    assert before == [array.tobytes() for array in arrays]


def test_the_same_seed_gives_the_same_bits() -> None:
    """And another one does not: the batches are shuffled by it."""
    parameters = check_parameters(INFO, {"hidden_units": 8})

    def bits(seed: int) -> list[bytes]:
        return [array.tobytes() for array in train(parameters, slope(), seed)[0][0].values()]

    assert bits(1) == bits(1)
    assert bits(1) != bits(2)


async def test_two_participants_reach_the_error_of_one_model_with_the_proposed_settings() -> None:
    """Within 20 rounds of weighted averaging and 3 %, on patients that the model never saw."""
    assert (await rounds_on("diabetes", INFO, MODEL))["rmse"] <= 54.7 * 1.03
