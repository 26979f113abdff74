"""A manifest of 10,000 files is checked up to their sizes, before anything is read, in one Pyodide worker."""

from __future__ import annotations

from _worker import worker

from roundtab.publish.bench import Bench

SET_UP = """
import hashlib, json, time
from roundtab.browser.clock import BrowserClock
from roundtab.data.files import MemoryFile
from roundtab.data.manifests.manifest import parse_manifest
from roundtab.data.verify import verify

fields = [{"name": name, "type": "number"} for name in ("a", "b")]
resources = [
    {
        "name": f"part-{number}", "path": f"data/part-{number:05}.csv", "format": "csv", "bytes": 100,
        "hash": "sha256:" + hashlib.sha256(str(number).encode()).hexdigest(),
        "schema": {"fields": fields}, "fl:label": "b",
    }
    for number in range(10_000)
]
text = json.dumps({"name": "many", "resources": resources})
files = [MemoryFile(each["path"], bytes(101)) for each in resources]

async def ours():
    started = time.perf_counter()
    found = await verify(parse_manifest(text), files, BrowserClock())
    spent = time.perf_counter() - started
    assert found.stage == "sizes" and len(found.problems) == 10_000
    return spent

def reference():
    started = time.perf_counter()
    json.loads(text)
    return time.perf_counter() - started

json.dumps(len(text))
"""
MOST = 3.0
"""Seconds that it may take."""


def run(bench: Bench) -> None:
    """Every size is wrong, so that every file gets its problem, and none is read but for hints."""
    with worker(bench) as python:
        python.run(SET_UP)
        bench.compare(
            "10,000 files up to their sizes",
            unit="s",
            ours=lambda: float(python.run("json.dumps(await ours())")),
            reference=lambda: MOST,
            reference_name="3 s",
            target=1,
        )
        bench.compare(
            "10,000 files up to their sizes, to json",
            unit="s",
            ours=lambda: float(python.run("json.dumps(await ours())")),
            reference=lambda: float(python.run("json.dumps(reference())")),
            reference_name="json.loads of the manifest",
        )
