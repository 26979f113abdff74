"""Jobs on the samples of the site through the whole engine, and what the downloaded file gives in its own tool."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from roundtab.api.client import given
from roundtab.api.local import local_client, local_engine
from roundtab.api.protocol import CheckpointsRead, JobsCreate
from roundtab.capabilities.catalogue import Catalogue
from roundtab.data.files import MemoryFile
from roundtab.records.capabilities import CapabilityInfo

SAMPLES = Path(__file__).parents[2] / "site" / "samples"


async def trained(
    catalogue: Catalogue, info: CapabilityInfo, sample: str, seed: int = 1
) -> tuple[dict[str, float | None], bytes]:
    """The metrics of the last of 20 rounds, and its checkpoint: two participants, the settings that a form proposes."""
    engine = local_engine(catalogue)
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


def answers(info: CapabilityInfo, name: str, checkpoint: bytes, rows: list[list[float]]) -> npt.NDArray[Any]:
    """What the code that the page shows for a checkpoint, saved in the working directory, calls `name` for `rows`."""
    Path("checkpoint.safetensors").write_bytes(checkpoint)
    names: dict[str, Any] = {"rows": rows}
    exec(next(each.snippet for each in info.inference if each.format == "safetensors"), names)
    return np.asarray(names[name])
