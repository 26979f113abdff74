"""Progress of a step of work that goes through several files."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from roundtab.data.files import FileSource
from roundtab.data.hashing import Progress


class Step:
    """Adds up the bytes of files that are read one after the other."""

    def __init__(self, progress: Progress | None, files: Iterable[FileSource]) -> None:
        self._progress = progress
        self._total = sum(file.size for file in files)
        self._before = 0

    def of(self, file: FileSource, what: str) -> Callable[[int], None]:
        """What is to be called with the bytes of the next file that are done; it may raise to stop the work."""
        before = self._before
        self._before += file.size

        def tell(done: int) -> None:
            if self._progress:
                self._progress(before + done, self._total, what)

        return tell
