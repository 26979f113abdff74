"""Real data through the whole engine: it learns, and what is downloaded is what was measured."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import roundtab.capabilities
from roundtab.api.client import given
from roundtab.api.local import local_client, local_engine
from roundtab.api.protocol import CheckpointsRead, JobsCreate
from roundtab.capabilities.catalogue import Catalogue
from roundtab.data.files import MemoryFile
from roundtab.records.capabilities import CapabilityInfo

SAMPLES = Path(__file__).parents[2] / "site" / "samples"
CATALOGUE = Catalogue.of_folders(Path(roundtab.capabilities.__file__).parent)
CLASSIFIER = CATALOGUE.info("tabular-classifier@1.0.0")
REGRESSOR = CATALOGUE.info("tabular-regressor@1.0.0")
SEEDS = (1, 2, 3)
"""What the defaults promise does not hang on a lucky one."""

pytestmark = pytest.mark.cpython_only(
    reason="reads the samples of the site; the safetensors package has no wheel for Pyodide"
)


async def trained(info: CapabilityInfo, sample: str, seed: int) -> tuple[dict[str, float | None], bytes]:
    """The metrics of the last of 20 rounds, and its checkpoint: two participants, the settings that a form proposes."""
    engine = local_engine(CATALOGUE)
    await engine.open()
    client = local_client(engine)
    folder = SAMPLES / sample
    files = [MemoryFile(path, (folder / path).read_bytes()) for path in ("train.csv", "validation.csv")]
    spec = {
        "capability": f"{info.name}@{info.version}",
        "local_trainers": 2,
        "min_participants": 2,
        "trainer": {**info.defaults, "rounds": 20, "seed": seed},
    }
    manifest = (folder / "datapackage.json").read_text("utf-8")
    job = await client.call(JobsCreate(spec=spec, manifest=manifest, files=given(files)), files)
    await engine.runs.start(job.id)
    await engine.runs.wait(job.id)
    rounds = await engine.archive.history.rounds(job.id)
    file = await client.call(CheckpointsRead(job=job.id, round=20))
    return dict(rounds[-1].metrics), bytes(file.bytes.data)


def held_out(sample: str) -> tuple[list[list[float]], list[float]]:
    """Features and labels of the validation rows, as they stand in their file."""
    with (SAMPLES / sample / "validation.csv").open(encoding="utf-8", newline="") as lines:
        rows = [[float(cell) for cell in row] for row in list(csv.reader(lines))[1:]]
    return [row[:-1] for row in rows], [row[-1] for row in rows]


def answers(info: CapabilityInfo, function: str, checkpoint: bytes, rows: list[list[float]]) -> npt.NDArray[Any]:
    """What the code that the page shows for a checkpoint in the working directory says of `rows`."""
    Path("checkpoint.safetensors").write_bytes(checkpoint)
    names: dict[str, Any] = {}
    exec(info.inference["snippet"], names)
    return np.asarray(names[function](rows))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("sample", "reference"), [("digits", 0.972), ("wdbc", 0.965), ("wine", 0.97)])
async def test_the_classifier_learns_and_its_file_gives_the_same_accuracy(
    sample: str, reference: float, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within 0.01 of the least that one model reaches with all rows in one place, after the last round."""
    metrics, checkpoint = await trained(CLASSIFIER, sample, seed)
    measured = metrics["val_accuracy"]
    assert measured is not None
    assert measured >= reference - 0.01
    monkeypatch.chdir(tmp_path)
    rows, labels = held_out(sample)
    assert np.mean(answers(CLASSIFIER, "classify", checkpoint, rows) == labels) == pytest.approx(measured)


@pytest.mark.parametrize("seed", SEEDS)
async def test_the_regressor_learns_and_its_file_gives_the_same_errors(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within 3 % of the error of one model with all rows in one place, after the last round, in the data's unit."""
    metrics, checkpoint = await trained(REGRESSOR, "diabetes", seed)
    rmse, mae = metrics["val_rmse"], metrics["val_mae"]
    assert rmse is not None
    assert rmse <= 54.7 * 1.03
    monkeypatch.chdir(tmp_path)
    rows, labels = held_out("diabetes")
    errors = answers(REGRESSOR, "predict", checkpoint, rows) - labels
    assert np.sqrt(np.mean(errors**2)) == pytest.approx(rmse, rel=1e-5)
    assert np.mean(np.abs(errors)) == pytest.approx(mae, rel=1e-5)
