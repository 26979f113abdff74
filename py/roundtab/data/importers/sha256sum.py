r"""Reads the lists that `sha256sum` and its like write, and those of BSD systems.

    d2a8…  data/train.csv          text
    d2a8… *data/train.csv          binary, which means the same
    \d2a8…  two\\parts.csv         a name with \\, \n or \r in it
    SHA256 (data/train.csv) = d2a8…

Blank lines and lines that begin with `#` are left out. The number of digits says which checksum it is, as the tools
do not; one that is known to be weak is read too, and said to be weak by who compares it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from roundtab.clock import Slice
from roundtab.data.importers.listing import ALGORITHMS, LIST, Listed
from roundtab.data.manifests.paths import path_problems
from roundtab.errors import InvalidData, Problem

MAX_BYTES = 4 * 2**20
MAX_ENTRIES = 10_000
MAX_LINES = 5 * MAX_ENTRIES
MAX_LINE = 8_192
"""Characters; a path has at most 1,024 bytes."""
MAX_PROBLEMS = 20

_DIGITS = re.compile(r"[0-9a-fA-F]+")
_LINE = re.compile(r"([0-9a-fA-F]+)[ \t]+\*?(.*)")
_ESCAPE = re.compile(r"\\(.?)")
_ESCAPES = {"\\": "\\", "n": "\n", "r": "\r"}
_BY_LENGTH = {32: "md5", 40: "sha1", 56: "sha224", 64: "sha256", 96: "sha384", 128: "sha512"}
_TAGS = {called.replace("-", ""): key for key, called in ALGORITHMS.items()}


async def read_checksums(text: str, pace: Slice) -> tuple[Listed, ...]:
    """The entries of a list, in order.

    Raises `InvalidData` with the first 20 problems, each with the number of its line, and how many more there are.
    """
    if len(text) > MAX_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise _refused([_problem(f"It is larger than {MAX_BYTES:,} bytes.", "Give the list of these files alone.")])
    if text.count("\n") > MAX_LINES:
        raise _refused([_problem(f"It has more than {MAX_LINES:,} lines.", "Give the list of these files alone.")])
    reading = _Reading()
    for number, line in enumerate(_lines(text), 1):
        if line:
            reading.read(line, number)
        if not number % 64:
            await pace.pause()
    if not reading.entries and not reading.problems:
        reading.problems.append(_problem("There are no checksums in it.", "Choose the list that came with the data."))
    if len(reading.entries) > MAX_ENTRIES:
        reading.problems.append(_problem(f"It has more than {MAX_ENTRIES:,} entries.", "Split it into several lists."))
    if reading.problems:
        raise _refused(reading.problems)
    return tuple(reading.entries.values())


def _lines(text: str) -> Iterator[str]:
    """The lines without their ends; empty where there is nothing to read in one."""
    for line in text.removeprefix("\ufeff").split("\n"):
        yield "" if line.startswith("#") or not line.strip() else line.removesuffix("\r")


@dataclass(frozen=True, slots=True)
class _Entry:
    """A line taken apart. `tag` is what a BSD line calls its checksum."""

    tag: str
    digits: str
    path: str


class _Reading:
    """Entries by path, and problems, so far."""

    def __init__(self) -> None:
        self.entries: dict[str, Listed] = {}
        self.problems: list[Problem] = []

    def read(self, line: str, number: int) -> None:
        """Read one line."""
        found = _entry(line)
        faults = [found] if isinstance(found, tuple) else list(self._faults(found, number))
        self.problems += [_problem(f"Line {number:,}: {problem}", action) for problem, action in faults]

    def _faults(self, entry: _Entry, number: int) -> list[tuple[str, str]]:
        """Keep the entry, or say what is wrong with it."""
        algorithm = _BY_LENGTH.get(len(entry.digits))
        if algorithm is None:
            known = "A checksum has 64 digits (sha256), or 32, 40, 56, 96 or 128"
            return [(f"{known}; this has {len(entry.digits):,}.", "Copy the whole line.")]
        if entry.tag and _TAGS.get(entry.tag.upper().replace("-", "")) != algorithm:
            return [_wrong_tag(entry.tag, algorithm)]
        digest = entry.digits.lower()
        if len(set(digest)) == 1:
            return [("This is a placeholder, not a checksum.", "Ask the source of the data for the checksum.")]
        path = unicodedata.normalize("NFC", entry.path)
        if path == "-":
            return [("It names no file: - is what was piped in.", "Write the name of the file instead.")]
        if faults := list(path_problems(path)):
            return faults
        if other := self.entries.get(path):
            what = "" if other.digest == digest else ", with another checksum"
            return [(f"{path[:60]!r} stands in line {other.line:,} already{what}.", "List each file once.")]
        self.entries[path] = Listed(path=path, algorithm=algorithm, digest=digest, line=number)
        return []


def _wrong_tag(tag: str, algorithm: str) -> tuple[str, str]:
    if tag.upper().replace("-", "") not in _TAGS:
        return f"The checksum {tag[:40]!r} is not supported.", "Make the list with sha256sum."
    return f"It says {tag}, but the number of its digits is that of {ALGORITHMS[algorithm]}.", "Correct the line."


def _entry(line: str) -> _Entry | tuple[str, str]:
    """A line taken apart; or what is wrong with it and what to do."""
    if len(line) > MAX_LINE:
        return f"The line has more than {MAX_LINE:,} characters.", "Choose the list that came with the data."
    escaped, bare = line.startswith("\\"), line.removeprefix("\\")
    tag, opened, rest = bare.partition(" (")
    path, closed, digits = rest.rpartition(") = ")
    if opened and closed and _DIGITS.fullmatch(digits) and " " not in tag:
        return _named(tag, digits, path, escaped)
    if parts := _LINE.fullmatch(bare):
        return _named("", parts[1], parts[2], escaped)
    if _DIGITS.fullmatch(line):
        return "There is a checksum and no name of a file.", "Add two spaces and the name."
    return f"{line[:60]!r} is no checksum and name.", "Write the checksum, two spaces and the name of the file."


def _named(tag: str, digits: str, path: str, escaped: bool) -> _Entry | tuple[str, str]:
    if escaped:
        if any(each not in _ESCAPES for each in _ESCAPE.findall(path)):
            return "The name is escaped in an unknown way.", r"Only \\, \n and \r are known."
        path = _ESCAPE.sub(lambda found: _ESCAPES[found[1]], path)
    if not path:
        return "There is a checksum and no name of a file.", "Add two spaces and the name."
    return _Entry(tag, digits, path.removeprefix("./"))


def _problem(problem: str, action: str) -> Problem:
    return Problem(path=LIST, problem=problem, action=action)


def _refused(problems: list[Problem]) -> InvalidData:
    listed = problems[:MAX_PROBLEMS]
    if more := len(problems) - len(listed):
        listed.append(_problem(f"{more:,} more problems follow.", "Correct these first."))
    return InvalidData("The list of checksums cannot be used.", "Resolve each problem listed.", listed)
