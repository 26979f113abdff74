"""Data of one's own: chosen by file inputs, checked before anything is created, refused with words."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from browser import jobs, workspace
from browser.conftest import Visits, World
from playwright.async_api import FilePayload, Locator, Page, expect


def payload(name: str, content: bytes) -> FilePayload:
    """A file to choose."""
    return {"name": name, "mimeType": "text/csv", "buffer": content}


def sample(world: World, sample: str, name: str) -> FilePayload:
    """A file of a sample, to choose as one's own."""
    return payload(name, (world.dist / "samples" / sample / name).read_bytes())


async def own_files(page: Page) -> None:
    """The form, set to files of one's own."""
    await workspace.begin(page)
    await page.get_by_label("Manifest and files").check()


def manifest_input(page: Page, part: str = "Data") -> Locator:
    """The input for the manifest, of the data or of «Validation data»."""
    return page.get_by_role("group", name=part, exact=True).get_by_label("Manifest", exact=True)


def row(page: Page, name: str) -> Locator:
    """The row of a chosen file."""
    heading = page.get_by_role("rowheader", name=name, exact=True)
    return page.get_by_role("row").filter(has=heading)


def create_button(page: Page) -> Locator:
    return page.get_by_role("button", name="Create job")


async def test_a_changed_file_is_named_and_nothing_is_lost(visits: Visits, world: World) -> None:
    """The problem stands beside that file and the others pass; what was entered stays; the right file mends it."""
    page = await visits.ready()
    await own_files(page)
    await workspace.fill(page, job_name="My own data", rounds=3)
    await manifest_input(page).set_input_files(sample(world, "wdbc", "datapackage.json"))
    train = sample(world, "wdbc", "train.csv")
    changed = payload("train.csv", train["buffer"][:-2] + b"9\n")
    files = page.get_by_label("Data files")
    await files.set_input_files([changed, sample(world, "wdbc", "validation.csv")])
    await expect(row(page, "train.csv")).to_contain_text("Failed")
    await expect(row(page, "train.csv").get_by_role("button", name="Choose file again: train.csv")).to_be_visible()
    await expect(row(page, "datapackage.json")).to_contain_text("Passed")
    await expect(row(page, "validation.csv")).not_to_contain_text("Failed")
    await expect(page.get_by_text("1 of 3 files was rejected.")).to_be_visible()
    await expect(page.get_by_text("1 problem to resolve")).to_be_visible()
    await expect(create_button(page)).to_be_disabled()
    assert (await jobs.call(page, "jobs.list"))["total"] == 0
    await expect(page.get_by_label("Job name")).to_have_value("My own data")
    await expect(page.get_by_label("Rounds", exact=True)).to_have_value("3")
    async with page.expect_file_chooser() as choosing:
        await row(page, "train.csv").get_by_role("button", name="Choose file again: train.csv").click()
    await (await choosing.value).set_files([train])
    await expect(row(page, "train.csv")).to_contain_text("Passed")
    await expect(page.get_by_text("Passed: manifest, names, sizes, checksums, content.")).to_be_visible()
    await create_button(page).click()
    await workspace.opened(page)
    await expect(page.get_by_role("heading", name="My own data")).to_be_visible()
    await workspace.start(page)
    await workspace.completed(page)
    await expect(workspace.checkpoints(page)).to_have_count(3)
    await expect(workspace.checkpoints(page).filter(has_text="best")).to_have_count(1)


async def test_a_file_that_changes_after_it_was_chosen_is_told(visits: Visits, world: World, tmp_path: Path) -> None:
    """The browser reads no file that is not the chosen one any more; the page says so beside it, and goes on."""
    page = await visits.ready()
    await own_files(page)
    table = tmp_path / "train.csv"
    table.write_bytes(sample(world, "wine", "train.csv")["buffer"])
    held_out = tmp_path / "validation.csv"
    held_out.write_bytes(sample(world, "wine", "validation.csv")["buffer"])
    await page.get_by_label("Data files").set_input_files([table, held_out])
    table.write_bytes(table.read_bytes()[::-1])  # as long as before, so only reading it can tell
    await manifest_input(page).set_input_files(sample(world, "wine", "datapackage.json"))
    await expect(row(page, "train.csv")).to_contain_text("Failed")
    await expect(create_button(page)).to_be_disabled()
    await page.get_by_label("Data files").set_input_files([sample(world, "wine", "train.csv")])
    await expect(row(page, "train.csv")).to_contain_text("Passed")
    await expect(create_button(page)).to_be_enabled()


