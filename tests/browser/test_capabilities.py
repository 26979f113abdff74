"""Capabilities of other kinds than the first one: one that an author added, and one whose metric is minimized."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from browser import jobs, workspace
from browser.conftest import World, watched
from playwright.async_api import Browser, Page, expect


@pytest.fixture(scope="module")
def page(chromium: Browser, world: World, runner: asyncio.Runner) -> Iterator[Page]:
    """One page for both tests: to start it takes longer than what they do."""
    with watched(chromium, world, runner) as visits:
        yield runner.run(visits.ready())


async def test_the_authors_template_trains(page: Page) -> None:
    """A site that was built with it offers it, and a round of it tells most wines apart."""
    job = await jobs.create(page, "wine", capability="softmax-regression@0.1.0", trainer={"rounds": 1})
    done = await jobs.ended(page, job["id"])
    assert done["error"] is None
    assert done["metrics"]["val_accuracy"][-1] >= 0.8


async def test_a_regressor_is_offered_its_data_and_its_best_round_has_the_smallest_error(page: Page) -> None:
    """The data set follows the capability and comes back with it, while everything else stays as it was entered.

    With so large a learning rate the error rises again at the end, so the best round is not the latest one.
    """
    await workspace.begin(page)
    data, name = page.get_by_label("Data set"), page.get_by_label("Job name")
    await data.select_option("wine")
    await workspace.fill(page, rounds=8)
    regressor = page.get_by_role("radio", name="Tabular regressor")
    await regressor.check()
    await expect(data).to_have_value("diabetes")
    await expect(data.locator("option")).to_have_count(1)
    await page.get_by_role("radio", name="Tabular classifier").check()
    await expect(data).to_have_value("wine")
    await expect(data.locator("option")).to_have_count(3)
    await regressor.check()
    await expect(data).to_have_value("diabetes")
    await expect(name).to_have_value("Diabetes progression")
    await expect(page.get_by_label("Rounds", exact=True)).to_have_value("8")
    await workspace.fill(page, learning_rate="0.1")
    await page.get_by_role("button", name="Create job").click()
    await workspace.opened(page)
    await workspace.start(page)
    await workspace.completed(page)

    job, rows = workspace.job(page), workspace.checkpoints(page)
    await expect(job.get_by_role("heading", name="RMSE by round")).to_be_visible()
    await job.get_by_role("button", name="Show all 8 checkpoints").click()
    await expect(rows).to_have_count(8)
    errors = [float(each) for each in await rows.locator("[data-label='Val RMSE']").all_inner_texts()]
    best = rows.filter(has=page.locator(".tag.best"))
    await expect(best).to_have_count(1)
    assert float(await best.locator("[data-label='Val RMSE']").inner_text()) == min(errors)
    assert errors[0] > min(errors), "the latest round is the best one, so this shows nothing"
    number = 8 - errors.index(min(errors))
    await expect(job.locator("figcaption")).to_contain_text(
        f"Lower is better, as the model declares. Round {number} is the best"
    )
