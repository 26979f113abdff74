"""Real data through the whole engine: it learns, and what is downloaded is what was measured."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roundtab.capabilities
from roundtab.api.client import given
from roundtab.api.local import local_client, local_engine
from roundtab.api.protocol import CheckpointsRead, JobsCreate
from roundtab.capabilities.catalogue import Catalogue
from roundtab.data.files import MemoryFile

SAMPLES = Path(__file__).parents[2] / "site" / "samples"
CATALOGUE = Catalogue.of_folders(Path(roundtab.capabilities.__file__).parent)
INFO = CATALOGUE.info("tabular-classifier@1.0.0")


@pytest.mark.cpython_only(reason="reads the samples of the site; the safetensors package has no wheel for Pyodide")
@pytest.mark.parametrize(("name", "least"), [("digits", 0.96), ("wdbc", 0.95), ("wine", 0.95)])
async def test_the_classifier_learns_and_its_file_gives_the_same_accuracy(
    name: str, least: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within 20 rounds of two participants; the file is opened by the code that the page shows for it."""
    engine = local_engine(CATALOGUE)
    await engine.open()
    client = local_client(engine)
    files = [MemoryFile(path, (SAMPLES / name / path).read_bytes()) for path in ("train.csv", "validation.csv")]
    manifest = (SAMPLES / name / "datapackage.json").read_text("utf-8")
    spec = {"capability": "tabular-classifier@1.0.0", "trainer": {"rounds": 20, **INFO.defaults}}
    job = await client.call(JobsCreate(spec=spec, manifest=manifest, files=given(files)), files)
    await engine.runs.start(job.id)
    await engine.runs.wait(job.id)
    rounds = await engine.archive.history.rounds(job.id)
    measured = rounds[-1].metrics["val_accuracy"]
    assert measured is not None
    assert measured >= least

    file = await client.call(CheckpointsRead(job=job.id, round=20))
    (tmp_path / "checkpoint.safetensors").write_bytes(file.bytes.data)
    monkeypatch.chdir(tmp_path)
    with (SAMPLES / name / "validation.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))[1:]
    names: dict[str, Any] = {"rows": [[float(cell) for cell in row[:-1]] for row in rows]}
    exec(next(each.snippet for each in INFO.inference if each.format == "safetensors"), names)
    assert float(np.mean(names["classes"] == [int(row[-1]) for row in rows])) == pytest.approx(measured)