MANIFESTS = {
    "not JSON": (b"name: wine\n", "not JSON"),
    "not an object": (b"[1, 2]", ""),
    "deep": (b"[" * 100_000 + b"]" * 100_000, ""),
    "huge": (b'{"name": "' + b"x" * 5_000_000 + b'"}', "larger than"),
    "not text": (b"\xff\xfe\x00{", "not UTF-8"),
    "empty": (b"", ""),
}


async def test_a_manifest_that_cannot_be_read_gives_words(visits: Visits, world: World) -> None:
    """Whatever is in the file: problem and action beside it, nothing created, and the page goes on."""
    page = await visits.ready()
    await own_files(page)
    await page.get_by_label("Data files").set_input_files(
        [sample(world, "wine", name) for name in ("train.csv", "validation.csv")]
    )
    manifest = manifest_input(page)
    for kind, (content, words) in MANIFESTS.items():
        broken = kind.replace(" ", "-") + ".json"
        await manifest.set_input_files(payload(broken, content))
        await expect(row(page, broken)).to_contain_text("Failed")
        await expect(row(page, broken).locator(".problem").first).to_contain_text(words)
        await expect(create_button(page)).to_be_disabled()
        await manifest.set_input_files(sample(world, "wine", "datapackage.json"))
        await expect(page.get_by_text("Passed: manifest, names, sizes, checksums, content.")).to_be_visible()
        await expect(create_button(page)).to_be_enabled()


async def test_validation_rows_may_come_from_another_manifest(visits: Visits, world: World) -> None:
    """Then they decide the best round, and the files that the first manifest marks for it are not needed."""
    page = await visits.ready()
    manifest = json.loads((world.dist / "samples/wine/datapackage.json").read_text(encoding="utf-8"))
    train, held_out = manifest["resources"]
    await workspace.begin(page)
    await page.get_by_label("Data set").select_option("wine")
    await workspace.fill(page, rounds=2)
    await page.get_by_label("Another manifest and file").check()
    await expect(page.get_by_text("2 problems to resolve")).to_be_visible()
    await expect(create_button(page)).to_be_disabled()
    text = json.dumps({**manifest, "name": "held-out", "resources": [{**held_out, "path": "held-out.csv"}]})
    await manifest_input(page, "Validation data").set_input_files(payload("held-out.json", text.encode()))
    await page.get_by_label("Validation files").set_input_files(
        payload("held-out.csv", (world.dist / "samples/wine/validation.csv").read_bytes())
    )
    await expect(row(page, "held-out.csv")).to_contain_text("Passed")
    await create_button(page).click()
    job = await workspace.opened(page)
    await workspace.start(page)
    await workspace.completed(page)
    await expect(workspace.checkpoints(page).filter(has_text="best")).to_have_count(1)
    record = await jobs.call(page, "jobs.get", job=job)
    assert record["validation_dataset"]["name"] == "held-out"
    assert train["fl:rows"] == record["dataset"]["rows"]


async def test_without_validation_data_no_round_is_best(visits: Visits) -> None:
    """Training values alone do not show quality on unseen examples, so the page marks nothing and says why."""
    page = await visits.ready()
    await workspace.begin(page)
    await page.get_by_label("Data set").select_option("wine")
    await workspace.fill(page, rounds=2)
    await page.get_by_role("radio", name="None").check()
    await create_button(page).click()
    await workspace.opened(page)
    await workspace.start(page)
    await workspace.completed(page)
    await expect(workspace.checkpoints(page)).to_have_count(2)
    await expect(workspace.checkpoints(page).filter(has_text="best")).to_have_count(0)
    await expect(workspace.job(page).locator("[data-label='Val accuracy']")).to_have_count(0)
    await expect(workspace.job(page).get_by_role("status").first).to_contain_text("no round is marked best")


async def test_a_wrong_setting_is_told_beside_its_field(visits: Visits) -> None:
    """The field is marked invalid and described by the problem; the summary names it; a good value mends it."""
    page = await visits.ready()
    await workspace.begin(page)
    field = page.get_by_label("Learning rate")
    await field.fill("0")
    await expect(field).to_have_attribute("aria-invalid", "true")
    await expect(field).to_have_accessible_description("Must be greater than 0. For this model start with 0.1.")
    summary = page.get_by_role("complementary", name="Summary")
    await expect(summary.get_by_role("link", name="Learning rate: Must be greater than 0.")).to_be_visible()
    await expect(create_button(page)).to_be_disabled()
    await summary.get_by_role("link", name="Learning rate").click()
    await expect(field).to_be_focused()
    await field.fill("0.2")
    await expect(field).not_to_have_attribute("aria-invalid", "true")
    await expect(create_button(page)).to_be_enabled()


