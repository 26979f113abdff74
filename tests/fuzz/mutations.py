"""Hostile inputs made from good ones: bytes, texts and JSON values, changed at random from a seed."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

BAD_BYTES = [
    *(b"", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\r", b"\n", b'"', b"{", b"}"),
    *(b"\x80" * 9, b"\xff" * 8),
]
BAD_TEXTS = [
    *("", "\0", '"', "'", "\\", "\r", "\n", "\r\n", ",", ";", "\t", ",,", "{", "}", "[", "]", ":", "\\u"),
    *("\\ud800", "\ufeff", "NaN", "Infinity", "-inf", "1e999", "-0", "1_0", "0x1", "9" * 400, "1" * 5_000),
    *("9007199254740993", "true", "null", "../", "C:\\", "CON", "\u202e", "a\u0308", "💥", "٣", "\ud800"),
    *("[" * 5_000, '{"a":' * 3_000, '"\\' * 5_000, "-" * 3_000),
]
BAD_VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1, 2**53, 2**63, 10**30, 0.5, -0.0, 1e308, "", " ", "\0", "x" * 10_000, "\ud800"),
    *("NaN", "sha256:", "../x", "toString", "__proto__", "$.x", [], {}, [[]], [None], {"": None}, {"$file": 0}),
    *({"$file": 10**9}, {"$buffer": 0}, {"$buffer": -1}, ["a"] * 300, {str(n): n for n in range(300)}),
]


def deep(levels: int) -> Any:
    """Lists in lists."""
    value: Any = []
    for _ in range(levels):
        value = [value]
    return value


def changed_bytes(rng: random.Random, data: bytes) -> bytes:
    """Some bytes flipped, cut out, doubled or put in."""
    for _ in range(rng.choice([1, 1, 2, 3, 8])):
        start = rng.randrange(len(data) + 1)
        end = min(len(data), start + rng.choice([0, 1, 1, 2, 4, 8, 64]))
        put = rng.choice([b"", data[start:end] * 2, rng.choice(BAD_BYTES), rng.randbytes(max(1, end - start))])
        data = data[:start] + put + data[end:]
    return data[: rng.randrange(len(data) + 1)] if rng.random() < 0.1 else data


def changed_text(rng: random.Random, text: str) -> str:
    """Some of a text cut out, doubled or replaced by what trips readers up."""
    for _ in range(rng.choice([1, 1, 2, 3])):
        start = rng.randrange(len(text) + 1)
        end = min(len(text), start + rng.choice([0, 1, 1, 3, 10, 100]))
        put = rng.choice(["", text[start:end] * 2, rng.choice(BAD_TEXTS), chr(rng.randrange(0x250))])
        text = text[:start] + put + text[end:]
    return text[: rng.randrange(len(text) + 1)] if rng.random() < 0.1 else text


def changed_value(rng: random.Random, value: Any) -> Any:
    """A JSON value with some parts replaced, removed, renamed or repeated."""
    value = copy.deepcopy(value)
    for _ in range(rng.choice([1, 1, 2, 4])):
        owners = [each for each in _parts(value) if isinstance(each, dict | list) and each]
        if not owners:
            return rng.choice(BAD_VALUES)
        owner = rng.choice(owners)
        key = rng.choice(list(owner)) if isinstance(owner, dict) else rng.randrange(len(owner))
        match rng.randrange(6):
            case 0:
                del owner[key]
            case 1 if isinstance(owner, dict):
                owner[rng.choice(["", "Name", "fl:x", "$file", f"{key} "])] = owner.pop(key)
            case 2 if isinstance(owner, list):
                owner += owner[: rng.choice([1, 50])]
            case 3:
                owner[key] = rng.choice(list(_parts(value)))
                return json.loads(json.dumps(value)) if _is_tree(value) else None
            case _:
                owner[key] = copy.deepcopy(rng.choice([*BAD_VALUES, deep(80)]))
    return value


def _parts(value: Any) -> list[Any]:
    """The value and everything in it."""
    found, queue = [value], [value]
    while queue and len(found) < 2_000:
        each = queue.pop()
        inner = list(each.values()) if isinstance(each, dict) else each if isinstance(each, list) else []
        found += inner
        queue += inner
    return found


def _is_tree(value: Any) -> bool:
    """Whether nothing in it contains itself."""
    try:
        json.dumps(value)
    except (ValueError, RecursionError):
        return False
    return True
