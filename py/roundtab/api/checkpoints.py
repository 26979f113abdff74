"""`checkpoints.list` and `checkpoints.read`."""

from __future__ import annotations

from roundtab.api.context import Context, Handlers
from roundtab.api.protocol import CheckpointFile, CheckpointPage, CheckpointsList, CheckpointsRead
from roundtab.records.values import Blob
from roundtab.training.exports import check_offered, exported
from roundtab.training.hashing import sha256_in_slices


async def list_checkpoints(context: Context, request: CheckpointsList) -> CheckpointPage:
    """The stored checkpoints, oldest first."""
    context.engine.archive.job(request.job)
    return CheckpointPage(items=tuple(await context.engine.archive.history.checkpoints(request.job)))


async def read(context: Context, request: CheckpointsRead) -> CheckpointFile:
    """The file of a checkpoint; in another format than the stored one it is written now, by a trainer."""
    engine = context.engine
    job = engine.archive.job(request.job)
    if request.format != "safetensors":
        check_offered(job, request.format, engine.catalogue)
    checkpoint, data = await engine.archive.history.checkpoint(job.id, request.round)
    if request.format == "safetensors":
        return CheckpointFile(name=checkpoint.name, sha256=checkpoint.sha256, bytes=Blob(data))
    async with engine.errands.trainer() as trainer:
        file = await exported(trainer, job, request.format, data)
    return CheckpointFile(
        name=f"{checkpoint.name.removesuffix('.safetensors')}.{request.format}",
        sha256=await sha256_in_slices(memoryview(file), engine.clock),
        bytes=Blob(file),
    )


HANDLERS: Handlers = {CheckpointsList: list_checkpoints, CheckpointsRead: read}
