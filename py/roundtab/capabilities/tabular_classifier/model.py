"""A classifier for tables: softmax regression, or one hidden layer of ReLU neurons where `hidden_units` is above 0."""

from __future__ import annotations

from collections.abc import Generator, Mapping

import numpy as np

from roundtab.capabilities.contract import Array, Data, Evaluated, Inputs, Settings, Trained, Weights
from roundtab.nn.graphs import perceptron_nodes
from roundtab.nn.layers import dense, dense_gradients, dense_init, dense_input_gradient, relu, relu_gradient
from roundtab.nn.losses import softmax_cross_entropy
from roundtab.nn.optimizers import make_optimizer
from roundtab.nn.parameters import Parameters
from roundtab.records.graphs import Graph, Node, Value

MULTIPLICATIONS = 2_000_000
"""Of one step of `evaluate`: a few milliseconds in a browser."""


def init(parameters: Mapping[str, bool | int | float | str], inputs: Inputs, rng: np.random.Generator) -> Weights:
    """Random hidden weights; the output begins at zero, so every class is equally likely at first."""
    hidden = int(parameters["hidden_units"])
    output = {
        "output/weight": np.zeros((hidden or inputs.features, inputs.classes), np.float32),
        "output/bias": np.zeros(inputs.classes, np.float32),
    }
    if not hidden:
        return output
    return output | {
        "hidden/weight": dense_init(rng, inputs.features, hidden),
        "hidden/bias": np.zeros(hidden, np.float32),
    }


def train(weights: Weights, data: Data, settings: Settings, rng: np.random.Generator) -> Generator[int, None, Trained]:
    """Minimise the cross-entropy in shuffled batches. Metrics are means over all batches, each before its step."""
    names = sorted(weights, key=lambda name: (name.endswith("bias"), name))
    parameters = Parameters.copy({name: weights[name] for name in names}, names)
    gradients = parameters.zeros()
    # Biases come last, so the weights that decay are one piece.
    decaying = sum(view.size for name, view in parameters.views.items() if name.endswith("weight"))
    decay = np.float32(settings.parameters["weight_decay"])
    optimizer = make_optimizer(settings.optimizer, settings.learning_rate, settings.optimizer_options)
    total, hits, done = 0.0, 0, 0
    for _ in range(settings.local_epochs):
        order = rng.permutation(len(data))
        for start in range(0, len(data), settings.batch_size):
            rows = order[start : start + settings.batch_size]
            features, labels = data.features.take(rows, axis=0), data.labels.take(rows)
            hidden, logits = _forward(parameters.views, features)
            loss = softmax_cross_entropy(logits, labels)
            _backward(parameters.views, features, hidden, loss.grad, gradients.views)
            if decay:
                gradients.vector[:decaying] += decay * parameters.vector[:decaying]
            optimizer.step(parameters.vector, gradients.vector)
            total, hits, done = total + loss.total, hits + loss.hits, done + len(rows)
            yield done
    return parameters.views, {"loss": total / done, "accuracy": hits / done}, len(data)


def evaluate(weights: Weights, data: Data) -> Generator[int, None, Evaluated]:
    """Mean loss and accuracy."""
    size = sum(array.size for array in weights.values())
    step = max(16, min(1024, MULTIPLICATIONS // size))
    total, hits = 0.0, 0
    for start in range(0, len(data), step):
        _, logits = _forward(weights, data.features[start : start + step])
        loss = softmax_cross_entropy(logits, data.labels[start : start + step])
        total, hits = total + loss.total, hits + loss.hits
        yield min(start + step, len(data))
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


def _forward(weights: Weights, features: Array) -> tuple[Array, Array]:
    """What goes into the output layer, and the logits."""
    hidden = features
    if "hidden/weight" in weights:
        hidden = relu(dense(features, weights["hidden/weight"], weights["hidden/bias"]))
    return hidden, dense(hidden, weights["output/weight"], weights["output/bias"])


def _backward(weights: Weights, features: Array, hidden: Array, grad: Array, gradients: Weights) -> None:
    """Write the gradients of all weights for `grad`, the gradient of the logits."""
    dense_gradients(hidden, grad, gradients["output/weight"], gradients["output/bias"])
    if "hidden/weight" in weights:
        grad = relu_gradient(hidden, dense_input_gradient(weights["output/weight"], grad))
        dense_gradients(features, grad, gradients["hidden/weight"], gradients["hidden/bias"])
