"""The whole path, as a person goes it: from opening the page to the downloaded file."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from pathlib import Path

import numpy as np
from browser import jobs, workspace
from browser.conftest import Visits, World
from playwright.async_api import expect
from safetensors.numpy import load

from roundtab.records.values import Json


def accuracy(weights: dict[str, np.ndarray], table: Path) -> float:
    """What a reader of the file computes with numpy alone, the way that the capability describes."""
    with table.open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    features = np.array([row[:-1] for row in rows], np.float32)
    labels = np.array([int(row[-1]) for row in rows])
    x = (features - weights["inputs/mean"]) / weights["inputs/scale"]
    x = np.maximum(x @ weights["hidden/weight"] + weights["hidden/bias"], 0)
    return float(((x @ weights["output/weight"] + weights["output/bias"]).argmax(axis=1) == labels).mean())


async def test_from_the_empty_page_to_the_file_in_hand(visits: Visits, world: World) -> None:
    """Sample data, create, start, watch, download; the file alone then classifies as well as the table says.

    Twenty rounds on the digits reach 0.96 on validation data, and what the page says of the file is true of it.
    """
    page = await visits.ready()
    await expect(page.get_by_text("No jobs yet.")).to_be_visible()
    await workspace.begin(page)
    await expect(page.get_by_label("Use sample data")).to_be_checked()
    await page.get_by_role("button", name="Create job").click()
    await workspace.opened(page)
    await expect(workspace.badge(page)).to_have_text("Queued")
    await workspace.start(page)
    await workspace.completed(page)
    await expect(page).to_have_title("Completed · Digits · Roundtab")
    rows = workspace.checkpoints(page)
    last = rows.first
    await expect(last).to_contain_text("latest")
    async with page.expect_download() as downloading:
        await last.get_by_role("button", name="Download round 20").click()
    download = await downloading.value
    assert download.suggested_filename.endswith(".safetensors")
    content = Path(await download.path()).read_bytes()
    assert hashlib.sha256(content).hexdigest() == await last.locator("code").get_attribute("title")
    shown = await last.locator("[data-label='Val accuracy']").inner_text()
    weights = load(content)
    assert f"{accuracy(weights, world.dist / 'samples/digits/validation.csv'):.4f}" == shown
    best = await rows.filter(has_text="best").locator("[data-label='Val accuracy']").inner_text()
    assert float(best) >= 0.96


async def test_rounds_appear_while_the_job_trains(visits: Visits) -> None:
    """Rows, chart, progress and the tab's title grow with each committed round, long before the end."""
    page = await visits.ready()
    await workspace.create(page, rounds=300)
    await workspace.start(page)
    await expect(workspace.badge(page)).to_have_text("Running")
    await workspace.saved(page, 2)
    await expect(page).to_have_title(re.compile(r"^\d+ % · Digits · Roundtab$"))
    job = workspace.job(page)
    await expect(job.get_by_role("heading", name="Accuracy by round")).to_be_visible()
    await expect(job.locator("[data-chart] canvas")).to_be_visible()
    await expect(job.get_by_role("progressbar")).not_to_have_attribute("value", "0")
    first = await job.locator("[data-chart]").get_attribute("data-option")
    await expect(job.locator("[data-chart]")).not_to_have_attribute("data-option", first or "")
    await expect(workspace.badge(page)).to_have_text("Running")
    await workspace.button(page, "Cancel job").click()
    await expect(workspace.badge(page)).to_have_text("Cancelled")


