"""A classifier for tables: softmax regression, or one hidden layer of ReLU neurons where `hidden_units` is above 0."""

from __future__ import annotations

from collections.abc import Generator, Mapping

import numpy as np

from roundtab.capabilities.contract import Data, Evaluated, Inputs, Settings, Trained, Weights
from roundtab.nn.graphs import perceptron_nodes
from roundtab.nn.losses import softmax_cross_entropy
from roundtab.nn.optimizers import make_optimizer
from roundtab.nn.perceptron import Descent, batches, forward, perceptron_init, stretches
from roundtab.records.graphs import Graph, Node, Value


def init(parameters: Mapping[str, bool | int | float | str], inputs: Inputs, rng: np.random.Generator) -> Weights:
    """Random hidden weights; the output begins at zero, so every class is equally likely at first."""
    return perceptron_init(rng, inputs.features, int(parameters["hidden_units"]), inputs.classes)


def train(weights: Weights, data: Data, settings: Settings, rng: np.random.Generator) -> Generator[int, None, Trained]:
    """Minimise the cross-entropy in shuffled batches. Metrics are means over all batches, each before its step."""
    optimizer = make_optimizer(settings.optimizer, settings.learning_rate, settings.optimizer_options)
    descent = Descent(weights, optimizer, float(settings.parameters["weight_decay"]))
    total, hits, done = 0.0, 0, 0
    for rows in batches(len(data), settings.batch_size, settings.local_epochs, rng):
        loss = descent.step(data.features.take(rows, axis=0), data.labels.take(rows), softmax_cross_entropy)
        total, hits, done = total + loss.total, hits + loss.hits, done + len(rows)
        yield done
    return descent.weights, {"loss": total / done, "accuracy": hits / done}, len(data)


def evaluate(weights: Weights, data: Data) -> Generator[int, None, Evaluated]:
    """Mean loss and accuracy."""
    total, hits = 0.0, 0
    for part in stretches(len(data), weights):
        loss = softmax_cross_entropy(forward(weights, data.features[part])[1], data.labels[part])
        total, hits = total + loss.total, hits + loss.hits
        yield part.stop
    return {"loss": total / len(data), "accuracy": hits / len(data)}, len(data)


def graph(weights: Weights) -> Graph:
    """The number of the class of each row, and the probability of every class."""
    return Graph(
        nodes=(
            *perceptron_nodes(weights, "logits"),
            Node(op="ArgMax", inputs=("logits",), output="classes", attributes={"axis": 1, "keepdims": 0}),
            Node(op="Softmax", inputs=("logits",), output="probabilities", attributes={"axis": 1}),
        ),
        outputs=(
            Value(name="classes", type="int64"),
            Value(name="probabilities", type="float32", shape=weights["output/bias"].shape),
        ),
    )
