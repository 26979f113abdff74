"""The page's way to the Training API: `window.roundtab`, which widget.js makes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import js
from pyodide.ffi import create_proxy

from roundtab.api.envelope import Envelope
from roundtab.browser.ffi import js_buffer, js_list, js_object, py_bytes
from roundtab.browser.files import BrowserFile


class WidgetWire:
    """A `Wire` over the widget's frame. Files are the browser's own."""

    async def exchange(self, envelope: Envelope) -> Envelope:
        """The service's response."""
        sent = js_object(
            {
                "json": envelope.json,
                "buffers": js_list([js_buffer(each) for each in envelope.buffers]),
                "files": js_list([each.file for each in envelope.files if isinstance(each, BrowserFile)]),
            }
        )
        answer = await js.window.roundtab.training.exchange(sent)
        return Envelope(str(answer.json), [py_bytes(each) for each in answer.buffers or ()])


def watch(changed: Callable[[dict[str, Any]], None]) -> None:
    """Call `changed` with the present state of the connection and with every later one."""
    js.window.roundtab.training.watch(create_proxy(lambda state: changed(_plain(state))))


def subscribe(heard: Callable[[dict[str, Any]], None]) -> None:
    """Call `heard` with every event: name, epoch, seq, data."""
    js.window.roundtab.training.subscribe(create_proxy(lambda event: heard(_plain(event))))


def _plain(value: Any) -> dict[str, Any]:
    return json.loads(js.JSON.stringify(value))  # type: ignore[no-any-return]
