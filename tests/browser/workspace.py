"""The workspace page as a person uses it: by roles and labels."""

from __future__ import annotations

from playwright.async_api import Locator, Page, expect


async def begin(page: Page) -> None:
    """Open the form for a new job with the tabular classifier."""
    await page.get_by_role("button", name="New job").first.click()
    await expect(page.get_by_role("form", name="New job")).to_be_visible()
    await page.get_by_role("radio", name="Tabular classifier").check()


async def fill(page: Page, **values: str | int) -> None:
    """Enter values by label: `rounds=40` goes into «Rounds»."""
    for label, value in values.items():
        await page.get_by_label(label.replace("_", " ").capitalize(), exact=True).fill(str(value))


async def create(page: Page, sample: str = "", **values: str | int) -> str:
    """A queued job on sample data, open on the page; its id."""
    await begin(page)
    if sample:
        await page.get_by_label("Data set").select_option(sample)
    await fill(page, **values)
    await page.get_by_role("button", name="Create job").click()
    return await opened(page)


async def opened(page: Page) -> str:
    """The id of the job that the page shows, once it does."""
    await expect(job(page).get_by_role("heading", level=2)).to_be_visible()
    return page.url.rsplit("/", 1)[1]


def job(page: Page) -> Locator:
    """The section of the open job."""
    return page.locator("section#job")


def button(page: Page, name: str) -> Locator:
    """A button of the open job; not one of an open question."""
    return job(page).get_by_role("button", name=name, exact=True)


def badge(page: Page) -> Locator:
    """The status of the open job."""
    return job(page).locator(".badge")


def checkpoints(page: Page) -> Locator:
    """The rows of the checkpoint table."""
    return job(page).get_by_role("table", name="Checkpoints, newest first").locator("tbody tr")


async def start(page: Page) -> None:
    """Start the open job."""
    await button(page, "Start job").click()


async def saved(page: Page, rounds: int) -> None:
    """Wait until so many rounds of the open job, or more, are in the checkpoint table."""
    newest = "Number(document.querySelector('#checkpoints-panel tbody tr')?.id.split('-')[1] ?? 0)"
    await page.wait_for_function(f"rounds => {newest} >= rounds", arg=rounds)


async def completed(page: Page, timeout: float = 60_000) -> None:
    """Wait until the open job has completed."""
    await expect(badge(page)).to_have_text("Completed", timeout=timeout)
