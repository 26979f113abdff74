"""What a coordinator asks for: the specification of a job, with every default."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

from roundtab.records.values import Limits

Name = Annotated[str, Limits(1, 200)]
Scope = Annotated[str, Limits(1, 100)]
Parameter = bool | int | str | float
"""A value of a capability's parameter; the capability says which kind and range it takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainerSettings:
    """How the rounds are trained."""

    algorithm: Literal["fedavg"] = "fedavg"
    rounds: Annotated[int, Limits(1, 10_000)] = 20
    local_epochs: Annotated[int, Limits(1, 1_000)] = 1
    """How often a participant goes over its items in one round."""
    batch_size: Annotated[int, Limits(1, 65_536)] = 32
    """Rows of one item of the queue, and of one optimizer step."""
    items_per_round: Annotated[int, Limits(1, 1_000_000)] | None = None
    """Items drawn for a round; None is one pass over the data."""
    learning_rate: Annotated[float, Limits(1e-9, 1e3)] = 0.1
    optimizer: Literal["sgd", "adam"] = "sgd"
    optimizer_options: dict[str, float] = field(default_factory=dict)
    """`momentum` for sgd; `beta1`, `beta2`, `epsilon` for adam."""
    seed: Annotated[int, Limits(0, 2**32 - 1)] = 1
    deadline_s: Annotated[float, Limits(1, 86_400)] = 60.0
    """Seconds after which a participant's items go back to the queue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A job as it is asked for. Only `capability` is required."""

    capability: Name
    """`name@version` of the catalogue."""
    name: Name | None = None
    org: Scope = "local"
    workspace: Scope = "default"
    project: Scope = "default"
    tags: Annotated[tuple[Annotated[str, Limits(1, 100)], ...], Limits(0, 50)] = ()
    model: Name | None = None
    """What the model is called in lists; None is the capability's title."""
    parameters: dict[str, Parameter] = field(default_factory=dict)
    placement: Literal["shared"] = "shared"
    """`shared`: the coordinator sends each participant the rows of its tasks."""
    trainer: TrainerSettings = field(default_factory=TrainerSettings)
    min_participants: Annotated[int, Limits(1, 1_000)] = 1
    local_trainers: Annotated[int, Limits(0, 16)] | None = None
    """Trainers in the coordinator's own tab; None is what suits the machine."""
