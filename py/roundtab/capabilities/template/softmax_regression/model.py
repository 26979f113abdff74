"""Softmax regression, to be copied and changed: functions over numpy arrays that keep nothing between calls."""

from __future__ import annotations

from collections.abc import Generator, Mapping

import numpy as np

from roundtab.capabilities.contract import Array, Data, Evaluated, Inputs, Settings, Trained, Weights
from roundtab.nn.optimizers import make_optimizer
from roundtab.records.graphs import STANDARDISED, Graph, Node, Value


def init(parameters: Mapping[str, bool | int | float | str], inputs: Inputs, rng: np.random.Generator) -> Weights:
    """Starting weights: zero, so every class is equally likely at first."""
    return {
        "weight": np.zeros((inputs.features, inputs.classes), np.float32),
        "bias": np.zeros(inputs.classes, np.float32),
    }


def train(weights: Weights, data: Data, settings: Settings, rng: np.random.Generator) -> Generator[int, None, Trained]:
    """Minimise the cross-entropy in shuffled batches, with the optimizer that the job names."""
    weights = {name: array.copy() for name, array in weights.items()}
    options = (settings.optimizer, settings.learning_rate, settings.optimizer_options)
    optimizers = {name: make_optimizer(*options) for name in weights}
    decay = float(settings.parameters["weight_decay"])
    total, done = 0.0, 0
    for _ in range(settings.local_epochs):
        order = rng.permutation(len(data))
        for start in range(0, len(data), settings.batch_size):
            rows = order[start : start + settings.batch_size]
            x, labels = data.features[rows], data.labels[rows]
            scores = log_chances(weights, x)
            total -= float(scores[np.arange(len(rows)), labels].sum())
            error = np.exp(scores)
            error[np.arange(len(rows)), labels] -= 1
            slope = {"weight": x.T @ error / len(rows) + decay * weights["weight"], "bias": error.mean(axis=0)}
            for name, optimizer in optimizers.items():
                optimizer.step(weights[name], slope[name])
            done += len(rows)
            yield done
    return weights, {"loss": total / done}, len(data)


def evaluate(weights: Weights, data: Data) -> Generator[int, None, Evaluated]:
    """Accuracy and mean loss."""
    hits, total = 0, 0.0
    for start in range(0, len(data), 1_000):
        labels = data.labels[start : start + 1_000]
        scores = log_chances(weights, data.features[start : start + 1_000])
        hits += int((scores.argmax(axis=1) == labels).sum())
        total -= float(scores[np.arange(len(labels)), labels].sum())
        yield start + len(labels)
    return {"accuracy": hits / len(data), "loss": total / len(data)}, len(data)


def graph(weights: Weights) -> Graph:
    """The number of the class of each row."""
    scores = Node(op="Gemm", inputs=(STANDARDISED, "weight", "bias"), output="scores")
    classes = Node(op="ArgMax", inputs=("scores",), output="classes", attributes={"axis": 1, "keepdims": 0})
    return Graph(nodes=(scores, classes), outputs=(Value(name="classes", type="int64"),))


def log_chances(weights: Weights, x: Array) -> Array:
    """The logarithm of the probability of each class [rows, classes], for features [rows, features]."""
    scores = x @ weights["weight"] + weights["bias"]
    scores -= scores.max(axis=1, keepdims=True)
    scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
    return scores
