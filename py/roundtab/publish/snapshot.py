"""`snapshot.bin`: the memory of a Python that has started, with which pages and workers start in a third of the time.

Made once for a version of Pyodide, in Node.js. Nothing of Roundtab is in it, and no package: numpy's code is linked
while it runs, so it cannot be. What a process draws or looks up when it starts is the same in each copy: the seed of
`random` (drawn anew by site/js/interpreter.js), that of string hashes, the name of the runtime in
`sys._emscripten_info`, and the time zone in `time.tzname`; local times ask the browser and are right. How C functions
are called is each browser's own: site/js/interpreter.js sets it.
"""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path

from roundtab.publish import npm

MODULES = (
    "asyncio", "base64", "contextlib", "csv", "dataclasses", "datetime", "difflib", "email.message",
    "hashlib", "html", "importlib.util", "inspect", "io", "json", "logging", "math", "pathlib", "pickle",
    "platform", "random", "secrets", "shutil", "statistics", "struct", "tempfile", "textwrap", "threading",
    "tomllib", "typing", "unicodedata", "urllib.request", "zipfile",
)  # fmt: skip
"""What Roundtab and numpy import of the standard library, here once for all; not ctypes, which adds to the table."""
MAKE = """
import { appendFileSync, writeFileSync } from "node:fs";
import { loadPyodide } from "pyodide";
// At its start Python asks whether the runtime can switch stacks. Browsers can, older versions of Node.js cannot.
WebAssembly.Suspending ??= function (called) { return called; };
WebAssembly.promising ??= (called) => called;
const python = await loadPyodide({ _makeSnapshot: true });
const { length } = python._module.wasmTable;
python.runPython(CODE);
const { wasmTable, HEAP32, __PyRuntime, __PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET } = python._module;
if (wasmTable.length !== length) throw new Error("A module added to the table, which no memory holds.");
// Each runtime finds out how it calls C functions. Where this one has no trampoline, the table ends where it would be.
const trampoline = (__PyRuntime + HEAP32[__PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET / 4]) / 4;
const place = HEAP32[trampoline] || length;
HEAP32[trampoline] = 0;
writeFileSync(OUT, python.makeMemorySnapshot());
appendFileSync(OUT, Uint32Array.of(place));
"""


def snapshot() -> bytes:
    """Return the gzipped memory, 30 MiB of which 7 are left; four bytes at its end are the place of the trampoline."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "snapshot")
        # no arguments: Pyodide would keep them, and with them a path of this machine
        npm.script(
            MAKE.replace("CODE", json.dumps(f"import {', '.join(MODULES)}")).replace("OUT", json.dumps(str(made))),
            doing="Making the snapshot of Python's memory",
            action="Check that Node.js is 20 or newer and build again.",
        )
        return gzip.compress(made.read_bytes(), mtime=0)
