"""Rules of lists and logs: pages that hold still, searches that are literal, entries behind a number."""

from __future__ import annotations

from typing import Any

from contracts.api_world import Contract, table

from roundtab.api.protocol import JobPage, JobsCancel, JobsDelete, JobsList, JobsLogs
from roundtab.records.ids import new_id


async def listed(contract: Contract, **params: Any) -> JobPage:
    """A page of this rule's project."""
    return await contract.client.call(JobsList(**{"project": contract.project} | params))


async def found(contract: Contract, **params: Any) -> list[str | None]:
    """The names on a page."""
    return [item.name for item in (await listed(contract, **params)).items]


async def pages_neither_repeat_nor_skip_while_jobs_arrive(contract: Contract) -> None:
    """The first answer fixes `as_of`; pages that pass it show the jobs of that moment, however many come after it."""
    data = table()
    for number in range(5):
        await contract.create({"name": str(number)}, data)
    first = await listed(contract, page_size=2)
    await contract.create({"name": "late"}, data)
    second = await listed(contract, page_size=2, page=2, as_of=first.as_of)
    await contract.create({"name": "later"}, data)
    third = await listed(contract, page_size=2, page=3, as_of=first.as_of)
    fourth = await listed(contract, page_size=2, page=4, as_of=first.as_of)
    names = [item.name for page in (first, second, third, fourth) for item in page.items]
    assert names == ["4", "3", "2", "1", "0"]
    assert [page.total for page in (first, second, third, fourth)] == [5] * 4
    assert [page.page for page in (first, second, third, fourth)] == [1, 2, 3, 4]
    assert {page.as_of for page in (first, second, third, fourth)} == {first.as_of}
    anew = await listed(contract)
    assert (anew.total, anew.items[0].name, anew.page_size) == (7, "later", 100)


async def jobs_of_other_scopes_are_not_listed(contract: Contract) -> None:
    """Organisation, workspace and project all count."""
    data = table()
    own = {"name": "own", "org": "o", "workspace": "w"}
    job = await contract.create(own, data)
    assert await found(contract, org="o", workspace="w") == ["own"]
    assert await found(contract) == []
    assert await found(contract, org="o") == []
    assert await found(contract, org="o", workspace="w", project=new_id("project")) == []
    await contract.client.call(JobsCancel(job=job.id))
    await contract.client.call(JobsDelete(job=job.id))


async def a_search_is_literal_in_any_case_over_seven_fields(contract: Contract) -> None:
    """Name, id, status, model, dataset, trainer type and backend; nothing in it has a special meaning."""
    job = await contract.create({"name": "Größe (1.5) *", "model": "Net [v2]"}, table(name="Blüten"))
    await contract.create({"name": "Other", "model": "Plain"}, table(name="table"))
    item = (await listed(contract, search="Net [v2]")).items[0]
    both = {"Größe (1.5) *", "Other"}
    for text, names in {
        "": both,
        "größe": {"Größe (1.5) *"},
        "GRÖSSE (1.5)": {"Größe (1.5) *"},
        "(1.5) *": {"Größe (1.5) *"},
        "1x5": set(),
        ".*": set(),
        job.id.lower(): {"Größe (1.5) *"},
        job.id[-5:]: {"Größe (1.5) *"},
        "QUEUED": both,
        "net [v": {"Größe (1.5) *"},
        "BLÜTEN": {"Größe (1.5) *"},
        "supervised": both,
        item.backend.upper(): both,
        "tabular-classifier": set(),
        " ": {"Größe (1.5) *"},
    }.items():
        assert set(await found(contract, search=text)) == names, text


async def filters_are_exact_and_go_together(contract: Contract) -> None:
    """Status, backend and trainer type, with a search or without."""
    data = table()
    await contract.create({"name": "queued one"}, data)
    cancelled = await contract.create({"name": "cancelled one"}, data)
    await contract.client.call(JobsCancel(job=cancelled.id))
    assert await found(contract, status="queued") == ["queued one"]
    assert await found(contract, status="cancelled") == ["cancelled one"]
    assert await found(contract, status="failed") == []
    assert await found(contract, trainer_type="reinforcement") == []
    assert await found(contract, backend=cancelled.backend[:3]) == []
    assert await found(contract, backend=cancelled.backend, trainer_type="supervised", status="queued") == [
        "queued one"
    ]
    assert await found(contract, search="one", status="cancelled") == ["cancelled one"]
    assert await found(contract, search="queued", status="cancelled") == []


