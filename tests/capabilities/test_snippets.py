"""Every model that comes along can be used in other tools, and the code that is shown for that works as shown."""

from __future__ import annotations

from collections.abc import Generator, Mapping
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
from roundtab.capabilities.contract import Data, Model
from roundtab.capabilities.definition import name_and_version
from roundtab.checkpoints import safetensors
from roundtab.clock import SystemClock
from roundtab.data.files import MemoryFile
from roundtab.data.formats.tables import read_table
from roundtab.data.manifests.manifest import parse_manifest
from roundtab.records.capabilities import CapabilityInfo

SAMPLES = Path(__file__).parents[2] / "site" / "samples"
HOME = Path(roundtab.capabilities.__file__).parent
BUILT_IN = Catalogue.of_folders(HOME).list()
CATALOGUE = Catalogue.of_folders(HOME, HOME / "template")
INFOS = {name_and_version(info): info for info in CATALOGUE.list()}
DATA = {"class": ("digits", "wdbc"), "number": ("diabetes",)}
"""Samples that a model of each kind is trained on."""
CLOSE = 1e-5
"""How far outputs may lie from ours."""


def variants(info: CapabilityInfo) -> list[dict[str, Any]]:
    """Parameters of jobs: with a hidden layer and without one, where the model can have one."""
    layered = any(each.name == "hidden_units" for each in info.parameters)
    return [{"hidden_units": 0}, {"hidden_units": 16}] if layered else [{}]


def own(model: Model, weights: Mapping[str, npt.NDArray[Any]], features: npt.NDArray[Any], labels: Any) -> Any:
    """What the model itself measures on standardised rows with these labels."""
    work = model.evaluate(weights, Data(features=features, labels=labels))
    while isinstance(work, Generator):
        try:
            next(work)
        except StopIteration as end:
            work = end.value
    return work[0]


def check_classes(model: Model, weights: Any, features: npt.NDArray[Any], found: Mapping[str, Any]) -> None:
    """The model finds every class right, and each probability follows from its loss on that row with that class."""
    assert own(model, weights, features, np.asarray(found["classes"]))["accuracy"] == 1
    if "probabilities" in found:
        rows, classes = found["probabilities"][:20].shape
        losses = [
            [own(model, weights, features[row : row + 1], np.array([each]))["loss"] for each in range(classes)]
            for row in range(rows)
        ]
        np.testing.assert_allclose(found["probabilities"][:rows], np.exp(-np.array(losses)), atol=CLOSE, rtol=0)


def check_values(model: Model, weights: Any, features: npt.NDArray[Any], found: Mapping[str, Any]) -> None:
    """As labels, the values leave the model no error, beside the size of what it predicts."""
    values = np.asarray(found["values"], np.float32)
    assert values.shape == (len(features),)
    assert own(model, weights, features, values)["rmse"] <= CLOSE * np.abs(values).max()


CHECKS = {"class": check_classes, "number": check_values}


async def files_of(info: CapabilityInfo, sample: str, **parameters: Any) -> dict[str, bytes]:
    """The checkpoint of a job of two rounds in every format that the model offers, as the API gives it."""
    engine = local_engine(CATALOGUE)
    await engine.open()
    client = local_client(engine)
    folder = SAMPLES / sample
    files = [MemoryFile(path, (folder / path).read_bytes()) for path in ("train.csv", "validation.csv")]
    spec = {"capability": name_and_version(info), "parameters": parameters, "trainer": {"rounds": 2, **info.defaults}}
    manifest = (folder / "datapackage.json").read_text("utf-8")
    job = await client.call(JobsCreate(spec=spec, manifest=manifest, files=given(files)), files)
    await engine.runs.start(job.id)
    await engine.runs.wait(job.id)
    read = [CheckpointsRead(job=job.id, round=2, format=each.format) for each in info.inference]
    return {each.format: bytes((await client.call(each)).bytes.data) for each in read}


async def rows_of(sample: str) -> npt.NDArray[Any]:
    """The features of the held-out rows, as they are in the file."""
    manifest = parse_manifest((SAMPLES / sample / "datapackage.json").read_text("utf-8"))
    (resource,) = manifest.part("validation")
    file = MemoryFile(resource.path, (SAMPLES / sample / resource.path).read_bytes())
    return (await read_table(file, resource, SystemClock())).features


@pytest.mark.parametrize("info", BUILT_IN, ids=name_and_version)
def test_every_built_in_model_offers_all_formats_in_five_lines_each(info: CapabilityInfo) -> None:
    """Whatever tool a person has, one of them opens the file."""
    uses = info.inference
    assert {each.format: len(each.snippet.splitlines()) for each in uses} == {"safetensors": 5, "npz": 5, "onnx": 5}


@pytest.mark.cpython_only(reason="runs the tools that the snippets name, which are compiled")
@pytest.mark.parametrize(
    ("name", "sample", "parameters"),
    [
        (name, sample, parameters)
        for name, info in INFOS.items()
        for sample in DATA[info.fit.label]
        for parameters in variants(info)
    ],
)
async def test_each_snippet_gives_the_outputs_of_the_model(
    name: str, sample: str, parameters: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it is shown, on the downloaded file and raw rows of real data; within 1e-5 of the model's own outputs."""
    info = INFOS[name]
    model = await CATALOGUE.load(name, info.sha256)
    files = await files_of(info, sample, **parameters)
    tensors, metadata = safetensors.load(files["safetensors"])
    weights = {key: array for key, array in tensors.items() if not key.startswith("inputs/")}
    assert ("hidden/weight" in weights) == bool(parameters.get("hidden_units"))
    rows = await rows_of(sample)
    features = (rows - tensors["inputs/mean"]) / tensors["inputs/scale"]
    monkeypatch.chdir(tmp_path)
    for use in info.inference:
        (tmp_path / f"checkpoint.{use.format}").write_bytes(files[use.format])
        found: dict[str, Any] = {"rows": rows.tolist()}
        exec(use.snippet, found)
        CHECKS[info.fit.label](model, weights, features, found)
    exported = pytest.importorskip("onnx").load_from_string(files["onnx"])
    pytest.importorskip("onnx.checker").check_model(exported, full_check=True)
    assert {each.key: each.value for each in exported.metadata_props} == metadata
