"""Files with checksums, as another tool listed them, and whether chosen files are these."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from roundtab.clock import Slice
from roundtab.data.files import FileSource
from roundtab.data.hashing import STEP
from roundtab.data.making.naming import format_of, why_no_data
from roundtab.data.manifests.checksums import WEAK
from roundtab.errors import Problem

LIST = "$.checksums"
"""The path of problems and notes that are about the list as a whole, or about a line of it."""

ALGORITHMS = {
    "md5": "MD5",
    "sha1": "SHA-1",
    "sha224": "SHA-224",
    "sha256": "SHA-256",
    "sha384": "SHA-384",
    "sha512": "SHA-512",
}
"""The checksums that can be compared, as hashlib and as people call them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A file of a list. `path` keeps the rules for paths and is in Unicode's composed form."""

    path: str
    algorithm: str
    """A key of `ALGORITHMS`."""
    digest: str
    """Lower-case hexadecimal digits."""
    line: int
    """Where it stands in the list, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Which chosen file is which entry of a list."""

    entries: dict[str, Listed]
    """By the path of the chosen file."""
    problems: tuple[Problem, ...]
    """Files of the list that nobody chose."""
    notes: tuple[Problem, ...]


def match(listed: Sequence[Listed], paths: Sequence[str]) -> Match:
    """Find the entry of each chosen path.

    By its very path, else by its name alone where the list and the files have that name once each: browsers give a
    chosen file without its folders. Files of the list that no manifest could have need not be there.
    """
    by_path = {entry.path: entry for entry in listed}
    entries = {path: by_path[path] for path in paths if path in by_path}
    notes = [
        _note(path, "The list of checksums has it in another folder.") for path in _add_by_name(entries, listed, paths)
    ]
    used = {entry.path for entry in entries.values()}
    missing = [entry for entry in listed if entry.path not in used]
    wanted = dict.fromkeys(each for each in missing if format_of(each.path) and not why_no_data(each.path))
    problem = "It stands in the list of checksums; no manifest lists such files, and it was not checked."
    notes += [_note(entry.path, problem) for entry in missing if entry not in wanted]
    unconfirmed = "The list of checksums does not have it, so nothing confirms its content."
    action = "Check that this file belongs here; its checksum was computed from the file as it is."
    rest = [path for path in paths if path not in entries and format_of(path)]
    notes += [Problem(path=path, problem=unconfirmed, action=action) for path in rest]
    problems = [
        Problem(
            path=entry.path,
            problem=f"It stands in line {entry.line:,} of the list of checksums and is missing.",
            action="Choose this file too, or take it out of the list.",
        )
        for entry in wanted
    ]
    return Match(entries=entries, problems=tuple(problems), notes=tuple(notes))


def _add_by_name(entries: dict[str, Listed], listed: Sequence[Listed], paths: Sequence[str]) -> list[str]:
    """Add to `entries`, which are by chosen path, those that name and path share with one another only; the paths."""
    alike: dict[str, tuple[list[Listed], list[str]]] = {}
    for entry in listed:
        if entry.path not in entries:
            alike.setdefault(_name(entry.path), ([], []))[0].append(entry)
    for path in paths:
        if path not in entries:
            alike.setdefault(_name(path), ([], []))[1].append(path)
    found = {files[0]: those[0] for those, files in alike.values() if len(those) == len(files) == 1}
    entries |= found
    return [*found]


def _note(path: str, problem: str) -> Problem:
    return Problem(path=path, problem=problem, action="Nothing is to be done if that is right.")


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def differences(entries: Mapping[str, Listed], digests: Mapping[str, str]) -> list[Problem]:
    """The files whose checksum, by path, is not the one of their entry."""
    owners = {(entry.algorithm, entry.digest): path for path, entry in entries.items()}
    found = []
    for path, entry in entries.items():
        if digests[path] == entry.digest:
            continue
        called = ALGORITHMS[entry.algorithm]
        problem = f"The content differs: its {called} is {digests[path]}, line {entry.line} says {entry.digest}."
        action = "Choose the original file; it was changed since the list was made."
        if owner := owners.get((entry.algorithm, digests[path])):
            action = f"This is the content of {owner!r}. Give the files back their names."
        found.append(Problem(path=path, problem=problem, action=action))
    return found


def notes_on(entries: Mapping[str, Listed]) -> list[Problem]:
    """What is to be said of the kinds of checksums that were compared: all but sha256 were replaced, some are weak."""
    kinds = [entry.algorithm for entry in entries.values()]
    found = []
    for algorithm, called in ALGORITHMS.items():
        count = kinds.count(algorithm)
        if not count or algorithm == "sha256":
            continue
        subject = f"These are {called} checksums" if count == len(kinds) else f"{count:,} checksums are {called}"
        weak = ": weak, for other content can be made that has the same" if algorithm in WEAK else ""
        problem = f"{subject}{weak}. The files fit them, and the manifest has their sha256 instead."
        action = "Nothing is to be done."
        if weak:
            action = "If you do not know who had these files before you, ask their source for sha256 checksums."
        found.append(Problem(path=LIST, problem=problem, action=action))
    return found


async def digest_of(file: FileSource, algorithm: str, pace: Slice, tell: Callable[[int], None]) -> str:
    """The checksum of `file` in hexadecimal digits; `tell` hears the bytes that are done.

    Raises `OSError` where it cannot be read to its end.
    """
    digest, offset = hashlib.new(algorithm, usedforsecurity=False), 0
    async with aclosing(file.stream(STEP)) as stream:
        async for piece in stream:
            digest.update(piece)
            offset += len(piece)
            tell(offset)
            await pace.pause()
    return digest.hexdigest()
