"""Runs: which jobs are being trained now. Starts, cancels, retries and resumes them, and tidies up after each."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import cast

from roundtab.capabilities.catalogue import Catalogue
from roundtab.checkpoints.archive import Archive
from roundtab.clock import Clock
from roundtab.errors import Conflict, InternalError, RoundtabError, StaleLeader, StorageFailed, StorageFull
from roundtab.records.events import Event, ParticipantUpdated
from roundtab.records.ids import JobId
from roundtab.records.jobs import Job, JobError, Participant
from roundtab.training.coordinator import Coordinator
from roundtab.training.lifecycle import Happening, after
from roundtab.training.plan import Plan
from roundtab.training.preparation import check_copy, prepare
from roundtab.training.roster import Member, Roster
from roundtab.training.together import together
from roundtab.training.trainers import TrainerPool

log = logging.getLogger(__name__)

MAX_LOCAL = 16
"""Trainers of a job in the coordinator's own tab; a specification may not ask for more either."""


@dataclass(slots=True)
class _Run:
    """A job under way."""

    roster: Roster
    training: asyncio.Task[None]
    """What a cancel ends."""
    task: asyncio.Task[None]
    """What waits for the training, then records how it ended and tidies up; nothing cancels it."""
    trainers: int = 0
    """Local trainers asked for so far; their names count on."""

    def next_trainer(self, job: JobId) -> str:
        """A name that no trainer of this run had before."""
        self.trainers += 1
        return f"{job}-{self.trainers}"


