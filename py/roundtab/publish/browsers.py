"""A Chromium for the tests: the one on this machine, else one that an installer brings."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from roundtab.publish import npm
from roundtab.publish.commands import BuildFailed, run, say
from roundtab.publish.paths import cache_folder

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-features=Translate",  # wins over Playwright's own switch, which turns storage partitioning off
)
"""How tests and benchmarks start the browser."""

COMMANDS = ("google-chrome", "google-chrome-stable", "chromium", "chromium-browser", "chrome")
APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
)
SPARTICUZ = "@sparticuz/chromium@153.0.0"


def find() -> Path | None:
    """Return the executable of a Chrome or Chromium, or None where Playwright has its own.

    Installs one where there is none. Raises BuildFailed, naming every way tried, when none of them works.
    """
    found = _installed()
    if found or _playwright_has_its_own():
        return found
    ways: list[tuple[str, Callable[[], Path | None]]] = [("playwright install chromium", _from_playwright)]
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        ways.append(("apt-get install chromium", _from_debian))
    if platform.system() == "Linux":
        ways.append((f"the npm package {SPARTICUZ}", _from_npm))
    tried = []
    for name, install in ways:
        say(f"no browser on this machine; trying {name}")
        try:
            return install()
        except BuildFailed as failure:
            tried.append(f"  {name}: {failure.problem.strip()}")
    raise BuildFailed(
        "There is no Chrome or Chromium for the browser tests. Tried:\n" + "\n".join(tried) + "\n",
        "Install Google Chrome or Chromium, or run the tests without them: build.py test -m 'not browser'",
    )


def _installed() -> Path | None:
    for command in COMMANDS:
        if path := shutil.which(command):
            return Path(path)
    return next((Path(path) for path in APPLICATIONS if Path(path).is_file()), None)


def _playwright_has_its_own() -> bool:
    # a process of its own: this one may already run Playwright, which cannot be started twice
    script = "from playwright.sync_api import sync_playwright as p\nwith p() as t: print(t.chromium.executable_path)"
    path = run([sys.executable, "-c", script], doing="Asking Playwright for its browser", action="Build again.")
    return Path(path.strip()).is_file()


def _from_playwright() -> None:
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    run(command, doing="The installation", action="Check the network.", seconds=300)


def _from_debian() -> Path:
    for step in (["update"], ["install", "-y", "--no-install-recommends", "chromium"]):
        run(["apt-get", "-qq", *step], doing=f"apt-get {step[0]}", action="Check the network.")
    return _after_installing()


def _from_npm() -> Path:
    folder = cache_folder() / "chromium"
    folder.mkdir(parents=True, exist_ok=True)
    install = [npm.program("npm"), "install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(folder)]
    run([*install, SPARTICUZ], doing="npm install", action="Check the network.")
    script = "import('@sparticuz/chromium').then((it) => it.default.executablePath()).then((path) => console.log(path))"
    path = run([npm.program("node"), "-e", script], cwd=folder, doing="Unpacking it", action="Check the disk.")
    return Path(path.strip())


def _after_installing() -> Path:
    found = _installed()
    if found is None:
        raise BuildFailed("It brought no browser.", "Install Chromium by hand.")
    return found
