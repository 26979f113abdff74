"""`checkpoints.list` and `checkpoints.read`."""

from __future__ import annotations

from roundtab.api.context import Context, Handlers
from roundtab.api.protocol import CheckpointFile, CheckpointPage, CheckpointsList, CheckpointsRead
from roundtab.records.values import Blob


async def list_checkpoints(context: Context, request: CheckpointsList) -> CheckpointPage:
    """The stored checkpoints, oldest first."""
    context.engine.archive.job(request.job)
    return CheckpointPage(items=tuple(await context.engine.archive.history.checkpoints(request.job)))


async def read(context: Context, request: CheckpointsRead) -> CheckpointFile:
    """The file of a checkpoint."""
    context.engine.archive.job(request.job)
    checkpoint, data = await context.engine.archive.history.checkpoint(request.job, request.round)
    return CheckpointFile(name=checkpoint.name, sha256=checkpoint.sha256, bytes=Blob(data))


HANDLERS: Handlers = {CheckpointsList: list_checkpoints, CheckpointsRead: read}
