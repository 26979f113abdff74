"""The manifest: which files a dataset has, how large they are, what their checksums are and what their columns mean.

The form is `datapackage.json` (Data Package version 2), narrowed so that every file can be checked and every reader
understands the same: each resource has one relative `path`, `bytes` and `hash: sha256:…`. What the profile does not
name is kept and ignored.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace
from typing import Any

from roundtab.data.manifests.mistaken import what_it_seems
from roundtab.data.manifests.node import Findings, Node
from roundtab.data.manifests.paths import clashes
from roundtab.data.manifests.resources import Resource, Split, read_resource
from roundtab.data.manifests.schema import Field
from roundtab.errors import InvalidData, Problem
from roundtab.records.ids import Sha256
from roundtab.records.strict_json import parse

__all__ = ["MAX_BYTES", "Field", "Manifest", "Resource", "Split", "parse_manifest"]

MAX_BYTES = 4 * 2**20
MAX_RESOURCES = 10_000
_PROFILE = re.compile(r"https://datapackage\.org/profiles/[12](\.\d+)*/datapackage\.json|(tabular-)?data-package")
"""Profiles that say nothing beyond what is checked here. None is ever fetched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A checked manifest. `sha256` is the checksum of `text`, the text that was given."""

    name: str
    version: str | None
    title: str | None
    sha256: Sha256
    text: str
    """The file's text, or canonical JSON (sorted keys, no spaces) where an object was given."""
    resources: tuple[Resource, ...]
    notes: tuple[Problem, ...] = ()
    """What is odd about it and does no harm."""
    unused: tuple[Resource, ...] = ()
    """Resources of the file that are left out of account here, since only one part of the data is wanted."""

    def part(self, split: Split) -> tuple[Resource, ...]:
        """The resources of one split, in the order of the manifest."""
        return tuple(each for each in self.resources if each.split == split)


def parse_manifest(value: dict[str, Any] | str) -> Manifest:
    """The manifest in `value`, the text of its file or the object in it.

    Raises `InvalidData` with all problems of its structure, each with its JSON path.
    """
    if isinstance(value, str):
        text = value
    else:
        text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    found = Findings()
    manifest = Node(_parsed(text, found), "$", found)
    name, version, title = manifest.text("name", required=True), manifest.text("version"), manifest.text("title")
    if (profile := manifest.text("$schema")) and not _PROFILE.fullmatch(profile):
        manifest.note("$schema", f"The profile {profile[:80]!r} is not known.", "It is read as Data Package version 2.")
    nodes = manifest.parts("resources", MAX_RESOURCES)
    resources = [read_resource(node) for node in nodes]
    _check_names(nodes, found)
    if found.problems:
        raise InvalidData("The manifest does not fit its form.", "Correct each problem listed.", found.problems)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Manifest(
        name=name,
        version=version or None,
        title=title or None,
        sha256=Sha256(digest),
        text=text,
        resources=tuple(resources),
        notes=tuple(found.notes),
    )


def _parsed(text: str, found: Findings) -> Any:
    """The JSON value; a text that is something else is refused as what it seems to be."""
    if text.startswith("\ufeff"):
        action = "Nothing needs to be done; other tools may want it saved without one."
        found.notes.append(Problem(path="$", problem="It begins with a byte order mark.", action=action))
    text = text.removeprefix("\ufeff")
    try:
        return parse(text, max_bytes=MAX_BYTES, what="manifest")
    except InvalidData as error:
        seems = what_it_seems(text)
        if seems is None:
            raise
        listed = [replace(each, action=seems) for each in error.problems]
        raise InvalidData(error.problem, error.action, listed) from None


def _check_names(nodes: list[Node], found: Findings) -> None:
    """No name and no path twice."""
    seen: set[str] = set()
    paths: list[tuple[str, str]] = []
    for node in nodes:
        name, path = node.members.get("name"), node.members.get("path")
        if isinstance(name, str) and name in seen:
            node.refuse("name", f"The name {name[:60]!r} is used twice.", "Give each resource a name of its own.")
        if isinstance(name, str):
            seen.add(name)
        if isinstance(path, str) and path:
            paths.append((f"{node.path}.path", path))
    found.problems += clashes(paths)
