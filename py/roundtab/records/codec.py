"""Records to plain JSON values and back, with every problem of an input and its path.

A record is a frozen dataclass. Its field types say what is accepted: `str`, `int`, `float`, `bool`, `None`, `Literal`,
`tuple[T, ...]`, `dict[str, T]`, other records, unions of these, `Json` for any plain value, `Blob` and `FileRef` for
what travels beside the JSON. `Annotated[int, Limits(1, 100)]` adds a range, `Annotated[str, Limits(1, 200)]` a length.

NaN and the infinities travel as the strings "NaN", "Infinity", "-Infinity". A field name that is a Python keyword has a
trailing underscore here and none on the wire (`pass_` is "pass").
"""

from __future__ import annotations

import dataclasses
import difflib
import json
import math
import types
from functools import cache
from typing import Annotated, Any, Literal, NewType, TypeVar, Union, get_args, get_origin, get_type_hints

from roundtab.errors import InvalidRequest, Problem
from roundtab.records.values import SCALARS, Blob, FileRef, Json, Refused, describe, expect, literal, within

T = TypeVar("T")

MOST_PROBLEMS = 1_000
"""Problems that an error lists. Whoever sends half a million unknown fields shall not get 50 MB back."""

MOST_HINTS = 100
"""Unknown fields of an input that are compared with the known ones: that takes long, and anybody may send many."""


def to_plain(value: Any, buffers: list[bytes | memoryview] | None = None) -> Json:
    """`value` as plain JSON values. The bytes of each `Blob` are appended to `buffers`."""
    if isinstance(value, Blob):
        if buffers is None:
            raise TypeError("this record carries bytes, so it needs a list of buffers")
        buffers.append(value.data)
        return {"$buffer": len(buffers) - 1}
    if isinstance(value, FileRef):
        return {"$file": value.index}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            field.name.rstrip("_"): to_plain(getattr(value, field.name), buffers) for field in dataclasses.fields(value)
        }
    if isinstance(value, dict):
        return {str(key): to_plain(each, buffers) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(each, buffers) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def to_text(value: Any) -> str:
    """`value` as strict JSON text. It may carry no `Blob`."""
    return json.dumps(to_plain(value), allow_nan=False)


def from_plain(kind: type[T], value: Json, buffers: list[memoryview] | None = None, path: str = "$") -> T:
    """A record of type `kind` from plain JSON values.

    Raises `InvalidRequest` with all problems (of very many the first `MOST_PROBLEMS`), each with its path.
    """
    problems: list[Problem] = []
    result = _Reader(buffers or [], problems).read(kind, value, path)
    if problems:
        raise InvalidRequest(
            f"{len(problems)} problem{'s' if len(problems) > 1 else ''} in the request.",
            "Correct each one and send it again.",
            problems[:MOST_PROBLEMS],
        )
    return result  # type: ignore[no-any-return]


class _Reader:
    """Reads one value; collects the problems it meets and goes on."""

    def __init__(self, buffers: list[memoryview], problems: list[Problem]) -> None:
        self._buffers = buffers
        self._problems = problems

    def read(self, kind: Any, value: Json, path: str) -> Any:
        """The value as `kind`, or None after a problem was noted."""
        try:
            return self._read(kind, value, path)
        except Refused as refused:
            self._problems.append(Problem(path=path, problem=refused.problem, action=refused.action))
            return None

    def _read(self, kind: Any, value: Json, path: str) -> Any:
        origin = get_origin(kind)
        if origin is Annotated:
            inner, limits = get_args(kind)
            return within(limits, self._read(inner, value, path))
        if origin in (Union, types.UnionType):
            return self._union(get_args(kind), value, path)
        if origin is Literal:
            return literal(get_args(kind), value)
        if origin is tuple:
            items = expect(list, value, "a list")
            return tuple(self.read(get_args(kind)[0], each, f"{path}[{i}]") for i, each in enumerate(items))
        if origin is dict:
            members = expect(dict, value, "an object")
            return {key: self.read(get_args(kind)[1], each, f"{path}.{_cut(key)}") for key, each in members.items()}
        if isinstance(kind, NewType):
            return self._read(kind.__supertype__, value, path)
        if dataclasses.is_dataclass(kind) and kind not in (Blob, FileRef):
            return self._record(kind, value, path)
        return SCALARS[kind](value, self._buffers) if kind in SCALARS else value

    def _union(self, kinds: tuple[Any, ...], value: Json, path: str) -> Any:
        if value is None and type(None) in kinds:
            return None
        options = [kind for kind in kinds if kind is not type(None)]
        if len(options) == 1:
            return self._read(options[0], value, path)
        for kind in options:
            attempt: list[Problem] = []
            result = _Reader(self._buffers, attempt).read(kind, value, path)
            if not attempt:
                return result
        names = " or ".join(_name(kind) for kind in options)
        raise Refused(f"Expected {names}, got {describe(value)}.", "Send one of these.")

    def _record(self, kind: Any, value: Json, path: str) -> Any:
        members = expect(dict, value, "an object")
        fields = _fields(kind)
        values: dict[str, Any] = {}
        before = len(self._problems)
        for name in members:
            if name not in fields:
                self._unknown(name, fields, path)
        for name, (attribute, hint, required) in fields.items():
            if name in members:
                values[attribute] = self.read(hint, members[name], f"{path}.{name}")
            elif required:
                self._problems.append(
                    Problem(path=f"{path}.{name}", problem="This field is missing.", action=f"Send {_name(hint)}.")
                )
        return kind(**values) if len(self._problems) == before else None

    def _unknown(self, name: str, fields: dict[str, Any], path: str) -> None:
        compared = len(name) <= 80 and len(self._problems) < MOST_HINTS
        near = difflib.get_close_matches(name, fields, n=1) if compared else []
        action = f"Did you mean {near[0]!r}?" if near else "Leave it out."
        self._problems.append(Problem(path=f"{path}.{_cut(name)}", problem="There is no such field.", action=action))


def _cut(name: str) -> str:
    """A name as paths show it."""
    return name if len(name) <= 80 else f"{name[:80]}…"


@cache
def _fields(kind: Any) -> dict[str, tuple[str, Any, bool]]:
    """Wire name of each field -> attribute name, type, whether it must be sent."""
    hints = get_type_hints(kind, include_extras=True)
    return {
        field.name.rstrip("_"): (
            field.name,
            hints[field.name],
            field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING,
        )
        for field in dataclasses.fields(kind)
    }


_NAMES = {
    str: "a text",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    dict: "an object",
    tuple: "a list",
}


def _name(kind: Any) -> str:
    origin = get_origin(kind)
    if origin is Annotated:
        return _name(get_args(kind)[0])
    if isinstance(kind, NewType):
        return _name(kind.__supertype__)
    if origin is Literal:
        return " or ".join(repr(option) for option in get_args(kind))
    if origin in (Union, types.UnionType):
        return " or ".join(_name(option) for option in get_args(kind) if option is not type(None))
    return _NAMES.get(origin or kind, "an object" if dataclasses.is_dataclass(kind) else "a value")
