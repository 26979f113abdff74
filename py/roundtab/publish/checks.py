"""What `build.py test` runs: linters, type checkers, then the tests."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence

from roundtab.publish import npm, scripts
from roundtab.publish.commands import BuildFailed, say
from roundtab.publish.paths import NODE_MODULES, ROOT, SITE


def test(pytest_arguments: Sequence[str]) -> int:
    """Run every check, then pytest with these arguments; return the exit code.

    A failing check does not stop the others. pytest comes last, so that its summary ends the output.
    """
    npm.install()
    python = [sys.executable, "-m"]
    results = [
        _check("ruff check", [*python, "ruff", "check", "--quiet"]),
        _check("ruff format", [*python, "ruff", "format", "--check", "--quiet"]),
        _check("mypy", [*python, "mypy", "--no-error-summary"]),
        _check_scripts(),
    ]
    if not all(results):
        say("checks failed, see above; the tests run all the same")
    code = subprocess.run([*python, "pytest", *pytest_arguments], cwd=ROOT).returncode
    return code or (0 if all(results) else 1)


def _check(name: str, command: Sequence[str]) -> bool:
    started = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
    if done.returncode:
        print(done.stdout.rstrip(), flush=True)
    say(f"{name}: {'FAILED' if done.returncode else 'ok'} ({time.perf_counter() - started:.1f} s)")
    return done.returncode == 0


def _check_scripts() -> bool:
    if not scripts.sources():
        raise BuildFailed("There are no scripts in site/js to check.", "Restore them from the repository.")
    compiler = [npm.program("node"), str(NODE_MODULES / "typescript/bin/tsc")]
    return _check("tsc", [*compiler, "--project", str(SITE / "jsconfig.json")])
