"""`checkpoints.*`: the weights after each round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from roundtab.api.protocol.base import Request
from roundtab.records.ids import JobId
from roundtab.records.rounds import Checkpoint, FileFormat
from roundtab.records.values import Blob, Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointPage:
    """Checkpoints, oldest first."""

    items: tuple[Checkpoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointsList(Request[CheckpointPage], method="checkpoints.list", response=CheckpointPage):
    """The stored checkpoints of a job."""

    job: JobId


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointFile:
    """A checkpoint as a file."""

    name: str
    sha256: str
    bytes: Blob


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointsRead(Request[CheckpointFile], method="checkpoints.read", response=CheckpointFile):
    """The file of a checkpoint. `npz` holds the same tensors for numpy, `onnx` the model for its runtimes."""

    job: JobId
    round: Annotated[int, Limits(0)]
    format: FileFormat = "safetensors"
