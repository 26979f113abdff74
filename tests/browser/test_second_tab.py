"""Two tabs of one browser: one engine, the same jobs, live; whichever tab leads may go."""

from __future__ import annotations

import hashlib
from pathlib import Path

from browser import jobs, workspace
from browser.conftest import Visits, until_ready
from playwright.async_api import BrowserContext, Page, expect


async def two_tabs(visits: Visits) -> tuple[BrowserContext, Page, Page]:
    """A context with the tab that leads and one that follows it."""
    context = await visits.context()
    return context, await visits.ready(context), await visits.ready(context)


def workers(page: Page) -> int:
    """How many workers run for a page, its frame included. The page's own Python runs in none."""
    return len(page.workers)


async def test_a_second_tab_shows_the_same_jobs_live(visits: Visits) -> None:
    """What is created in one appears in the other, and its progress moves there too; nothing is loaded again."""
    _, first, second = await two_tabs(visits)
    job = await workspace.create(first, job_name="Shared", rounds=300)
    row = second.get_by_role("row").filter(has_text="Shared")
    await expect(row).to_contain_text("Queued")
    await workspace.start(first)
    await expect(row).to_contain_text("Running")
    await second.get_by_role("link", name="Shared").click()
    await workspace.saved(second, 2)
    await workspace.saved(second, 4)
    await workspace.button(second, "Cancel job").click()
    await expect(workspace.badge(first)).to_have_text("Cancelled")
    await expect(workspace.badge(second)).to_have_text("Cancelled")
    assert await jobs.call(first, "jobs.get", job=job) == await jobs.call(second, "jobs.get", job=job)


async def test_a_following_tab_does_all_that_the_first_one_can(visits: Visits) -> None:
    """Files of a new job and the bytes of a checkpoint cross the relay unharmed."""
    _, first, second = await two_tabs(visits)
    await workspace.create(second, sample="wine", rounds=3)
    await workspace.start(second)
    await workspace.completed(second)
    row = workspace.checkpoints(second).first
    async with second.expect_download() as downloading:
        await row.get_by_role("button", name="Download round 3").click()
    content = Path(await (await downloading.value).path()).read_bytes()
    assert hashlib.sha256(content).hexdigest() == await row.locator("code").get_attribute("title")
    await expect(first.get_by_role("row").filter(has_text="Wine cultivars")).to_contain_text("Completed")


async def test_only_one_engine_runs(visits: Visits) -> None:
    """The tab that follows starts no worker, neither for itself nor for a job that it starts."""
    _, first, second = await two_tabs(visits)
    assert (workers(first), workers(second)) == (1, 0)
    await workspace.create(second, sample="wine", rounds=3)
    await workspace.start(second)
    await workspace.completed(second)
    assert workers(first) >= 1
    assert workers(second) == 0
    epochs = [(await jobs.call(page, "status"))["epoch"] for page in (first, second)]
    assert epochs[0] == epochs[1]


async def test_the_other_tab_takes_over_when_the_leader_goes(visits: Visits) -> None:
    """In mid-training: it becomes ready by itself, and the job goes on to its end with every committed round."""
    _, first, second = await two_tabs(visits)
    job = await workspace.create(first, sample="wine", rounds=120)
    await second.get_by_role("link", name="Wine cultivars").click()
    await workspace.start(first)
    await workspace.saved(second, 3)
    before = (await jobs.call(second, "jobs.state", job=job))["rounds"]
    await first.close()
    await workspace.completed(second)
    await until_ready(second)
    assert workers(second) >= 1
    record = await jobs.call(second, "jobs.get", job=job)
    assert record["rounds"]["done"] == 120
    after = (await jobs.call(second, "jobs.state", job=job))["rounds"]
    assert after[: len(before)] == before


async def test_a_call_to_a_leader_that_goes_is_answered(visits: Visits) -> None:
    """By its result or by `leader_changed`: whoever waits, never waits for ever."""
    _, first, second = await two_tabs(visits)
    job = await workspace.create(first, sample="wine", rounds=3)
    await second.evaluate(
        """(job) => {
          const outcome = (method, params) => roundtab.training.request(method, params)
            .then(() => "answered", ({ code }) => code);
          window.outcomes = Array.from({ length: 40 }, () => outcome("jobs.state", { job }));
        }""",
        job,
    )
    await first.close()
    outcomes = await second.evaluate("Promise.all(window.outcomes)")
    assert len(outcomes) == 40
    assert set(outcomes) <= {"answered", "leader_changed"}
    await until_ready(second)
    assert (await jobs.call(second, "jobs.get", job=job))["status"] == "queued"


async def test_a_job_opened_while_it_trains_shows_every_round(visits: Visits) -> None:
    """What comes while the job is being read is neither lost nor shown twice, and its end is not missed."""
    _, first, second = await two_tabs(visits)
    job = await workspace.create(first, rounds=60)
    await workspace.start(first)
    for _ in range(6):
        await second.goto(f"{visits.world.site}#/")
        await second.goto(f"{visits.world.site}#/job/{job}")
        await workspace.saved(second, 1)
    await workspace.completed(second)
    await second.get_by_role("button", name="Show all 60 checkpoints").click()
    rows = workspace.checkpoints(second)
    await expect(rows).to_have_count(60)
    assert [await rows.nth(place).get_attribute("id") for place in (0, 30, 59)] == [
        "checkpoint-60",
        "checkpoint-30",
        "checkpoint-1",
    ]
