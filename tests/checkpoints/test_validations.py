"""Validations in the archive: kept whole or not at all, and gone with what they are about."""

from __future__ import annotations

from dataclasses import replace

import pytest
from checkpoints.shelf import NOW, Shelf, dataset, digest, entry, shelf

from roundtab.checkpoints.memory_store import MemoryDatabase
from roundtab.errors import Conflict, NotFound, StorageFailed
from roundtab.records.jobs import Job
from roundtab.records.validations import Measured, Validation


def validation(job: Job, name: str = "v-1", created_at: str = NOW) -> Validation:
    """Of round 1."""
    held_out = dataset([entry("held.csv", b"held out")])
    return Validation(
        id=name,
        job=job.id,
        round=1,
        checkpoint_sha256=digest(b"weights"),
        capability=job.capability,
        dataset=held_out,
        data_sha256=held_out.files[0].sha256,
        metrics={"loss": Measured(value=0.5, direction="minimize")},
        count=10,
        source="asked",
        created_at=created_at,
    )


async def validated(on: Shelf, name: str) -> tuple[Job, Validation]:
    """A job with a round and a validation of it."""
    job = await on.create(name, b"data")
    await on.commit(job.id, 1)
    made = validation(job)
    await on.archive.keep_validation(job, made, "Validated")
    return on.archive.job(job.id), made


async def test_a_validation_outlives_the_engine() -> None:
    """With its log line; the record of the job is not touched."""
    database = MemoryDatabase()
    one = await shelf(database)
    job = await one.create("a", b"data")
    await one.commit(job.id, 1)
    before = one.archive.job(job.id)
    one.tags()
    await one.archive.keep_validation(job, validation(job, "v-2", "2026-11-30T10:00:01.000Z"), "Later")
    await one.archive.keep_validation(job, validation(job, "v-3", NOW), "Sooner")
    assert one.tags() == ["validation.completed", "log.appended"] * 2
    assert one.archive.job(job.id) == before
    other = await shelf(database)
    assert [each.id for each in await other.archive.validations.of(job.id)] == ["v-3", "v-2"]
    assert (await other.messages(job.id))[-2:] == ["Later", "Sooner"]


async def test_a_write_that_fails_keeps_nothing() -> None:
    """Neither in the store nor in memory, and nobody is told."""
    one = await shelf()
    job = await one.create("a", b"data")
    await one.commit(job.id, 1)
    assert await one.archive.validations.of(job.id) == []
    one.store.failing = {one.store.commits + 1}
    one.tags()
    with pytest.raises(StorageFailed):
        await one.archive.keep_validation(job, validation(job), "Validated")
    assert one.tags() == []
    assert await one.archive.validations.of(job.id) == []
    assert await one.store.keys("validations", "") == []


async def test_a_retry_clears_them_with_the_rounds() -> None:
    """In the same write: where that fails, all of it is still there."""
    one = await shelf()
    job, made = await validated(one, "a")
    other, others = await validated(one, "b")
    one.store.failing = {one.store.commits + 1}
    with pytest.raises(StorageFailed):
        await one.archive.reset(job.id, lambda job: replace(job, attempt=2))
    assert await one.archive.validations.of(job.id) == [made]
    await one.archive.reset(job.id, lambda job: replace(job, attempt=2))
    assert await one.archive.validations.of(job.id) == []
    assert await one.archive.validations.of(other.id) == [others]
    assert len(await one.store.keys("validations", "")) == 1
    with pytest.raises(Conflict, match="Round 1 was cleared by a retry"):
        await one.archive.keep_validation(job, made, "Too late")


async def test_a_deleted_job_takes_them_along() -> None:
    """And gets no more."""
    one = await shelf()
    job, made = await validated(one, "a")
    await one.archive.delete(job.id, lambda job: job)
    assert await one.store.keys("validations", "") == []
    with pytest.raises(NotFound):
        await one.archive.keep_validation(job, made, "Too late")
