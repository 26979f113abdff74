"""A resource of a manifest: one file, what it must be and how its table is read, with the rules for both."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal, get_args

from roundtab.data.manifests.checksums import EMPTY, read_sha256
from roundtab.data.manifests.node import Node
from roundtab.data.manifests.paths import path_problems
from roundtab.data.manifests.schema import COLUMNS, Field, read_members, read_table_schema
from roundtab.records.ids import Sha256

Split = Literal["train", "validation"]
MEDIA_TYPES = {
    "csv": ("text/csv",),
    "tsv": ("text/tab-separated-values",),
    "json": ("application/json",),
    "jsonl": ("application/jsonl", "application/x-ndjson", "application/json-lines"),
    "npy": ("application/octet-stream", "application/x-npy"),
    "npz": ("application/octet-stream", "application/zip", "application/x-npz"),
    "safetensors": ("application/octet-stream", "application/safetensors"),
    "png": ("image/png",),
    "jpeg": ("image/jpeg",),
}
"""Formats of files, with the media types that agree with them."""

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,127}")
_KNOWN = (
    *("name", "path", "format", "mediatype", "encoding", "bytes", "hash", "schema", "dialect"),
    *("fl:split", "fl:rows", "fl:features", "fl:label", "fl:classes", "fl:dtype", "fl:shape", "fl:allowEmpty"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """A file of the dataset. The members from `fields` on say how to read it; files without numbers have none."""

    name: str
    path: str
    bytes: int
    sha256: Sha256
    format: str
    split: Split = "train"
    fields: tuple[Field, ...] = ()
    label: str | None = None
    """The column, or the array of an .npz, to predict."""
    classes: tuple[str, ...] | None = None
    """Names of the classes by number; None where the label is a quantity."""
    features: tuple[str, ...] = ()
    """The columns to predict from; where the manifest names none, all but the label. None means the same in an .npz."""
    rows: int | None = None
    delimiter: str = ","
    quote: str = '"'
    header: bool = True
    missing_values: tuple[str, ...] = ("",)
    dtype: str | None = None
    """With `shape`, what the array of an .npy must be."""
    shape: tuple[int, ...] | None = None


def read_resource(node: Node) -> Resource:
    """The resource in `node`; where problems were found, its values are placeholders."""
    name = node.text("name", required=True)
    if name and not _NAME.fullmatch(name):
        problem = f"{name[:60]!r} is not a name."
        node.refuse("name", problem, "Use lower-case letters, digits, dots, dashes and underscores, at most 128.")
    for key in ("data", "url"):
        if key in node.members:
            action = "Put the data into a file and give its path; nothing is fetched."
            node.refuse(key, f"A resource with {key!r} is not supported.", action)
    form = _format(node)
    encoding = node.text("encoding", default="utf-8")
    if encoding.lower() not in ("utf-8", "utf8"):
        node.refuse("encoding", f"{encoding[:60]!r} is not supported.", "Save the file as UTF-8.")
    size = node.count("bytes", required=True)
    node.unknown(_KNOWN)
    common: dict[str, Any] = {
        "name": name,
        "path": _path(node),
        "bytes": size or 0,
        "sha256": Sha256(_digest(node, size)),
        "format": form,
        "split": node.choice("fl:split", get_args(Split), "train"),
        "rows": node.count("fl:rows"),
    }
    if form in COLUMNS:
        return Resource(**common, **read_table_schema(node, form))
    return Resource(**common, **(read_members(node) if form == "npz" else {}))


def _format(node: Node) -> str:
    if "format" not in node.members:
        node.missing("format")
        return ""
    if node.members["format"] == "zip":
        node.refuse("format", "Archives are not opened.", "Unpack it, then make a manifest from the files in it.")
        return ""
    form, media = node.choice("format", tuple(MEDIA_TYPES), ""), node.text("mediatype")
    if form and media and media.partition(";")[0].strip().lower() not in MEDIA_TYPES[form]:
        node.refuse("mediatype", f"{media[:60]!r} does not agree with the format {form!r}.", "Correct one of the two.")
    return form


def _path(node: Node) -> str:
    if isinstance(node.members.get("path"), list):
        action = "List each file as a resource of its own."
        node.refuse("path", "A resource in several files is not supported.", action)
        return ""
    path = node.text("path", required=True)
    for problem, action in path_problems(path) if path else ():
        node.refuse("path", problem, action)
    return path


def _digest(node: Node, size: int | None) -> str:
    value = node.text("hash", required=True)
    reading = read_sha256(value)
    if value and reading.problem:
        node.refuse("hash", reading.problem, reading.action)
    elif reading.note:
        node.note("hash", reading.note, "Nothing needs to be done.")
    if size and reading.digest == EMPTY:
        action = "Make a manifest from the files: it gets their sha256."
        node.refuse("hash", "This is the checksum of an empty file.", action)
    if size == 0 and not node.flag("fl:allowEmpty", False):
        node.refuse("bytes", "The file is empty.", 'Leave it out, or add "fl:allowEmpty": true if it belongs there.')
    elif size == 0 and reading.digest and reading.digest != EMPTY:
        node.refuse("hash", "This is not the checksum of an empty file.", "Correct bytes or hash.")
    return reading.digest
