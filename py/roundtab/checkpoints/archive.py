"""The archive: job records and all that belongs to them, over a store; tells subscribers what changed.

The engine that leads is the only writer, so the job records live here in memory as well and `jobs.list` reads no store.
Every change that must outlive a crash is one batch of the store.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from roundtab.checkpoints.copies import DataCopies
from roundtab.checkpoints.history import History
from roundtab.checkpoints.logbook import Level, Logbook
from roundtab.checkpoints.store import Batch, Store, Usage
from roundtab.checkpoints.validations import Validations
from roundtab.clock import Clock, first_free
from roundtab.errors import Conflict, NotFound, RoundtabError, StaleLeader, StorageFailed
from roundtab.records.codec import from_plain, to_text
from roundtab.records.events import (
    CheckpointSaved,
    CheckpointSaveFailed,
    Event,
    JobUpdated,
    LogAppended,
    RoundCompleted,
    ValidationCompleted,
)
from roundtab.records.ids import JobId, Sha256
from roundtab.records.jobs import Job, JobItem, job_item
from roundtab.records.rounds import Checkpoint, LogEntry, QueueState, Round
from roundtab.records.validations import Validation
from roundtab.records.values import Json

log = logging.getLogger(__name__)

Part = Literal["train", "validation"]
Change = Callable[[Job], Job]
Latest = dict[str, float | None]
"""Metric values of the newest committed round."""


class Archive:
    """All jobs of one scope."""

    def __init__(self, store: Store, clock: Clock, announce: Callable[[Event], None]) -> None:
        self._store = store
        self._clock = clock
        self._announce = announce
        self.copies = DataCopies(store)
        self._jobs: dict[JobId, Job] = {}
        self._latest: dict[JobId, Latest] = {}
        self._logbook = Logbook(store, clock)
        self._writing = asyncio.Lock()
        """One write at a time, told of before the next: subscribers hear of log entries in their order."""
        self.history = History(store, self._writing, clock)
        self.validations = Validations(store, self._writing, clock)
        self._sweeps = False
        self.epoch = 0

    # Jobs -------------------------------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Take the lead and read the job records; remove data that no job uses (a creation that was cut off).

        A record that cannot be read costs nobody else's job, and no data is removed then, for it may be that one's.
        """
        self.epoch = await self._store.lead()
        jobs, whole = [], True
        for key, text in await self._store.scan("jobs", ""):
            try:
                row = json.loads(text)
                job, latest = from_plain(Job, row["job"]), from_plain(Latest, row["latest"])
            except (ValueError, TypeError, KeyError, RoundtabError) as error:
                log.warning("job %s is left alone, since its record is of another version: %s", key, error)
                whole = False
                continue
            jobs.append(job)
            self._latest[job.id] = latest
        self._jobs = {job.id: job for job in sorted(jobs, key=lambda job: job.created_at)}
        self._sweeps = whole
        await self.sweep()

    def job(self, job: JobId) -> Job:
        """The record of a job, without metrics and artifacts. Raises `NotFound`."""
        if job not in self._jobs:
            raise NotFound(f"There is no job {job[:80]!r}.", "Check the id, or list the jobs.")
        return self._jobs[job]

    def jobs(self) -> list[Job]:
        """All records, in the order of creation."""
        return list(self._jobs.values())

    def item(self, job: Job) -> JobItem:
        """The list form of a job."""
        return job_item(job, self._latest[job.id])

    def change(self, job_id: JobId, change: Change) -> Job:
        """Note what need not outlive a crash (phase, participants), and tell."""
        job = self._jobs[job_id] = change(self.job(job_id))
        self._announce(JobUpdated(job=job.id, item=self.item(job)))
        return job

    async def save(self, job_id: JobId, change: Change, level: Level, message: str, data: Json = None) -> Job:
        """Write the changed record together with a log entry that says why.

        `change` makes the new record from the present one; it may raise `Conflict`. It is called again after the write,
        on what the record has become meanwhile, so it must depend on nothing else.
        """
        async with self._writing:
            batch = Batch()
            entry = await self._logbook.entry(self.job(job_id), level, message, data)
            self._put_job(batch, change(self.job(job_id)), self._latest[job_id])
            self._logbook.put(batch, job_id, entry)
            await self._store.commit(batch)
            job = self.change(job_id, change)
            self._announce(LogAppended(job=job_id, entry=entry))
        return job

    async def create(self, job: Job, manifests: dict[Part, str]) -> Job:
        """Write a new job whose files are stored already.

        Its time of creation is set here: one that no other job has, so that lists page steadily.
        """
        batch = Batch()
        for part, text in manifests.items():
            batch.put("manifests", f"{job.id}/{part}", text)
        files = [f for dataset in (job.dataset, job.validation_dataset) if dataset for f in dataset.files]
        for file in files:
            batch.put("files", file.sha256, str(file.bytes))
        size = sum(file.bytes for file in files)
        async with self._writing:
            entry = await self._logbook.entry(
                job, "info", f"Job created; {len(files)} data files copied", {"bytes": size}
            )
            taken = {each.created_at for each in self._jobs.values()}
            job = replace(job, created_at=first_free(self._clock.now(), taken))
            self._put_job(batch, job, {})
            self._logbook.put(batch, job.id, entry)
            await self._store.commit(batch)
            self._jobs[job.id], self._latest[job.id] = job, {}
            self._announce(JobUpdated(job=job.id, item=self.item(job)))
            self._announce(LogAppended(job=job.id, entry=entry))
        return job

    async def reset(self, job_id: JobId, change: Change) -> Job:
        """Write a job that is retried: rounds with what belongs to them and queue go, logs stay behind a divider."""
        async with self._writing:
            job = change(self.job(job_id))
            batch = Batch()
            self._clear(batch, job_id)
            entry = await self._logbook.entry(job, "info", f"Attempt {job.attempt}")
            self._put_job(batch, job, {})
            self._logbook.put(batch, job_id, entry)
            await self._store.commit(batch)
            self._cleared(job_id)
            self._jobs[job_id], self._latest[job_id] = job, {}
            self._announce(JobUpdated(job=job_id, item=self.item(job)))
            self._announce(LogAppended(job=job_id, entry=entry))
        return job

    async def delete(self, job_id: JobId, check: Change) -> None:
        """Delete a job with everything that belongs to it; data goes with the last job that uses it."""
        async with self._writing:
            check(self.job(job_id))
            batch = Batch(deletes=[("jobs", job_id)], clears=[("logs", f"{job_id}/"), ("manifests", f"{job_id}/")])
            self._clear(batch, job_id)
            await self._store.commit(batch)
            self._cleared(job_id)
            del self._jobs[job_id], self._latest[job_id]
            self._logbook.forget(job_id)
            self._announce(JobUpdated(job=job_id, item=None))
        await self.sweep()

    # Rounds -----------------------------------------------------------------------------------------------------------

    async def commit_round(
        self,
        change: Change,
        row: Round,
        checkpoint: Checkpoint,
        data: memoryview,
        queue: QueueState,
        logs: Sequence[str],
    ) -> None:
        """Write a round whole: weights, metadata, metrics row, queue state, job record and log, in one transaction."""
        job_id, batch = checkpoint.job, Batch()
        self.history.put(batch, row, checkpoint, data, queue)
        async with self._writing:
            details = {"round": row.round, **row.metrics, "bytes": len(data)}
            job = self.job(job_id)
            entries = [
                await self._logbook.entry(job, "info", message, None if number else details)
                for number, message in enumerate(logs)
            ]
            for entry in entries:
                self._logbook.put(batch, job_id, entry)
            self._put_job(batch, change(self.job(job_id)), row.metrics)
            try:
                await self._store.commit(batch)
            except StaleLeader:
                raise  # the round is the other engine's to tell of
            except StorageFailed as error:
                told = CheckpointSaveFailed(job=job_id, round=row.round, problem=error.problem, action=error.action)
                self._announce(told)
                raise
            self.history.committed(row, checkpoint)
            self._latest[job_id] = row.metrics
            self.change(job_id, change)
            self._announce(RoundCompleted(job=job_id, round=row))
            self._announce(CheckpointSaved(job=job_id, checkpoint=checkpoint))
            for entry in entries:
                self._announce(LogAppended(job=job_id, entry=entry))

    async def keep_validation(self, job: Job, validation: Validation, message: str) -> None:
        """Write a validation of a checkpoint of `job`, as the record was then, with a log entry.

        Raises `NotFound` or `Conflict` when the job was deleted or retried meanwhile.
        """
        async with self._writing:
            if self.job(job.id).attempt != job.attempt:
                problem = f"Round {validation.round} was cleared by a retry while it was being validated."
                raise Conflict(problem, "Validate a round of the new attempt.")
            values = {name: each.value for name, each in validation.metrics.items()}
            entry = await self._logbook.entry(job, "info", message, {"data_sha256": validation.data_sha256, **values})
            batch = Batch()
            self.validations.put(batch, validation)
            self._logbook.put(batch, job.id, entry)
            await self._store.commit(batch)
            self.validations.kept(validation)
            self._announce(ValidationCompleted(job=job.id, validation=validation))
            self._announce(LogAppended(job=job.id, entry=entry))

    def _clear(self, batch: Batch, job: JobId) -> None:
        self.history.clear(batch, job)
        self.validations.clear(batch, job)

    def _cleared(self, job: JobId) -> None:
        self.history.cleared(job)
        self.validations.cleared(job)

    # Logs -------------------------------------------------------------------------------------------------------------

    async def log(self, job: JobId, level: Level, message: str, data: Json = None) -> None:
        """Append a log entry."""
        async with self._writing:
            entry = await self._logbook.entry(self.job(job), level, message, data)
            batch = Batch()
            self._logbook.put(batch, job, entry)
            await self._store.commit(batch)
            self._announce(LogAppended(job=job, entry=entry))

    async def logs(self, job: JobId, after: int | None, limit: int) -> list[LogEntry]:
        """Entries behind `after`, oldest first; without it the newest `limit` ones."""
        return await self._logbook.read(job, after, limit)

    # Data -------------------------------------------------------------------------------------------------------------

    async def manifest(self, job: JobId, part: Part) -> str | None:
        """The text of the job's manifest for this part; None where the job has none of its own."""
        text = await self._store.get("manifests", f"{job}/{part}")
        return text if text is None or isinstance(text, str) else None

    def used_files(self) -> set[Sha256]:
        """Checksums of all files that some job needs."""
        return {
            file.sha256
            for job in self._jobs.values()
            for dataset in (job.dataset, job.validation_dataset)
            if dataset
            for file in dataset.files
        }

    async def sweep(self) -> None:
        """Remove data that no job uses. What cannot be removed now is removed by the next sweep."""
        try:
            if self._sweeps:
                await self.copies.sweep(self.used_files)
        except StaleLeader:
            raise
        except StorageFailed as error:
            log.warning("data that no job uses is still stored: %s", error)

    async def usage(self) -> Usage:
        """How much is stored and may be stored."""
        return await self._store.usage()

    def _put_job(self, batch: Batch, job: Job, latest: Latest) -> None:
        row = {"job": job, "latest": latest}
        batch.put("jobs", job.id, to_text(row))
