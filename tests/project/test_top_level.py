"""What the project consists of, as git sees it."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENTRIES = {"pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE", "build.py", "site", "py", "tests", ".ci"}

pytestmark = pytest.mark.cpython_only(reason="asks git, and reads the whole project")


@pytest.fixture(scope="module")
def files() -> list[str]:
    """All files of the project, those included that are not committed yet."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [name for name in listed.stdout.splitlines() if (ROOT / name).exists()]


def test_the_top_level_holds_what_the_layout_says(files: list[str]) -> None:
    """And files whose name begins with a dot, for tools."""
    found = {name.partition("/")[0] for name in files}
    assert {each for each in found if not each.startswith(".")} <= ENTRIES
    assert found >= {"pyproject.toml", "LICENSE", "build.py", "site", "py", "tests", ".ci"}


def test_the_lock_file_names_no_address_to_download_from() -> None:
    """Each machine has its own registry; the checksums say what must come from it."""
    lock = json.loads((ROOT / "site" / "package-lock.json").read_text("utf-8"))
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert not [name for name, entry in packages.items() if "resolved" in entry]
    assert not [name for name, entry in packages.items() if not entry.get("link") and "integrity" not in entry]


def test_nothing_that_was_built_is_in_the_project(files: list[str]) -> None:
    """It would grow old there."""
    built = re.compile(r"(^|/)(dist|node_modules|__pycache__|\.venv)/|\.(pyc|whl|wasm)$|\.egg-info/")
    assert [name for name in files if built.search(name)] == []


def test_modules_mirror_the_package(files: list[str]) -> None:
    """Tests of roundtab/x are in tests/x."""
    parts = {name.split("/")[2] for name in files if re.match(r"py/roundtab/[^/]+/", name)}
    others = {"project", "contracts", "benchmarks", "browser", "fuzz"}
    mirrored = {name.split("/")[1] for name in files if re.match(r"tests/[^/]+/.*\.py$", name)}
    assert mirrored - others <= parts
