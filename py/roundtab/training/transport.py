"""What carries messages between a coordinator and a participant. Implementations pass tests/contracts."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Protocol

from roundtab.errors import ParticipantLost


@dataclass(frozen=True, slots=True)
class Message:
    """JSON text and the bytes that travel beside it."""

    text: str
    buffers: tuple[bytes | memoryview, ...] = ()


class Transport(Protocol):
    """One end of a two-way channel that keeps the order of messages.

    What was sent before one side closed still arrives at the other side; the side that closed receives nothing more.
    """

    async def send(self, message: Message) -> None:
        """Hand the message over. Raises `ParticipantLost` when the channel is closed."""
        ...

    async def receive(self) -> Message:
        """The next message. Raises `ParticipantLost`, now and ever after, once the channel is closed and empty."""
        ...

    def close(self) -> None:
        """Close both ends."""
        ...


class MemoryTransport:
    """An end of a channel inside one process; made in pairs by `memory_pair`."""

    def __init__(self, inbox: asyncio.Queue[Message | None], outbox: asyncio.Queue[Message | None]) -> None:
        self._inbox = inbox
        self._outbox = outbox
        self._closed = False

    async def send(self, message: Message) -> None:
        """Hand the message over; the bytes are copied, as between workers."""
        if self._closed:
            raise lost()
        self._outbox.put_nowait(Message(message.text, tuple(bytes(each) for each in message.buffers)))

    async def receive(self) -> Message:
        """The next message."""
        message = None if self._closed else await self._inbox.get()
        if message is None or self._closed:
            self._closed = True
            raise lost()
        return message

    def close(self) -> None:
        """Close both ends."""
        if not self._closed:
            self._closed = True
            self._outbox.put_nowait(None)
            self._inbox.put_nowait(None)


def memory_pair() -> tuple[MemoryTransport, MemoryTransport]:
    """The two ends of a channel."""
    one: asyncio.Queue[Message | None] = asyncio.Queue()
    other: asyncio.Queue[Message | None] = asyncio.Queue()
    return MemoryTransport(one, other), MemoryTransport(other, one)


def lost() -> ParticipantLost:
    """What both ends raise once the channel is closed."""
    return ParticipantLost("The participant is gone.", "Its items go back to the queue; add another participant.")
