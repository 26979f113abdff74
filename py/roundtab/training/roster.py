"""The participants of a running job, as the coordinator sees them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from roundtab.clock import Clock
from roundtab.errors import Conflict, ParticipantLost, RoundtabError, TrainingFailed
from roundtab.records.ids import ParticipantId, new_id
from roundtab.records.jobs import Participant
from roundtab.training.messages import Answer, Failed, Order, Progress, Ready, StopTask, decode, encode
from roundtab.training.transport import Transport


class Member:
    """One participant: its record, and the questions that wait for its answers."""

    def __init__(self, record: Participant, transport: Transport, clock: Clock, changed: Callable[[], None]) -> None:
        self.record = record
        self._transport = transport
        self._clock = clock
        self._changed = changed
        self._waiting: dict[str, asyncio.Future[Answer]] = {}
        self._heard: dict[str, Callable[[int], None]] = {}
        self._reader = asyncio.ensure_future(self._read())

    @property
    def connected(self) -> bool:
        """Whether it can be given a task."""
        return self.record.state not in ("starting", "left")

    def noted(self, **changes: Any) -> Participant:
        """The record with `changes`. Nothing brings back a participant that has left: only its counts still change."""
        if self.record.state == "left":
            changes = {name: value for name, value in changes.items() if name in ("items_done", "examples_done")}
        return replace(self.record, **changes)

    def note(self, **changes: Any) -> None:
        """Change the record and tell."""
        self.record = self.noted(**changes)
        self._changed()

    async def ask(self, order: Order, *, within: float, heard: Callable[[int], None] | None = None) -> Answer:
        """Send an order and wait for the answer with its lease, at most `within` seconds; then the task is taken back.

        `heard` is called with the examples that are done, whenever the participant reports them.

        Raises `TrainingFailed` when the participant reports a failure, `ParticipantLost` when it goes away or gives no
        answer in time.
        """
        waiting = self._waiting[order.lease] = asyncio.get_running_loop().create_future()
        if heard:
            self._heard[order.lease] = heard
        # The participant may be lost while the order is still being sent; then nobody asks this future any more.
        waiting.add_done_callback(lambda future: future.cancelled() or future.exception())
        try:
            async with asyncio.timeout(within):
                await self._transport.send(encode(order))
                answer: Answer = await waiting
        except TimeoutError:
            with contextlib.suppress(ParticipantLost):
                await self._transport.send(encode(StopTask(lease=order.lease)))
            raise ParticipantLost(f"No answer within {within:g} s.", "Its items are drawn again.") from None
        finally:
            self._waiting.pop(order.lease, None)
            self._heard.pop(order.lease, None)
        if isinstance(answer, Failed):
            raise TrainingFailed(answer.problem, answer.action)
        return answer

    def leave(self, problem: str | None = None, action: str | None = None) -> None:
        """End the participation. The record stays, to show who took part."""
        if self.record.state != "left":
            self.note(state="left", items_now=0, problem=problem, action=action)
        self._transport.close()

    async def closed(self) -> None:
        """Wait until nothing of this participant is under way."""
        await asyncio.wait([self._reader])

    async def _read(self) -> None:
        try:
            while True:
                self._hear(decode(await self._transport.receive()))
        except RoundtabError as error:
            lost = error if isinstance(error, ParticipantLost) else ParticipantLost(error.problem, error.action)
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(lost)
            self.leave(lost.problem, lost.action)

    def _hear(self, report: object) -> None:
        if isinstance(report, Ready):
            self.note(state="ready", last_seen_at=self._clock.now())
        elif isinstance(report, Progress):
            self.note(last_seen_at=self._clock.now())
            if heard := self._heard.get(report.lease):
                heard(report.done)
        else:
            waiting = self._waiting.get(getattr(report, "lease", ""))
            if waiting and not waiting.done():
                waiting.set_result(report)  # type: ignore[arg-type]


class Roster:
    """All participants of a job in the order of joining. `changed` tells the world after each change."""

    def __init__(self, clock: Clock, changed: Callable[[Participant], None]) -> None:
        self._clock = clock
        self._announce = changed
        self._turn = asyncio.Event()
        self._closed = False
        self.members: list[Member] = []

    def join(self, name: str, transport: Transport) -> Member:
        """Add a participant; it is `starting` until it says that it is ready. Raises `Conflict` once all have left."""
        if self._closed:
            transport.close()
            raise Conflict("The job ended while the participant was joining.", "Start it again, then add participants.")
        record = Participant(
            id=ParticipantId(new_id("p")),
            name=name,
            number=len(self.members) + 1,
            state="starting",
            last_seen_at=self._clock.now(),
        )

        def changed() -> None:
            self._announce(member.record)
            self._turn.set()

        member = Member(record, transport, self._clock, changed)
        self.members.append(member)
        changed()
        return member

    def records(self) -> tuple[Participant, ...]:
        """The records, in the order of joining."""
        return tuple(member.record for member in self.members)

    def connected(self) -> list[Member]:
        """Those who can be given tasks, in the order of joining."""
        return [member for member in self.members if member.connected]

    def starting(self) -> bool:
        """Whether somebody is still on the way."""
        return any(member.record.state == "starting" for member in self.members)

    async def change(self) -> None:
        """Wait until something changes."""
        self._turn.clear()
        await self._turn.wait()

    async def close(self) -> None:
        """End all participations, and wait for their end."""
        self._closed = True
        for member in self.members:
            member.leave()
        await asyncio.gather(*(member.closed() for member in self.members))
