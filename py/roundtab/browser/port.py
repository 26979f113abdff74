"""MessagePorts: fields, buffers and files in both directions, and the transport between engine and trainer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from pyodide.ffi import create_proxy

from roundtab.browser.ffi import js_buffer, js_list, js_object, py_bytes
from roundtab.training.transport import Message, lost

CLOSED = "closed"


class Port:
    """One end of a MessageChannel."""

    def __init__(self, port: Any, receive: Callable[[Any], None]) -> None:
        """`receive` gets the data of each message, a JavaScript object."""
        self._port = port
        self._listener = create_proxy(lambda event: receive(event.data))
        port.onmessage = self._listener

    def post(
        self, kind: str, buffers: Sequence[bytes | memoryview] = (), ports: Sequence[Any] = (), **fields: Any
    ) -> None:
        """Send fields, and buffers beside them (copied once, then transferred); `ports` are those among the fields."""
        copies = [js_buffer(each) for each in buffers]
        self._port.postMessage(
            js_object({"kind": kind, "buffers": js_list(copies), **fields}), js_list([*copies, *ports])
        )

    def close(self) -> None:
        """Stop receiving."""
        self._port.close()
        self._port.onmessage = None
        self._listener.destroy()


class PortTransport:
    """A `Transport` over a MessagePort. A closed port tells nobody, so the end is said in a message of its own."""

    def __init__(self, port: Any, closed: Callable[[], None] = lambda: None) -> None:
        """`closed` is called once when either side closes."""
        self._inbox: asyncio.Queue[Message | None] = asyncio.Queue()
        self._open = True
        self._closed = closed
        self._port = Port(port, self._receive)

    async def send(self, message: Message) -> None:
        """Post the message."""
        if not self._open:
            raise lost()
        self._port.post("message", message.buffers, text=message.text)

    async def receive(self) -> Message:
        """The next message."""
        message = None if not self._open and self._inbox.empty() else await self._inbox.get()
        if message is None:
            raise lost()
        return message

    def close(self) -> None:
        """Close both ends."""
        if self._open:
            self._port.post(CLOSED)
            self._end()
        while not self._inbox.empty():
            self._inbox.get_nowait()
        self._inbox.put_nowait(None)

    def _receive(self, data: Any) -> None:
        if data.kind == CLOSED:
            self._end()
        else:
            self._inbox.put_nowait(Message(data.text, tuple(py_bytes(each) for each in data.buffers)))

    def _end(self) -> None:
        if self._open:
            self._open = False
            self._inbox.put_nowait(None)
            self._port.close()
            self._closed()
