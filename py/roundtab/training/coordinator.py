"""The round loop: this is where to start reading how Roundtab trains.

A round: select participants, deal items of the queue, send the tasks, collect and check the updates, aggregate,
evaluate, commit, announce. After the commit the round is kept whatever happens; before it nothing of the round exists.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from roundtab.checkpoints import safetensors
from roundtab.checkpoints.archive import Archive
from roundtab.clock import Clock
from roundtab.data.queue import Queue
from roundtab.errors import ParticipantLost, RoundtabError, TrainingFailed
from roundtab.records.jobs import Job, Phase
from roundtab.records.values import Blob
from roundtab.training.aggregation.fedavg import FedAvg
from roundtab.training.evaluation import evaluate, start_weights
from roundtab.training.hands import Contribution, Hand, deal
from roundtab.training.lifecycle import after
from roundtab.training.messages import Collect, Trained, TrainTask, Update, pack, unpack
from roundtab.training.outcome import outcome
from roundtab.training.plan import Plan
from roundtab.training.roster import Member, Roster
from roundtab.training.together import finished, together
from roundtab.training.updates import RESERVED, check_report, check_size, check_weights

T = TypeVar("T")

MAX_REFUSALS = 3
"""Refused updates in a row after which a participant is stopped."""


class Coordinator:
    """Trains one job from its last committed round to its end."""

    def __init__(self, plan: Plan, roster: Roster, archive: Archive, clock: Clock) -> None:
        self._plan = plan
        self._roster = roster
        self._archive = archive
        self._clock = clock
        self._settings = plan.job.config.trainer
        self._inputs = plan.inputs()
        self._weights: dict[str, np.ndarray] = {}
        self._queue: Queue
        self._steps = 0

    @property
    def _job(self) -> Job:
        return self._archive.job(self._plan.job.id)

    async def run(self) -> None:
        """All rounds that are left. The last one's commit completes the job."""
        await self._load()
        while self._job.rounds.done < self._job.rounds.total:
            members = await self._select(self._job.config.min_participants)
            hands = deal(self._queue.draw(self._plan.items_per_round(self._queue)), members)
            self._phase("training")
            weights = pack(self._weights)
            trained = await together(*(self._train(hand, weights) for hand in hands))
            self._phase("aggregating")
            contributions = await self._aggregate([each for each in trained if each], len(weights.data))
            if not contributions:
                continue
            self._phase("evaluating")
            validation = await self._evaluate()
            self._phase("saving")
            await self._commit(contributions, validation)

    async def _load(self) -> None:
        """Weights and queue as the last committed round left them, or new ones."""
        job = self._job
        self._queue = self._plan.new_queue(await self._archive.history.queue(job.id))
        if job.rounds.done:
            self._steps = (await self._archive.history.rounds(job.id))[-1].steps
            _, data = await self._archive.history.checkpoint(job.id, job.rounds.done)
            tensors, _ = safetensors.load(data)
            self._weights = {name: array for name, array in tensors.items() if not name.startswith(RESERVED)}
        else:
            self._weights = await self._by_somebody(lambda member: start_weights(self._plan, member))

    async def _select(self, needed: int) -> list[Member]:
        """All participants that are connected, as soon as nobody is on the way and they are at least `needed`."""
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

    async def _train(self, hand: Hand, weights: Blob) -> Contribution | None:
        """Let one participant train, from these weights; None gives its items back to the queue."""
        number = self._job.rounds.done + 1
        task = TrainTask(
            lease=hand.lease,
            capability=self._job.capability,
            parameters=self._job.config.parameters,
            settings=self._plan.hyper,
            seed=self._settings.seed,
            round=number,
            items=tuple(item.id for item in hand.items),
            weights=weights,
            inputs=self._inputs,
            rows=self._plan.rows(hand.items),
        )
        hand.member.note(state="training", items_now=len(hand.items))
        try:
            report = await hand.member.ask(task, within=self._settings.deadline_s)
            if not isinstance(report, Trained):
                raise TrainingFailed("The answer is no report of training.", "Use the same version on both sides.")
            check_report(report, round_number=number, handed_out=hand.examples)
        except RoundtabError as error:
            await self._refuse(hand, error)
            return None
        hand.member.note(state="reported", items_now=0, last_seen_at=self._clock.now())
        return Contribution(hand, report)

    async def _aggregate(self, trained: Sequence[Contribution], size: int) -> list[Contribution]:
        """Collect the updates in the order of joining, check each, and average them. Returns those that count.

        `size` is that of the weights which were handed out (bytes); an update has the same tensors.
        """
        average = FedAvg()
        accepted = []
        for each in trained:
            try:
                order = Collect(lease=each.hand.lease)
                update = await each.hand.member.ask(order, within=self._settings.deadline_s)
                if not isinstance(update, Update):
                    raise TrainingFailed("The answer is no update.", "Use the same version on both sides.")
                check_size(len(update.weights.data), size)
                weights = unpack(update.weights)
                check_weights(weights, self._weights)
            except RoundtabError as error:
                await self._refuse(each.hand, error)
                continue
            average.add(weights, each.report.count)
            await self._clock.breathe()
            accepted.append(each)
        if accepted:
            self._weights = average.result()
        return accepted

    async def _refuse(self, hand: Hand, error: RoundtabError) -> None:
        """Give the items back and say why."""
        self._queue.give_back(hand.items)
        self._fault(hand.member, error)
        record = hand.member.record
        message = f"{record.name}: {error.problem} Its {len(hand.items)} items go back to the queue."
        await self._archive.log(self._job.id, "warning", message, {"participant": record.id})

    def _fault(self, member: Member, error: RoundtabError) -> None:
        """Count a failure of a participant and show it; after three in a row it is stopped."""
        refusals = member.record.refusals + 1
        member.note(state="ready", items_now=0, refusals=refusals, problem=error.problem, action=error.action)
        if refusals >= MAX_REFUSALS:
            member.leave(error.problem, "It was stopped after three refusals in a row.")

    async def _evaluate(self) -> dict[str, float]:
        """Validation metrics of the aggregated weights; empty without held-out data."""
        rows = self._plan.validation_rows
        if rows is None:
            return {}
        capability, within = self._job.capability, self._settings.deadline_s
        evaluated = await self._by_somebody(
            lambda member: evaluate(member, capability, self._weights, self._inputs, rows, within=within)
        )
        return evaluated.metrics

    async def _by_somebody(self, do: Callable[[Member], Awaitable[T]]) -> T:
        """Let one participant do something, the one that failed least; when it is lost, the next one."""
        while True:
            member = min(await self._select(1), key=lambda each: each.record.refusals)
            try:
                return await do(member)
            except ParticipantLost as error:
                self._fault(member, error)

    async def _commit(self, contributions: Sequence[Contribution], validation: dict[str, float]) -> None:
        """Write the round; with the last one the job is completed in the same transaction."""
        job, queue = self._job, self._queue.state
        made = await outcome(
            self._plan,
            job,
            contributions,
            self._weights,
            validation,
            steps=self._steps,
            queue=queue,
            clock=self._clock,
        )
        number, now = made.row.round, made.row.committed_at
        credited = {each.hand.member: each.hand.member.noted(**each.credit) for each in contributions}
        participants = tuple(credited.get(member, member.record) for member in self._roster.members)

        def change(current: Job) -> Job:
            rounds, work = replace(current.rounds, done=number), replace(current.work, done=made.work_done)
            current = replace(current, rounds=rounds, work=work, participants=participants)
            return after(current, "complete", now) if number == rounds.total else current

        async def write() -> None:
            logs = [f"Round {number} committed", *(["Job completed"] if number == job.rounds.total else [])]
            await self._archive.commit_round(change, made.row, made.checkpoint, made.data, queue, logs)
            self._steps = made.row.steps
            for each in contributions:
                each.hand.member.note(**each.credit)

        await finished(asyncio.ensure_future(write()))

    def _phase(self, phase: Phase, reason: str | None = None) -> None:
        reason = reason or f"round {self._job.rounds.done + 1}"
        if (self._job.phase, self._job.phase_reason) != (phase, reason):
            self._archive.change(self._job.id, lambda job: replace(job, phase=phase, phase_reason=reason))
