"""A regressor for tables: linear regression, or one hidden layer of ReLU neurons where `hidden_units` is above 0.

It learns labels standardised as `labels/mean` and `labels/scale` say, which stay in its weights as they came from the
training data: so a checkpoint is complete, and `rmse` and `mae` are in the unit of the data.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping

import numpy as np

from roundtab.capabilities.contract import Array, Data, Evaluated, Inputs, Settings, Trained, Weights
from roundtab.nn.graphs import perceptron_nodes
from roundtab.nn.losses import squared_error
from roundtab.nn.optimizers import make_optimizer
from roundtab.nn.perceptron import Descent, batches, forward, perceptron_init, stretches
from roundtab.records.graphs import Graph, Node, Value

MEAN, SCALE = "labels/mean", "labels/scale"


def init(parameters: Mapping[str, bool | int | float | str], inputs: Inputs, rng: np.random.Generator) -> Weights:
    """Random hidden weights; the output begins at zero, so the mean of the labels is predicted at first."""
    return {
        **perceptron_init(rng, inputs.features, int(parameters["hidden_units"]), 1),
        MEAN: np.array([inputs.label_mean], np.float32),
        SCALE: np.array([inputs.label_scale], np.float32),
    }


def train(weights: Weights, data: Data, settings: Settings, rng: np.random.Generator) -> Generator[int, None, Trained]:
    """Minimise the squared error in shuffled batches. Metrics are those of all batches, each before its step."""
    optimizer = make_optimizer(settings.optimizer, settings.learning_rate, settings.optimizer_options)
    descent = Descent(_network(weights), optimizer, float(settings.parameters["weight_decay"]))
    labels = _standardised(weights, data)
    squares, absolutes, done = 0.0, 0.0, 0
    for rows in batches(len(data), settings.batch_size, settings.local_epochs, rng):
        errors = descent.step(data.features.take(rows, axis=0), labels.take(rows), squared_error)
        squares, absolutes, done = squares + errors.squares, absolutes + errors.absolutes, done + len(rows)
        yield done
    constants = {MEAN: weights[MEAN], SCALE: weights[SCALE]}
    return {**descent.weights, **constants}, _metrics(weights, squares / done, absolutes / done), len(data)


def evaluate(weights: Weights, data: Data) -> Generator[int, None, Evaluated]:
    """Root mean squared error and mean absolute error in the unit of the data, and the loss that is minimised."""
    network, labels = _network(weights), _standardised(weights, data)
    squares, absolutes = 0.0, 0.0
    for part in stretches(len(data), network):
        errors = squared_error(forward(network, data.features[part])[1], labels[part])
        squares, absolutes = squares + errors.squares, absolutes + errors.absolutes
        yield part.stop
    return _metrics(weights, squares / len(data), absolutes / len(data)), len(data)


def graph(weights: Weights) -> Graph:
    """The predicted quantity of each row, in the unit of the data."""
    return Graph(
        nodes=(
            *perceptron_nodes(weights, "standardised"),
            Node(op="Mul", inputs=("standardised", SCALE), output="scaled"),
            Node(op="Add", inputs=("scaled", MEAN), output="values"),
        ),
        outputs=(Value(name="values", type="float32", shape=(1,)),),
    )


def _network(weights: Weights) -> Weights:
    """The weights that are learned."""
    return {name: array for name, array in weights.items() if name not in (MEAN, SCALE)}


def _standardised(weights: Weights, data: Data) -> Array:
    """The labels as they are learned, float32 [rows]."""
    labels: Array = (data.labels - weights[MEAN]) / weights[SCALE]
    return labels


def _metrics(weights: Weights, square: float, absolute: float) -> dict[str, float]:
    """The metrics for the mean squared and absolute error of standardised labels."""
    scale = float(weights[SCALE][0])
    return {"loss": square, "rmse": scale * square**0.5, "mae": scale * absolute}
