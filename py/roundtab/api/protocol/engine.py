"""`status`, `capabilities.*`: what is there."""

from __future__ import annotations

from dataclasses import dataclass

from roundtab.api.protocol.base import Request, Site, Storage
from roundtab.records.capabilities import CapabilityInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineStatus:
    """What the engine says of itself."""

    version: int
    ready: bool
    epoch: int
    """Which engine this is; a new one has a higher number."""
    site: Site
    backends: tuple[str, ...]
    local_trainers: int
    """Trainers that a job starts in this tab by default."""
    storage: Storage


@dataclass(frozen=True, slots=True, kw_only=True)
class GetStatus(Request[EngineStatus], method="status", response=EngineStatus):
    """Is the engine there, for whom, with what storage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """The catalogue."""

    items: tuple[CapabilityInfo, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CapabilitiesList(Request[Capabilities], method="capabilities.list", response=Capabilities):
    """What can be trained."""
