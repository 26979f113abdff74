"""Checkpoints for other tools: a stored `.safetensors` file, written as `.npz` or `.onnx` when somebody asks for it.

The engine asks a trainer, since only trainers run the code of models, and a large file takes its time.
"""

from __future__ import annotations

from typing import cast

from roundtab.capabilities.catalogue import Catalogue
from roundtab.capabilities.contract import ExportableModel, Model
from roundtab.checkpoints import npz, onnx, safetensors
from roundtab.errors import NotFound, ParticipantLost, TrainingFailed
from roundtab.records.graphs import FEATURES, STANDARDISED, Node, Value
from roundtab.records.ids import new_id
from roundtab.records.jobs import Job
from roundtab.records.rounds import ExportFormat
from roundtab.records.values import Blob
from roundtab.training.messages import Exported, ExportTask
from roundtab.training.roster import Member
from roundtab.training.updates import RESERVED

PATIENCE = 120.0
"""Seconds for a trainer to write a file."""


def check_offered(job: Job, wanted: ExportFormat, catalogue: Catalogue) -> None:
    """Raise `NotFound` when the job's model cannot be had in this format. Tensors alone, `.npz`, always can."""
    if wanted == "npz":
        return
    name, action = f"{job.capability.name}@{job.capability.version}", "Take it as safetensors or npz."
    info = catalogue.info(name)
    if info.sha256 != job.capability.sha256:
        raise NotFound(f"{name} has changed since the job was created, and its code writes the {wanted} file.", action)
    if all(each.format != wanted for each in info.inference):
        raise NotFound(f"{name} does not say how its model is written as {wanted}.", action)


async def exported(member: Member, job: Job, wanted: ExportFormat, checkpoint: bytes) -> bytes | memoryview:
    """The file `checkpoint` in another format, written by `member`.

    Raises `TrainingFailed` when the model's code fails or its graph does not fit the weights, `ParticipantLost` when
    the trainer ends.
    """
    task = ExportTask(lease=new_id("lease"), capability=job.capability, format=wanted, checkpoint=Blob(checkpoint))
    try:
        answer = await member.ask(task, within=PATIENCE)
    except ParticipantLost as lost:
        raise ParticipantLost(lost.problem, "Try again.") from None
    if not isinstance(answer, Exported):
        raise TrainingFailed("The answer is no file.", "Use the same version of Roundtab on both sides.")
    return answer.file.data


def as_npz(checkpoint: Blob) -> Blob:
    """All tensors and the metadata."""
    return Blob(npz.save(*safetensors.load(checkpoint.data)))


def as_onnx(checkpoint: Blob, model: Model) -> Blob:
    """The model's graph behind the standardisation of its inputs, with its weights and the metadata.

    Raises `InvalidData` where the graph does not fit the weights.
    """
    tensors, metadata = safetensors.load(checkpoint.data)
    graph = cast("ExportableModel", model).graph(
        {name: array for name, array in tensors.items() if not name.startswith(RESERVED)}
    )
    standardise = (
        Node(op="Sub", inputs=(FEATURES, "inputs/mean"), output="features/centred"),
        Node(op="Div", inputs=("features/centred", "inputs/scale"), output=STANDARDISED),
    )
    features = Value(name=FEATURES, type="float32", shape=tensors["inputs/mean"].shape)
    return Blob(onnx.save((*standardise, *graph.nodes), (features,), graph.outputs, tensors, metadata))
