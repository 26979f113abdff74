"""The log of each job, numbered without reuse, over a store."""

from __future__ import annotations

import json
from typing import Literal

from roundtab.checkpoints.store import Batch, Store
from roundtab.clock import Clock
from roundtab.records.codec import from_plain, to_plain, to_text
from roundtab.records.ids import JobId
from roundtab.records.jobs import Job
from roundtab.records.rounds import LogEntry
from roundtab.records.values import Json

Level = Literal["debug", "info", "warning", "error"]


class Logbook:
    """Makes log entries and reads them. One caller at a time: the archive holds its lock meanwhile."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._last_seq: dict[JobId, int] = {}

    async def entry(self, job: Job, level: Level, message: str, data: Json = None) -> LogEntry:
        """The next entry of the job's present attempt, not yet written.

        Its number is not given again even when the write fails, since a write that was cut off may have got through.
        """
        if job.id not in self._last_seq:
            newest = await self._store.scan("logs", f"{job.id}/", limit=1, newest=True)
            self._last_seq[job.id] = int(newest[0][0].rpartition("/")[2]) if newest else 0
        self._last_seq[job.id] += 1
        return LogEntry(
            seq=self._last_seq[job.id],
            attempt=job.attempt,
            timestamp=self._clock.now(),
            level=level,
            message=message,
            data=to_plain(data),
        )

    def put(self, batch: Batch, job: JobId, entry: LogEntry) -> None:
        """Write the entry with `batch`."""
        batch.put("logs", f"{job}/{entry.seq:08d}", to_text(entry))

    async def read(self, job: JobId, after: int | None, limit: int) -> list[LogEntry]:
        """Entries behind `after`, oldest first; without it the newest `limit` ones."""
        start = "" if after is None else f"{job}/{after:08d}"
        rows = await self._store.scan("logs", f"{job}/", after=start, limit=limit, newest=after is None)
        return [from_plain(LogEntry, json.loads(text)) for _, text in rows]

    def forget(self, job: JobId) -> None:
        """The job is gone."""
        self._last_seq.pop(job, None)
