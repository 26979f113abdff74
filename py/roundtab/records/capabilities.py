"""A capability as the catalogue shows it: what it trains, on what, and which parameters it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from roundtab.records.jobs import Metric
from roundtab.records.rounds import FileFormat
from roundtab.records.spec import Parameter
from roundtab.records.values import Json, Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterInfo:
    """A parameter of a capability, as a form shows it."""

    name: str
    type: Literal["integer", "number", "boolean", "choice"]
    default: Parameter
    min: float | None = None
    max: float | None = None
    choices: tuple[str, ...] = ()
    help: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Which data a model can be trained on."""

    label: Literal["class", "number"] = "class"
    """What it predicts: one of the classes of the manifest, or a quantity."""
    min_features: Annotated[int, Limits(1, 1_000_000)] = 1
    max_features: Annotated[int, Limits(1, 1_000_000)] = 100_000
    min_classes: Annotated[int, Limits(2, 100_000)] = 2
    max_classes: Annotated[int, Limits(2, 100_000)] = 10_000

    def takes(self, features: int, classes: int) -> bool:
        """Whether data with so many features and classes fits; without classes its labels are quantities."""
        if not self.min_features <= features <= self.max_features:
            return False
        return not classes if self.label == "number" else self.min_classes <= classes <= self.max_classes


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """How a checkpoint of one format is used without Roundtab."""

    format: FileFormat
    tool: str
    """What has to be installed, in words: `numpy and safetensors`."""
    snippet: str
    """Lines of Python that read `checkpoint.<format>` and predict for `rows`, a list of rows of feature values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CapabilityInfo:
    """A capability of the catalogue."""

    name: str
    version: str
    sha256: str
    title: str
    trainer_type: Literal["supervised", "reinforcement"]
    inputs: str
    """What data it takes: `table`."""
    fit: Fit = Fit()
    metrics: tuple[Metric, ...]
    """The first one decides which round is best."""
    work_unit: str
    evaluation: Literal["dataset", "generated", "none"]
    parameters: tuple[ParameterInfo, ...]
    inference: tuple[Inference, ...]
    """How to use a downloaded checkpoint, for each format that the model offers."""
    requirements: tuple[str, ...]
    defaults: dict[str, Json]
    """Trainer settings that suit this model where they differ from the general ones."""