def long_table(rows: int, name: str = "long") -> tuple[FilePayload, FilePayload]:
    """A table that takes a while to check and to copy, and its manifest."""
    content = b"a,b,label\n" + b"0.123456789012345,0.987654321098765,yes\n1.5,2.5,no\n" * (rows // 2)
    fields = [{"name": "a", "type": "number"}, {"name": "b", "type": "number"}, {"name": "label", "type": "string"}]
    resource = {
        "name": name,
        "path": f"{name}.csv",
        "format": "csv",
        "bytes": len(content),
        "hash": f"sha256:{hashlib.sha256(content).hexdigest()}",
        "schema": {"fields": fields},
        "fl:label": "label",
        "fl:classes": ["yes", "no"],
    }
    manifest = json.dumps({"name": "long-table", "resources": [resource]}).encode()
    return payload("datapackage.json", manifest), payload(f"{name}.csv", content)


async def test_data_and_validation_are_checked_one_after_the_other(visits: Visits) -> None:
    """Files chosen while others are being checked wait for their turn; none stays unchecked."""
    page = await visits.ready()
    await own_files(page)
    await page.get_by_label("Another manifest and file").check()
    manifest, table = long_table(400_000)
    await manifest_input(page).set_input_files(manifest)
    await page.get_by_label("Data files").set_input_files(table)
    held_out, rows = long_table(20, "held-out")
    await manifest_input(page, "Validation data").set_input_files(held_out)
    await page.get_by_label("Validation files").set_input_files(rows)
    await expect(row(page, "long.csv")).to_contain_text("Passed")
    await expect(row(page, "held-out.csv")).to_contain_text("Passed")
    await expect(create_button(page)).to_be_enabled()


async def test_what_is_taken_out_while_it_is_checked_does_not_come_back(visits: Visits) -> None:
    """The check ends, and the job cannot be created without the file; a stopped check can be begun again."""
    page = await visits.ready()
    await own_files(page)
    manifest, table = long_table(600_000)
    await manifest_input(page).set_input_files(manifest)
    files = page.get_by_label("Data files")
    await files.set_input_files(table)
    await expect(row(page, "long.csv")).to_contain_text("Checking")
    await page.get_by_role("button", name="Remove long.csv").click()
    await expect(row(page, "long.csv")).to_have_count(0)
    await expect(page.get_by_role("link", name="Data files: No data files are chosen.")).to_be_visible()
    await expect(create_button(page)).to_be_disabled()
    await files.set_input_files(table)
    await expect(row(page, "long.csv")).to_contain_text("Checking")
    await page.get_by_role("button", name="Stop").click()
    await expect(row(page, "datapackage.json")).to_contain_text("The files are not checked.")
    await expect(create_button(page)).to_be_disabled()
    await page.get_by_role("button", name="Check them").click()
    await expect(row(page, "long.csv")).to_contain_text("Passed")
    await page.get_by_label("None").check()
    await expect(create_button(page)).to_be_enabled()
    await page.get_by_label("Use sample data").check()
    await page.get_by_label("Manifest and files").check()
    await expect(row(page, "long.csv")).to_contain_text("Passed")


async def test_who_goes_elsewhere_while_a_job_is_created_stays_there(visits: Visits) -> None:
    """Until then nothing of it can be changed, nor is the page left unasked; then it stands in the list."""
    page = await visits.ready()
    await own_files(page)
    await page.get_by_label("None").check()
    manifest, table = long_table(400_000)
    await manifest_input(page).set_input_files(manifest)
    await page.get_by_label("Data files").set_input_files(table)
    await expect(row(page, "long.csv")).to_contain_text("Passed")
    await create_button(page).click()
    await expect(page.get_by_label("Data files")).to_be_disabled()
    asked = await page.evaluate("!dispatchEvent(new Event('beforeunload', { cancelable: true }))")
    assert asked
    await page.get_by_role("link", name="Workspace").click()
    await expect(page.get_by_role("row").filter(has_text="long-table")).to_contain_text("Queued")
    assert page.url.endswith("#/")
