"""Real data through the whole engine: it learns, and what is downloaded is what was measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from training.samples import answers, held_out, trained

import roundtab.capabilities
from roundtab.capabilities.catalogue import Catalogue

CATALOGUE = Catalogue.of_folders(Path(roundtab.capabilities.__file__).parent)
CLASSIFIER = CATALOGUE.info("tabular-classifier@1.0.0")
REGRESSOR = CATALOGUE.info("tabular-regressor@1.0.0")
SEEDS = (1, 2, 3)
"""What the defaults reach does not hang on a lucky one."""

pytestmark = pytest.mark.cpython_only(
    reason="reads the samples of the site; the safetensors package has no wheel for Pyodide"
)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("sample", "reference"), [("digits", 0.972), ("wdbc", 0.965), ("wine", 0.97)])
async def test_the_classifier_learns_and_its_file_gives_the_same_accuracy(
    sample: str, reference: float, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the last round, within 0.01 of the least that one model reaches with all rows in one place."""
    metrics, checkpoint = await trained(CATALOGUE, CLASSIFIER, sample, seed)
    measured = metrics["val_accuracy"]
    assert measured is not None
    assert measured >= reference - 0.01
    monkeypatch.chdir(tmp_path)
    rows, labels = held_out(sample)
    assert np.mean(answers(CLASSIFIER, "classes", checkpoint, rows) == labels) == pytest.approx(measured)


@pytest.mark.parametrize("seed", SEEDS)
async def test_the_regressor_learns_and_its_file_gives_the_same_errors(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the last round, within 3 % of the error of one model with all rows in one place; in the data's unit."""
    metrics, checkpoint = await trained(CATALOGUE, REGRESSOR, "diabetes", seed)
    rmse, mae = metrics["val_rmse"], metrics["val_mae"]
    assert rmse is not None
    assert rmse <= 54.7 * 1.03
    monkeypatch.chdir(tmp_path)
    rows, labels = held_out("diabetes")
    errors = answers(REGRESSOR, "values", checkpoint, rows) - labels
    assert np.sqrt(np.mean(errors**2)) == pytest.approx(rmse, rel=1e-5)
    assert np.mean(np.abs(errors)) == pytest.approx(mae, rel=1e-5)
