"""Coroutines that belong together: none is left behind when one of them fails or the run is cancelled."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def together(*parts: Coroutine[Any, Any, T]) -> list[T]:
    """The results of all parts, in order. When one fails, the others have ended before its error is raised."""
    tasks = [asyncio.ensure_future(part) for part in parts]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        raise


async def finished(write: asyncio.Future[None]) -> None:
    """Wait for a write to end even when the run is cancelled meanwhile: what follows must see its outcome."""
    try:
        await asyncio.wait(
            [write]
        )  # not `shield`: from Python 3.14 on that reports the error of a cancelled wait as lost
    except asyncio.CancelledError:
        await asyncio.wait([write])
        if not write.cancelled():
            write.exception()  # a failed write is told of nowhere else: the cancel goes on either way
        raise
    write.result()
