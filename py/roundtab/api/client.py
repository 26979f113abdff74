"""The client of the Training API: typed calls over any transport."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Protocol, TypeVar

from roundtab.api.envelope import Envelope, read_result, write_call
from roundtab.api.protocol import GivenFile, Request
from roundtab.data.files import FileSource
from roundtab.records.codec import from_plain, to_plain
from roundtab.records.values import FileRef

R = TypeVar("R")


class Wire(Protocol):
    """Carries one request to a service and brings its response."""

    async def exchange(self, envelope: Envelope) -> Envelope:
        """The response. Raises `Unavailable` when there is no service."""
        ...


class Client:
    """Speaks the Training API: `await client.call(JobsGet(job=…))`."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._numbers = itertools.count(1)

    async def call(self, request: Request[R], files: Sequence[FileSource] = (), progress: str | None = None) -> R:
        """The response to `request`. Raises the service's error.

        `files` are those that the request names by `given`. `progress` is an id under which `request.progress` events
        come, and by which `RequestsCancel` stops the call.
        """
        params = to_plain(request)
        if progress is not None:
            params["progress"] = progress
        answer = await self._wire.exchange(write_call(next(self._numbers), request.method, params, files))
        buffers = [memoryview(each) for each in answer.buffers]
        return from_plain(request.response, read_result(answer), buffers)  # type: ignore[no-any-return]


def given(files: Sequence[FileSource], first: int = 0) -> tuple[GivenFile, ...]:
    """How a request names the files that are sent with it; `first` is where these begin among them."""
    return tuple(GivenFile(path=file.path, content=FileRef(index)) for index, file in enumerate(files, first))
