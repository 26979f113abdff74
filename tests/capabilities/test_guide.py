"""The author's guide shows only what works: every block of it is run, or held to what it is about."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

import roundtab.capabilities
from roundtab.capabilities.catalogue import Catalogue
from roundtab.capabilities.definition import read_definition
from roundtab.records.capabilities import CapabilityInfo, Fit, ParameterInfo
from roundtab.records.jobs import Metric

pytestmark = pytest.mark.cpython_only(reason="reads the repository and runs a shell")

ROOT = Path(__file__).parents[2]
HOME = Path(roundtab.capabilities.__file__).parent
GUIDE = HOME / "README.md"

BUILDER = """
import json, sys
sys.path.insert(0, "py")
from roundtab.publish import capabilities
from roundtab.publish.__main__ import parser

options = parser().parse_args()
made = dict(capabilities.capabilities([folder.resolve() for folder in options.capabilities]))
print(options.verb, *(each["name"] for each in json.loads(made["capabilities/catalogue.json"])))
"""
"""Stands for build.py: takes its options, and makes the part of the site that is about capabilities."""


def blocks() -> list[tuple[str, str]]:
    """The language and the text of each block."""
    return re.findall(r"```(\w+)\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)


def block(language: str, containing: str) -> str:
    """The only block of the guide in this language with these words in it."""
    (found,) = [code for kind, code in blocks() if kind == language and containing in code]
    return found


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder like that of the project, where the first step of the guide was done."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("py", "site"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "build.py").write_text(BUILDER, encoding="utf-8")
    (folder / "bin").mkdir()
    (folder / "bin" / "python3").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
    (folder / "bin" / "python3").chmod(0o755)
    run(folder, block("sh", "mkdir my-capabilities"))
    yield folder
    shutil.rmtree(folder)


def run(folder: Path, commands: str) -> str:
    """What the commands print, run as they stand."""
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["/bin/sh", "-ec", commands], cwd=folder, env={**os.environ, "PATH": path}, capture_output=True,
        encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_block_of_the_guide_is_tested_here() -> None:
    """A new one needs a test of its own."""
    assert [language for language, _ in blocks()] == ["sh", "sh", "toml", "python", "toml", "python", "sh"]


def test_every_linked_file_exists() -> None:
    """Links lead somewhere."""
    targets = re.findall(r"\]\((?!https?://)([^)]+)\)", GUIDE.read_text(encoding="utf-8"))
    assert targets
    assert [target for target in targets if not (GUIDE.parent / target).exists()] == []


def test_the_commands_build_a_site_with_the_copy(project: Path) -> None:
    """Beside the built-in capabilities, once to build and once to serve."""
    said = [line.split() for line in run(project, block("sh", "build.py build")).splitlines()]
    assert [verb for verb, *_ in said] == ["build", "serve"]
    for _, *names in said:
        assert {"softmax-regression", "tabular-classifier", "tabular-regressor"} <= set(names)


def test_the_definition_in_the_guide_is_right_and_shows_every_field() -> None:
    """Those that a form, a job or the check of the data reads; the checksum comes from the catalogue."""
    text = block("toml", "[[parameters]]")
    info = read_definition(text, "0" * 64)
    assert {each.type for each in info.parameters} == {"integer", "number", "boolean", "choice"}
    shown = set(re.findall(r"^\[*(\w+)", text, re.MULTILINE))
    for record in (CapabilityInfo, Fit, ParameterInfo, Metric):
        assert {field.name for field in fields(record)} - {"sha256"} <= shown


def test_the_slices_in_the_guide_are_those_of_the_template() -> None:
    """Which is trained by its own test."""
    assert block("python", "def evaluate") in (HOME / "template" / "softmax_regression" / "model.py").read_text(
        encoding="utf-8"
    )


def test_the_requirement_in_the_guide_is_one_that_a_site_brings_along() -> None:
    """With this version."""
    from roundtab.publish.wheels import FROM_PYPI  # the builder does not exist inside Pyodide

    name, version = re.findall(r'"(\w+)==([\d.]+)"', block("toml", 'requirements = ["'))[0]
    assert (name, version) in {(wheel["name"], wheel["version"]) for wheel in FROM_PYPI}


def test_the_test_in_the_guide_passes(project: Path) -> None:
    """And it is one that can fail: not for a model that learns nothing."""
    code = block("python", "asyncio.run")
    assert len(code[code.index("async def") :].splitlines()) <= 17
    environment = {**os.environ, "PYTHONPATH": str(project / "py")}

    def outcome() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", code], cwd=project, env=environment, capture_output=True, encoding="utf-8",
            timeout=60, check=False,
        )  # fmt: skip

    done = outcome()
    assert done.returncode == 0, done.stderr
    model = project / "my-capabilities" / "my_model" / "model.py"
    original = model.read_text(encoding="utf-8")
    model.write_text(original.replace("optimizer.step(", "(lambda *_: None)("), encoding="utf-8")
    assert "AssertionError" in outcome().stderr
    model.write_text(original, encoding="utf-8")


def test_the_checksum_by_hand_is_that_of_the_catalogue(project: Path) -> None:
    """As the guide describes it."""
    if shutil.which("sha256sum") is None:
        pytest.skip("this machine has no sha256sum")
    found = run(project, block("sh", "sha256sum")).split()[0]
    assert found == Catalogue.of_folders(project / "my-capabilities").info("softmax-regression@0.1.0").sha256
