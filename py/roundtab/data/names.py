"""Which chosen file is which resource of a manifest: by name alone, before anything is read.

Names are compared as they are, then in Unicode's composed form (macOS decomposes accented letters), then without the
folder, which browsers do not tell of files that were picked one by one. What only looks alike is never taken: the hint
names it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from roundtab.data.files import FileSource
from roundtab.data.manifests.manifest import Manifest
from roundtab.data.manifests.paths import path_key
from roundtab.data.manifests.resources import Resource, Split
from roundtab.errors import Problem

SYSTEM_FILES = frozenset({".ds_store", "thumbs.db", "desktop.ini", "datapackage.json"})
"""What lies in a chosen folder and belongs to no data: nothing is said of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Which file is which resource."""

    found: dict[str, FileSource]
    """Files by manifest path."""
    missing: tuple[Resource, ...]
    repeated: tuple[Problem, ...]
    unlisted: tuple[FileSource, ...]
    notes: tuple[Problem, ...]

    @property
    def problems(self) -> bool:
        """Whether the names do not fit."""
        return bool(self.missing or self.repeated)


def match_names(manifest: Manifest, files: Sequence[FileSource]) -> Names:
    """Find the file of each resource."""
    given: dict[str, FileSource] = {}
    repeated: list[Problem] = []
    for file in files:
        if file.path in given:
            problem = "Two files were chosen under this path."
            repeated.append(Problem(path=file.path, problem=problem, action="Choose only one of them."))
        given.setdefault(file.path, file)
    composed = {unicodedata.normalize("NFC", path): file for path, file in given.items()}
    shared = Counter(_basename(each.path) for each in manifest.resources)
    found: dict[str, FileSource] = {}
    notes: list[Problem] = []
    for resource in manifest.resources:
        path, base = resource.path, _basename(resource.path)
        if path in given:
            found[path] = given[path]
        elif path in composed:
            found[path] = composed[path]
            told = "Its name is in another Unicode form than in the manifest; the letters are the same."
            notes.append(Problem(path=path, problem=told, action="Nothing needs to be done."))
        elif shared[base] == 1 and base in composed:
            found[path] = composed[base]
            told = f"It was chosen without its folder, as {base!r}; no other file of the manifest is called so."
            notes.append(Problem(path=path, problem=told, action="Nothing needs to be done."))
    used = {file.path for file in found.values()}
    unlisted = tuple(file for path, file in given.items() if path not in used and not _of_system(path))
    unused = {_basename(each.path): each.split for each in manifest.unused}
    notes += [_unused(file.path, unused.get(_basename(file.path))) for file in unlisted]
    missing = tuple(each for each in manifest.resources if each.path not in found)
    return Names(found=found, missing=missing, repeated=tuple(repeated), unlisted=unlisted, notes=tuple(notes))


class Lookalikes:
    """Unlisted files by what a missing one may have become, so that ten thousand of each are compared in one pass."""

    def __init__(self, manifest: Manifest, unlisted: Sequence[FileSource]) -> None:
        paths = [file.path for file in reversed(unlisted)]  # the first one of several wins
        self._shared = Counter(_basename(each.path) for each in manifest.resources)
        self._by_key = {path_key(path): path for path in paths}
        self._by_original = {plain: path for path in paths if (plain := _without_copy_mark(path)) != path}
        self._by_basename = {_basename(path): path for path in paths}
        self.by_size: dict[int, list[FileSource]] = {}
        """Unlisted files by their size, to be compared with what is missing."""
        for file in unlisted:
            self.by_size.setdefault(file.size, []).append(file)

    def hint(self, path: str) -> str:
        """What to do about a missing file: names the unlisted one that is probably meant."""
        base = _basename(path)
        if other := self._by_key.get(path_key(path)):
            return f"You chose {other!r}: only upper and lower case differ. Rename it to {path!r}."
        if other := self._by_original.get(path) or self._by_original.get(base):
            return f"You chose {other!r}, as browsers and systems name a copy. Rename it to {path!r}."
        if other := self._by_basename.get(base):
            if self._shared[base] > 1 and other == base:
                count = self._shared[base]
                return f"{count} files of the manifest are called {base!r}. Choose the folder that they are in."
            return f"You chose {other!r}, which lies in another folder. Put it where the manifest has it."
        return "Choose this file too."


def _unused(path: str, part: Split | None) -> Problem:
    """Why a file is not used; `part` is that of the data which it belongs to, where that is not wanted."""
    if part:
        told = f"It is {'training' if part == 'train' else 'validation'} data, which is not needed here."
        return Problem(path=path, problem=told, action="Nothing needs to be done.")
    told = "The manifest does not list this file; it is not used."
    return Problem(path=path, problem=told, action="List it in the manifest if it belongs to the data.")


def _basename(path: str) -> str:
    return path.rpartition("/")[2]


def _of_system(path: str) -> bool:
    return _basename(path).casefold() in SYSTEM_FILES


def _without_copy_mark(path: str) -> str:
    """`data (1).csv` -> `data.csv`, `data.csv.txt` -> `data.csv`: what browsers and systems add to names."""
    path = re.sub(r"(\.[A-Za-z0-9]+)\.(txt|download|crdownload|part)$", r"\1", path)
    return re.sub(r"( ?\(\d+\)| - Copy| copy)(?=(\.[^./]+)?$)", "", path)
