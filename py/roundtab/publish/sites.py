"""The site register: which origins may use the widget, and for what."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roundtab.errors import InvalidData, Problem
from roundtab.publish.paths import shown

GRANTS = ("training", "recordings")
OWN = "self"
"""Stands for the origin that serves the widget, whatever it is."""
ORIGIN = re.compile(r"https?://([a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])(:[1-9][0-9]{0,4})?")
DEFAULT_PORT = re.compile(r"http://.*[^:]:80|https://.*[^:]:443")


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A registered site: an exact origin, or `self`, and what it may use."""

    origin: str
    grants: tuple[str, ...]


def read(path: Path) -> list[Site]:
    """Read a sites.toml. Raises InvalidData with every problem in it."""
    name = shown(path)
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InvalidData(f"{name} is missing.", "Restore it: it says which sites may use the widget.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidData(f"{name} is not valid TOML: {error}.", "Correct that place.") from None
    problems = list(_problems(tables))
    if problems:
        raise InvalidData(f"{name} has problems.", "Correct them and build again.", problems)
    return [Site(origin=each["origin"], grants=tuple(each["grants"])) for each in tables.get("site", [])]


def as_json(sites: list[Site]) -> bytes:
    """Return the register as the gate reads it."""
    register = {"sites": [{"origin": site.origin, "grants": list(site.grants)} for site in sites]}
    return json.dumps(register, indent=1).encode()


def _problems(tables: dict[str, Any]) -> Iterator[Problem]:
    for key in tables.keys() - {"site"}:
        yield Problem(path=key, problem="This key is not known.", action="Use [[site]] tables only.")
    entries = tables.get("site", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        yield Problem(
            path="site", problem="This is not a list of tables.", action="Write [[site]], in double brackets."
        )
        return
    seen: set[str] = set()
    for number, entry in enumerate(entries):
        place = f"site[{number}]"
        for key in sorted(entry.keys() - {"origin", "grants"}):
            yield Problem(path=f"{place}.{key}", problem="This key is not known.", action="Use origin and grants.")
        yield from _origin_problems(f"{place}.origin", entry.get("origin"), seen)
        yield from _grant_problems(f"{place}.grants", entry.get("grants"))


def _origin_problems(place: str, origin: object, seen: set[str]) -> Iterator[Problem]:
    example = 'Write "self" or scheme, host and port as the browser shows them, for example "https://example.org:8443".'
    if not isinstance(origin, str):
        yield Problem(path=place, problem="The origin is missing or not text.", action=example)
    elif origin in seen:
        yield Problem(path=place, problem=f"{origin} is registered twice.", action="Put its grants into one entry.")
    elif origin != OWN and (fault := _fault(origin)):
        yield Problem(path=place, problem=f'"{origin}" {fault}', action=example)
    else:
        seen.add(origin)


def _fault(origin: str) -> str:
    if origin in ("null", "*"):
        return "stands for no single site and cannot be registered."
    if origin != origin.lower():
        return "has capital letters; browsers compare origins in lower case."
    if re.match(r"https?://[^/]*/", origin):
        return "has a path or a trailing slash; an origin ends after the host or the port."
    if not origin.isascii():
        return 'has letters outside ASCII; browsers name such hosts in their "xn--" form.'
    if not ORIGIN.fullmatch(origin):
        return "is not an origin."
    if DEFAULT_PORT.fullmatch(origin):
        return "names the default port, which browsers leave out."
    return ""


def _grant_problems(place: str, grants: object) -> Iterator[Problem]:
    known = "Known grants are " + " and ".join(GRANTS) + "."
    if not isinstance(grants, list) or not all(isinstance(grant, str) for grant in grants):
        yield Problem(path=place, problem="The grants are missing or not a list of words.", action=known)
        return
    for number, grant in enumerate(grants):
        if grant not in GRANTS:
            yield Problem(path=f"{place}[{number}]", problem=f'There is no grant "{grant}".', action=known)
        elif grant in grants[:number]:
            yield Problem(path=f"{place}[{number}]", problem=f'"{grant}" is there twice.', action="Take one out.")
