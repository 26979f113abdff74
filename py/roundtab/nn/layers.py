"""Layers as pairs of functions: forward, and backward from the gradient of the output.

Shapes: `x` [rows, inputs], `weight` [inputs, outputs], `bias` [outputs]. Everything is float32. Gradients of weights
are written into arrays that are given, so that they can be parts of one vector.
"""

from __future__ import annotations

import numpy as np

from roundtab.nn.kernels import Array, matmul


def dense_init(rng: np.random.Generator, inputs: int, outputs: int) -> Array:
    """Starting weights [inputs, outputs] for a layer before ReLU: normal with variance 2 / inputs (He et al. 2015)."""
    return rng.standard_normal((inputs, outputs), np.float32) * np.float32(np.sqrt(2 / inputs))


def dense(x: Array, weight: Array, bias: Array) -> Array:
    """`x` times `weight` plus `bias` [rows, outputs]."""
    out = matmul(x, weight)
    out += bias
    return out


def dense_gradients(x: Array, grad: Array, weight_grad: Array, bias_grad: Array) -> None:
    """Write the gradients of `weight` and `bias` for the output's gradient `grad` [rows, outputs]."""
    weight_grad[...] = matmul(x.T, grad)
    np.add.reduce(grad, axis=0, out=bias_grad)


def dense_input_gradient(weight: Array, grad: Array) -> Array:
    """The gradient of the layer's input [rows, inputs]."""
    return matmul(grad, weight.T)


def relu(x: Array) -> Array:
    """`x` with negative numbers set to zero, in place."""
    return np.maximum(x, np.float32(0), out=x)


def relu_gradient(activated: Array, grad: Array) -> Array:
    """`grad` where the output `activated` of `relu` is positive, else zero; in place."""
    return np.multiply(grad, activated > 0, out=grad)
