"""The round loop: this is where to start reading how Roundtab trains.

A round: select participants, deal items of the queue, send the tasks, collect and check the updates, aggregate,
evaluate, commit, announce. After the commit the round is kept whatever happens; before it nothing of the round exists.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from roundtab.checkpoints import safetensors
from roundtab.checkpoints.archive import Archive
from roundtab.clock import Clock
from roundtab.data.queue import Item, Queue
from roundtab.errors import ParticipantLost, RoundtabError, TrainingFailed
from roundtab.records.ids import Sha256, new_id
from roundtab.records.jobs import Job, Phase
from roundtab.records.rounds import Checkpoint, Round
from roundtab.training.aggregation.fedavg import FedAvg
from roundtab.training.evaluation import evaluate, start_weights
from roundtab.training.hashing import sha256_in_slices
from roundtab.training.lifecycle import after
from roundtab.training.messages import Collect, Trained, TrainTask, Update, pack, unpack
from roundtab.training.plan import Plan
from roundtab.training.roster import Member, Roster
from roundtab.training.updates import check_report, check_weights

T = TypeVar("T")

MAX_REFUSALS = 3
"""Refused updates in a row after which a participant is stopped."""


@dataclass(frozen=True, slots=True)
class Hand:
    """What one participant was dealt for a round."""

    member: Member
    items: list[Item]
    lease: str

    @property
    def examples(self) -> int:
        """Rows of the items."""
        return sum(len(item.rows) for item in self.items)


class Coordinator:
    """Trains one job from its last committed round to its end."""

    def __init__(self, plan: Plan, roster: Roster, archive: Archive, clock: Clock) -> None:
        self._plan = plan
        self._roster = roster
        self._archive = archive
        self._clock = clock
        self._weights: dict[str, np.ndarray] = {}
        self._queue: Queue

    @property
    def _job(self) -> Job:
        return self._archive.job(self._plan.job.id)

    async def run(self) -> None:
        """All rounds that are left. The last one's commit completes the job."""
        await self._load()
        while (done := self._job.rounds.done) < self._job.rounds.total:
            members = await self._select()
            hands = self._deal(members)
            self._phase("training", f"round {done + 1}")
            results = await asyncio.gather(*(self._train(hand, done + 1) for hand in hands))
            trained = [(hand, report) for hand, report in zip(hands, results, strict=True) if report]
            self._phase("aggregating", f"round {done + 1}")
            accepted = await self._aggregate(trained)
            if not accepted:
                continue
            self._phase("evaluating", f"round {done + 1}")
            validation = await self._evaluate()
            self._phase("saving", f"round {done + 1}")
            await self._commit(done + 1, accepted, validation)

    async def _load(self) -> None:
        """Weights and queue as the last committed round left them, or new ones."""
        job = self._job
        self._queue = self._plan.new_queue(await self._archive.queue(job.id))
        if job.rounds.done:
            _, data = await self._archive.checkpoint(job.id, job.rounds.done)
            tensors, _ = safetensors.load(data)
            self._weights = {name: array for name, array in tensors.items() if not name.startswith("inputs/")}
        else:
            self._weights = await self._by_somebody(lambda member: start_weights(self._plan, member))

    async def _select(self) -> list[Member]:
        """The participants of the next round: all that are connected, at least `min_participants`."""
        needed = self._job.config.min_participants
        while self._roster.starting() or len(self._roster.connected()) < needed:
            connected = len(self._roster.connected())
            stopped = [member for member in self._roster.members if member.record.refusals >= MAX_REFUSALS]
            if stopped and not connected and not self._roster.starting():
                raise TrainingFailed(
                    f"Every participant was stopped. The last one: {stopped[-1].record.problem}",
                    "Check the data and the settings (a smaller learning rate often helps), then retry.",
                )
            self._phase("waiting_for_participants", f"{connected} of {needed}")
            await self._roster.change()
        return self._roster.connected()

    def _deal(self, members: Sequence[Member]) -> list[Hand]:
        """Draw the items of a round and deal them in turn, in the order of joining."""
        items = self._queue.draw(self._plan.items_per_round(self._queue))
        hands = [Hand(member, items[i :: len(members)], new_id("lease")) for i, member in enumerate(members)]
        return [hand for hand in hands if hand.items]

    async def _train(self, hand: Hand, number: int) -> Trained | None:
        """Let one participant train; None gives its items back to the queue."""
        task = TrainTask(
            lease=hand.lease,
            capability=self._job.capability,
            parameters=self._job.config.parameters,
            settings=self._plan.hyper,
            seed=self._job.config.trainer.seed,
            round=number,
            items=tuple(item.id for item in hand.items),
            weights=pack(self._weights),
            inputs=self._plan.inputs(),
            rows=self._plan.rows(hand.items),
        )
        hand.member.note(state="training", items_now=len(hand.items))
        try:
            async with asyncio.timeout(self._job.config.trainer.deadline_s):
                report = await hand.member.ask(task)
            if not isinstance(report, Trained):
                raise TrainingFailed("The answer is no report of training.", "Use the same version on both sides.")
            check_report(report, round_number=number, handed_out=hand.examples)
        except TimeoutError:
            await hand.member.stop(hand.lease)
            deadline = f"No answer within {self._job.config.trainer.deadline_s:g} s."
            await self._refuse(hand, TrainingFailed(deadline, "Its items are drawn again."))
            return None
        except RoundtabError as error:
            await self._refuse(hand, error)
            return None
        hand.member.note(state="reported", last_seen_at=self._clock.now())
        return report

    async def _aggregate(self, trained: Sequence[tuple[Hand, Trained]]) -> list[tuple[Hand, Trained]]:
        """Collect the updates in the order of joining, check each, and average them. Returns those that count."""
        average = FedAvg()
        accepted = []
        for hand, report in trained:
            try:
                update = await hand.member.ask(Collect(lease=hand.lease))
                if not isinstance(update, Update):
                    raise TrainingFailed("The answer is no update.", "Use the same version on both sides.")
                weights = unpack(update.weights)
                check_weights(weights, self._weights)
            except RoundtabError as error:
                await self._refuse(hand, error)
                continue
            average.add(weights, report.count)
            await self._clock.breathe()
            accepted.append((hand, report))
        if accepted:
            self._weights = average.result()
        return accepted

    async def _refuse(self, hand: Hand, error: RoundtabError) -> None:
        """Give the items back and say why; a participant that is refused again and again is stopped."""
        self._queue.give_back(hand.items)
        member = hand.member
        if member.connected:
            refusals = member.record.refusals + 1
            member.note(state="ready", items_now=0, refusals=refusals, problem=error.problem, action=error.action)
            if refusals >= MAX_REFUSALS:
                member.leave(error.problem, "It was stopped after three refusals in a row.")
        message = f"{member.record.name}: {error.problem} Its {len(hand.items)} items go back to the queue."
        await self._archive.log(self._job.id, "warning", message, {"participant": member.record.id})

    async def _evaluate(self) -> dict[str, float]:
        """Validation metrics of the aggregated weights; empty without held-out data."""
        rows = self._plan.validation_rows
        if rows is None:
            return {}
        return await self._by_somebody(lambda member: evaluate(self._plan, member, self._weights, rows))

    async def _by_somebody(self, do: Callable[[Member], Awaitable[T]]) -> T:
        """Let the first participant do something; when it is lost, the next one."""
        while True:
            try:
                return await do((await self._select())[0])
            except ParticipantLost:
                continue

    async def _commit(
        self, number: int, accepted: Sequence[tuple[Hand, Trained]], validation: dict[str, float]
    ) -> None:
        """Write the round; with the last one the job is completed in the same transaction."""
        job, now = self._job, self._clock.now()
        items = sum(len(hand.items) for hand, _ in accepted)
        examples = sum(report.count for _, report in accepted)
        done = job.work.done + sum(hand.examples for hand, _ in accepted)
        previous = (await self._archive.rounds(job.id))[-1:]
        row = Round(
            round=number,
            steps=(previous[0].steps if previous else 0) + items,
            epochs=round(done / len(self._plan.data.labels), 6),
            examples=examples,
            metrics=self._metrics([report for _, report in accepted], validation),
            committed_at=now,
        )
        for hand, report in accepted:
            record = hand.member.record
            hand.member.note(
                state="ready",
                items_now=0,
                items_done=record.items_done + len(hand.items),
                examples_done=record.examples_done + report.count,
                refusals=0,
                problem=None,
                action=None,
            )
        tensors = {**self._weights, "inputs/mean": self._plan.mean, "inputs/scale": self._plan.scale}
        data = memoryview(safetensors.save(tensors, self._plan.checkpoint_metadata(row, self._queue.state)))
        checkpoint = Checkpoint(
            job=job.id,
            round=number,
            name=f"{job.id}-round-{number}.safetensors",
            bytes=len(data),
            sha256=Sha256(await sha256_in_slices(data, self._clock)),
            metrics=row.metrics,
            created_at=now,
        )
        logs = [f"Round {number} committed"]
        if number == job.rounds.total:
            logs.append("Job completed")
        participants = self._roster.records()

        def change(current: Job) -> Job:
            current = replace(
                current,
                rounds=replace(current.rounds, done=number),
                work=replace(current.work, done=done),
                participants=participants,
            )
            return after(current, "complete", now) if number == current.rounds.total else current

        write = self._archive.commit_round(change, row, checkpoint, data, self._queue.state, logs)
        await finished(asyncio.ensure_future(write))

    def _metrics(self, reports: Sequence[Trained], validation: dict[str, float]) -> dict[str, float | None]:
        """The metrics row: training values weighted by examples, validation values, the learning rate."""
        total = sum(report.count for report in reports)
        names = dict.fromkeys(name for report in reports for name in report.metrics)
        metrics: dict[str, float | None] = {
            f"train_{name}": sum(report.metrics.get(name, np.nan) * report.count for report in reports) / total
            for name in names
        }
        metrics |= {f"val_{name}": value for name, value in validation.items()}
        metrics["learning_rate"] = self._job.config.trainer.learning_rate
        return metrics

    def _phase(self, phase: Phase, reason: str) -> None:
        if (self._job.phase, self._job.phase_reason) != (phase, reason):
            self._archive.change(self._job.id, lambda job: replace(job, phase=phase, phase_reason=reason))


async def finished(write: asyncio.Future[None]) -> None:
    """Wait for a write to end even when the run is cancelled meanwhile: what follows must see its outcome."""
    try:
        await asyncio.shield(write)
    except asyncio.CancelledError:
        await asyncio.wait([write])
        raise
