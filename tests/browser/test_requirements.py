"""Capabilities with requirements of their own, and capabilities whose code is not what the catalogue says."""

from __future__ import annotations

import shutil
from pathlib import Path

from browser.conftest import Visits, World
from browser.jobs import call, create, ended, refusal

from roundtab.publish.server import serve


async def test_requirements_come_from_the_sites_own_wheels(visits: Visits) -> None:
    """A model that imports autograd trains: micropip installs it from beside Pyodide, no other host is asked."""
    page = await visits.ready()
    job = await create(page, "wine", capability="autograd-logistic@0.1.0", trainer={"rounds": 4, "learning_rate": 0.5})
    done = await ended(page, job["id"])
    assert done["error"] is None
    assert done["metrics"]["val_accuracy"][-1] >= 0.9
    assert "val_loss" not in done["metrics"], "this model declares and returns accuracy alone"
    refused = await refusal(page, "checkpoints.read", job=job["id"], round=4, format="onnx")
    assert refused["code"] == "not_found"
    assert "autograd-logistic@0.1.0" in refused["problem"]
    assert refused["action"] == "Take it as safetensors or npz."


async def test_changed_code_is_not_run(visits: Visits, world: World, tmp_path: Path) -> None:
    """One byte more in a served model.py: the job fails and says why, and the engine answers as before."""
    changed = shutil.copytree(world.dist, tmp_path / "dist")
    with (changed / "capabilities" / "tabular-classifier@1.0.0" / "model.py").open("a", encoding="utf-8") as model:
        model.write("#")
    with serve(changed) as url:
        visits.allowed.append(url)
        page = await visits.page(url)
        job = await create(page, "wine")
        done = await ended(page, job["id"])
        assert done["status"] == "failed"
        assert "model.py" in done["error"]["problem"]
        assert "not the one in the catalogue" in done["error"]["problem"]
        assert (await call(page, "status"))["ready"] is True
