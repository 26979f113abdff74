"""What a capability's `model.py` has to define: pure functions, nothing kept between calls.

    init(parameters, inputs, rng) -> weights
    train(weights, data, settings, rng) -> (weights, metrics, count)
    evaluate(weights, data) -> (metrics, count)
    graph(weights) -> the inference as a graph, for a model that can be exported as ONNX (it says so in capability.toml)

Weights are float32 arrays by name. `train` and `evaluate` may instead be generators that yield the number of examples
they have done so far and return the same result: then the trainer shows progress and can be stopped between two yields.
The framework standardises features before it calls a model, with statistics that travel in the checkpoint.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from roundtab.records.graphs import Graph
from roundtab.records.spec import Parameter

Array: TypeAlias = npt.NDArray[np.float32]
Weights: TypeAlias = Mapping[str, Array]
Metrics: TypeAlias = Mapping[str, float]
Trained: TypeAlias = tuple[Weights, Metrics, int]
"""New weights, training metrics, the number of examples that they come from (each row once, however many epochs)."""
Evaluated: TypeAlias = tuple[Metrics, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What the data looks like, as far as a model has to know."""

    features: int
    classes: int
    """Number of classes; 0 where labels are quantities."""
    label_mean: float = 0.0
    label_scale: float = 1.0
    """Mean and standard deviation of the training data's labels where they are quantities, as they are in its files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """Rows to train or evaluate on.

    `features` is float32 [rows, features]. `labels` [rows] are int64 numbers of classes, or float32 quantities.
    """

    features: Array
    labels: npt.NDArray[Any]

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.labels)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How to train, from the job's trainer settings."""

    local_epochs: int
    batch_size: int
    learning_rate: float
    optimizer: str
    optimizer_options: Mapping[str, float] = field(default_factory=dict)
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    """The capability's own parameters."""


class Model(Protocol):
    """A loaded `model.py`."""

    def init(self, parameters: Mapping[str, Parameter], inputs: Inputs, rng: np.random.Generator) -> Weights:
        """Starting weights."""
        ...

    def train(
        self, weights: Weights, data: Data, settings: Settings, rng: np.random.Generator
    ) -> Trained | Generator[int, None, Trained]:
        """Train on `data` starting from `weights`, which must not be changed in place."""
        ...

    def evaluate(self, weights: Weights, data: Data) -> Evaluated | Generator[int, None, Evaluated]:
        """The model's metrics on `data`."""
        ...


class ExportableModel(Model, Protocol):
    """A model whose capability offers ONNX files."""

    def graph(self, weights: Weights) -> Graph:
        """What inference computes, from the standardised features to the outputs. It names weights, and keeps none."""
        ...
