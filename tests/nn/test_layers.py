"""Gradients are those of the functions: compared with finite differences in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from nn.differences import numeric, random

from roundtab.nn.kernels import matmul
from roundtab.nn.layers import dense, dense_gradients, dense_init, dense_input_gradient, relu, relu_gradient
from roundtab.nn.losses import softmax_cross_entropy, squared_error
from roundtab.nn.parameters import Parameters


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


def test_the_squared_error_and_its_gradient_are_right() -> None:
    """The gradient is that of the mean, the totals are those of the sums."""
    predictions, labels = random(5, 1), random(5)
    errors = squared_error(predictions.copy(), labels)
    assert errors.squares == pytest.approx(((predictions[:, 0] - labels) ** 2).sum(), rel=1e-5)
    assert errors.absolutes == pytest.approx(np.abs(predictions[:, 0] - labels).sum(), rel=1e-5)
    expected = numeric(lambda at: float(((at[:, 0] - labels) ** 2).mean()), predictions)
    np.testing.assert_allclose(errors.grad, expected, rtol=1e-3, atol=1e-5)
    assert errors.grad.dtype == np.float32


def test_huge_errors_do_not_overflow() -> None:
    """A model that diverges gives a large loss, not NaN and not a warning."""
    errors = squared_error(np.array([[1e30], [-2e30]], np.float32), np.zeros(2, np.float32))
    assert errors.squares == pytest.approx(5e60, rel=1e-5)
    assert errors.absolutes == pytest.approx(3e30, rel=1e-5)


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
