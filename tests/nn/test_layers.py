"""Gradients are those of the functions: compared with finite differences in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from roundtab.nn.kernels import Array, matmul
from roundtab.nn.layers import dense, dense_gradients, dense_init, dense_input_gradient, relu, relu_gradient
from roundtab.nn.losses import softmax_cross_entropy
from roundtab.nn.parameters import Parameters

RNG = np.random.default_rng(1)


def random(*shape: int) -> Array:
    """Numbers around zero."""
    return np.random.default_rng(len(shape) + sum(shape)).standard_normal(shape, np.float32)


def numeric(function: Callable[[npt.NDArray[np.float64]], float], x: Array) -> npt.NDArray[np.float64]:
    """The gradient of `function` at `x` by central differences."""
    at = x.astype(np.float64)
    gradient = np.zeros_like(at)
    for place in np.ndindex(*at.shape):
        value, step = at[place], 1e-5
        at[place] = value + step
        above = function(at)
        at[place] = value - step
        gradient[place] = (above - function(at)) / (2 * step)
        at[place] = value
    return gradient


def cross_entropy(logits: npt.NDArray[Any], labels: npt.NDArray[np.int64]) -> float:
    """The mean loss by its definition, in float64."""
    scores = np.exp(logits - logits.max(axis=1, keepdims=True))
    chosen = (scores / scores.sum(axis=1, keepdims=True))[np.arange(len(labels)), labels]
    return float(-np.log(chosen).mean())


LABELS = np.array([0, 2, 1, 2, 0])


def test_products_are_float32() -> None:
    """Nothing widens to float64 on its way."""
    product = matmul(random(2, 3), random(3, 4))
    assert product.dtype == np.float32
    np.testing.assert_allclose(product, random(2, 3).astype(np.float64) @ random(3, 4), rtol=1e-5)


def test_the_gradients_of_a_dense_layer_are_right() -> None:
    """Of its weights, its bias and its input."""
    x, weight, bias, pull = random(5, 4), random(4, 3), random(3), random(5, 3)

    def pulled(x: npt.NDArray[Any], weight: npt.NDArray[Any], bias: npt.NDArray[Any]) -> float:
        return float(((x @ weight + bias) * pull).sum())

    np.testing.assert_allclose(dense(x, weight, bias), x @ weight + bias, rtol=1e-5)
    weight_grad, bias_grad = np.empty_like(weight), np.empty_like(bias)
    dense_gradients(x, pull, weight_grad, bias_grad)
    np.testing.assert_allclose(weight_grad, numeric(lambda at: pulled(x, at, bias), weight), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(bias_grad, numeric(lambda at: pulled(x, weight, at), bias), rtol=1e-3, atol=1e-4)
    found = dense_input_gradient(weight, pull)
    np.testing.assert_allclose(found, numeric(lambda at: pulled(at, weight, bias), x), rtol=1e-3, atol=1e-4)
    assert {array.dtype for array in (weight_grad, bias_grad, found)} == {np.dtype(np.float32)}


def test_the_gradient_of_relu_passes_where_it_is_open() -> None:
    """Both work in place, because every array more costs time in a browser."""
    x = np.array([[-1.0, 0.0, 2.0]], np.float32)
    assert relu(x) is x
    assert x.tolist() == [[0, 0, 2]]
    grad = np.array([[5.0, 6.0, 7.0]], np.float32)
    assert relu_gradient(x, grad) is grad
    assert grad.tolist() == [[0, 0, 7]]


def test_the_loss_and_its_gradient_are_right() -> None:
    """The gradient is that of the mean, the total that of the sum."""
    logits = random(5, 3)
    loss = softmax_cross_entropy(logits.copy(), LABELS)
    assert loss.total == pytest.approx(5 * cross_entropy(logits, LABELS), rel=1e-5)
    assert loss.hits == int((logits.argmax(axis=1) == LABELS).sum())
    np.testing.assert_allclose(loss.grad, numeric(lambda at: cross_entropy(at, LABELS), logits), rtol=1e-3, atol=1e-5)
    assert loss.grad.dtype == np.float32


def test_huge_logits_do_not_overflow() -> None:
    """A model that diverges gives a large loss, not NaN and not a warning."""
    logits = np.array([[1e30, -1e30, 0.0], [-1e4, 1e4, 0.0]], np.float32)
    loss = softmax_cross_entropy(logits, np.array([0, 0]))
    assert loss.total == pytest.approx(2e4)
    assert np.isfinite(loss.grad).all()


def test_equal_logits_are_not_a_hit_for_every_label() -> None:
    """A model that knows nothing has the accuracy of guessing the first class."""
    assert softmax_cross_entropy(np.zeros((3, 3), np.float32), np.array([0, 1, 2])).hits == 1


def test_a_network_of_these_layers_has_the_right_gradient() -> None:
    """Two dense layers with ReLU between them, every weight."""
    x = random(5, 4)
    weights = {"w1": random(4, 6), "b1": random(6), "w2": random(6, 3), "b2": random(3)}

    def loss_at(name: str, value: npt.NDArray[Any]) -> float:
        at = weights | {name: value}
        return cross_entropy(np.maximum(x @ at["w1"] + at["b1"], 0) @ at["w2"] + at["b2"], LABELS)

    hidden = relu(dense(x, weights["w1"], weights["b1"]))
    loss = softmax_cross_entropy(dense(hidden, weights["w2"], weights["b2"]), LABELS)
    grads = {name: np.empty_like(value) for name, value in weights.items()}
    dense_gradients(hidden, loss.grad, grads["w2"], grads["b2"])
    inner = relu_gradient(hidden, dense_input_gradient(weights["w2"], loss.grad))
    dense_gradients(x, inner, grads["w1"], grads["b1"])
    for name, value in weights.items():
        expected = numeric(lambda at, name=name: loss_at(name, at), value)  # type: ignore[misc]
        np.testing.assert_allclose(grads[name], expected, rtol=5e-3, atol=1e-4, err_msg=name)


def test_starting_weights_have_the_variance_that_relu_needs() -> None:
    """2 / inputs, so that signals neither grow nor vanish from layer to layer; the generator decides every number."""
    weights = dense_init(np.random.default_rng(3), 200, 300)
    assert weights.shape == (200, 300)
    assert weights.dtype == np.float32
    assert weights.var() == pytest.approx(2 / 200, rel=0.05)
    assert np.array_equal(weights, dense_init(np.random.default_rng(3), 200, 300))


def test_parameters_are_views_of_one_vector() -> None:
    """A step of the vector is a step of every tensor, and the weights that were given stay as they are."""
    weights = {"b": random(3), "w": random(2, 3)}
    parameters = Parameters.copy(weights, ["w", "b"])
    assert parameters.vector.tolist() == [*weights["w"].ravel().tolist(), *weights["b"].tolist()]
    parameters.vector += 1
    np.testing.assert_array_equal(parameters.views["w"], weights["w"] + 1)
    np.testing.assert_array_equal(weights["w"], random(2, 3))
    zeros = parameters.zeros()
    assert list(zeros.views) == ["w", "b"]
    assert not zeros.vector.any()
