"""Everything that reads what others made, to be tried with ten thousand hostile inputs each.

The rule is the same for all: an input is read, or refused with an error of the tree in words; nothing else is raised
and nothing dies. An answer of the API is never `internal`.
"""

from __future__ import annotations

import io
import json
import random
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
from contracts.api_world import table
from fuzz.mutations import changed_bytes, changed_text, changed_value

from roundtab.api.client import given
from roundtab.api.envelope import Envelope, read_result
from roundtab.api.local import THIS_PROCESS, local_engine
from roundtab.api.protocol import METHODS
from roundtab.api.service import Service
from roundtab.capabilities.catalogue import Catalogue
from roundtab.checkpoints import safetensors
from roundtab.clock import SystemClock
from roundtab.data.files import MemoryFile
from roundtab.data.formats.reading import read_data
from roundtab.data.manifests.manifest import parse_manifest
from roundtab.data.manifests.resources import Resource
from roundtab.data.verify import verify
from roundtab.errors import InternalError, RoundtabError
from roundtab.records.codec import to_plain

Trial = Callable[[random.Random], Awaitable[None]]
"""Makes one input and has it read. Raises `RoundtabError` where it is refused."""

CLOCK = SystemClock()
DATA = table(seed=1)
MANIFEST = json.dumps(DATA.manifest, indent=1)
TRAIN = DATA.files[0]
RESOURCE = parse_manifest(DATA.manifest).resources[0]


async def manifest(rng: random.Random) -> None:
    """A manifest as text or as an object, and files checked against it."""
    value = changed_text(rng, MANIFEST) if rng.random() < 0.5 else changed_value(rng, DATA.manifest)
    if not isinstance(value, str | dict):
        value = json.dumps(value)
    await verify(parse_manifest(value), DATA.files, CLOCK)


async def csv(rng: random.Random) -> None:
    """The bytes of a table."""
    data = await TRAIN.read(0, 2_000)
    if rng.random() < 0.5:
        data = changed_text(rng, data.decode()).encode("utf-8", "replace")
    else:
        data = changed_bytes(rng, data)
    await read_data(MemoryFile(TRAIN.path, data), RESOURCE, CLOCK)


def _saved(form: str) -> bytes:
    out, rows = io.BytesIO(), np.arange(24, dtype=np.float32).reshape(8, 3)
    if form == "npy":
        np.save(out, np.column_stack([rows, np.arange(8) % 2]))
    else:
        np.savez_compressed(out, x=rows, y=np.arange(8) % 2)
    return out.getvalue()


SAVED = {form: _saved(form) for form in ("npy", "npz")}
_ARRAY: dict[str, Any] = {
    "name": "t", "path": "t", "bytes": 1, "sha256": RESOURCE.sha256, "label": "y", "classes": ("0", "1"),
}  # fmt: skip
ARRAYS = {
    "npy": Resource(format="npy", fields=(*RESOURCE.fields[:2], RESOURCE.fields[0], RESOURCE.fields[2]), **_ARRAY),
    "npz": Resource(format="npz", **_ARRAY),
}


async def arrays(rng: random.Random) -> None:
    """The bytes of an .npy or an .npz."""
    form = rng.choice(["npy", "npz"])
    await read_data(MemoryFile("t", changed_bytes(rng, SAVED[form])), ARRAYS[form], CLOCK)


TENSORS = safetensors.save({"a": np.ones((2, 3), np.float32), "b/c": np.zeros(4, np.int64)}, {"format": "x"})


async def tensors(rng: random.Random) -> None:
    """The bytes of a .safetensors file."""
    data = changed_bytes(rng, TENSORS)
    if rng.random() < 0.5:  # a header that is as long as the file says
        length = int.from_bytes(TENSORS[:8], "little")
        header = changed_text(rng, TENSORS[8 : 8 + length].decode()).encode("utf-8", "surrogatepass")
        data = len(header).to_bytes(8, "little") + header + TENSORS[8 + length :]
    safetensors.load(data)


CHANGING = ("jobs.delete", "jobs.start", "jobs.retry")
"""The job that calls name is to stay as it is, so these name another one."""


class Calls:
    """The Training API in this process, called with what is nearly right."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._engine = local_engine(catalogue)
        self._service = Service(self._engine)
        self._good: list[dict[str, Any]] = []

    async def open(self) -> None:
        """Open the engine; one job gives the calls something to name."""
        await self._engine.open()
        create = {"spec": {"capability": "tabular-classifier@1.0.0"}, "manifest": DATA.manifest}
        create["files"] = [to_plain(each) for each in given(DATA.files)]
        job = read_result(await self._exchange(json.dumps(_call("jobs.create", create))))["id"]
        for method in METHODS:
            params: dict[str, Any] = {"job": "job-none" if method in CHANGING else job}
            if method in ("status", "capabilities.list"):
                params = {}
            elif method in ("jobs.create", "manifests.verify", "manifests.make"):
                params = create
            elif method.startswith("checkpoints."):
                params["round"] = 1
            self._good.append(_call(method, params))

    async def trial(self, rng: random.Random) -> None:
        """One call."""
        call = rng.choice(self._good)
        text = changed_text(rng, json.dumps(call)) if rng.random() < 0.4 else json.dumps(changed_value(rng, call))
        try:
            read_result(await self._exchange(text))
        except InternalError as error:
            raise AssertionError(f"{error} at {text[:2_000]}") from None

    async def _exchange(self, text: str) -> Envelope:
        return await self._service.exchange(Envelope(text, (), DATA.files), THIS_PROCESS)


def _call(method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


async def trials(catalogue: Catalogue) -> dict[str, Trial]:
    """All kinds by name."""
    calls = Calls(catalogue)
    await calls.open()
    return {"manifest": manifest, "csv": csv, "arrays": arrays, "safetensors": tensors, "call": calls.trial}


async def run(trial: Trial, count: int, seed: int = 1) -> dict[str, int]:
    """Try `count` inputs; how many were read and refused. Raises what no input may raise, and says at which one."""
    outcomes = {"read": 0, "refused": 0}
    for number in range(count):
        rng = random.Random(f"{seed} {number}")
        try:
            await trial(rng)
            outcomes["read"] += 1
        except RoundtabError:
            outcomes["refused"] += 1
        except BaseException as error:
            told = f"input {number} of seed {seed}: {type(error).__name__}: {str(error)[:2_000]}"
            raise AssertionError(told) from error
    return outcomes
