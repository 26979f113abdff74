"""The border to JavaScript: objects, bytes, null and errors are converted here and nowhere else."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any

import js
from pyodide.code import run_js
from pyodide.ffi import JsException, to_js

log = logging.getLogger(__name__)

_tasks: set[asyncio.Task[Any]] = set()

never = run_js("() => new Promise(() => {})")
"""A JavaScript function whose promise never settles."""


def js_object(fields: Mapping[str, Any]) -> Any:
    """A plain JavaScript object; values that are JavaScript objects already stay as they are."""
    return to_js(fields, dict_converter=js.Object.fromEntries)


def js_buffer(data: bytes | memoryview) -> Any:
    """An ArrayBuffer with a copy of exactly these bytes; a view would carry all of Python's memory with it."""
    return to_js(data).buffer


def js_list(items: Sequence[Any]) -> Any:
    """A JavaScript array."""
    return to_js(list(items))


def py_bytes(buffer: Any) -> bytes:
    """The bytes of an ArrayBuffer."""
    return buffer.to_bytes()  # type: ignore[no-any-return]


def is_missing(value: Any) -> bool:
    """Whether a value from JavaScript is undefined or null."""
    return value is None or type(value).__name__ == "JsNull"


def error_name(error: JsException) -> str:
    """The name of a JavaScript error, such as `QuotaExceededError`."""
    return str(getattr(error, "name", "Error"))


def spawn(work: Coroutine[Any, Any, Any]) -> None:
    """Run `work` beside everything else. It is kept alive, and its failure is logged rather than lost."""
    task = asyncio.ensure_future(work)
    _tasks.add(task)
    task.add_done_callback(_ended)


def _ended(task: asyncio.Task[Any]) -> None:
    _tasks.discard(task)
    if not task.cancelled() and (error := task.exception()):
        log.error("a task failed", exc_info=error)
