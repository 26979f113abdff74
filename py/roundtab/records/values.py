"""Single values of a record: what a field may hold, and reading one plain value or refusing it in words."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")

Json = Any
"""Any plain JSON value."""

NUMBER_WORDS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


@dataclass(frozen=True, slots=True)
class Limits:
    """The smallest and largest number, or the shortest and longest text or list, that a field takes."""

    least: float = -math.inf
    most: float = math.inf


@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes that travel beside the JSON; on the wire `{"$buffer": n}`."""

    data: bytes | memoryview


@dataclass(frozen=True, slots=True)
class FileRef:
    """A file that travels beside the JSON; on the wire `{"$file": n}`."""

    index: int


class Refused(Exception):
    """Carries a problem from the place where it was found to the list."""

    def __init__(self, problem: str, action: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.action = action


def literal(options: tuple[Any, ...], value: Json) -> Any:
    """The value, if it is one of `options` and of the same type. Raises `Refused`."""
    if any(type(value) is type(option) and value == option for option in options):
        return value
    listed = ", ".join(repr(option) for option in options)
    raise Refused(f"Expected one of {listed}, got {describe(value)}.", "Send one of these.")


def within(limits: Limits, value: Any) -> Any:
    """The value, if it or its length is within `limits`; None has none. Raises `Refused`."""
    if value is None:
        return value
    sized = isinstance(value, str | tuple | dict)
    size = len(value) if sized else value
    if limits.least <= size <= limits.most:
        return value
    unit = " characters" if isinstance(value, str) else " entries" if sized else ""
    if math.isinf(limits.most):
        least = limit_text(limits.least)
        raise Refused(f"Must be at least {least}{unit}.", f"Send {least}{unit} or more.")
    between = f"{limit_text(limits.least)} and {limit_text(limits.most)}"
    raise Refused(f"Must be between {between}{unit}.", "Send a value in this range.")


def limit_text(value: float) -> str:
    """A limit for people: `1,000,000`, `0.5`, `1e-09`."""
    return f"{int(value):,}" if value == int(value) else f"{value:g}"


def expect(kind: type[T], value: Json, words: str) -> T:
    """The value, if it is of exactly this type, which `words` name. Raises `Refused`."""
    if type(value) is not kind:
        raise Refused(f"Expected {words}, got {describe(value)}.", f"Send {words}.")
    return value


def _float(value: Json, _: list[memoryview]) -> float:
    if isinstance(value, str) and value in NUMBER_WORDS:
        return NUMBER_WORDS[value]
    if type(value) is int:
        return float(value)
    return expect(float, value, "a number")


def _blob(value: Json, buffers: list[memoryview]) -> Blob:
    index = _reference(value, "$buffer", "a buffer")
    if index >= len(buffers):
        raise Refused(f"There is no buffer {index}.", "Send the buffer beside the JSON.")
    return Blob(buffers[index])


def _file(value: Json, _: list[memoryview]) -> FileRef:
    return FileRef(_reference(value, "$file", "a file"))


def _reference(value: Json, key: str, words: str) -> int:
    index = value.get(key) if isinstance(value, dict) and len(value) == 1 else None
    if type(index) is not int or index < 0:
        raise Refused(f"Expected {words}, got {describe(value)}.", f'Send {{"{key}": 0}} and {words} beside the JSON.')
    return index


SCALARS: dict[Any, Callable[[Json, list[memoryview]], Any]] = {
    str: lambda value, _: expect(str, value, "a text"),
    int: lambda value, _: expect(int, value, "an integer"),
    bool: lambda value, _: expect(bool, value, "true or false"),
    float: _float,
    Blob: _blob,
    FileRef: _file,
}
"""How each kind of single value is read, given the buffers beside the JSON. Raises `Refused`."""


def describe(value: Json) -> str:
    """What came instead, short enough for a message."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:60]}…"
