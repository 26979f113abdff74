"""What tests of the archive share: jobs without training, stores that fail or wait when told to."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, field, replace

from roundtab.checkpoints.archive import Archive, Part
from roundtab.checkpoints.copies import FILE_CHUNK
from roundtab.checkpoints.memory_store import MemoryDatabase, MemoryStore
from roundtab.checkpoints.store import Batch
from roundtab.clock import SystemClock
from roundtab.errors import StorageFailed
from roundtab.records.events import Event
from roundtab.records.ids import JobId, Sha256
from roundtab.records.jobs import CapabilityRef, DatasetRef, FileEntry, Job, Metric, Rounds, Work
from roundtab.records.rounds import Checkpoint, QueueState, Round
from roundtab.records.spec import Spec

NOW = "2026-11-30T10:00:00.000Z"


class StillClock(SystemClock):
    """A clock that stands still until the test sets it."""

    time = NOW

    def now(self) -> str:
        """What was set."""
        return self.time


class FailingStore(MemoryStore):
    """A store whose commits fail, or wait, when the test wants it."""

    def __init__(self, database: MemoryDatabase) -> None:
        super().__init__(database)
        self.failing: set[int] = set()
        """Numbers of the commits that fail, from 1."""
        self.commits = 0
        self.go_on = asyncio.Event()
        self.go_on.set()

    async def commit(self, batch: Batch) -> None:
        """Write all or nothing, once the test lets it go on."""
        self.commits += 1
        number = self.commits
        await self.go_on.wait()
        if number in self.failing:
            raise StorageFailed("The disk is broken.", "Mend it.")
        await super().commit(batch)


@dataclass(slots=True)
class Shelf:
    """An archive, the store under it, and what it told."""

    archive: Archive
    store: FailingStore
    clock: StillClock
    told: list[Event] = field(default_factory=list)

    def tags(self) -> list[str]:
        """The names of what was told since the last time that this was asked."""
        tags = [event.tag for event in self.told]
        self.told.clear()
        return tags

    async def create(self, name: str, *contents: bytes, held_out: bytes | None = None) -> Job:
        """A queued job with these files, copied as an admission copies them."""
        files = [entry(f"{number}.csv", data) for number, data in enumerate(contents)]
        job = a_job(name, files)
        manifests: dict[Part, str] = {"train": f"manifest of {name}"}
        if held_out is not None:
            extra = replace(dataset([entry("held.csv", held_out)]), name="held-out")
            job, manifests["validation"] = replace(job, validation_dataset=extra), "held out"
        everything = {each.sha256: data for each, data in zip(files, contents, strict=True)}
        if held_out is not None:
            everything[digest(held_out)] = held_out
        with self.archive.copies.arriving(set(everything)):
            for sha256, data in everything.items():
                for offset in range(0, len(data), FILE_CHUNK):
                    await self.archive.copies.keep(sha256, offset, data[offset : offset + FILE_CHUNK])
            return await self.archive.create(job, manifests)

    async def commit(self, job: JobId, number: int, data: bytes = b"weights", *logs: str) -> None:
        """Commit a round of 10 examples."""
        metrics: dict[str, float | None] = {"train_loss": 1 / number}
        row = Round(round=number, steps=number, epochs=0.5 * number, examples=10, metrics=metrics, committed_at=NOW)
        checkpoint = Checkpoint(
            job=job,
            round=number,
            name=f"{job}-{number}.safetensors",
            bytes=len(data),
            sha256=digest(data),
            metrics=metrics,
            created_at=NOW,
        )
        queue = QueueState(seed=1, pass_=0, position=number)

        def change(record: Job) -> Job:
            return replace(record, rounds=replace(record.rounds, done=number))

        await self.archive.commit_round(change, row, checkpoint, memoryview(data), queue, logs or ("Committed",))

    async def messages(self, job: JobId) -> list[str]:
        """The log."""
        return [each.message for each in await self.archive.logs(job, None, 1_000)]


async def shelf(database: MemoryDatabase | None = None) -> Shelf:
    """An open archive over a database."""
    store, clock = FailingStore(database or MemoryDatabase()), StillClock()
    told: list[Event] = []
    archive = Archive(store, clock, told.append)
    await archive.open()
    store.commits = 0
    return Shelf(archive, store, clock, told)


def digest(data: bytes) -> Sha256:
    """A checksum."""
    return Sha256(hashlib.sha256(data).hexdigest())


def entry(path: str, data: bytes) -> FileEntry:
    """A data file of a job."""
    return FileEntry(path=path, bytes=len(data), sha256=digest(data))


def dataset(files: list[FileEntry]) -> DatasetRef:
    """Data with these files."""
    return DatasetRef(name="table", sha256=digest(b"manifest"), files=tuple(files), rows=10)


def a_job(name: str, files: list[FileEntry]) -> Job:
    """A queued job."""
    return Job(
        id=JobId(name),
        org="local",
        workspace="default",
        project="default",
        backend="local",
        trainer_type="supervised",
        algorithm="fedavg",
        capability=CapabilityRef(name="small", version="1.0.0", sha256=digest(b"code")),
        model="Small",
        config=Spec(capability="small@1.0.0"),
        dataset=dataset(files),
        status="queued",
        metric=Metric(name="loss", direction="minimize"),
        work=Work(done=0, total=100, unit="samples"),
        rounds=Rounds(done=0, total=10),
        created_at=NOW,
    )
