"""What a coordinator and a participant say to each other. Weights and rows travel as safetensors bytes.

A task carries a lease; every report names the lease it answers, so the report of a task that was taken back is
recognised. A participant holds the result of a training task until it is asked for, so that the coordinator's memory
holds one update at a time.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from roundtab.checkpoints import safetensors
from roundtab.errors import InvalidRequest
from roundtab.records import strict_json
from roundtab.records.codec import from_plain, to_plain
from roundtab.records.jobs import CapabilityRef
from roundtab.records.rounds import ExportFormat
from roundtab.records.spec import Parameter
from roundtab.records.values import Blob
from roundtab.training.transport import Message

MAX_MESSAGE = 16_000_000
"""Bytes of a message's JSON: the ids of a million items, the most of a round, fit. Other data travels beside it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What the data looks like, as `contract.Inputs` says."""

    features: int
    classes: int
    label_mean: float
    label_scale: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Hyper:
    """How to train."""

    local_epochs: int
    batch_size: int
    learning_rate: float
    optimizer: str
    optimizer_options: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class InitTask:
    """Make starting weights."""

    kind: Literal["init"] = "init"
    lease: str
    capability: CapabilityRef
    parameters: dict[str, Parameter]
    shape: Shape
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainTask:
    """Train on rows."""

    kind: Literal["train"] = "train"
    lease: str
    capability: CapabilityRef
    parameters: dict[str, Parameter]
    settings: Hyper
    seed: int
    round: int
    items: tuple[str, ...]
    weights: Blob
    inputs: Blob
    """`mean` and `scale` of the features."""
    rows: Blob
    """`features` and `labels` of the items, in their order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateTask:
    """Evaluate weights on rows."""

    kind: Literal["evaluate"] = "evaluate"
    lease: str
    capability: CapabilityRef
    weights: Blob
    inputs: Blob
    rows: Blob


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportTask:
    """Write a checkpoint in another format."""

    kind: Literal["export"] = "export"
    lease: str
    capability: CapabilityRef
    format: ExportFormat
    checkpoint: Blob
    """The `.safetensors` file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StopTask:
    """Give up the task with this lease, or drop its result."""

    kind: Literal["stop"] = "stop"
    lease: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Collect:
    """Send the result of the task with this lease."""

    kind: Literal["collect"] = "collect"
    lease: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """The participant can take tasks."""

    kind: Literal["ready"] = "ready"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Examples done so far."""

    kind: Literal["progress"] = "progress"
    lease: str
    done: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """A training task is done; its update waits to be collected."""

    kind: Literal["trained"] = "trained"
    lease: str
    round: int
    count: int
    metrics: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """The weights of a finished init or training task."""

    kind: Literal["update"] = "update"
    lease: str
    weights: Blob


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """The metrics of an evaluation."""

    kind: Literal["evaluated"] = "evaluated"
    lease: str
    count: int
    metrics: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """A checkpoint in the format that was asked for."""

    kind: Literal["exported"] = "exported"
    lease: str
    file: Blob


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A task could not be done."""

    kind: Literal["failed"] = "failed"
    lease: str
    problem: str
    action: str


Task: TypeAlias = InitTask | TrainTask | EvaluateTask | ExportTask
Order: TypeAlias = Task | StopTask | Collect
Answer: TypeAlias = Trained | Update | Evaluated | Exported | Failed
Report: TypeAlias = Ready | Progress | Answer

_KINDS = {
    "init": InitTask,
    "train": TrainTask,
    "evaluate": EvaluateTask,
    "export": ExportTask,
    "stop": StopTask,
    "collect": Collect,
    "ready": Ready,
    "progress": Progress,
    "trained": Trained,
    "update": Update,
    "evaluated": Evaluated,
    "exported": Exported,
    "failed": Failed,
}


def encode(said: Order | Report) -> Message:
    """As it travels."""
    buffers: list[bytes | memoryview] = []
    return Message(json.dumps(to_plain(said, buffers), allow_nan=False), tuple(buffers))


def decode(message: Message) -> Order | Report:
    """What a message says. Raises `InvalidRequest` or `InvalidData` for one that is none."""
    plain = strict_json.parse(message.text, max_bytes=MAX_MESSAGE, what="message")
    kind = _KINDS.get(str(plain.get("kind"))) if isinstance(plain, dict) else None
    if kind is None:
        raise InvalidRequest("The message is of no known kind.", "Use the same version of Roundtab on both sides.")
    return from_plain(kind, plain, [memoryview(each) for each in message.buffers])


def pack(arrays: Mapping[str, np.ndarray]) -> Blob:
    """Arrays as safetensors bytes."""
    return Blob(safetensors.save(dict(arrays), {}))


def unpack(blob: Blob) -> dict[str, np.ndarray]:
    """The arrays of safetensors bytes, as views that must not be written to."""
    return safetensors.load(blob.data)[0]
