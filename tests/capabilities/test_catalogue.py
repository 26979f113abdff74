"""Model code comes from the catalogue only, and only as its checksum says."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import numpy as np
import pytest

import roundtab.capabilities
from roundtab.capabilities.catalogue import Catalogue, checksum, index
from roundtab.capabilities.contract import Inputs
from roundtab.errors import InvalidData, NotFound, TrainingFailed, Unavailable

BUILT_IN = Path(roundtab.capabilities.__file__).parent
DEFINITION = """
name = "{name}"
version = "1.0.0"
title = "Test"
trainer_type = "supervised"
inputs = "table"
work_unit = "samples"
evaluation = "none"
requirements = {requirements}
metrics = [{{ name = "loss", direction = "minimize", primary = true }}]
"""
MODEL = """
from __future__ import annotations
from dataclasses import dataclass

@dataclass
class State:
    calls: int = 0

STATE = State()

def init(parameters, inputs, rng):
    STATE.calls += 1
    return {"calls": STATE.calls}

def train(weights, data, settings, rng):
    return weights, {}, 0

def evaluate(weights, data):
    return {}, 0
"""


def write(folder: Path, name: str = "echo", model: str = MODEL, requirements: str = "[]") -> Path:
    """A folder with one capability in it."""
    home = folder / name.replace("-", "_")
    home.mkdir(parents=True)
    (home / "capability.toml").write_text(DEFINITION.format(name=name, requirements=requirements), encoding="utf-8")
    (home / "model.py").write_text(model, encoding="utf-8")
    return folder


def publish(folder: Path) -> str:
    """Write `catalogue.json` as the site builder does; the address of the folder."""
    (folder / "catalogue.json").write_text(json.dumps(index(folder)), encoding="utf-8")
    return folder.as_uri()


def test_the_index_lists_the_checksum_of_every_file(tmp_path: Path) -> None:
    """And one over them, which names the whole capability. Caches of the interpreter and hidden files do not count."""
    write(tmp_path)
    (tmp_path / "echo" / "__pycache__").mkdir()
    (tmp_path / "echo" / "__pycache__" / "model.pyc").write_bytes(b"x")
    (tmp_path / "echo" / ".DS_Store").write_bytes(b"x")
    (entry,) = index(tmp_path)
    files = {
        name: hashlib.sha256((tmp_path / "echo" / name).read_bytes()).hexdigest()
        for name in ("capability.toml", "model.py")
    }
    assert entry == {
        "name": "echo", "version": "1.0.0", "folder": "echo", "files": files, "sha256": checksum(files),
    }  # fmt: skip
    lines = "".join(sorted(f"{sha256}  {name}\n" for name, sha256 in files.items()))
    assert entry["sha256"] == hashlib.sha256(lines.encode()).hexdigest()


def test_the_index_refuses_a_capability_that_is_not_defined_rightly(tmp_path: Path) -> None:
    """A site with it cannot be built."""
    write(tmp_path, name="echo")
    (tmp_path / "echo" / "capability.toml").write_text('name = "echo"', encoding="utf-8")
    with pytest.raises(InvalidData, match="not defined rightly"):
        index(tmp_path)


async def test_a_published_catalogue_is_that_of_its_folder(tmp_path: Path) -> None:
    """The same code by address and by folder."""
    write(tmp_path)
    published, local = Catalogue.at(publish(tmp_path)), Catalogue.of_folders(tmp_path)
    assert published.list() == local.list()
    info = published.info("echo@1.0.0")
    model = await published.load("echo@1.0.0", info.sha256)
    assert callable(model.train)


def test_capabilities_are_listed_by_name(tmp_path: Path) -> None:
    """From several folders together."""
    one, two = write(tmp_path / "one", "echo-b"), write(tmp_path / "two", "echo-a")
    assert [info.name for info in Catalogue.of_folders(one, two).list()] == ["echo-a", "echo-b"]


def test_one_version_cannot_stand_twice(tmp_path: Path) -> None:
    """Nobody could say which of them a job means."""
    one, two = write(tmp_path / "one"), write(tmp_path / "two")
    with pytest.raises(InvalidData, match=r"has echo@1\.0\.0 twice"):
        Catalogue.of_folders(one, two)


def test_an_unknown_capability_is_answered_with_near_names(tmp_path: Path) -> None:
    """Most mistakes are a wrong version or a letter."""
    catalogue = Catalogue.of_folders(write(tmp_path))
    with pytest.raises(NotFound) as caught:
        catalogue.info("echo@2.0.0")
    assert caught.value.action == "Did you mean echo@1.0.0?"
    with pytest.raises(NotFound) as caught:
        catalogue.info("something else")
    assert "list of capabilities" in caught.value.action


async def test_every_load_is_a_fresh_module(tmp_path: Path) -> None:
    """Nothing that one job leaves in it reaches the next."""
    catalogue = Catalogue.of_folders(write(tmp_path))
    sha256 = catalogue.info("echo@1.0.0").sha256
    inputs, rng = Inputs(features=1, classes=2), np.random.default_rng(1)
    for _ in range(2):
        model = await catalogue.load("echo@1.0.0", sha256)
        assert cast("Any", model.init({}, inputs, rng)) == {"calls": 1}


@pytest.mark.parametrize("file", ["model.py", "capability.toml"])
async def test_changed_code_is_refused_before_it_runs(tmp_path: Path, file: str) -> None:
    """Whichever file was changed after the catalogue was made."""
    catalogue = Catalogue.at(publish(write(tmp_path)))
    ran = tmp_path / "ran"
    path = tmp_path / "echo" / file
    trap = f"open({str(ran)!r}, 'w').close()\n" if file == "model.py" else "# "
    path.write_text(trap + path.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(InvalidData, match=f"The file {file} of echo@1.0.0 is not the one in the catalogue"):
        await catalogue.load("echo@1.0.0", catalogue.info("echo@1.0.0").sha256)
    assert not ran.exists()


async def test_code_with_another_checksum_than_the_job_names_is_refused(tmp_path: Path) -> None:
    """A job made before an update does not go on with other code."""
    catalogue = Catalogue.of_folders(write(tmp_path))
    with pytest.raises(InvalidData, match="not the one that the job names"):
        await catalogue.load("echo@1.0.0", "0" * 64)


async def test_a_catalogue_whose_checksums_do_not_add_up_is_refused(tmp_path: Path) -> None:
    """A file and its line cannot be exchanged while the checksum of the whole stays."""
    publish(write(tmp_path))
    (entry,) = json.loads((tmp_path / "catalogue.json").read_text(encoding="utf-8"))
    changed = (tmp_path / "echo" / "model.py").read_bytes() + b"\n"
    (tmp_path / "echo" / "model.py").write_bytes(changed)
    entry["files"]["model.py"] = hashlib.sha256(changed).hexdigest()
    (tmp_path / "catalogue.json").write_text(json.dumps([entry]), encoding="utf-8")
    with pytest.raises(InvalidData, match="not the one that the job names"):
        await Catalogue.at(tmp_path.as_uri()).load("echo@1.0.0", entry["sha256"])


async def test_requirements_are_installed_before_the_code_runs(tmp_path: Path) -> None:
    """And only then: code that needs nothing installs nothing."""
    installed: list[tuple[str, ...]] = []

    async def install(requirements: tuple[str, ...]) -> None:
        installed.append(requirements)

    folder = write(tmp_path, "needy", "import nowhere\n", requirements='["nowhere==1.0"]')
    write(tmp_path, "echo")
    catalogue = Catalogue.of_folders(folder, install=install)
    with pytest.raises(TrainingFailed, match="ModuleNotFoundError"):
        await catalogue.load("needy@1.0.0", catalogue.info("needy@1.0.0").sha256)
    await catalogue.load("echo@1.0.0", catalogue.info("echo@1.0.0").sha256)
    assert installed == [("nowhere==1.0",)]


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("def init(", "SyntaxError"),
        ("raise RuntimeError('no')", "RuntimeError: no"),
        ("init = train = 1", "lacks init, train, evaluate"),
        ("def init(): ...\ndef train(): ...", "lacks evaluate"),
    ],
)
async def test_code_that_does_not_run_or_lacks_a_function_is_refused(tmp_path: Path, model: str, words: str) -> None:
    """In words, before a job starts with it."""
    catalogue = Catalogue.of_folders(write(tmp_path, model=model))
    with pytest.raises(TrainingFailed, match=words):
        await catalogue.load("echo@1.0.0", catalogue.info("echo@1.0.0").sha256)


async def test_a_model_that_offers_onnx_has_to_describe_its_graph(tmp_path: Path) -> None:
    """Nobody shall train it and then find that the file cannot be had."""
    definition = write(tmp_path) / "echo" / "capability.toml"
    offer = "[[inference]]\nformat = 'onnx'\ntool = 'onnxruntime'\nsnippet = 'run(\"checkpoint.onnx\")'\n"
    definition.write_text(definition.read_text("utf-8") + offer, encoding="utf-8")
    catalogue = Catalogue.of_folders(tmp_path)
    with pytest.raises(TrainingFailed, match="lacks graph"):
        await catalogue.load("echo@1.0.0", catalogue.info("echo@1.0.0").sha256)


async def test_a_capability_without_code_is_refused(tmp_path: Path) -> None:
    """There is nothing to load."""
    write(tmp_path)
    (tmp_path / "echo" / "model.py").unlink()
    catalogue = Catalogue.of_folders(tmp_path)
    with pytest.raises(NotFound, match=r"no model\.py"):
        await catalogue.load("echo@1.0.0", catalogue.info("echo@1.0.0").sha256)


def test_a_catalogue_that_cannot_be_reached_is_unavailable(tmp_path: Path) -> None:
    """Not a fault of the request: it may work again later."""
    with pytest.raises(Unavailable, match="cannot be read"):
        Catalogue.at(tmp_path.as_uri())


async def test_the_built_in_capabilities_load(tmp_path: Path) -> None:
    """Those that ship with Roundtab, also from a copy of the package."""
    shutil.copytree(BUILT_IN, tmp_path / "copy")
    catalogue = Catalogue.of_folders(tmp_path / "copy")
    assert "tabular-classifier@1.0.0" in [f"{info.name}@{info.version}" for info in catalogue.list()]
    for info in catalogue.list():
        assert isinstance(await catalogue.load(f"{info.name}@{info.version}", info.sha256), ModuleType)
