"""What is committed stays: over a reload in mid-training, and after every page was closed."""

from __future__ import annotations

from typing import Any

import numpy as np
from browser import jobs, workspace
from browser.conftest import Visits, until_ready
from playwright.async_api import Dialog, Page, expect

from roundtab.checkpoints import safetensors

ROUNDS = 120
"""More than a machine trains while a page reloads, so that something is left to go on with."""


def leaving(page: Page) -> list[str]:
    """The dialogs that come up while the page is left; each is accepted."""
    asked: list[str] = []

    async def accept(dialog: Dialog) -> None:
        asked.append(dialog.type)
        await dialog.accept()

    page.on("dialog", accept)
    return asked


async def kept(page: Page, job: str) -> dict[str, Any]:
    """What a job leaves behind: rounds, checkpoints, log."""
    state = await jobs.call(page, "jobs.state", job=job)
    return {name: state[name] for name in ("rounds", "checkpoints", "logs")}


async def tensors(page: Page, job: str, number: int) -> dict[str, bytes]:
    """The weights of a checkpoint, bit by bit."""
    loaded, _ = safetensors.load(await jobs.checkpoint(page, job, number))
    return {name: np.asarray(value).tobytes() for name, value in loaded.items()}


async def test_a_reload_in_mid_training_loses_no_committed_round(visits: Visits) -> None:
    """The browser asks first; then the job goes on by itself, to the weights it would have had without the reload."""
    page = await visits.ready()
    # what the form has by default
    settings = {"rounds": ROUNDS, "seed": 1, "learning_rate": 0.1, "optimizer_options": {"momentum": 0.9}}
    whole = await jobs.create(page, name="Whole", trainer=settings)
    await jobs.ended(page, whole["id"])
    job = await workspace.create(page, sample="wine", rounds=ROUNDS)
    asked = leaving(page)
    await workspace.start(page)
    await workspace.saved(page, 3)
    before = await kept(page, job)
    await page.reload()
    assert asked == ["beforeunload"]
    await until_ready(page)
    record = await jobs.wait_for(page, job, "job.phase !== null || job.completed_at !== null")
    assert record["status"] == "running", "it had ended before the reload: ROUNDS is too small for this machine"
    await workspace.completed(page)
    await expect(page).to_have_title("Completed · Wine cultivars · Roundtab")
    after = await kept(page, job)
    for name in before:
        assert after[name][: len(before[name])] == before[name]
    assert [each["round"] for each in after["rounds"]] == list(range(1, ROUNDS + 1))
    assert [each["round"] for each in after["checkpoints"]][-1] == ROUNDS
    assert record["config"]["trainer"] == whole["config"]["trainer"]
    assert await tensors(page, job, ROUNDS) == await tensors(page, whole["id"], ROUNDS)


async def test_a_page_with_nothing_running_is_left_without_a_question(visits: Visits) -> None:
    """Before a job, and after it has ended."""
    page = await visits.ready()
    asked = leaving(page)
    await page.reload()
    await until_ready(page)
    await workspace.create(page, sample="wine", rounds=2)
    await workspace.start(page)
    await workspace.completed(page)
    await page.reload()
    await until_ready(page)
    await workspace.completed(page)
    assert asked == []


async def test_everything_is_there_after_all_pages_were_closed(visits: Visits) -> None:
    """Job, rounds, log, checkpoint bytes: what one page committed, a later one reads."""
    context = await visits.context()
    page = await visits.ready(context)
    job = await workspace.create(page, sample="wine", rounds=3)
    await workspace.start(page)
    await workspace.completed(page)
    before, weights = await kept(page, job), await jobs.checkpoint(page, job, 3)
    await page.close()
    page = await visits.ready(context)
    await page.get_by_role("link", name="Wine cultivars").click()
    await workspace.completed(page)
    await expect(workspace.checkpoints(page)).to_have_count(3)
    assert await kept(page, job) == before
    assert await jobs.checkpoint(page, job, 3) == weights


async def test_a_running_job_goes_on_after_all_pages_were_closed(visits: Visits) -> None:
    """The next page that opens continues it, without being asked."""
    context = await visits.context()
    page = await visits.ready(context)
    job = await workspace.create(page, sample="wine", rounds=ROUNDS)
    await workspace.start(page)
    await workspace.saved(page, 3)
    before = await kept(page, job)
    await page.close()
    page = await visits.ready(context)
    await jobs.ended(page, job)
    after = await kept(page, job)
    for name in before:
        assert after[name][: len(before[name])] == before[name]
    assert len(after["rounds"]) == ROUNDS
