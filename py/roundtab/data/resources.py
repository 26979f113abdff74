"""A resource of a manifest: one file, what it must be and how its table is read, with the rules for both."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any, Literal, get_args

from roundtab.data.node import Node
from roundtab.data.paths import path_problems
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
TABLES = ("csv", "tsv")
FIELD_TYPES = ("number", "integer", "string", "boolean", "date", "time", "datetime", "year", "any")

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,127}")
_HASH = re.compile(r"sha256:[0-9a-f]{64}")
_EMPTY_HASH = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A column of a table."""

    name: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """A file of the dataset. The fields from `fields` on say how to read it; files that are no tables have none."""

    name: str
    path: str
    bytes: int
    sha256: Sha256
    format: str
    split: Split = "train"
    fields: tuple[Field, ...] = ()
    label: str | None = None
    """The column to predict."""
    classes: tuple[str, ...] | None = None
    """Names of the classes by number; None where the label is a quantity."""
    features: tuple[str, ...] = ()
    """The columns to predict from; where the manifest names none, all but the label."""
    rows: int | None = None
    delimiter: str = ","
    quote: str = '"'
    header: bool = True
    missing_values: tuple[str, ...] = ("",)


def read_resource(node: Node) -> Resource:
    """The resource in `node`; where problems were noted, its values are placeholders."""
    name = node.text("name", required=True)
    if name and not _NAME.fullmatch(name):
        problem = f"{name[:60]!r} is not a name."
        node.note("name", problem, "Use lower-case letters, digits, dots, dashes and underscores, at most 128.")
    for key in ("data", "url"):
        if key in node.members:
            node.note(key, f"A resource with {key!r} is not supported.", "Put the data into a file and give its path.")
    form = node.choice("format", tuple(MEDIA_TYPES), "")
    if "format" not in node.members:
        node.missing("format")
    media = node.text("mediatype")
    if form and media and media.partition(";")[0].strip().lower() not in MEDIA_TYPES[form]:
        node.note("mediatype", f"{media[:60]!r} does not agree with the format {form!r}.", "Correct one of the two.")
    encoding = node.text("encoding", default="utf-8")
    if encoding.lower() not in ("utf-8", "utf8"):
        node.note("encoding", f"{encoding[:60]!r} is not supported.", "Save the file as UTF-8.")
    size = node.count("bytes", required=True)
    common: dict[str, Any] = {
        "name": name,
        "path": _path(node),
        "bytes": size or 0,
        "sha256": Sha256(_digest(node, size)),
        "format": form,
        "split": node.choice("fl:split", get_args(Split), "train"),
        "rows": node.count("fl:rows"),
    }
    return Resource(**common, **(_table(node) if form in TABLES else {}))


def _path(node: Node) -> str:
    if isinstance(node.members.get("path"), list):
        node.note("path", "A resource in several files is not supported.", "List each file as a resource of its own.")
        return ""
    path = node.text("path", required=True)
    for problem, action in path_problems(path) if path else ():
        node.note("path", problem, action)
    return path


def _digest(node: Node, size: int | None) -> str:
    value = node.text("hash", required=True)
    digest = value.removeprefix("sha256:")
    if not value:
        return ""
    if not _HASH.fullmatch(value):
        node.note("hash", _hash_problem(value), 'Write "sha256:" and the 64 lower-case hexadecimal digits.')
    elif size and (digest == _EMPTY_HASH or len(set(digest)) == 1):
        node.note("hash", "This is a placeholder, not the checksum of the file.", "Compute the checksum of the file.")
    if size == 0 and not node.flag("fl:allowEmpty", False):
        node.note("bytes", "The file is empty.", 'Leave it out, or add "fl:allowEmpty": true if it belongs there.')
    elif size == 0 and digest != _EMPTY_HASH:
        node.note("hash", "This is not the checksum of an empty file.", "Correct bytes or hash.")
    return digest


def _hash_problem(value: str) -> str:
    algorithm, colon, digits = value.rpartition(":")
    lengths = {32: "MD5", 40: "SHA-1", 96: "SHA-384", 128: "SHA-512"}
    if re.fullmatch(r"[0-9a-fA-F]+", digits):
        if len(digits) in lengths:
            return f"It has {len(digits)} digits; that is the length of {lengths[len(digits)]}, not of sha256."
        if len(digits) != 64:
            return f"A sha256 has 64 digits, this has {len(digits)}."
        if not colon:
            return "It does not say which checksum it is."
        if algorithm != "sha256":
            return f"The checksum {algorithm[:40]!r} is not supported."
        return "It has capital letters."
    return f"{value[:80]!r} is not a checksum."


def _table(node: Node) -> dict[str, Any]:
    """The members of a resource that say how its table is read."""
    schema = Node(node.members.get("schema", {}), f"{node.path}.schema", node.problems)
    columns = [Node(each, f"{schema.path}.fields[{i}]", node.problems) for i, each in enumerate(schema.items("fields"))]
    fields = tuple(
        Field(name=each.text("name", required=True), type=each.choice("type", FIELD_TYPES, "any")) for each in columns
    )
    names: set[str] = set()
    for column, field in zip(columns, fields, strict=True):
        if "type" not in column.members:
            column.missing("type")
        if field.name in names:
            problem = f"The column {field.name[:60]!r} is listed twice."
            column.note("name", problem, "Give each column a name of its own.")
        names.add(field.name)
    label = node.text("fl:label") or None
    classes = node.texts("fl:classes")
    features = node.texts("fl:features")
    if names and label is not None and label not in names:
        node.note("fl:label", f"There is no column {label[:60]!r}.", "Name one of the columns in schema.fields.")
    if classes is not None and label is None:
        node.note("fl:classes", "There are classes, but no label.", "Name the label's column in fl:label.")
    for each in features or ():
        if each not in names or each == label:
            reason = "is the label" if each == label else "is no column"
            node.note("fl:features", f"{each[:60]!r} {reason}.", "List columns of schema.fields without the label.")
    return {
        "fields": fields,
        "label": label,
        "classes": classes,
        "features": features or tuple(each.name for each in fields if each.name != label),
        "missing_values": schema.texts("missingValues") or ("",),
        **_dialect(node),
    }


def _dialect(node: Node) -> dict[str, Any]:
    dialect = Node(node.members.get("dialect", {}), f"{node.path}.dialect", node.problems)
    for key in dialect.members:
        if key not in ("delimiter", "quoteChar", "header"):
            dialect.note(key, "This part of a dialect is not supported.", "Only delimiter, quoteChar and header are.")
    default = "\t" if node.members.get("format") == "tsv" else ","
    delimiter, quote = dialect.text("delimiter", default=default), dialect.text("quoteChar", default='"')
    for key, value in (("delimiter", delimiter), ("quoteChar", quote)):
        if len(value) != 1 or value in "\r\n" or not value.isascii():
            dialect.note(key, "This is not a single character.", "Write one ASCII character.")
    if delimiter == quote:
        dialect.note("quoteChar", "It is the delimiter as well.", "Choose two different characters.")
    return {"delimiter": delimiter, "quote": quote, "header": dialect.flag("header", True)}
