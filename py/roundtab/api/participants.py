"""`participants.list` and `participants.add_local`."""

from __future__ import annotations

from roundtab.api.context import Context, Handlers
from roundtab.api.protocol import ParticipantPage, ParticipantsAddLocal, ParticipantsList
from roundtab.records.jobs import Participant


async def list_participants(context: Context, request: ParticipantsList) -> ParticipantPage:
    """Who trains, or has trained, for a job."""
    return ParticipantPage(items=context.engine.runs.participants(request.job))


async def add_local(context: Context, request: ParticipantsAddLocal) -> Participant:
    """Start one more trainer in the coordinator's own tab."""
    return await context.engine.runs.add_local(request.job)


HANDLERS: Handlers = {ParticipantsList: list_participants, ParticipantsAddLocal: add_local}