class Runs:
    """All runs of this engine."""

    def __init__(
        self,
        archive: Archive,
        catalogue: Catalogue,
        trainers: TrainerPool,
        clock: Clock,
        announce: Callable[[Event], None],
    ) -> None:
        self._archive = archive
        self._catalogue = catalogue
        self._trainers = trainers
        self._clock = clock
        self._announce = announce
        self._runs: dict[JobId, _Run] = {}

    async def resume(self) -> None:
        """Go on with what an earlier engine left: running jobs after their last committed round, retried ones anew.

        A job that cannot go on hinders neither the others nor the engine: without it, nobody could free the storage.
        """
        for job in self._archive.jobs():
            if any(each.state != "left" for each in job.participants):
                self._archive.change(job.id, _alone)
            try:
                await self._resume(job)
            except StaleLeader:
                raise
            except RoundtabError as error:
                log.warning("job %s does not go on: %s", job.id, error)

    async def _resume(self, job: Job) -> None:
        if job.status == "running" and job.cancel_requested_at:
            await self._end(job.id, None)
        elif job.status == "running":
            message = f"Going on after round {job.rounds.done}"
            try:
                job = await self._archive.save(job.id, _recovering, "info", message)
            except StorageFull as error:
                await self._end(job.id, error)
            else:
                self._launch(job)
        elif job.status == "queued" and job.attempt > 1:
            await self.start(job.id)

    async def start(self, job_id: JobId) -> Job:
        """Start a queued job after a check that its data and its capability are there."""
        job = self._archive.job(job_id)
        after(job, "start", self._clock.now())
        self._archive.change(job_id, lambda job: replace(job, phase="validating"))
        try:
            await check_copy(job, self._archive, self._catalogue)
            started = await self._save(job_id, "start", "Job started")
        except RoundtabError:
            self._archive.change(job_id, lambda job: replace(job, phase=None) if job.status == "queued" else job)
            raise
        self._launch(started)
        return started

    async def cancel(self, job_id: JobId) -> Job:
        """Cancel a queued job at once; ask a running one to end."""
        job = self._archive.job(job_id)
        if job.cancel_requested_at and job.status == "running":
            return job
        message = "Cancel requested" if job.status == "running" else "Job cancelled before it was started"
        job = await self._save(job_id, "cancel", message)
        if run := self._runs.get(job_id):
            run.training.cancel()
        elif job.status == "running":  # it could not go on after a restart
            await self._end(job_id, None)
        return self._archive.job(job_id)

    async def retry(self, job_id: JobId) -> Job:
        """Start a finished job again from nothing, after the same check as by `start`."""
        now = self._clock.now()
        after(self._archive.job(job_id), "retry", now)
        await self.wait(job_id)
        await check_copy(self._archive.job(job_id), self._archive, self._catalogue)
        await self._archive.reset(job_id, lambda job: after(job, "retry", now))
        return await self.start(job_id)

    async def delete(self, job_id: JobId) -> None:
        """Delete a job that has ended or was never started."""
        now = self._clock.now()
        after(self._archive.job(job_id), "delete", now)
        await self.wait(job_id)
        await self._archive.delete(job_id, lambda job: after(job, "delete", now))

    async def _save(self, job_id: JobId, happening: Happening, message: str) -> Job:
        now = self._clock.now()
        return await self._archive.save(job_id, lambda job: after(job, happening, now), "info", message)

    def participants(self, job_id: JobId) -> tuple[Participant, ...]:
        """Who trains, or has trained."""
        run = self._runs.get(job_id)
        return run.roster.records() if run else self._archive.job(job_id).participants

    async def add_local(self, job_id: JobId) -> Participant:
        """One more trainer in this tab."""
        job = self._archive.job(job_id)
        run = self._runs.get(job_id)
        if run is None or job.status != "running":  # it may have ended and not tidied up yet
            raise Conflict(f"A job that is {job.status} takes no participants.", "Start the job first.")
        if job.cancel_requested_at:
            raise Conflict("The job is being cancelled.", "Retry it once it is, then add participants.")
        if len([each for each in run.roster.members if each.record.state != "left"]) >= MAX_LOCAL:
            raise Conflict(f"This tab has {MAX_LOCAL} trainers already.", "More would only wait for a processor.")
        return (await self._add_trainer(job_id, run)).record

    async def wait(self, job_id: JobId) -> None:
        """Wait until the job's run has ended and tidied up."""
        if run := self._runs.get(job_id):
            await asyncio.wait([run.task])

    def _launch(self, job: Job) -> None:
        def changed(participant: Participant) -> None:
            self._archive.change(job.id, lambda job: replace(job, participants=roster.records()))
            self._announce(ParticipantUpdated(job=job.id, participant=participant))

        roster = Roster(self._clock, changed)
        training = asyncio.ensure_future(self._train(job, roster))
        run = _Run(roster, training, asyncio.ensure_future(self._run(job.id, roster, training)))
        self._runs[job.id] = run

    async def _train(self, job: Job, roster: Roster) -> None:
        run = self._runs[job.id]
        trainers = together(*(self._add_trainer(job.id, run) for _ in range(job.config.local_trainers or 0)))
        plan, _ = await together(prepare(job, self._archive, self._clock), trainers)
        await Coordinator(cast("Plan", plan), roster, self._archive, self._clock).run()

    async def _add_trainer(self, job: JobId, run: _Run) -> Member:
        """Start a trainer in this tab; it joins as soon as it is there, so that the end of the run ends it too."""
        transport = await self._trainers.start(run.next_trainer(job))
        return run.roster.join(f"This tab, trainer {len(run.roster.members) + 1}", transport)

    async def _run(self, job_id: JobId, roster: Roster, training: asyncio.Task[None]) -> None:
        """A run to its end, whichever that is. The job ends after its trainers did."""
        try:
            error = await self._outcome(job_id, training)
            await roster.close()
            await self._end(job_id, error)
        finally:
            await roster.close()
            self._runs.pop(job_id, None)

    async def _outcome(self, job_id: JobId, training: asyncio.Task[None]) -> RoundtabError | None:
        """Wait for the training; the error that it failed with."""
        try:
            await training
        except asyncio.CancelledError:
            if not self._archive.job(job_id).cancel_requested_at:
                raise  # nobody asked for it: the process ends, and a later engine goes on
        except RoundtabError as error:
            return error
        except Exception as error:
            log.exception("job %s failed", job_id)
            return InternalError.of(error, "Report this fault of Roundtab together with the log.")
        return None

    async def _end(self, job_id: JobId, error: RoundtabError | None) -> None:
        """Record how a run ended that was not completed. If the last commit got through first, that stands."""
        if self._archive.job(job_id).status != "running":
            return
        now = self._clock.now()

        def ended(job: Job) -> Job:
            if error is None:
                return after(job, "end_cancel", now)
            return after(job, "fail", now, JobError(code=error.code, problem=error.problem, action=error.action))

        message, data = "Job cancelled", None
        if error:
            message, data = error.problem, {"code": error.code, "action": error.action}
        try:
            await self._archive.save(job_id, ended, "error" if error else "info", message, data)
        except StaleLeader:
            log.info("another engine leads; job %s goes on there", job_id)
        except StorageFailed:
            self._archive.change(job_id, ended)  # not stored, so a later engine goes on at the last committed round


def _alone(job: Job) -> Job:
    """The participants were of an engine that is gone."""
    return replace(job, participants=tuple(replace(each, state="left", items_now=0) for each in job.participants))


def _recovering(job: Job) -> Job:
    return replace(job, phase="recovering", phase_reason=None)
