"""A capability as the catalogue shows it: what it trains, on what, and which parameters it takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from roundtab.records.jobs import Metric
from roundtab.records.spec import Parameter
from roundtab.records.values import Json


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
class CapabilityInfo:
    """A capability of the catalogue."""

    name: str
    version: str
    sha256: str
    title: str
    trainer_type: Literal["supervised", "reinforcement"]
    inputs: str
    """What data it takes: `table`."""
    metrics: tuple[Metric, ...]
    """The first one decides which round is best."""
    work_unit: str
    evaluation: Literal["dataset", "generated", "none"]
    parameters: tuple[ParameterInfo, ...]
    inference: dict[str, str]
    """`tool` and `snippet`: how to use a downloaded checkpoint."""
    requirements: tuple[str, ...]
    defaults: dict[str, Json]
    """Trainer settings that suit this model where they differ from the general ones."""
