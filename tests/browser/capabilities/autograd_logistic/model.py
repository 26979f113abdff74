"""Softmax regression in plain functions. Its gradients come from autograd, which has to be installed for it."""

import autograd.numpy as anp
import numpy as np
from autograd import grad


def init(parameters, inputs, rng):
    return {
        "weight": np.zeros((inputs.features, inputs.classes), np.float32),
        "bias": np.zeros(inputs.classes, np.float32),
    }


def train(weights, data, settings, rng):
    weights = {name: array.copy() for name, array in weights.items()}
    rows = np.arange(len(data))

    def loss(current):
        scores = data.features @ current["weight"] + current["bias"]
        scores = scores - anp.max(scores, axis=1, keepdims=True)
        return anp.mean(anp.log(anp.sum(anp.exp(scores), axis=1)) - scores[rows, data.labels])

    slope = grad(loss)
    for _ in range(20 * settings.local_epochs):
        step = slope(weights)
        weights = {name: array - settings.learning_rate * step[name] for name, array in weights.items()}
    weights = {name: array.astype(np.float32) for name, array in weights.items()}
    return weights, evaluate(weights, data)[0], len(data)


def evaluate(weights, data):
    right = (data.features @ weights["weight"] + weights["bias"]).argmax(axis=1) == data.labels
    return {"accuracy": float(right.mean())}, len(data)
