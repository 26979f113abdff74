"""The committed rounds of every job: metrics rows, checkpoints with their weights, and the queue as of the newest."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field

from roundtab.checkpoints.store import Batch, Store, Table
from roundtab.clock import Clock, Slice
from roundtab.errors import NotFound
from roundtab.records.codec import from_plain, to_text
from roundtab.records.ids import JobId
from roundtab.records.rounds import Checkpoint, QueueState, Round

TABLES: tuple[Table, ...] = ("rounds", "checkpoints", "weights")
"""One row a round in each, under `job/round`; a long file takes several in `weights`."""


@dataclass(slots=True)
class Rows:
    """What is known of one job, oldest first."""

    rounds: list[Round] = field(default_factory=list)
    checkpoints: list[Checkpoint] = field(default_factory=list)


class History:
    """Reads rounds, and puts them into batches that the archive commits.

    The rows are kept in memory once they were read, as the archive keeps the job records: a job of a thousand rounds is
    asked for often, and only `committed` and `cleared` change what is stored. `writing` is held while a batch is
    written, so that what takes two reads sees one state of the store.
    """

    def __init__(self, store: Store, writing: asyncio.Lock, clock: Clock) -> None:
        self._store = store
        self._writing = writing
        self._clock = clock
        self._rows: dict[JobId, Rows] = {}

    def put(self, batch: Batch, row: Round, checkpoint: Checkpoint, data: memoryview, queue: QueueState) -> None:
        """Add a round whole; `data` is the file of its checkpoint."""
        key = _key(checkpoint.job, row.round)
        batch.put_bytes("weights", key, data)
        batch.put("checkpoints", key, to_text(checkpoint))
        batch.put("rounds", key, to_text(row))
        batch.put("queues", checkpoint.job, to_text(queue))

    def committed(self, row: Round, checkpoint: Checkpoint) -> None:
        """A batch with this round was written."""
        if rows := self._rows.get(checkpoint.job):
            rows.rounds.append(row)
            rows.checkpoints.append(checkpoint)

    def clear(self, batch: Batch, job: JobId) -> None:
        """Remove all rounds of a job."""
        batch.deletes.append(("queues", job))
        batch.clears += [(table, f"{job}/") for table in TABLES]

    def cleared(self, job: JobId) -> None:
        """A batch without this job's rounds was written."""
        self._rows.pop(job, None)

    async def rounds(self, job: JobId) -> list[Round]:
        """The metrics rows, oldest first."""
        return list((await self._read(job)).rounds)

    async def checkpoints(self, job: JobId) -> list[Checkpoint]:
        """The stored checkpoints, oldest first."""
        return list((await self._read(job)).checkpoints)

    async def _read(self, job: JobId) -> Rows:
        async with self._writing:
            if job not in self._rows:
                rows, pause = Rows(), Slice(self._clock)
                for _, text in await self._store.scan("rounds", f"{job}/"):
                    rows.rounds.append(from_plain(Round, json.loads(text)))
                    await pause.pause()
                for _, text in await self._store.scan("checkpoints", f"{job}/"):
                    rows.checkpoints.append(from_plain(Checkpoint, json.loads(text)))
                    await pause.pause()
                self._rows[job] = rows
            return self._rows[job]

    async def checkpoint(self, job: JobId, number: int) -> tuple[Checkpoint, bytes]:
        """A checkpoint and its file. Raises `NotFound`."""
        key = _key(job, number)
        async with self._writing:  # a retry between the two reads would give the file of no or of another attempt
            text = await self._store.get("checkpoints", key)
            rows = await self._store.scan("weights", f"{key}/")
        if text is None:
            raise NotFound(f"Job {job} has no checkpoint of round {number}.", "List its checkpoints and choose one.")
        return from_plain(Checkpoint, json.loads(text)), b"".join(_bytes(data) for _, data in rows)

    async def queue(self, job: JobId) -> QueueState | None:
        """The queue as of the last committed round; None before the first."""
        text = await self._store.get("queues", job)
        return None if text is None else from_plain(QueueState, json.loads(text))


def _key(job: JobId, number: int) -> str:
    return f"{job}/{number:06d}"


def _bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value
