"""Trainers whose orders are noted, and whose reports tests meddle with."""

from __future__ import annotations

from collections.abc import Callable

from roundtab.capabilities.catalogue import Catalogue
from roundtab.clock import SystemClock
from roundtab.training.messages import Order, Report, Trained, TrainTask, Update, decode, encode
from roundtab.training.trainers import InProcessTrainers
from roundtab.training.transport import Message, Transport

Meddle = Callable[[int, Report], Report | None]
"""What becomes of a report of participant n (from 1); None loses it."""


class Trainers(InProcessTrainers):
    """Trainers whose orders are noted and whose reports go through `meddle`."""

    def __init__(self, catalogue: Catalogue, meddle: Meddle | None = None) -> None:
        super().__init__(catalogue, SystemClock())
        self.meddle = meddle
        self.orders: list[tuple[int, Order]] = []
        self.transports: list[Transport] = []

    async def start(self, name: str) -> Transport:
        """A trainer behind a channel that listens and meddles."""
        channel = _Channel(await super().start(name), len(self.transports) + 1, self)
        self.transports.append(channel)
        return channel

    def items(self) -> list[tuple[int, int, tuple[str, ...]]]:
        """Participant, round and items of every training task that was sent."""
        return [(number, order.round, order.items) for number, order in self.orders if isinstance(order, TrainTask)]


class _Channel:
    def __init__(self, inner: Transport, number: int, trainers: Trainers) -> None:
        self._inner = inner
        self._number = number
        self._trainers = trainers

    async def send(self, message: Message) -> None:
        self._trainers.orders.append((self._number, decode(message)))  # type: ignore[arg-type]
        await self._inner.send(message)

    async def receive(self) -> Message:
        while True:
            message = await self._inner.receive()
            if self._trainers.meddle is None:
                return message
            report = self._trainers.meddle(self._number, decode(message))  # type: ignore[arg-type]
            if report is not None:
                return encode(report)

    def close(self) -> None:
        self._inner.close()


def spoil(number: int, kind: type[Report], change: Callable[[Report], Report | None], times: int = 1) -> Meddle:
    """Change the first so many reports of this kind of participant `number`; starting weights are left alone."""
    left, trained = times, False

    def meddle(participant: int, report: Report) -> Report | None:
        nonlocal left, trained
        trained = trained or isinstance(report, Trained)
        starting = isinstance(report, Update) and not trained
        if participant != number or not isinstance(report, kind) or starting or not left:
            return report
        left -= 1
        return change(report)

    return meddle
