"""Pages of jobs: filtered, searched, sorted, and steady while new jobs arrive."""

from __future__ import annotations

from collections.abc import Sequence

from roundtab.api.protocol import JobPage, JobsList
from roundtab.records.jobs import JobItem


def page_of_jobs(items: Sequence[JobItem], request: JobsList, now: str) -> JobPage:
    """The page that `request` asks for; items that are sorted by equal values are in the order of their ids.

    `as_of` is the time when the newest job was created, rather than `now`: a job that is created within the same
    millisecond as the first page must not come into the later ones.
    """
    as_of = request.as_of or max((item.created_at for item in items), default=now)
    known = [item for item in items if item.created_at <= as_of]
    found = [item for item in known if _in_scope(item, request) and _matches(item, request)]
    field = request.sort.removeprefix("-")
    found.sort(key=lambda item: (getattr(item, field) or "", item.id), reverse=request.sort.startswith("-"))
    start = (request.page - 1) * request.page_size
    return JobPage(
        items=tuple(found[start : start + request.page_size]),
        page=request.page,
        page_size=request.page_size,
        total=len(found),
        as_of=as_of,
    )


def _in_scope(item: JobItem, request: JobsList) -> bool:
    return (item.org, item.workspace, item.project) == (request.org, request.workspace, request.project)


def _matches(item: JobItem, request: JobsList) -> bool:
    wanted = (
        (request.status, item.status),
        (request.backend, item.backend),
        (request.trainer_type, item.trainer_type),
    )
    if any(asked is not None and asked != has for asked, has in wanted):
        return False
    words = (item.name, item.id, item.status, item.model, item.dataset, item.trainer_type, item.backend)
    needle = request.search.casefold()
    return not needle or any(needle in word.casefold() for word in words if word)
