"""Checks chosen files against a manifest: names, then sizes, then checksums.

All problems of a stage are reported together; a stage runs only when the one before it passed, because its problems
would follow from those. Hints name the likely cause: a renamed file, a browser's ` (1)`, letters in another case.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from roundtab.clock import Clock, Slice
from roundtab.data.files import FileSource
from roundtab.data.manifest import Manifest
from roundtab.data.paths import path_key
from roundtab.data.resources import Resource
from roundtab.errors import Problem
from roundtab.records.ids import Sha256

PIECE = 2**20
"""Bytes hashed in one step: about 8 ms in a browser."""

Progress = Callable[[int, int, str], None]
"""Called with bytes done, bytes in all, and what is being done. May raise to stop the work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The result: the last stage that ran, its problems, and the manifest paths of files that passed it."""

    stage: Literal["names", "sizes", "checksums"]
    problems: tuple[Problem, ...] = ()
    passed: tuple[str, ...] = ()


async def verify(
    manifest: Manifest, files: Sequence[FileSource], clock: Clock, progress: Progress | None = None
) -> Verification:
    """Check `files` against `manifest`. Files that it does not list are left out of account."""
    names = match_names(manifest, files)
    hasher = Hasher(clock, progress)
    if names.problems:
        lookalikes = Lookalikes(names.unlisted)
        missing = [await _missing(each, lookalikes, hasher) for each in names.missing]
        return Verification(stage="names", problems=(*names.repeated, *missing), passed=tuple(names.found))
    pairs = [(each, names.found[each.path]) for each in manifest.resources]
    sizes = [_size_problem(resource, file) for resource, file in pairs if file.size != resource.bytes]
    if sizes:
        passed = tuple(resource.path for resource, file in pairs if file.size == resource.bytes)
        return Verification(stage="sizes", problems=tuple(sizes), passed=passed)
    hasher.total = sum(resource.bytes for resource, _ in pairs)
    owners = {each.sha256: each.path for each in reversed(manifest.resources)}
    checked = [(resource, await _checksum_problem(resource, file, owners, hasher)) for resource, file in pairs]
    return Verification(
        stage="checksums",
        problems=tuple(problem for _, problem in checked if problem),
        passed=tuple(resource.path for resource, problem in checked if not problem),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Which file is which resource."""

    found: dict[str, FileSource]
    """Files by manifest path."""
    missing: tuple[Resource, ...]
    repeated: tuple[Problem, ...]
    unlisted: tuple[FileSource, ...]

    @property
    def problems(self) -> bool:
        """Whether the names do not fit."""
        return bool(self.missing or self.repeated)


def match_names(manifest: Manifest, files: Sequence[FileSource]) -> Names:
    """Find the file of each resource: by its very path, else by the same path in another Unicode form."""
    given: dict[str, FileSource] = {}
    repeated: list[Problem] = []
    for file in files:
        if file.path in given:
            repeated.append(
                Problem(path=file.path, problem="Two files were chosen under this path.", action="Choose only one.")
            )
        given.setdefault(file.path, file)
    composed = {unicodedata.normalize("NFC", path): file for path, file in given.items()}
    found: dict[str, FileSource] = {}
    for resource in manifest.resources:
        match = given.get(resource.path) or composed.get(resource.path)
        if match:
            found[resource.path] = match
    used = {file.path for file in found.values()}
    unlisted = tuple(file for path, file in given.items() if path not in used)
    missing = tuple(each for each in manifest.resources if each.path not in found)
    return Names(found=found, missing=missing, repeated=tuple(repeated), unlisted=unlisted)


