"""Checksums of a chosen file, with progress and pauses, against hashlib on the same bytes in memory, in one worker."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from _worker import worker

from roundtab.publish.bench import Bench

SIZE = 128 * 2**20 + 12_345

SET_UP = """
import hashlib, json, time
from roundtab.browser.clock import BrowserClock
from roundtab.browser.files import BrowserFile
from roundtab.data.hashing import Hasher

whole = (await chosen.arrayBuffer()).to_bytes()

async def ours():
    told = []
    hasher = Hasher(BrowserClock(), lambda *each: told.append(each))
    started = time.perf_counter()
    digest = await hasher.digest(BrowserFile(chosen))
    spent = time.perf_counter() - started
    assert digest == hashlib.sha256(whole).hexdigest() and told[-1][0] == len(whole)
    return len(whole) / spent / 1e6

def reference():
    started = time.perf_counter()
    hashlib.sha256(whole).hexdigest()
    return len(whole) / (time.perf_counter() - started) / 1e6

json.dumps(len(whole))
"""


def run(bench: Bench) -> None:
    """A file on disk, chosen in the page."""
    with worker(bench) as python, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.bin"
        path.write_bytes(np.random.default_rng(1).bytes(SIZE))
        python.choose(path)
        python.run(SET_UP)
        bench.compare(
            "sha256 of a chosen file of 128 MiB",
            unit="MB/s",
            ours=lambda: float(python.run("json.dumps(await ours())")),
            reference=lambda: float(python.run("json.dumps(reference())")),
            reference_name="hashlib on bytes in memory",
            target=0.8,
            better="higher",
        )