async def jobs_are_sorted_both_ways(contract: Contract) -> None:
    """By creation, name or status; newest first unless told otherwise; jobs without a name count as the first."""
    data = table()
    for name in ("b", None, "a"):
        await contract.create({"name": name}, data)
    ended = await contract.create({"name": "c"}, data)
    await contract.client.call(JobsCancel(job=ended.id))
    assert await found(contract) == await found(contract, sort="-created_at") == ["c", "a", None, "b"]
    assert await found(contract, sort="created_at") == ["b", None, "a", "c"]
    assert await found(contract, sort="name") == [None, "a", "b", "c"]
    assert await found(contract, sort="-name") == ["c", "b", "a", None]
    assert (await found(contract, sort="status"))[0] == "c"
    assert (await found(contract, sort="-status"))[-1] == "c"


async def an_item_shows_what_a_list_needs(contract: Contract) -> None:
    """Names instead of datasets, the newest values instead of series, how many are connected."""
    job = await contract.trained({"name": "Ours"})
    (item,) = (await listed(contract)).items
    assert (item.id, item.name, item.status, item.model) == (job.id, "Ours", "completed", "Tabular classifier")
    assert (item.dataset, item.validation_dataset) == ("table", "table")
    assert (item.rounds, item.work, item.metric, item.attempt) == (job.rounds, job.work, job.metric, 1)
    assert (item.created_at, item.started_at, item.completed_at) == (job.created_at, job.started_at, job.completed_at)
    for name, value in item.latest.items():
        assert job.metrics[name][-1] == value
    assert {"train_loss", "val_loss", "val_accuracy", "learning_rate"} <= set(item.latest)


async def a_log_is_read_from_its_end_or_behind_an_entry(contract: Contract) -> None:
    """Always oldest first, at most `limit` entries."""
    job = await contract.trained(rounds=6)
    whole = await contract.log(job.id)

    async def some(**params: Any) -> tuple[object, ...]:
        return (await contract.client.call(JobsLogs(job=job.id, **params))).items

    assert [entry.seq for entry in whole] == list(range(1, len(whole) + 1))
    assert await some() == whole
    assert await some(limit=3) == whole[-3:]
    assert await some(after=0) == whole
    assert await some(after=0, limit=3) == whole[:3]
    assert await some(after=whole[2].seq) == whole[3:]
    assert await some(after=whole[2].seq, limit=2) == whole[3:5]
    assert await some(after=whole[-1].seq) == ()
    assert await some(after=-5, limit=1) == whole[:1]
    assert await some(after=2**53 - 1) == ()


async def a_log_tells_the_story_of_the_job(contract: Contract) -> None:
    """Every round with its values, the start and the end; each entry was told of when it was written."""
    job = await contract.trained()
    log = await contract.log(job.id)
    assert [entry.message for entry in log] == [
        "Job created; 2 data files copied",
        "Job started",
        "Round 1 committed",
        "Round 2 committed",
        "Job completed",
    ]
    assert {(entry.level, entry.attempt) for entry in log} == {("info", 1)}
    assert [entry.timestamp for entry in log] == sorted(entry.timestamp for entry in log)
    assert log[2].data["round"] == 1
    assert log[2].data["val_accuracy"] == job.metrics["val_accuracy"][0]
    told = [event["data"]["entry"]["seq"] for event in contract.events if event["name"] == "log.appended"]
    assert told == [entry.seq for entry in log]


RULES = (
    pages_neither_repeat_nor_skip_while_jobs_arrive,
    jobs_of_other_scopes_are_not_listed,
    a_search_is_literal_in_any_case_over_seven_fields,
    filters_are_exact_and_go_together,
    jobs_are_sorted_both_ways,
    an_item_shows_what_a_list_needs,
    a_log_is_read_from_its_end_or_behind_an_entry,
    a_log_tells_the_story_of_the_job,
)
