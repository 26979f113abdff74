"""Validation on the page: a round is chosen, held-out data is chosen and checked, results are compared and stay."""

from __future__ import annotations

import json
from typing import Any

from browser import jobs, workspace
from browser.conftest import Visits, World, until_ready
from browser.test_own_files import payload, row, sample
from playwright.async_api import Locator, Page, expect

OLD_TABLES = ("jobs", "logs", "rounds", "queues", "checkpoints", "weights", "manifests", "files", "chunks")
"""Those of the first version of the database."""

REWRITE = """async (tables) => {
  const done = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const all = ["meta", ...tables], rows = {};
  const now = await done(indexedDB.open("roundtab"));
  for (const table of all) {
    const store = now.transaction(table).objectStore(table);
    rows[table] = [await done(store.getAllKeys()), await done(store.getAll())];
  }
  now.close();
  await done(indexedDB.deleteDatabase("roundtab"));
  const opening = indexedDB.open("roundtab", 1);
  opening.onupgradeneeded = () => { for (const table of all) opening.result.createObjectStore(table); };
  const old = await done(opening);
  const writing = old.transaction(all, "readwrite");
  for (const table of all) {
    rows[table][0].forEach((key, at) => writing.objectStore(table).put(rows[table][1][at], key));
  }
  await new Promise((resolve) => { writing.oncomplete = resolve; });
  const found = [old.version, [...old.objectStoreNames].sort()];
  old.close();
  return found;
}"""
"""Makes the database that is there one of the first version, with the same rows."""


def panel(page: Page) -> Locator:
    """The validation panel of the open job."""
    return page.get_by_role("article", name="Validation on held-out data")


def form(page: Page) -> Locator:
    return page.get_by_role("form", name="Validate a round")


async def choose(page: Page, manifest: Any, *files: Any) -> None:
    """Choose held-out data in the form."""
    await form(page).get_by_label("Manifest", exact=True).set_input_files(manifest)
    await form(page).get_by_label("Held-out files").set_input_files(list(files))


async def validate(page: Page, option: str, number: int) -> None:
    """Validate a round on what is chosen, and wait for the result."""
    await form(page).get_by_label("Round", exact=True).select_option(option)
    await form(page).get_by_role("button", name="Validate").click()
    await expect(form(page).get_by_role("status")).to_contain_text(f"Round {number} is validated on wine, 36 rows")


async def test_rounds_are_validated_later_on_a_chosen_file(visits: Visits, world: World) -> None:
    """The chart says what is missing and leads to the form; what it finds is what other ways find, and stays."""
    page = await visits.ready()
    twin = await jobs.create(page, "wine", trainer={"rounds": 2}, name="Twin", local_trainers=1)
    twin = await jobs.ended(page, twin["id"])
    await workspace.begin(page)
    await page.get_by_label("Data set").select_option("wine")
    await workspace.fill(page, rounds=2)
    await page.get_by_text("More settings").click()
    await page.get_by_label("Trainers in this tab").fill("1")
    await page.get_by_role("radio", name="None").check()
    await page.get_by_role("button", name="Create job").click()
    job = await workspace.opened(page)
    await expect(panel(page).get_by_role("button", name="Validate")).to_be_disabled()
    await expect(panel(page)).to_contain_text("No checkpoint yet. The first one comes with round 1.")
    await workspace.start(page)
    await workspace.completed(page)
    metrics = page.get_by_role("article", name="Accuracy by round")
    await expect(metrics).to_contain_text(
        "No validation data, so no round is marked best. "
        "Lower training loss alone does not establish quality on unseen examples."
    )
    await metrics.get_by_role("button", name="Validate with a file").click()
    await expect(form(page).get_by_label("Round", exact=True)).to_be_focused()
    before = await jobs.call(page, "jobs.get", job=job)

    manifest = sample(world, "wine", "datapackage.json")
    held_out = sample(world, "wine", "validation.csv")
    await choose(page, manifest, payload("validation.csv", held_out["buffer"][:-2] + b"9\n"))
    await expect(row(page, "validation.csv")).to_contain_text("Failed")
    await expect(panel(page)).to_contain_text("1 of 2 files was rejected. The job is as it was.")
    await expect(form(page).get_by_role("button", name="Validate")).to_be_disabled()
    await choose(page, sample(world, "wdbc", "datapackage.json"), sample(world, "wdbc", "validation.csv"))
    await expect(row(page, "validation.csv")).to_contain_text("Passed")
    await form(page).get_by_role("button", name="Validate").click()
    await expect(row(page, "datapackage.json")).to_contain_text("It has 30 features, the training data has 13")
    await expect(form(page)).to_contain_text("Validation failed: The data did not pass: 2 problems.")
    await expect(form(page)).to_contain_text("Check that the model supports evaluation")
    assert await jobs.call(page, "jobs.get", job=job) == before
    assert (await jobs.call(page, "validations.list", job=job))["items"] == []

    await choose(page, manifest, held_out)
    await expect(row(page, "validation.csv")).to_contain_text("Passed")
    await validate(page, "1", 1)
    await validate(page, "", 2)
    listed = (await jobs.call(page, "validations.list", job=job))["items"]
    assert [each["round"] for each in listed] == [1, 2]
    for each in listed:
        found = {name: measured["value"] for name, measured in each["metrics"].items()}
        assert found == {name: twin["metrics"][f"val_{name}"][each["round"] - 1] for name in ("accuracy", "loss")}
        line = page.locator(f"#validation-{job}-{each['round']}")
        await expect(line).to_contain_text(f"{found['accuracy']:.4f}")
        await expect(line).to_contain_text(f"{found['loss']:.4f}")
    assert (await jobs.call(page, "jobs.get", job=job)) == before
    again = await jobs.call(page, "jobs.validate", job=twin["id"], round=1)
    assert (again["metrics"], again["data_sha256"]) == (listed[0]["metrics"], listed[0]["data_sha256"])

    await panel(page).get_by_role("button", name="Other jobs on this data").click()
    await expect(panel(page).get_by_role("link", name="Twin")).to_have_attribute("href", f"#/job/{twin['id']}")
    await page.reload()
    await until_ready(page)
    table = panel(page).get_by_role("table")
    await expect(table.get_by_role("row")).to_have_count(4)
    await expect(table.locator(".best").first).to_be_visible()
    await expect(table).to_contain_text(listed[0]["data_sha256"][:8])