async def test_the_full_api_state_can_be_searched_and_copied(visits: Visits) -> None:
    """The matches are counted; what is copied is the answer of `jobs.state`, whole and valid."""
    context = await visits.context(permissions=["clipboard-read", "clipboard-write"])
    page = await visits.ready(context)
    job = await workspace.create(page, sample="wine", rounds=3)
    await workspace.start(page)
    await workspace.completed(page)
    state = workspace.job(page).get_by_role("article", name="Full API state")
    await expect(state.get_by_label("API state as JSON")).to_contain_text('"completed_at": "')
    await state.get_by_label("Search the API state").fill("VAL_accuracy")
    shown = await state.get_by_label("API state as JSON").inner_text()
    found = shown.lower().count("val_accuracy")
    assert found >= 3
    await expect(state.get_by_text(f"{found} matches", exact=True)).to_be_visible()
    await expect(state.locator("mark")).to_have_count(found)
    await state.get_by_role("button", name="Refresh the API state").click()
    await state.get_by_role("button", name="Copy JSON").click()
    await expect(state.get_by_role("button", name="Copied")).to_be_visible()
    copied = json.loads(await page.evaluate("navigator.clipboard.readText()"))
    assert without_space(copied) == without_space(await jobs.call(page, "jobs.state", job=job))


def without_space(state: dict[str, Json]) -> dict[str, Json]:
    """The state without what the browser says of its disk, which changes by itself."""
    return {name: value for name, value in state.items() if name != "storage"}


async def test_retry_asks_and_begins_again(visits: Visits) -> None:
    """Kept as it is, nothing changes; confirmed, metrics and checkpoints are cleared and the next attempt runs."""
    page = await visits.ready()
    job = await workspace.create(page, sample="wine", rounds=3)
    await workspace.start(page)
    await workspace.completed(page)
    question = page.get_by_role("dialog", name="Retry «Wine cultivars»?")
    await workspace.button(page, "Retry job").click()
    await expect(question).to_contain_text("3 checkpoints")
    await question.get_by_role("button", name="Keep it as it is").click()
    await expect(question).to_be_hidden()
    await expect(workspace.checkpoints(page)).to_have_count(3)
    await workspace.button(page, "Retry job").click()
    await question.get_by_role("button", name="Retry job").click()
    await expect(workspace.job(page).get_by_text("attempt 2", exact=True)).to_be_visible()
    await workspace.completed(page)
    await expect(workspace.checkpoints(page)).to_have_count(3)
    await expect(workspace.job(page).get_by_text("Attempt 1 ended here")).to_be_visible()
    assert (await jobs.call(page, "jobs.get", job=job))["attempt"] == 2


async def test_delete_asks_and_takes_everything(visits: Visits) -> None:
    """Afterwards the job is nowhere, and the page shows the list."""
    page = await visits.ready()
    job = await workspace.create(page, sample="wine", rounds=2)
    await workspace.start(page)
    await workspace.completed(page)
    await workspace.button(page, "Delete job").click()
    question = page.get_by_role("dialog", name="Delete «Wine cultivars»?")
    await expect(question).to_contain_text("This cannot be undone.")
    await question.get_by_role("button", name="Delete job").click()
    await expect(page.get_by_text("No jobs yet.")).to_be_visible()
    await expect(workspace.job(page)).to_be_hidden()
    assert (await jobs.refusal(page, "jobs.get", job=job))["code"] == "not_found"


async def test_a_queued_job_is_cancelled_at_once(visits: Visits) -> None:
    """It never ran, so it goes straight to its end, and can be retried."""
    page = await visits.ready()
    await workspace.create(page, sample="wine")
    await workspace.button(page, "Cancel job").click()
    await expect(workspace.badge(page)).to_have_text("Cancelled")
    await expect(workspace.button(page, "Retry job")).to_be_enabled()


async def test_a_running_job_keeps_its_rounds_when_it_is_cancelled(visits: Visits) -> None:
    """Saved rounds stay, to look at and to download."""
    page = await visits.ready()
    await workspace.create(page, rounds=1000)
    await workspace.start(page)
    await workspace.saved(page, 2)
    await workspace.button(page, "Cancel job").click()
    await expect(workspace.badge(page)).to_have_text("Cancelled")
    await expect(page).to_have_title("Cancelled · Digits · Roundtab")
    last = workspace.checkpoints(page).first
    async with page.expect_download() as downloading:
        await last.get_by_role("button", name=re.compile("^Download round")).click()
    assert load(Path(await (await downloading.value).path()).read_bytes())