class Lookalikes:
    """Unlisted files by what a missing one may have become, so that ten thousand of each are compared in one pass."""

    def __init__(self, unlisted: Sequence[FileSource]) -> None:
        paths = [file.path for file in reversed(unlisted)]  # the first one of several wins
        self._by_key = {path_key(path): path for path in paths}
        self._by_original = {_without_copy_mark(path): path for path in paths}
        self._by_basename = {path.rpartition("/")[2]: path for path in paths}
        self._by_size: dict[int, list[FileSource]] = {}
        for file in unlisted:
            self._by_size.setdefault(file.size, []).append(file)

    def missing(self, path: str) -> Problem:
        """The problem of a resource without a file; the action names the unlisted file that is probably meant."""
        action = "Choose this file too."
        if other := self._by_key.get(path_key(path)):
            action = f"You chose {other!r}: only upper and lower case differ. Rename it to {path!r}."
        elif other := self._by_original.get(path):
            action = f"You chose {other!r}, as browsers name a second download. Rename it to {path!r}."
        elif other := self._by_basename.get(path.rpartition("/")[2]):
            action = f"You chose {other!r}, which lies in another folder. Put it where the manifest has it."
        return Problem(path=path, problem="This file is missing.", action=action)

    async def of_content(self, resource: Resource, hasher: Hasher) -> FileSource | None:
        """The unlisted file that has exactly the content of this resource."""
        for file in self._by_size.get(resource.bytes, ()):
            if await hasher.digest(file) == resource.sha256:
                return file
        return None


def _without_copy_mark(path: str) -> str:
    """`data (1).csv` -> `data.csv`, `data.csv.txt` -> `data.csv`: what browsers and systems add to names."""
    return re.sub(r" ?\(\d+\)(?=(\.[^./]+)?$)", "", re.sub(r"(\.[A-Za-z0-9]+)\.(txt|download)$", r"\1", path))


async def _missing(resource: Resource, lookalikes: Lookalikes, hasher: Hasher) -> Problem:
    file = await lookalikes.of_content(resource, hasher)
    if file is None:
        return lookalikes.missing(resource.path)
    action = f"{file.path!r} has exactly its content. Rename that file to {resource.path!r}."
    return Problem(path=resource.path, problem="This file has another name.", action=action)


def _size_problem(resource: Resource, file: FileSource) -> Problem:
    difference = file.size - resource.bytes
    problem = (
        f"It has {file.size:,} bytes; the manifest says {resource.bytes:,} "
        f"({abs(difference):,} {'more' if difference > 0 else 'fewer'})."
    )
    return Problem(path=resource.path, problem=problem, action="Choose the original file, as it was first saved.")


async def _checksum_problem(
    resource: Resource, file: FileSource, owners: Mapping[Sha256, str], hasher: Hasher
) -> Problem | None:
    """What is wrong with the content; `owners` are manifest paths by checksum."""
    digest = await hasher.digest(file)
    if digest == resource.sha256:
        return None
    if digest is None:
        problem, action = "The file cannot be read: it changed or moved since it was chosen.", "Choose it again."
    else:
        problem = f"The content differs: its sha256 is {digest}, the manifest says {resource.sha256}."
        action = "Choose the original file; it was changed since the manifest was made."
        if owner := owners.get(Sha256(digest)):
            action = f"This is the content of {owner!r}. Give the files back their names."
    return Problem(path=resource.path, problem=problem, action=action)


class Hasher:
    """Computes checksums in short steps, each file once, and reports progress."""

    def __init__(self, clock: Clock, progress: Progress | None) -> None:
        self._slice = Slice(clock)
        self._progress = progress
        self._digests: dict[str, str | None] = {}
        self._done = 0
        self.total = 0

    async def digest(self, file: FileSource) -> str | None:
        """The sha256 of `file` in hexadecimal digits; None when the file could not be read to its end."""
        if file.path not in self._digests:
            try:
                self._digests[file.path] = await self._compute(file)
            except OSError:
                self._digests[file.path] = None
        return self._digests[file.path]

    async def _compute(self, file: FileSource) -> str | None:
        digest, offset = hashlib.sha256(), 0
        while offset < file.size:
            piece = await file.read(offset, min(PIECE, file.size - offset))
            if not piece:
                return None
            digest.update(piece)
            offset += len(piece)
            self._done += len(piece)
            if self._progress:
                self._progress(self._done, max(self.total, self._done), f"Checking checksums: {file.path}")
            await self._slice.pause()
        return digest.hexdigest()
