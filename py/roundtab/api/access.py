"""Who may call what. The gate tells the engine the caller's origin and grants; no call can change them."""

from __future__ import annotations

from dataclasses import dataclass

from roundtab.api.protocol import Site
from roundtab.errors import AccessDenied

TRAINING = "training"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Where a call comes from."""

    site: Site
    client: str
    """Tells apart the connections, so that one cannot stop the other's calls."""


def check(caller: Caller) -> None:
    """Raise `AccessDenied` for a site without the grant for training."""
    if TRAINING not in caller.site.grants:
        raise AccessDenied(f"{caller.site.origin} may not use training.", "Ask the owner of the widget to grant it.")
