"""Runs: which jobs are being trained now. Starts, cancels, retries and resumes them, and tidies up after each."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from roundtab.capabilities.catalogue import Catalogue
from roundtab.checkpoints.archive import Archive
from roundtab.clock import Clock
from roundtab.errors import Conflict, RoundtabError, StaleLeader, StorageFailed
from roundtab.records.events import Event, ParticipantUpdated
from roundtab.records.ids import JobId
from roundtab.records.jobs import Job, JobError, Participant
from roundtab.training.coordinator import Coordinator
from roundtab.training.lifecycle import Happening, after
from roundtab.training.preparation import check_copy, prepare
from roundtab.training.roster import Member, Roster
from roundtab.training.trainers import TrainerPool
from roundtab.training.transport import Transport

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Run:
    """A job under way."""

    roster: Roster
    task: asyncio.Task[None]


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
        """Go on with what an earlier engine left: running jobs after their last committed round, retried ones anew."""
        for job in self._archive.jobs():
            gone = tuple(replace(each, state="left", items_now=0) for each in job.participants)
            self._archive.change(job.id, lambda job, gone=gone: replace(job, participants=gone))  # type: ignore[misc]
            if job.status == "running" and job.cancel_requested_at:
                await self._save(job.id, "end_cancel", "Job cancelled")
            elif job.status == "running":
                message = f"Going on after round {job.rounds.done}"
                self._launch(await self._archive.save(job.id, _recovering, "info", message))
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
            run.task.cancel()
        return self._archive.job(job_id)

    async def retry(self, job_id: JobId) -> Job:
        """Start a finished job again from nothing."""
        now = self._clock.now()
        after(self._archive.job(job_id), "retry", now)
        await self.wait(job_id)
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
        if run is None:
            raise Conflict(f"A job that is {job.status} takes no participants.", "Start the job first.")
        transport = await self._trainers.start(f"{job.id}-{len(run.roster.members) + 1}")
        return self._join(run.roster, transport).record

    async def wait(self, job_id: JobId) -> None:
        """Wait until the job's run has ended and tidied up."""
        if run := self._runs.get(job_id):
            await asyncio.wait([run.task])

    def _launch(self, job: Job) -> None:
        def changed(participant: Participant) -> None:
            self._archive.change(job.id, lambda job: replace(job, participants=roster.records()))
            self._announce(ParticipantUpdated(job=job.id, participant=participant))

        roster = Roster(self._clock, changed)
        self._runs[job.id] = _Run(roster, asyncio.ensure_future(self._run(job, roster)))

    async def _run(self, job: Job, roster: Roster) -> None:
        """A run from its preparation to its end, whichever that is."""
        try:
            await self._train(job, roster)
        except asyncio.CancelledError:
            await self._end(job, roster, None)
        except StaleLeader:
            log.info("another engine leads; job %s goes on there", job.id)
        except RoundtabError as error:
            await self._end(job, roster, JobError(code=error.code, problem=error.problem, action=error.action))
        except Exception as error:
            log.exception("job %s failed", job.id)
            problem = f"{type(error).__name__}: {str(error)[:500]}"
            action = "This is a fault of Roundtab: report it together with the log."
            await self._end(job, roster, JobError(code="internal", problem=problem, action=action))
        finally:
            await roster.close()
            self._runs.pop(job.id, None)

    async def _train(self, job: Job, roster: Roster) -> None:
        names = [f"{job.id}-{number + 1}" for number in range(job.config.local_trainers or 0)]
        starting = asyncio.gather(*(self._trainers.start(name) for name in names))
        plan, transports = await asyncio.gather(prepare(job, self._archive, self._clock), starting)
        for transport in transports:
            self._join(roster, transport)
        await Coordinator(plan, roster, self._archive, self._clock).run()

    def _join(self, roster: Roster, transport: Transport) -> Member:
        return roster.join(f"This tab, trainer {len(roster.members) + 1}", transport)

    async def _end(self, job: Job, roster: Roster, error: JobError | None) -> None:
        """Record how a run ended that was not completed. If the last commit got through first, that stands."""
        for member in roster.members:
            member.leave()
        if self._archive.job(job.id).status != "running":
            return
        now = self._clock.now()

        def ended(job: Job) -> Job:
            return after(job, "fail" if error else "end_cancel", now, error)

        message = error.problem if error else "Job cancelled"
        data = {"code": error.code, "action": error.action} if error else None
        try:
            await self._archive.save(job.id, ended, "error" if error else "info", message, data)
        except StorageFailed:
            self._archive.change(job.id, ended)  # not stored, so a later engine goes on at the last committed round


def _recovering(job: Job) -> Job:
    return replace(job, phase="recovering", phase_reason=None)
