"""Pages of jobs, as far as real jobs cannot show it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from roundtab.api.job_list import page_of_jobs
from roundtab.api.protocol import JobsList
from roundtab.records.ids import JobId, Sha256
from roundtab.records.jobs import CapabilityRef, JobItem, Metric, Rounds, Work

NOW = "2026-11-30T12:00:00.000Z"
ITEM = JobItem(
    id=JobId("job-0"),
    org="local",
    workspace="default",
    project="default",
    name=None,
    tags=(),
    backend="browser",
    trainer_type="supervised",
    algorithm="fedavg",
    capability=CapabilityRef(name="small", version="1.0.0", sha256=Sha256("0" * 64)),
    model="Small",
    dataset=None,
    validation_dataset=None,
    status="queued",
    phase=None,
    phase_reason=None,
    cancel_requested_at=None,
    metric=Metric(name="accuracy", direction="maximize"),
    latest={},
    work=Work(done=0, total=1, unit="samples"),
    rounds=Rounds(done=0, total=1),
    participants=0,
    error=None,
    attempt=1,
    created_at=NOW,
    started_at=None,
    completed_at=None,
)


def items(count: int) -> list[JobItem]:
    """Jobs that were created one a millisecond."""
    return [replace(ITEM, id=JobId(f"job-{n:04}"), created_at=f"2026-11-30T10:00:00.{n:03}Z") for n in range(count)]


@pytest.mark.parametrize("size", [1, 7, 100])
def test_all_pages_together_are_all_jobs_once(size: int) -> None:
    """However many fit on one, and whatever is created between two of them."""
    jobs, seen, as_of, number = items(250), [], None, 0
    while True:
        number += 1
        page = page_of_jobs(jobs, JobsList(page=number, page_size=size, as_of=as_of), NOW)
        as_of = page.as_of
        seen += [item.id for item in page.items]
        if not page.items:
            break
        jobs.append(replace(ITEM, id=JobId(f"late-{number}"), created_at=f"2026-11-30T11:00:00.{number:03}Z"))
    assert seen == [item.id for item in reversed(items(250))]
    assert page.total == 250


def test_no_jobs_are_an_empty_page() -> None:
    """As of now."""
    page = page_of_jobs([], JobsList(), NOW)
    assert (page.items, page.total, page.as_of) == ((), 0, NOW)


def test_the_total_counts_what_was_searched_for() -> None:
    """Not all jobs."""
    jobs = [replace(item, name="odd" if number % 2 else "even") for number, item in enumerate(items(5))]
    page = page_of_jobs(jobs, JobsList(search="odd", page_size=1), NOW)
    assert (page.total, len(page.items)) == (2, 1)


def test_missing_names_and_datasets_match_no_search() -> None:
    """A job without a name is not called None."""
    assert page_of_jobs(items(3), JobsList(search="none"), NOW).total == 0


def test_jobs_with_equal_values_keep_one_order() -> None:
    """So pages sorted by status hold still."""
    names = [item.id for item in page_of_jobs(items(9), JobsList(sort="status"), NOW).items]
    assert names == [item.id for item in items(9)]
    assert [item.id for item in page_of_jobs(items(9), JobsList(sort="-status"), NOW).items] == names[::-1]
