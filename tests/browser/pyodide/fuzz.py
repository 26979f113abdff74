"""Tries ten thousand hostile inputs of each kind, in a worker, and hands over how many were read and refused."""

import asyncio
import json
import sys
from pathlib import Path

import js
from polyscript import xworker
from pyodide.ffi import create_proxy

sys.path[:0] = [".", "tests"]

from fuzz.inputs import run, trials

import roundtab.capabilities
from roundtab.capabilities.catalogue import Catalogue


async def tried():
    """Outcomes by kind; what no input may raise stands there instead of them."""
    found = {}
    catalogue = Catalogue.of_folders(Path(roundtab.capabilities.__file__).parent)
    for kind, trial in (await trials(catalogue)).items():
        js.console.debug(kind)  # so that a run which never ends tells where it is
        try:
            found[kind] = await run(trial, 10_000)
        except AssertionError as error:
            found[kind] = {str(error): 1}
    return json.dumps(found)


outcomes = asyncio.ensure_future(tried())


async def answer(_):
    """The worker is alive: it answers once all were tried."""
    xworker.postMessage(await outcomes)


xworker.onmessage = create_proxy(answer)
