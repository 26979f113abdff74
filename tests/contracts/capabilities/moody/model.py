"""A model that learns nothing: its parameters say how it trains and is evaluated, and its weights carry them on."""

import time

import numpy as np

MOODS = ["works", "raises", "waits", "nan", "slow"]
SLOW = 0.5
"""Seconds of a slow evaluation."""


def init(parameters, inputs, rng):
    return {"mood": np.float32([MOODS.index(parameters["evaluation"])]), "left": np.float32([parameters["rounds"]])}


def train(weights, data, settings, rng):
    if weights["left"][0] == 0:
        raise ValueError("no round is left")
    return {"mood": weights["mood"], "left": weights["left"] - 1}, {"error": 1.0}, len(data)


def evaluate(weights, data):
    mood = MOODS[int(weights["mood"][0])]
    if mood == "raises":
        raise ValueError("the moon is full")
    until = time.monotonic() + SLOW
    while mood == "waits" or (mood == "slow" and time.monotonic() < until):
        yield 0
    left = float(weights["left"][0])
    return {"error": float("nan") if mood == "nan" else left, "undeclared": left}, len(data)
