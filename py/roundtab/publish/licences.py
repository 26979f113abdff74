"""`licences.txt`: every vendored component with its version, its licence and the licence's text."""

from __future__ import annotations

import email
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from roundtab.publish.commands import BuildFailed
from roundtab.publish.paths import NPM_LOCK, SITE
from roundtab.publish.wheels import Wheel, wheels

TEXTS = Path(__file__).parent / "licences"
"""Texts of licences by SPDX name, for components that name their licence but carry no text of it."""
LICENCE_FILES = ("licen", "copying", "notice")
NOT_SHIPPED = ("@types/", "ws")
"""npm packages that packages of ours name but that reach no browser: type declarations, sockets of Node.js."""
RULE = "=" * 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """Something in the site that others made."""

    name: str
    version: str
    licence: str
    text: str


def licences() -> bytes:
    """Return the whole text of licences.txt."""
    lock = json.loads((SITE / "node_modules/pyodide/pyodide-lock.json").read_text(encoding="utf-8"))
    components = [*npm_components(json.loads(NPM_LOCK.read_text(encoding="utf-8"))), _python(lock)]
    components += [wheel_component(wheel) for wheel in wheels(lock)]
    components.sort(key=lambda component: component.name.lower())
    lines = ["This site contains the following components, which are not part of Roundtab.", ""]
    lines += [f"{each.name} {each.version}: {each.licence}" for each in components]
    for each in components:
        lines += ["", RULE, f"{each.name} {each.version}", f"Licence: {each.licence}", RULE, "", each.text.strip()]
    return ("\n".join(lines) + "\n").encode()


def npm_components(lock: Mapping[str, Any]) -> Iterator[Component]:
    """Yield the npm packages that end up in the site, from the packages that the lock file names."""
    seen = set()
    for place, entry in lock["packages"].items():
        name = place.rpartition("node_modules/")[2]
        if not place or entry.get("dev") or name.startswith(NOT_SHIPPED) or (name, entry["version"]) in seen:
            continue
        seen.add((name, entry["version"]))
        folder = SITE / place
        files = [path for path in (*folder.glob("*"), *folder.glob("licenses/*")) if path.is_file()]
        files = sorted(path for path in files if _is_licence(path.relative_to(folder)))
        described = json.loads((folder / "package.json").read_text(encoding="utf-8"))
        text = "\n\n".join(path.read_text(encoding="utf-8") for path in files)
        yield Component(
            name=name,
            version=entry["version"],
            licence=entry["license"],
            text=text or _stored(name, entry["license"], described.get("author")),
        )


def wheel_component(wheel: Wheel) -> Component:
    """Describe a wheel by its own metadata."""
    with zipfile.ZipFile(wheel.path) as archive:
        names = archive.namelist()
        metadata = next(name for name in names if name.endswith(".dist-info/METADATA"))
        told = email.message_from_bytes(archive.read(metadata))
        info = metadata.removesuffix("METADATA")
        files = [name for name in names if name.startswith(info) and _is_licence(Path(name))]
        text = "\n\n".join(archive.read(name).decode() for name in files)
    name = wheel.entry["name"]
    licence = (told["License-Expression"] or told["License"] or "see below").strip().splitlines()[0]
    return Component(
        name=name, version=wheel.entry["version"], licence=licence, text=text or _stored(name, licence, told["Author"])
    )


def _python(lock: Mapping[str, Any]) -> Component:
    version = lock["info"]["python"]
    return Component(name="Python", version=version, licence="PSF-2.0", text=_stored("Python", "PSF-2.0", None))


def _is_licence(path: Path) -> bool:
    """Tell by its name, or its folder's name, whether a file of a package is the text of a licence."""
    return path.name.lower().startswith(LICENCE_FILES) or "licenses" in path.parts


def _stored(name: str, licence: str, author: Any) -> str:
    path = TEXTS / f"{licence}.txt"
    if not path.is_file():
        raise BuildFailed(
            f"{name} carries no licence text, and there is none for {licence}.",
            f"Add publish/licences/{licence}.txt.",
        )
    by = author.get("name") if isinstance(author, dict) else author
    return (f"Copyright (c) {by}\n\n" if by else "") + path.read_text(encoding="utf-8")
