"""The manifest: which files a dataset has, how large they are, what their checksums are and what their columns mean.

The form is `datapackage.json` (Data Package version 2), narrowed so that every file can be checked and every reader
understands the same: each resource has one relative `path`, `bytes` and `hash: sha256:…`. What the profile does not
name is kept and ignored.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from roundtab.data.node import Node
from roundtab.data.paths import clashes
from roundtab.data.resources import Field, Resource, Split, read_resource
from roundtab.errors import InvalidData, Problem
from roundtab.records.ids import Sha256
from roundtab.records.strict_json import parse

__all__ = ["MAX_BYTES", "Field", "Manifest", "Resource", "Split", "parse_manifest"]

MAX_BYTES = 4 * 2**20
MAX_RESOURCES = 10_000


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
    members = parse(text.removeprefix("\ufeff"), max_bytes=MAX_BYTES, what="manifest")
    problems: list[Problem] = []
    manifest = Node(members, "$", problems)
    name, version, title = manifest.text("name", required=True), manifest.text("version"), manifest.text("title")
    nodes = [Node(each, f"$.resources[{i}]", problems) for i, each in enumerate(manifest.items("resources"))]
    if len(nodes) > MAX_RESOURCES:
        manifest.note("resources", f"There are more than {MAX_RESOURCES:,} files.", "Put the data into fewer files.")
    resources = [read_resource(node) for node in nodes[:MAX_RESOURCES]]
    _check_names(nodes, problems)
    if problems:
        raise InvalidData("The manifest does not fit its form.", "Correct each problem listed.", problems)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return Manifest(
        name=name,
        version=version or None,
        title=title or None,
        sha256=Sha256(digest),
        text=text,
        resources=tuple(resources),
    )


def _check_names(nodes: list[Node], problems: list[Problem]) -> None:
    """No name and no path twice."""
    seen: set[str] = set()
    paths: list[tuple[str, str]] = []
    for node in nodes:
        name, path = node.members.get("name"), node.members.get("path")
        if isinstance(name, str) and name in seen:
            node.note("name", f"The name {name[:60]!r} is used twice.", "Give each resource a name of its own.")
        if isinstance(name, str):
            seen.add(name)
        if isinstance(path, str) and path:
            paths.append((f"{node.path}.path", path))
    problems += clashes(paths)
