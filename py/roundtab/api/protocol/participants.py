"""`participants.*`: who trains."""

from __future__ import annotations

from dataclasses import dataclass

from roundtab.api.protocol.base import Request
from roundtab.records.ids import JobId
from roundtab.records.jobs import Participant


@dataclass(frozen=True, slots=True, kw_only=True)
class ParticipantPage:
    """Participants in the order of joining."""

    items: tuple[Participant, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParticipantsList(Request[ParticipantPage], method="participants.list", response=ParticipantPage):
    """Who trains, or has trained, for a job."""

    job: JobId


@dataclass(frozen=True, slots=True, kw_only=True)
class ParticipantsAddLocal(Request[Participant], method="participants.add_local", response=Participant):
    """Start one more trainer in the coordinator's own tab; it takes part from the next round."""

    job: JobId
