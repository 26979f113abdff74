"""Checks chosen files against a manifest: names, then sizes, then checksums.

All problems of a stage are reported together; a stage runs only when the one before it passed, because its problems
would follow from those. Nothing is read before names and sizes fit; where they do not, what is small is read for a
hint on the likely cause.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from roundtab.clock import Clock
from roundtab.data.files import FileSource
from roundtab.data.hashing import Hasher, Progress
from roundtab.data.manifests.manifest import Manifest
from roundtab.data.manifests.resources import Resource
from roundtab.data.names import Lookalikes, match_names
from roundtab.errors import Problem
from roundtab.records.ids import Sha256

HINT_BYTES = 64 * 2**20
"""Bytes that are read altogether for hints."""
TEXT_BYTES = 8 * 2**20
"""Bytes of a text whose line ends are converted in one step."""
TEXTS = ("csv", "tsv", "json", "jsonl")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The result: the last stage that ran, its problems, and the manifest paths of files that passed it."""

    stage: Literal["names", "sizes", "checksums"]
    problems: tuple[Problem, ...] = ()
    notes: tuple[Problem, ...] = ()
    """What is odd about the files and does no harm."""
    passed: tuple[str, ...] = ()


async def verify(
    manifest: Manifest, files: Sequence[FileSource], clock: Clock, progress: Progress | None = None
) -> Verification:
    """Check `files` against `manifest`. Files that it does not list are left out of account."""
    names = match_names(manifest, files)
    check = _Check(Hasher(clock, progress))
    if names.problems:
        lookalikes = Lookalikes(manifest, names.unlisted)
        missing = [await check.missing(each, lookalikes) for each in names.missing]
        problems = (*names.repeated, *missing)
        return Verification(stage="names", problems=problems, notes=names.notes, passed=tuple(names.found))
    pairs = [(each, names.found[each.path]) for each in manifest.resources]
    sizes = [await check.size(resource, file) for resource, file in pairs if file.size != resource.bytes]
    if sizes:
        passed = tuple(resource.path for resource, file in pairs if file.size == resource.bytes)
        return Verification(stage="sizes", problems=tuple(sizes), notes=names.notes, passed=passed)
    check.hasher.total = sum(resource.bytes for resource, _ in pairs)
    owners = {each.sha256: each.path for each in reversed(manifest.resources)}
    checked = [(resource, await check.checksum(resource, file, owners)) for resource, file in pairs]
    return Verification(
        stage="checksums",
        problems=tuple(problem for _, problem in checked if problem),
        notes=names.notes,
        passed=tuple(resource.path for resource, problem in checked if not problem),
    )


class _Check:
    """The checks that may read a file, and how much was read for hints."""

    def __init__(self, hasher: Hasher) -> None:
        self.hasher = hasher
        self._left = HINT_BYTES
        self._contents: dict[int, dict[str, str]] = {}
        """Paths of unlisted files by size and checksum."""

    async def missing(self, resource: Resource, lookalikes: Lookalikes) -> Problem:
        """What to say of a resource without a file."""
        size = resource.bytes
        if size not in self._contents:
            self._contents[size] = {await self._digest(each): each.path for each in lookalikes.by_size.get(size, ())}
        if other := self._contents[size].get(resource.sha256):
            action = f"{other!r} has exactly its content. Rename that file to {resource.path!r}."
            return Problem(path=resource.path, problem="This file has another name.", action=action)
        hint = lookalikes.hint(resource.path)
        return Problem(path=resource.path, problem="This file is missing.", action=hint)

    async def size(self, resource: Resource, file: FileSource) -> Problem:
        """What to say of a file with another size."""
        difference = file.size - resource.bytes
        problem = (
            f"It has {file.size:,} bytes; the manifest says {resource.bytes:,} "
            f"({abs(difference):,} {'more' if difference > 0 else 'fewer'})."
        )
        action = "Choose the original file, as it was first saved."
        if not file.size:
            problem = f"The file is empty; the manifest says {resource.bytes:,} bytes."
            action = "Choose the original file; the copy was cut off."
        elif await self._digest(file) == resource.sha256:
            problem += " Its checksum is right, so the size in the manifest is wrong."
            action = "Choose the manifest that belongs to the file, or make a new one."
        elif await self._has_other_lines(file, resource):
            problem, action = f"{problem} {_LINES}", _GIT
        return Problem(path=resource.path, problem=problem, action=action)

    async def checksum(self, resource: Resource, file: FileSource, owners: Mapping[Sha256, str]) -> Problem | None:
        """What is wrong with the content of a file; `owners` are manifest paths by checksum."""
        try:
            digest = await self.hasher.digest(file)
        except OSError as error:
            return Problem(path=resource.path, problem=unreadable(error), action="Choose it again.")
        if digest == resource.sha256:
            return None
        problem = f"The content differs: its sha256 is {digest}, the manifest says {resource.sha256}."
        action = "Choose the original file; it was changed since the manifest was made."
        if owner := owners.get(Sha256(digest)):
            action = f"This is the content of {owner!r}. Give the files back their names."
        elif await self._has_other_lines(file, resource):
            problem, action = f"The content differs. {_LINES}", _GIT
        return Problem(path=resource.path, problem=problem, action=action)

    async def _digest(self, file: FileSource) -> str:
        """The checksum of a file for a hint; nothing where it cannot be read, or enough was."""
        if not self._may_read(file):
            return ""
        try:
            return await self.hasher.digest(file)
        except OSError:
            return ""

    async def _has_other_lines(self, file: FileSource, resource: Resource) -> bool:
        """Whether it is the text of the resource but for its line ends."""
        if resource.format not in TEXTS or file.size > TEXT_BYTES or not self._may_read(file):
            return False
        try:
            data = await file.read(0, file.size)
        except OSError:
            return False
        for other in _line_ends(data):
            if len(other) == resource.bytes and await self.hasher.of_bytes(other) == resource.sha256:
                return True
        return False

    def _may_read(self, file: FileSource) -> bool:
        self._left -= file.size
        return self._left >= 0


_LINES = "Only its line ends differ: an editor or Git has changed them."
_GIT = "Choose the original file; Git keeps it with «core.autocrlf false»."


def _line_ends(data: bytes) -> Iterator[bytes]:
    """The text with other line ends, as editors, Git and careless copies make them."""
    plain = data.replace(b"\r\r\n", b"\n").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    yield plain
    yield plain.replace(b"\n", b"\r\n")


def unreadable(error: OSError) -> str:
    """Why a chosen file cannot be read any more."""
    if isinstance(error, FileNotFoundError):
        return "The file was removed or renamed since it was chosen."
    return "The file cannot be read: it was changed since it was chosen, is a folder, or is not on this device."