async def test_a_validation_can_be_stopped_while_the_model_computes(visits: Visits, world: World) -> None:
    """Even one that never ends: its trainer is ended, the job is as it was, and the form can be used again."""
    page = await visits.ready()
    spec = {"capability": "moody@1.0.0", "parameters": {"evaluation": "waits"}, "trainer": {"rounds": 1}}
    manifest = json.loads(sample(world, "wine", "datapackage.json")["buffer"])
    manifest["resources"] = manifest["resources"][:1]
    job = await page.evaluate(
        """async ([spec, manifest]) => {
          const file = new File([await (await fetch("samples/wine/train.csv")).blob()], "train.csv");
          const job = await roundtab.training.request("jobs.create", { spec, manifest }, { files: [file] });
          await roundtab.training.request("jobs.start", { job: job.id });
          return job.id;
        }""",
        [spec | {"local_trainers": 1, "name": "Waits"}, manifest],
    )
    before = await jobs.ended(page, job)
    await page.get_by_role("link", name="Waits").click()
    await panel(page).get_by_text("Validate a round").click()
    await choose(page, sample(world, "wine", "datapackage.json"), sample(world, "wine", "validation.csv"))
    await expect(row(page, "validation.csv")).to_contain_text("Passed")
    await form(page).get_by_role("button", name="Validate").click()
    await expect(form(page)).to_contain_text("Evaluating round 1")
    await expect(form(page).get_by_label("Round", exact=True)).to_be_disabled()
    await page.get_by_role("link", name="Workspace").click()
    await expect(form(page)).to_have_count(0)
    await page.get_by_role("link", name="Waits").click()
    await panel(page).get_by_text("Validate a round").click()
    await expect(form(page).get_by_label("Round", exact=True)).to_be_disabled()
    await form(page).get_by_role("button", name="Stop").click()
    await expect(form(page).get_by_role("button", name="Validate")).to_be_enabled()
    assert await jobs.call(page, "jobs.get", job=job) == before
    assert (await jobs.call(page, "validations.list", job=job))["items"] == []


async def test_a_database_of_the_first_version_keeps_its_jobs_and_takes_validations(visits: Visits) -> None:
    """It had no table for validations; it gets one, and loses nothing."""
    visits.expected.append("404")  # a file that is opened by itself has no icon
    page = await visits.ready()
    made = await jobs.create(page, "wine", trainer={"rounds": 2}, local_trainers=1)
    before = await jobs.ended(page, made["id"])
    log = await jobs.call(page, "jobs.logs", job=made["id"])
    weights = await jobs.checkpoint(page, made["id"], 2)
    await page.goto(f"{visits.world.site}samples/wine/datapackage.json")  # a page without an engine
    version, tables = await page.evaluate(REWRITE, OLD_TABLES)
    assert (version, tables) == (1, sorted(("meta", *OLD_TABLES)))
    await page.goto(visits.world.site)
    await until_ready(page)
    assert await jobs.call(page, "jobs.get", job=made["id"]) == before
    assert await jobs.call(page, "jobs.logs", job=made["id"]) == log
    assert await jobs.checkpoint(page, made["id"], 2) == weights
    validation = await jobs.call(page, "jobs.validate", job=made["id"], round=2)
    assert validation["metrics"]["accuracy"]["value"] == before["metrics"]["val_accuracy"][1]
    assert len((await jobs.call(page, "jobs.state", job=made["id"]))["validations"]) == 1
