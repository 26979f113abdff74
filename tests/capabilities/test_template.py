"""The template that authors copy: a site is built with it and trains it; without being asked, no site has it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pytest
from capabilities.tasks import CATALOGUE
from training.samples import answers, held_out, trained

import roundtab
from roundtab.capabilities.catalogue import Catalogue

pytestmark = pytest.mark.cpython_only(reason="builds a part of the site, and reads with the safetensors package")

ROOT, PACKAGE = Path(__file__).parents[2], Path(roundtab.__file__).parent
TEMPLATES = PACKAGE / "capabilities" / "template"
NAME = "softmax-regression@0.1.0"


async def test_a_site_built_with_the_template_trains_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the files that are served, to 0.96 on held-out wines; the downloaded file classifies as well."""
    from roundtab.publish import capabilities  # the builder does not exist inside Pyodide

    for name, content in capabilities.capabilities([TEMPLATES]):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    served = Catalogue.at((tmp_path / "capabilities").as_uri())
    info = served.info(NAME)
    metrics, checkpoint = await trained(served, info, "wine")
    measured = metrics["val_accuracy"]
    assert measured is not None
    assert measured >= 0.96
    monkeypatch.chdir(tmp_path)
    rows, labels = held_out("wine")
    assert np.mean(answers(info, "classes", checkpoint, rows) == labels) == pytest.approx(measured)


def test_the_template_is_not_among_the_built_in_capabilities() -> None:
    """It is there to be copied, not to be chosen."""
    assert NAME not in [f"{info.name}@{info.version}" for info in CATALOGUE.list()]
    assert [info.name for info in Catalogue.of_folders(TEMPLATES).list()] == ["softmax-regression"]


def test_an_installed_roundtab_has_template_and_guide() -> None:
    """Packages carry Python files by themselves; every other file of the capabilities has to be named."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["roundtab"]
    carried = {path for pattern in patterns for path in PACKAGE.glob(pattern)}
    others = {path for path in (PACKAGE / "capabilities").rglob("*.*") if not path.suffix.startswith(".py")}
    assert TEMPLATES / "softmax_regression" / "capability.toml" in others
    assert others <= carried
