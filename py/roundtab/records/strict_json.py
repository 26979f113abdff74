"""JSON text from outside, read so that nothing in it can hurt.

Deep nesting ends a Pyodide interpreter for good (a fatal error of the WebAssembly stack, not a `RecursionError`), so
the depth is measured with a scan over the tokens before any parser sees the text. Duplicate keys, NaN and numbers
beyond 2^53 are refused because the parties would read them differently.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import accumulate
from math import isfinite
from typing import Any

from roundtab.errors import InvalidData, Problem

MAX_DEPTH = 64
MAX_INTEGER = 2**53 - 1
"""The largest integer that JavaScript reads exactly."""

_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_NO_BRACKET = re.compile(r"[^\[\]{}]+")
_STEPS = {"[": 1, "{": 1, "]": -1, "}": -1}


def parse(text: str, *, max_bytes: int, what: str) -> Any:
    """The value of `text`, which is called `what` in messages.

    Raises `InvalidData` with one problem: too large, too deep, not JSON (with line and column), a key that stands
    twice, NaN or Infinity, an integer beyond 2^53 - 1, or a lone surrogate.
    """
    if len(text) > max_bytes or len(text.encode("utf-8", "surrogatepass")) > max_bytes:
        raise _refusal(what, f"It is larger than {max_bytes:,} bytes.", "Make it smaller.")
    if depth(text) > MAX_DEPTH:
        raise _refusal(what, f"It is nested deeper than {MAX_DEPTH} levels.", "Flatten it.")
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_constant=_no_constant,
            parse_int=_integer,
            parse_float=_finite,
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise _refusal(what, f"It is not JSON: {error.msg} ({place}).", "Correct the text there.") from None
    except _RefusedJson as error:
        raise _refusal(what, str(error), "Correct the text.") from None
    if re.search("[\ud800-\udfff]", text) or _has_surrogate(text, value):
        raise _refusal(what, "It has half of a Unicode character pair in it.", "Write the text as valid UTF-8.")
    return value


def depth(text: str) -> int:
    """How deep the brackets of `text` nest at the most, found without recursion, and without a loop of Python."""
    brackets = _NO_BRACKET.sub("", _STRING.sub("", text))
    return max(accumulate(map(_STEPS.__getitem__, brackets), initial=0))


class _RefusedJson(ValueError):
    """Raised inside the parser's hooks; becomes the problem of an `InvalidData`."""


def _unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _RefusedJson(f"The key {key[:80]!r} stands twice in one object.")
        found[key] = value
    return found


def _no_constant(text: str) -> float:
    raise _RefusedJson(f"{text} is not JSON.")


def _integer(text: str) -> int:
    if len(text) > 17 or abs(int(text)) > MAX_INTEGER:
        raise _RefusedJson(f"The integer {text[:24]} is beyond {MAX_INTEGER}.")
    return int(text)


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise _RefusedJson(f"The number {text[:24]} is too large.")
    return number


def _has_surrogate(text: str, value: Any) -> bool:
    r"""Whether an escape such as `\ud800` left a lone surrogate; only texts with that escape are searched."""
    if "\\ud" not in text.lower():
        return False
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _refusal(what: str, problem: str, action: str) -> InvalidData:
    return InvalidData(
        f"The {what} cannot be read.", "See the problem listed.", [Problem(path="$", problem=problem, action=action)]
    )
