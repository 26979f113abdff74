"""The core runs inside Pyodide as it does on CPython: the very same tests pass there."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

from browser.conftest import Visits, World

from roundtab.publish.paths import PACKAGE, ROOT, SITE
from roundtab.publish.server import serve

APART = {"browser", "publish", "project", "benchmarks"}
"""Folders of tests that are not about the core: they drive a browser, build the site, read the repository, measure."""

PACKAGES = (
    "_hypothesis_ftz_detector",
    "_hypothesis_globals",
    "_pytest",
    "hypothesis",
    "iniconfig",
    "packaging",
    "pluggy",
    "py",
    "pygments",
    "pytest",
    "sortedcontainers",
)
"""pytest and hypothesis, and what they import."""

ELSEWHERE = {
    "tests/contracts/test_stores.py::test_the_store_keeps_the_rule"
    "[indexeddb-a_batch_that_does_not_fit_leaves_everything_as_it_was]": "test_engine.py sets the quota from outside",
}
"""Tests that only a browser collects and that it cannot run by itself, and where they are run instead."""

PATIENCE = 250.0
"""Seconds that the whole run may take; it takes less than a tenth of that on a machine that does nothing else."""

COLLECT = """
import json, sys, pytest

class Collected:
    def pytest_collection_modifyitems(self, items):
        marks = {item.nodeid: item.get_closest_marker("cpython_only") for item in items}
        self.found = {test: mark.kwargs["reason"] if mark else None for test, mark in marks.items()}

collected = Collected()
pytest.main(["--collect-only", "-q", *sys.argv[1:]], plugins=[collected])
print(json.dumps(collected.found))
"""


def core_folders() -> list[Path]:
    """What of tests/ is about the core."""
    return [each for each in sorted((ROOT / "tests").iterdir()) if each.name not in APART | {"__pycache__"}]


def collected_here() -> dict[str, str | None]:
    """Every core test of this interpreter, with the reason where it is for CPython only."""
    paths = [str(each) for each in core_folders() if each.name != "conftest.py"]
    done = subprocess.run(
        [sys.executable, "-c", COLLECT, *paths], cwd=ROOT, capture_output=True, encoding="utf-8", check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def pack(target: Path) -> None:
    """The core's tests, the capabilities and samples that they use, and pytest with what it needs, as one archive."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(ROOT / "pyproject.toml", "pyproject.toml")
        for folder in (*core_folders(), SITE / "samples"):
            for path in [folder] if folder.is_file() else sorted(folder.rglob("*.*")):
                if "__pycache__" not in path.parts:
                    archive.write(path, path.relative_to(ROOT))
        for path in sorted((PACKAGE / "capabilities").glob("*/**/*.*")):  # roundtab.zip is without them
            if "__pycache__" not in path.parts:
                archive.write(path, path.relative_to(PACKAGE.parent))
        for name in PACKAGES:
            spec = importlib.util.find_spec(name)
            if spec is None or spec.origin is None:
                continue
            origin = Path(spec.origin)
            for path in sorted(origin.parent.rglob("*.py*")) if origin.name == "__init__.py" else [origin]:
                if path.suffix in (".py", ".pyi", ".typed") and "__pycache__" not in path.parts:
                    root = origin.parent.parent if origin.name == "__init__.py" else origin.parent
                    archive.write(path, path.relative_to(root))


async def outcomes_of(script: str, visits: Visits, world: World, folder: Path) -> dict[str, Any]:
    """What a script of tests/browser/pyodide found in a worker, once it is done and the worker answers."""
    site = shutil.copytree(world.dist, folder / "dist", copy_function=os.link)
    shutil.copytree(Path(__file__).parent / "pyodide", site / "core")
    pack(site / "core" / "core.zip")
    with serve(site) as url:
        visits.allowed.append(url)
        page = await visits.page(f"{url}core/?script={script}")
        said: list[str] = []
        page.on("console", lambda message: said.append(message.text))
        try:
            async with asyncio.timeout(PATIENCE):
                found: dict[str, Any] = json.loads(await page.evaluate("outcomes"))
        except TimeoutError:
            raise AssertionError("the run did not end; the last that it said: " + "\n".join(said[-5:])) from None
    return found


async def test_ten_thousand_hostile_inputs_of_each_kind_leave_a_worker_alive(
    visits: Visits, world: World, tmp_path: Path
) -> None:
    """Each is read or refused in words; an exception that is not declared would end the run."""
    found = await outcomes_of("fuzz.py", visits, world, tmp_path)
    assert found.keys() == {"manifest", "csv", "arrays", "safetensors", "call"}
    for kind, outcomes in found.items():
        assert sum(outcomes.values()) == 10_000, kind
        assert min(outcomes["read"], outcomes["refused"]) > 100, (kind, outcomes)


async def test_every_core_test_passes_inside_pyodide(visits: Visits, world: World, tmp_path: Path) -> None:
    """Each test that CPython collects passes there, but for those that say why they cannot; none is skipped unsaid."""
    here = collected_here()
    assert len(here) > 500, "the core's tests were not collected"
    there = await outcomes_of("run.py", visits, world, tmp_path)
    skipped_here = {test for test, reason in here.items() if reason}
    wrong = {
        test: there.get(test, ["missing", ""])
        for test in here.keys() - skipped_here
        if there.get(test, ["missing"])[0] != "passed"
    }
    wrong |= {test: outcome for test, outcome in there.items() if outcome[0] == "failed"}
    assert wrong == {}, "\n\n".join(
        f"{test}: {outcome}\n{words}" for test, (outcome, words) in list(wrong.items())[:20]
    )
    skipped = {test for test, (outcome, _) in there.items() if outcome == "skipped"}
    assert skipped == skipped_here | ELSEWHERE.keys()
    for kind in ("indexeddb", "port"):
        assert any(f"[{kind}-" in test for test in there), f"the contract was not run over {kind}"
