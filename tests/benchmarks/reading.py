"""Reading tables with every check, against what numpy reads without any, in one Pyodide worker."""

from __future__ import annotations

from _worker import worker

from roundtab.publish.bench import Bench

SET_UP = """
import io, json, time
import numpy as np
from roundtab.browser.clock import BrowserClock
from roundtab.data.files import MemoryFile
from roundtab.data.formats.reading import read_data
from roundtab.data.manifests.resources import Resource
from roundtab.data.manifests.schema import Field
from roundtab.records.ids import Sha256

rng = np.random.default_rng(1)
numbers = rng.standard_normal((100_000, 64)).astype(np.float32)
labels = rng.integers(0, 10, 100_000)
names = tuple(f"c{index}" for index in range(64))
rows = [",".join(f"{value:.6g}" for value in row) for row in numbers.tolist()]
text = "\\n".join(rows)
table = ",".join((*names, "label")) + "\\n" + "".join(f"{row},{label}\\n" for row, label in zip(rows, labels.tolist()))
array = np.column_stack([numbers, labels.astype(np.float32)])
del rows

def resource(form, data):
    fields = tuple(Field(name=name, type="number") for name in (*names, "label"))
    return Resource(
        name="t", path=f"t.{form}", bytes=len(data), sha256=Sha256("0" * 64), format=form, fields=fields,
        label="label", classes=tuple(map(str, range(10))), features=names, rows=100_000,
    )

def saved():
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()

data = {"csv": table.encode(), "npy": saved()}
del table

async def ours(form):
    file = MemoryFile(f"t.{form}", data[form])
    started = time.perf_counter()
    found = await read_data(file, resource(form, data[form]), BrowserClock())
    spent = time.perf_counter() - started
    assert found.features.shape == (100_000, 64) and (found.labels == labels).all()
    return spent

def loadtxt():
    started = time.perf_counter()
    np.loadtxt(io.StringIO(text), delimiter=",", dtype=np.float32)
    return time.perf_counter() - started

def load():
    started = time.perf_counter()
    np.load(io.BytesIO(data["npy"])).astype(np.float32)
    return time.perf_counter() - started

json.dumps(len(data["csv"]))
"""


def run(bench: Bench) -> None:
    """100,000 rows of 64 numbers and a label."""
    with worker(bench) as python:
        python.run(SET_UP)
        bench.compare(
            "CSV, 100,000 × 64 numbers and a label",
            unit="s",
            ours=lambda: float(python.run("json.dumps(await ours('csv'))")),
            reference=lambda: float(python.run("json.dumps(loadtxt())")),
            reference_name="numpy.loadtxt, numbers only",
            target=2,
        )
        bench.compare(
            "npy, 100,000 × 64 numbers and a label",
            unit="s",
            ours=lambda: float(python.run("json.dumps(await ours('npy'))")),
            reference=lambda: float(python.run("json.dumps(load())")),
            reference_name="numpy.load without checks",
        )
