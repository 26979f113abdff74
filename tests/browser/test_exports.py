"""Checkpoints for other tools: downloaded on the page, opened outside of it with the code that the page shows."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browser import workspace
from browser.conftest import Visits, World
from playwright.async_api import Page, expect

TITLES = {"safetensors": "safetensors", "npz": "npz", "onnx": "ONNX"}


async def download(page: Page, form: str, folder: Path) -> str:
    """Save round 1 under the name that the code on the page reads; that code."""
    await workspace.button(page, TITLES[form]).press("Enter")
    await expect(workspace.button(page, TITLES[form])).to_have_attribute("aria-pressed", "true")
    async with page.expect_download() as downloading:
        await workspace.button(page, f"Download round 1 as {TITLES[form]}").press("Enter")
    file = await downloading.value
    assert file.suggested_filename.endswith(f"-round-1.{form}")
    await file.save_as(folder / f"checkpoint.{form}")
    return await page.locator("#snippet").inner_text()


async def test_each_format_opens_in_its_tool_and_gives_the_same_classes(
    visits: Visits, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By keyboard: choose, download, copy the code; run as it is, it classifies as often right as the table says."""
    context = await visits.context(permissions=["clipboard-read", "clipboard-write"])
    page = await visits.ready(context)
    await workspace.create(page, sample="wine", rounds=1)
    await workspace.start(page)
    await workspace.completed(page)
    snippets = {form: await download(page, form, tmp_path) for form in TITLES}
    await workspace.button(page, "Copy code").press("Enter")
    await expect(workspace.button(page, "Copied")).to_be_visible()
    assert await page.evaluate("navigator.clipboard.readText()") == snippets["onnx"]

    with (world.dist / "samples/wine/validation.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))[1:]
    monkeypatch.chdir(tmp_path)
    found: dict[str, Any] = {}
    for form, snippet in snippets.items():
        assert len(snippet.splitlines()) == 5
        assert f"checkpoint.{form}" in snippet
        names: dict[str, Any] = {"rows": [[float(cell) for cell in row[:-1]] for row in rows]}
        exec(snippet, names)
        found[form] = names["classes"].tolist()
    assert found["safetensors"] == found["npz"] == found["onnx"]
    accuracy = float(np.mean(np.array(found["onnx"]) == [int(row[-1]) for row in rows]))
    shown = workspace.checkpoints(page).first.locator("[data-label='Val accuracy']")
    await expect(shown).to_have_text(f"{accuracy:.4f}")
