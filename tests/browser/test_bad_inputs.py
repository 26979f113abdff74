"""Bad inputs in the page: what the checks find stands beside the file, «Create job» waits, and nothing is lost."""

from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path
from typing import Any

from browser import jobs, workspace
from browser.conftest import Visits, World
from browser.test_own_files import create_button, manifest_input, own_files, payload, row, sample
from contracts.api_world import bytes_of
from contracts.bad_content import content
from contracts.bad_files import files
from contracts.bad_manifests import manifests
from contracts.outcomes import Case
from playwright.async_api import Locator, Page, expect


def cases() -> list[Case]:
    """One of each number of the list that a file picker can give: it gives no folders."""
    found: dict[tuple[int, bool], Case] = {}
    for case in (*manifests(), *files(), *content()):
        names = [file.path for file in case.data.files]
        if case.words and names and len(set(names)) == len(names) and not any("/" in name for name in names):
            found.setdefault((case.number, case.stage is None), case)
    return list(found.values())


def check(page: Page) -> Locator:
    """What the page says of the chosen data files."""
    return page.locator("#data-check")


async def choose(page: Page, case: Case) -> None:
    """Choose the manifest and the files of a case."""
    manifest: Any = case.data.manifest
    text = manifest if isinstance(manifest, str) else json.dumps(manifest)
    await manifest_input(page).set_input_files(payload("datapackage.json", text.encode()))
    await page.get_by_label("Data files").set_input_files(
        [payload(file.path, bytes_of(file)) for file in case.data.files]
    )


async def remove_all(page: Page) -> None:
    """Take out what was chosen, file by file."""
    removing = check(page).get_by_role("button", name="Remove")
    while await removing.count():
        count = await removing.count()
        await removing.first.click()
        await expect(removing).not_to_have_count(count)


async def test_bad_inputs_are_told_beside_their_files_and_nothing_is_created(visits: Visits) -> None:
    """One of each kind; with a note alone the job can be created."""
    page = await visits.ready()
    await own_files(page)
    await workspace.fill(page, job_name="Kept")
    listed = cases()
    assert len(listed) > 20
    assert len({case.number for case in listed if case.stage}) > 15
    for case in listed:
        await choose(page, case)
        await expect(check(page), f"{case.number} {case.title}").to_contain_text(case.words)
        if case.stage:
            await expect(check(page).get_by_text("rejected")).to_be_visible()
            await expect(create_button(page)).to_be_disabled()
        else:
            await expect(create_button(page)).to_be_enabled()
        await remove_all(page)
        await expect(check(page)).to_have_count(0)
    await expect(page.get_by_label("Job name")).to_have_value("Kept")
    assert (await jobs.call(page, "jobs.list"))["total"] == 0


async def test_a_folder_is_chosen_with_its_manifest(visits: Visits, world: World, tmp_path: Path) -> None:
    """Names are those below it; a file of it that was changed meanwhile is told from one that was removed."""
    page = await visits.ready()
    await own_files(page)
    folder = tmp_path / "wine"
    (folder / "held").mkdir(parents=True)
    manifest = json.loads(sample(world, "wine", "datapackage.json")["buffer"])
    manifest["resources"][1]["path"] = "held/validation.csv"
    (folder / "datapackage.json").write_text(json.dumps(manifest), encoding="utf-8")
    (folder / "train.csv").write_bytes(sample(world, "wine", "train.csv")["buffer"])
    (folder / "held" / "validation.csv").write_bytes(sample(world, "wine", "validation.csv")["buffer"])
    (folder / ".DS_Store").write_bytes(b"x")
    picker = page.get_by_label("Data folder")
    await picker.set_input_files(folder)
    await expect(page.get_by_text("Passed: manifest, names, sizes, checksums, content.")).to_be_visible()
    await expect(row(page, "held/validation.csv")).to_contain_text("Passed")
    await expect(create_button(page)).to_be_enabled()
    (folder / "train.csv").unlink()
    await row(page, ".DS_Store").get_by_role("button", name="Remove .DS_Store").click()
    await expect(row(page, "train.csv")).to_contain_text("The file was removed or renamed since it was chosen.")
    await expect(create_button(page)).to_be_disabled()


async def drop(page: Page, area: Locator, path: Path) -> None:
    """Drag a file or folder of this machine onto an area, and drop it there."""
    session = await page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}

    async def drag(kind: str) -> None:
        box = await area.bounding_box()
        assert box
        event = {"type": kind, "x": box["x"] + 20, "y": box["y"] + 20, "data": data}
        await session.send("Input.dispatchDragEvent", event)

    await area.scroll_into_view_if_needed()
    await drag("dragEnter")
    async with asyncio.timeout(30):
        # as a browser does while the pointer rests; the page may still move below it
        while await area.get_attribute("data-over") is None:
            await drag("dragOver")
    await drag("drop")
    await expect(area).not_to_have_attribute("data-over", "")


async def test_a_folder_is_dropped_with_its_manifest(visits: Visits, tmp_path: Path) -> None:
    """It is checked like a chosen one, with the folders in it; the area shows that it takes the drop."""
    page = await visits.ready()
    await own_files(page)
    content = b"a,b,label\n1,2,no\n3,4,yes\n5,1,no\n2,2,yes\n"
    fields = [{"name": name, "type": kind} for name, kind in (("a", "number"), ("b", "number"), ("label", "string"))]
    resource = {
        "name": "rows", "path": "inner/rows.csv", "format": "csv", "bytes": len(content), "schema": {"fields": fields},
        "hash": f"sha256:{hashlib.sha256(content).hexdigest()}", "fl:label": "label", "fl:classes": ["no", "yes"],
    }  # fmt: skip
    manifest = json.dumps({"name": "dropped", "resources": [resource]})
    folder = tmp_path / "dropped"
    (folder / "inner").mkdir(parents=True)
    (folder / "datapackage.json").write_text(manifest, encoding="utf-8")
    (folder / "inner" / "rows.csv").write_bytes(content)
    (folder / "inner" / "notes.txt").write_bytes(b"mine")
    await drop(page, page.locator("[data-drop='data.files']"), folder)
    await expect(row(page, "inner/rows.csv")).to_contain_text("Passed")
    await expect(row(page, "inner/notes.txt")).to_contain_text("The manifest does not list this file")
    await expect(page.get_by_role("complementary", name="Summary")).to_contain_text("4 rows, 2 features, 2 classes")
    await expect(create_button(page)).to_be_enabled()
