"""`status` and `capabilities.list`: what is there."""

from __future__ import annotations

from roundtab.api.context import Context, Handlers
from roundtab.api.protocol import VERSION, Capabilities, CapabilitiesList, EngineStatus, GetStatus


async def status(context: Context, _: GetStatus) -> EngineStatus:
    """Is the engine there, for whom, with what storage."""
    return EngineStatus(
        version=VERSION,
        ready=True,
        epoch=context.engine.archive.epoch,
        site=context.caller.site,
        backends=(context.engine.backend,),
        local_trainers=context.engine.trainers.default_count,
        storage=await context.storage(),
    )


async def list_capabilities(context: Context, _: CapabilitiesList) -> Capabilities:
    """What can be trained."""
    return Capabilities(items=context.engine.catalogue.list())


HANDLERS: Handlers = {GetStatus: status, CapabilitiesList: list_capabilities}
