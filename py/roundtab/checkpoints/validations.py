"""The validations that were asked for, of every job. Those that rounds have by themselves are in their metrics."""

from __future__ import annotations

import asyncio
import json

from roundtab.checkpoints.store import Batch, Store
from roundtab.clock import Clock, Slice
from roundtab.records.codec import from_plain, to_text
from roundtab.records.ids import JobId
from roundtab.records.validations import Validation


class Validations:
    """Reads them, and puts them into batches that the archive commits.

    Those of a job stay in memory once they were read, as its rounds do. `writing` is held while a batch is written.
    """

    def __init__(self, store: Store, writing: asyncio.Lock, clock: Clock) -> None:
        self._store = store
        self._writing = writing
        self._clock = clock
        self._known: dict[JobId, list[Validation]] = {}

    def put(self, batch: Batch, validation: Validation) -> None:
        """Add one."""
        batch.put("validations", f"{validation.job}/{validation.id}", to_text(validation))

    def kept(self, validation: Validation) -> None:
        """A batch with this one was written."""
        if validation.job in self._known:
            self._known[validation.job].append(validation)

    def clear(self, batch: Batch, job: JobId) -> None:
        """Remove those of a job."""
        batch.clears.append(("validations", f"{job}/"))

    def cleared(self, job: JobId) -> None:
        """A batch without this job's validations was written."""
        self._known.pop(job, None)

    async def of(self, job: JobId) -> list[Validation]:
        """Those of a job, oldest first."""
        async with self._writing:
            if job not in self._known:
                found, pause = [], Slice(self._clock)
                for _, text in await self._store.scan("validations", f"{job}/"):
                    found.append(from_plain(Validation, json.loads(text)))
                    await pause.pause()
                self._known[job] = sorted(found, key=lambda each: each.created_at)
            return list(self._known[job])
