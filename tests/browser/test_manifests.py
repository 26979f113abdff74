"""Manifests made on the page: of chosen files, and of a list of checksums."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from browser import workspace
from browser.conftest import Visits, World
from playwright.async_api import FilePayload, Page, expect

NAMES = ("train.csv", "validation.csv")


def wine(world: World) -> list[FilePayload]:
    """The files of a sample, without their manifest."""
    return [
        {"name": name, "mimeType": "text/csv", "buffer": (world.dist / "samples/wine" / name).read_bytes()}
        for name in NAMES
    ]


async def own_files(page: Page, files: list[FilePayload]) -> None:
    """The form, with files of one's own."""
    await workspace.begin(page)
    await page.get_by_label("Manifest and files").check()
    await page.get_by_label("Data files").set_input_files(files)


async def test_a_job_is_made_of_files_without_a_manifest(visits: Visits, world: World) -> None:
    """The page makes one, says what it assumed, checks it like a chosen one and saves it; the job trains on it."""
    page = await visits.ready()
    await own_files(page, wine(world))
    await page.get_by_role("button", name="Make a manifest from these files").click()
    await expect(page.get_by_text("Passed: manifest, names, sizes, checksums, content.")).to_be_visible()
    await expect(page.get_by_text("The label is 'cultivar', the last column: one of 3 classes.")).to_be_visible()
    await expect(page.get_by_text("Its name says validation data")).to_be_visible()
    async with page.expect_download() as saving:
        await page.get_by_role("button", name="Download manifest").click()
    saved = await saving.value
    assert saved.suggested_filename == "datapackage.json"
    made = json.loads(Path(await saved.path()).read_text(encoding="utf-8"))
    real = json.loads((world.dist / "samples/wine/datapackage.json").read_text(encoding="utf-8"))
    for key in ("name", "path", "bytes", "hash", "fl:split", "fl:rows", "fl:label", "fl:classes"):
        assert [each[key] for each in made["resources"]] == [each[key] for each in real["resources"]]
    await workspace.fill(page, rounds=1)
    await page.get_by_role("button", name="Create job").click()
    await workspace.opened(page)
    await workspace.start(page)
    await workspace.completed(page)
    await expect(workspace.checkpoints(page).filter(has_text="best")).to_have_count(1)


async def test_a_list_of_checksums_becomes_a_manifest(visits: Visits, world: World) -> None:
    """A file that differs from the list is named; once it is the right one, the manifest is made."""
    page = await visits.ready()
    train, held_out = wine(world)
    lines = [f"{hashlib.sha256(each['buffer']).hexdigest()}  {each['name']}\n" for each in (train, held_out)]
    await own_files(page, [{**train, "buffer": train["buffer"] + b"\n"}, held_out])
    listing: FilePayload = {"name": "SHA256SUMS", "mimeType": "", "buffer": "".join(lines).encode()}
    await (
        page.get_by_role("group", name="Data", exact=True).get_by_label("Manifest", exact=True).set_input_files(listing)
    )
    await expect(page.get_by_text("This is a list of checksums, not a manifest.").first).to_be_visible()
    button = page.get_by_role("button", name="Make a manifest from these files")
    await button.click()
    await expect(page.get_by_role("row").filter(has_text="The content differs: its SHA-256 is")).to_contain_text(
        "train.csv"
    )
    await expect(page.get_by_role("button", name="Create job")).to_be_disabled()
    await page.get_by_label("Data files").set_input_files([train])
    await button.click()
    await expect(page.get_by_text("Passed: manifest, names, sizes, checksums, content.")).to_be_visible()
    await expect(page.get_by_role("button", name="Create job")).to_be_enabled()
