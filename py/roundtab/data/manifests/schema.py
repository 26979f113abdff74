"""What a resource of a manifest says of the numbers in its file: columns or arrays, label, classes, dialect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from roundtab.data.manifests.node import Node

FIELD_TYPES = ("number", "integer", "string", "boolean", "date", "time", "datetime", "year", "any")
COLUMNS = ("csv", "tsv", "npy")
"""Formats whose file is one table with named columns."""
MAX_COLUMNS = 100_000
MAX_CLASS_NAME = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A column of a table."""

    name: str
    type: str


def read_table_schema(node: Node, form: str) -> dict[str, Any]:
    """The members of a resource whose file, of the format `form`, has columns."""
    schema = node.part("schema")
    nameless = form == "npy" and "schema" not in node.members
    columns = [] if nameless else schema.parts("fields", MAX_COLUMNS)
    fields = tuple(
        Field(name=each.text("name", required=True), type=each.choice("type", FIELD_TYPES, "any")) for each in columns
    )
    names: set[str] = set()
    for column, field in zip(columns, fields, strict=True):
        if "type" not in column.members:
            column.missing("type")
        if field.name in names:
            problem = f"The column {field.name[:60]!r} is listed twice."
            column.refuse("name", problem, "Give each column a name of its own.")
        names.add(field.name)
    label, classes, features = _label(node), _classes(node), node.texts("fl:features")
    if names and label is not None and label not in names:
        node.refuse("fl:label", f"There is no column {label[:60]!r}.", "Name one of the columns in schema.fields.")
    for each in features or ():
        if each not in names or each == label:
            reason = "is the label" if each == label else "is no column"
            node.refuse("fl:features", f"{each[:60]!r} {reason}.", "List columns of schema.fields without the label.")
    common: dict[str, Any] = {
        "fields": fields,
        "label": label,
        "classes": classes,
        "features": features or tuple(each.name for each in fields if each.name != label),
    }
    if form == "npy":
        return common | {"dtype": node.text("fl:dtype") or None, "shape": _shape(node)}
    return common | {"missing_values": schema.texts("missingValues") or ("",), **_dialect(node, form)}


def read_members(node: Node) -> dict[str, Any]:
    """The members of a resource whose file is an .npz: `fl:label` and `fl:features` name arrays in it."""
    label, features = _label(node), node.texts("fl:features") or ()
    for key in ("schema", "fl:dtype", "fl:shape"):
        if key in node.members:
            action = "Leave it out: fl:features and fl:label name the arrays, which say themselves what they are."
            node.refuse(key, "An .npz holds several arrays, so this says nothing.", action)
    if label is not None and label in features:
        node.refuse("fl:features", f"{label[:60]!r} is the label.", "List the other arrays.")
    return {"label": label, "classes": _classes(node), "features": features}


def _label(node: Node) -> str | None:
    label = node.text("fl:label") or None
    if label is None and "fl:classes" in node.members:
        node.refuse("fl:classes", "There are classes, but no label.", "Name the label in fl:label.")
    return label


def _classes(node: Node) -> Sequence[str] | None:
    classes = node.texts("fl:classes")
    if classes and max(map(len, classes)) > MAX_CLASS_NAME:
        problem = f"The name of a class has more than {MAX_CLASS_NAME} characters."
        node.refuse("fl:classes", problem, "Give the classes short names.")
    return classes


def _shape(node: Node) -> tuple[int, ...] | None:
    value = node.members.get("fl:shape")
    if value is None:
        return None
    if not isinstance(value, list) or not all(type(each) is int and each >= 0 for each in value) or len(value) > 32:
        node.refuse("fl:shape", "This is not a list of sizes.", "Write the sizes of the array, such as [1000, 64].")
        return None
    return tuple(value)


def _dialect(node: Node, form: str) -> dict[str, Any]:
    dialect = node.part("dialect")
    for key in dialect.members:
        if key not in ("delimiter", "quoteChar", "header"):
            dialect.refuse(key, "This part of a dialect is not supported.", "Only delimiter, quoteChar and header are.")
    default = "\t" if form == "tsv" else ","
    delimiter, quote = dialect.text("delimiter", default=default), dialect.text("quoteChar", default='"')
    for key, value in (("delimiter", delimiter), ("quoteChar", quote)):
        if len(value) != 1 or value in "\r\n" or not value.isascii():
            dialect.refuse(key, "This is not a single character.", "Write one ASCII character.")
    if delimiter == quote:
        dialect.refuse("quoteChar", "It is the delimiter as well.", "Choose two different characters.")
    return {"delimiter": delimiter, "quote": quote, "header": dialect.flag("header", True)}
