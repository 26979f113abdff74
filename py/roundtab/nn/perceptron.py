"""A perceptron: a dense layer, or two with ReLU neurons between them; and descent on its weights in batches.

Its weights by name are `output/weight` and `output/bias`, with a hidden layer also `hidden/weight` and `hidden/bias`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from roundtab.nn.kernels import Array
from roundtab.nn.layers import dense, dense_gradients, dense_init, dense_input_gradient, relu, relu_gradient
from roundtab.nn.optimizers import Optimizer
from roundtab.nn.parameters import Parameters

MULTIPLICATIONS = 2_000_000
"""Of one step of an evaluation: a few milliseconds in a browser."""


class _Loss(Protocol):
    """What a loss function gives, whatever else it measures."""

    @property
    def grad(self) -> Array:
        """Gradient of the mean loss with respect to the outputs [rows, outputs]."""
        ...


L = TypeVar("L", bound=_Loss)


def perceptron_init(rng: np.random.Generator, inputs: int, hidden: int, outputs: int) -> dict[str, Array]:
    """Starting weights: random ones in the hidden layer, of `hidden` neurons; the outputs begin at zero."""
    weights = {
        "output/weight": np.zeros((hidden or inputs, outputs), np.float32),
        "output/bias": np.zeros(outputs, np.float32),
    }
    if not hidden:
        return weights
    return weights | {"hidden/weight": dense_init(rng, inputs, hidden), "hidden/bias": np.zeros(hidden, np.float32)}


def forward(weights: Mapping[str, Array], features: Array) -> tuple[Array, Array]:
    """What goes into the output layer, and the outputs [rows, outputs], for `features` [rows, inputs]."""
    hidden = features
    if "hidden/weight" in weights:
        hidden = relu(dense(features, weights["hidden/weight"], weights["hidden/bias"]))
    return hidden, dense(hidden, weights["output/weight"], weights["output/bias"])


def backward(
    weights: Mapping[str, Array], features: Array, hidden: Array, grad: Array, gradients: Mapping[str, Array]
) -> None:
    """Write the gradients of all weights for `grad`, the gradient of the outputs."""
    dense_gradients(hidden, grad, gradients["output/weight"], gradients["output/bias"])
    if "hidden/weight" in weights:
        grad = relu_gradient(hidden, dense_input_gradient(weights["output/weight"], grad))
        dense_gradients(features, grad, gradients["hidden/weight"], gradients["hidden/bias"])


class Descent:
    """Descent on a copy of a perceptron's weights. Weight decay draws weights, not biases, towards zero."""

    def __init__(self, weights: Mapping[str, Array], optimizer: Optimizer, weight_decay: float) -> None:
        # Biases come last, so the weights that decay are one piece.
        names = sorted(weights, key=lambda name: (name.endswith("bias"), name))
        self._parameters = Parameters.copy(weights, names)
        self._gradients = self._parameters.zeros()
        self._decaying = sum(weights[name].size for name in names if name.endswith("weight"))
        self._decay = np.float32(weight_decay)
        self._optimizer = optimizer

    @property
    def weights(self) -> dict[str, Array]:
        """The weights as they are now."""
        return self._parameters.views

    def step(self, features: Array, labels: npt.NDArray[Any], loss: Callable[[Array, npt.NDArray[Any]], L]) -> L:
        """One step down the gradient of `loss` on a batch; the result is the loss before it."""
        hidden, outputs = forward(self.weights, features)
        found = loss(outputs, labels)
        backward(self.weights, features, hidden, found.grad, self._gradients.views)
        if self._decay:
            decaying = slice(self._decaying)
            self._gradients.vector[decaying] += self._decay * self._parameters.vector[decaying]
        self._optimizer.step(self._parameters.vector, self._gradients.vector)
        return found


def batches(rows: int, batch_size: int, epochs: int, rng: np.random.Generator) -> Iterator[npt.NDArray[np.int64]]:
    """Yield the numbers of the rows of each batch; every epoch has all `rows` in an order of its own."""
    for _ in range(epochs):
        order = rng.permutation(rows)
        for start in range(0, rows, batch_size):
            yield order[start : start + batch_size]


def stretches(rows: int, weights: Mapping[str, Array]) -> Iterator[slice]:
    """Yield slices of `rows` that are short enough, for a model with these weights, to be evaluated in one step."""
    size = sum(array.size for array in weights.values())
    step = max(16, min(1024, MULTIPLICATIONS // size))
    for start in range(0, rows, step):
        yield slice(start, min(start + step, rows))
