"""Files of a disk as `FileSource`s, for programs that run outside of a browser."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from roundtab.data.files import Stream, in_pieces
from roundtab.data.making.naming import why_no_data
from roundtab.errors import Problem


class DiskFile:
    """A file below a folder. Reading fails with `OSError` when it was changed since this was made."""

    def __init__(self, place: Path, path: str) -> None:
        """`path` is what a manifest calls it."""
        self.path = path
        self._place = place
        self._changed = self._state()
        self.size = self._changed[0]

    async def read(self, offset: int, length: int) -> bytes:
        """The bytes from `offset` on, at most `length` of them."""
        if self._state() != self._changed:
            raise OSError(f"{self.path} was changed")
        with self._place.open("rb") as file:
            file.seek(offset)
            return file.read(length)

    def stream(self, piece: int) -> Stream:
        """All bytes in order."""
        return in_pieces(self, piece)

    def _state(self) -> tuple[int, int]:
        found = self._place.stat()
        return found.st_size, found.st_mtime_ns


def files_in(folder: Path) -> tuple[list[DiskFile], list[Problem]]:
    """All files below `folder` that may be data, by path in the order of their names; and what was left out.

    Links to folders are not followed. Raises `OSError` for a folder that cannot be read.
    """
    files: list[DiskFile] = []
    left_out: list[Problem] = []
    for place, path in _walk(folder, ""):
        if reason := why_no_data(path):
            left_out.append(Problem(path=path, problem=f"{reason} It was left out.", action="Nothing is to be done."))
        else:
            files.append(DiskFile(place, path))
    return files, left_out


def _walk(folder: Path, prefix: str) -> Iterator[tuple[Path, str]]:
    """Files below `folder`, and hidden folders as they are."""
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        path = f"{prefix}{entry.name}"
        if entry.is_dir(follow_symlinks=False) and not why_no_data(path):
            yield from _walk(Path(entry.path), f"{path}/")
        elif entry.is_file() or entry.is_dir(follow_symlinks=False):
            yield Path(entry.path), path
