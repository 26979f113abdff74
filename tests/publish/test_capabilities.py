from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from roundtab.publish import capabilities
from roundtab.publish.commands import BuildFailed

pytestmark = pytest.mark.cpython_only(reason="builds the site: files, sockets and processes")


def copied(target: Path, version: str) -> Path:
    """A folder of capabilities with a copy of a built-in one under another version."""
    built_in = next(capabilities.folders([]))
    shutil.copytree(built_in, target / "mine", ignore=shutil.ignore_patterns("__pycache__"))
    toml = target / "mine" / "capability.toml"
    lines = toml.read_text(encoding="utf-8").splitlines()
    lines = [f'version = "{version}"' if line.startswith("version") else line for line in lines]
    toml.write_text("\n".join(lines), encoding="utf-8")
    return target


def test_the_catalogue_lists_built_in_and_added_capabilities(tmp_path: Path) -> None:
    """`--capabilities` adds to what Roundtab brings, and every listed file is served."""
    made = dict(capabilities.capabilities([copied(tmp_path, "77.0.0")]))
    entries = json.loads(made.pop("capabilities/catalogue.json"))
    assert {"1.0.0", "77.0.0"} <= {entry["version"] for entry in entries}
    listed = {f"capabilities/{entry['folder']}/{name}" for entry in entries for name in entry["files"]}
    assert listed == made.keys()


def test_two_capabilities_of_one_name_and_version_are_refused(tmp_path: Path) -> None:
    """A job names its model by name and version, so they must say which one."""
    original = next(capabilities.folders([]))
    shutil.copytree(original, tmp_path / "twin")
    with pytest.raises(BuildFailed, match="There are two capabilities"):
        list(capabilities.capabilities([tmp_path]))


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    """A typing mistake in `--capabilities` builds no site without them."""
    with pytest.raises(BuildFailed, match=r"no folder .*nowhere"):
        list(capabilities.folders([tmp_path / "nowhere"]))


def test_a_definition_without_a_version_is_named(tmp_path: Path) -> None:
    """The message says which file lacks what."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "capability.toml").write_text('name = "mine"', encoding="utf-8")
    with pytest.raises(BuildFailed, match=r"mine.capability\.toml has no version"):
        list(capabilities.capabilities([tmp_path]))
