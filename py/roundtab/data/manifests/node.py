"""An object of a manifest, read member by member: what is wrong is told with its JSON path, and reading goes on."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from roundtab.errors import Problem
from roundtab.records.strict_json import MAX_INTEGER

_OTHER_NAMES = {
    "hash": ("hashes", "sha256", "checksum", "md5"),
    "bytes": ("size", "length", "contentSize"),
    "path": ("url", "file", "filename"),
}
"""What people write instead of a name of the profile."""
_MEANT = {other: name for name, others in _OTHER_NAMES.items() for other in others}


@dataclass(slots=True)
class Findings:
    """What was found in a manifest: problems, with which it cannot be used, and notes, with which it can."""

    problems: list[Problem] = field(default_factory=list)
    notes: list[Problem] = field(default_factory=list)


class Node:
    """An object of the manifest, read member by member; what is wrong goes into `found` and reading goes on."""

    def __init__(self, value: Any, path: str, found: Findings) -> None:
        self.path = path
        self.found = found
        self.members: dict[str, Any] = value if isinstance(value, dict) else {}
        if not isinstance(value, dict):
            found.problems.append(Problem(path=path, problem="This is not an object.", action="Write an object here."))

    def refuse(self, key: str, problem: str, action: str) -> None:
        """Tell a problem of the member `key`."""
        self.found.problems.append(Problem(path=f"{self.path}.{key}", problem=problem, action=action))

    def note(self, key: str, problem: str, action: str) -> None:
        """Tell what is odd about the member `key` and does no harm."""
        self.found.notes.append(Problem(path=f"{self.path}.{key}", problem=problem, action=action))

    def part(self, key: str) -> Node:
        """The object in the member `key`; an empty one where it is absent."""
        return Node(self.members.get(key, {}), f"{self.path}.{key}", self.found)

    def parts(self, key: str, most: int) -> list[Node]:
        """The objects in the list `key`, which must have some, at most so many."""
        entries = self.items(key)
        if len(entries) > most:
            self.refuse(key, f"There are {len(entries):,} entries, more than {most:,}.", "List fewer.")
        return [Node(each, f"{self.path}.{key}[{i}]", self.found) for i, each in enumerate(entries[:most])]

    def unknown(self, known: Iterable[str]) -> None:
        """Note members whose name is not `known` but resembles one that is, for nothing reads them."""
        known = frozenset(known)
        for key in self.members.keys() - known:
            meant = _MEANT.get(key) or (key.startswith("fl:") and difflib.get_close_matches(key, known, n=1, cutoff=0))
            if meant:
                near = meant if isinstance(meant, str) else meant[0]
                self.note(key, f"Nothing reads {key[:60]!r}.", f"If {near!r} is meant, write that.")

    def missing(self, key: str) -> None:
        """Tell that `key` is missing, and what stands there instead of it."""
        near = [other for other in _OTHER_NAMES.get(key, ()) if other in self.members]
        action = f"Rename {near[0]!r} to {key!r}." if near else "Add it."
        if key == "hash" and not near:
            action = 'Add the checksum of the file as "sha256:" and 64 hexadecimal digits.'
        self.refuse(key, "This is missing.", action)

    def text(self, key: str, *, required: bool = False, default: str = "") -> str:
        """A text; `default` where it is absent or wrong."""
        value = self.members.get(key)
        if value is None and key not in self.members:
            if required:
                self.missing(key)
            return default
        if not isinstance(value, str) or (required and not value):
            problem = "This is empty." if isinstance(value, str) else "This is not a text."
            self.refuse(key, problem, "Write a text here.")
            return default
        return value

    def choice(self, key: str, options: tuple[str, ...], default: str) -> str:
        """One of `options`; `default` where it is absent or wrong."""
        value = self.text(key, default=default)
        if value not in options:
            self.refuse(key, f"{value[:60]!r} is not known here.", f"Write one of {', '.join(options)}.")
            return default
        return value

    def flag(self, key: str, default: bool) -> bool:
        """True or false; `default` where it is absent or wrong."""
        value = self.members.get(key, default)
        if not isinstance(value, bool):
            self.refuse(key, "This is neither true nor false.", "Write true or false.")
            return default
        return value

    def count(self, key: str, *, required: bool = False) -> int | None:
        """A whole number from 0; None where it is absent or wrong."""
        value = self.members.get(key)
        if key not in self.members:
            if required:
                self.missing(key)
            return None
        if type(value) is not int or not 0 <= value <= MAX_INTEGER:
            kinds = {bool: "true or false", float: "a number with a point", str: "a text"}
            kind = kinds.get(type(value), "something else")
            problem = "This is negative." if type(value) is int else f"Expected a whole number, got {kind}."
            self.refuse(key, problem, "Write a whole number, 0 or more, without quotes.")
            return None
        return value

    def items(self, key: str) -> list[Any]:
        """The entries of a list that must have some; none where it is absent or wrong."""
        value = self.members.get(key)
        if isinstance(value, list) and value:
            return value
        if key not in self.members:
            self.missing(key)
        else:
            self.refuse(key, "This is not a list with entries.", "Write a list with at least one entry.")
        return []

    def texts(self, key: str) -> tuple[str, ...] | None:
        """A list of distinct texts; None where the key is absent."""
        if key not in self.members:
            return None
        value = self.members[key]
        if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
            self.refuse(key, "This is not a list of texts.", "Write a list with at least one text.")
            return None
        if len(set(value)) < len(value):
            self.refuse(key, "A text stands twice in this list.", "List each once.")
        return tuple(value)
