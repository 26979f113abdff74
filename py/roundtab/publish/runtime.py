"""PyScript and Pyodide as the site serves them: only what a page or a worker loads."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from roundtab.publish.commands import BuildFailed
from roundtab.publish.paths import NODE_MODULES
from roundtab.publish.wheels import PYODIDE, pruned_lock, wheels

PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
PYSCRIPT_PARTS = ("deprecations-manager", "donkey", "error", "py-", "pyodide_graph", "toml")
"""What core.js imports on every page. Left out is what it imports for an editor, a terminal and MicroPython."""
IMPORT = re.compile(r"""["']\./([\w-]+\.js)["']""")

File = tuple[str, bytes | Path]
"""A place in the site, and its content or the file to copy."""


def runtime() -> Iterator[File]:
    """Yield the files of `runtime/` and the style sheet of Pico."""
    pyodide = NODE_MODULES / "pyodide"
    lock = json.loads((pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))
    installed = json.loads((pyodide / "package.json").read_text(encoding="utf-8"))["version"]
    if installed != PYODIDE:
        raise BuildFailed(
            f"site/package.json brings Pyodide {installed}, but the wheels are those of {PYODIDE}.",
            "Make PYODIDE in publish/wheels.py and site/package.json agree.",
        )
    found = wheels(lock)
    for name in PYODIDE_FILES:
        yield f"runtime/pyodide/{name}", pyodide / name
    for wheel in found:
        yield f"runtime/pyodide/{wheel.entry['file_name']}", wheel.path
    yield "runtime/pyodide/pyodide-lock.json", pruned_lock(lock, [wheel.entry for wheel in found])
    yield from _pyscript(NODE_MODULES / "@pyscript" / "core" / "dist")
    yield "assets/css/pico.min.css", NODE_MODULES / "@picocss" / "pico" / "css" / "pico.min.css"


def _pyscript(dist: Path) -> Iterator[File]:
    """Follow the imports from core.js; the names of its parts end with hashes of their content."""
    core = next(dist.glob("core-*.js"), None)
    if core is None:
        raise BuildFailed("PyScript has no core-*.js.", "Check the version of @pyscript/core in site/package.json.")
    parts = {name for name in IMPORT.findall(core.read_text(encoding="utf-8")) if name.startswith(PYSCRIPT_PARTS)}
    for name in ["core.js", "core.css", core.name, *sorted(parts)]:
        yield f"runtime/pyscript/{name}", dist / name
