"""What a method of the Training API is called with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from roundtab.api.access import Caller
from roundtab.api.engine import Engine
from roundtab.api.progress import Progress
from roundtab.api.protocol import GivenFile, Request, Storage
from roundtab.data.files import FileSource, Stream
from roundtab.errors import InvalidRequest, Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The engine, who calls, and what came beside the JSON."""

    engine: Engine
    caller: Caller
    progress: Progress
    files: Sequence[FileSource]

    def given(self, named: Sequence[GivenFile]) -> list[FileSource]:
        """The files of a request under the paths that the request gives them.

        Raises `InvalidRequest` for a file that did not come along.
        """
        wrong = [index for index, each in enumerate(named) if each.content.index >= len(self.files)]
        if wrong:
            problems = [
                Problem(
                    path=f"$.params.files[{index}].content",
                    problem=f"There is no file {named[index].content.index}.",
                    action="Send the file beside the JSON.",
                )
                for index in wrong
            ]
            raise InvalidRequest("Files are named that did not come along.", "Send them with the request.", problems)
        return [NamedFile(each.path, self.files[each.content.index]) for each in named]

    async def storage(self) -> Storage:
        """Bytes used and available."""
        usage = await self.engine.archive.usage()
        return Storage(used=usage.used, quota=usage.quota, persisted=usage.persisted)


class NamedFile:
    """A file under another path."""

    def __init__(self, path: str, file: FileSource) -> None:
        self.path = path
        self.size = file.size
        self._file = file

    async def read(self, offset: int, length: int) -> bytes:
        """Bytes of the file."""
        return await self._file.read(offset, length)

    def stream(self, piece: int) -> Stream:
        """All bytes in order."""
        return self._file.stream(piece)


Handlers: TypeAlias = dict[type[Request[Any]], Callable[[Context, Any], Awaitable[Any]]]
"""What answers each request."""
