"""The Python wheels that Pyodide loads in the browser, and the lock file that tells Pyodide about them."""

from __future__ import annotations

import functools
import json
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any

from roundtab.publish.commands import BuildFailed, run
from roundtab.publish.vendor import Download, Source, SourceFailed, fetch

PYODIDE = "314.0.4"
FROM_PYODIDE = ("numpy", "micropip")
"""Packages of Pyodide's own distribution; its lock file says version and checksum."""

Entry = dict[str, Any]
"""One package of a Pyodide lock file."""

FROM_PYPI: tuple[Entry, ...] = (
    {
        "name": "pyodide-http",
        "version": "0.2.2",
        "file_name": "pyodide_http-0.2.2-py3-none-any.whl",
        "sha256": "cf006ea593c1643b5badeb4d42ed24a6eebd830276171fa1f82de0777b3fb608",
        "imports": ["pyodide_http"],
        "depends": [],
    },
    {
        "name": "autograd",
        "version": "1.9.1",
        "file_name": "autograd-1.9.1-py3-none-any.whl",
        "sha256": "b788bae3fa010cbffb4cfb7b8ba2a3f0daa6072a8506da6164c779fe9cf3e05a",
        "imports": ["autograd"],
        "depends": ["numpy"],
    },
)
"""Pure Python wheels. Pyodide rebuilds some of them, with other checksums; these are the ones that pip can get."""

CDN = f"https://cdn.jsdelivr.net/pyodide/v{PYODIDE}/full/"
CARRIER = "open-webui==0.12.4"
CARRIER_FOLDER = "open_webui/frontend/pyodide/"
"""Pyodide's wheels are on no package index, but this package carries them byte for byte."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheel:
    """A wheel of the site: its lock file entry and the downloaded file."""

    entry: Entry
    path: Path


def wheels(lock: Mapping[str, Any]) -> list[Wheel]:
    """Get every wheel of the site. `lock` is the `pyodide-lock.json` of the installed Pyodide."""
    entries = [_entry_of(lock, name) for name in FROM_PYODIDE]
    found = [Wheel(entry=entry, path=fetch(_pyodide_download(entry))) for entry in entries]
    return found + [Wheel(entry=entry, path=fetch(_pypi_download(entry))) for entry in FROM_PYPI]


def pruned_lock(lock: Mapping[str, Any], entries: list[Entry]) -> bytes:
    """Return the lock file of the site: Pyodide's own, with these packages and no others."""
    shared: Entry = {"install_dir": "site", "package_type": "package", "unvendored_tests": False}
    packages = {entry["name"]: {**shared, **entry} for entry in entries}
    for name, entry in packages.items():
        for needed in entry["depends"]:
            if needed not in packages:
                raise BuildFailed(f"{name} needs {needed}, which is not vendored.", "Add it to publish/wheels.py.")
    return json.dumps({**lock, "packages": packages}, indent=1, sort_keys=True).encode()


def _entry_of(lock: Mapping[str, Any], name: str) -> Entry:
    entry: Entry | None = lock["packages"].get(name)
    if entry is None:
        raise BuildFailed(
            f"Pyodide's lock file has no package {name}.", "Check the version of pyodide in package.json."
        )
    return entry


def _pyodide_download(entry: Entry) -> Download:
    file_name = entry["file_name"]
    return Download(
        name=file_name,
        sha256=entry["sha256"],
        sources=[
            Source(name="the Pyodide CDN", read=lambda: _read_cdn(file_name)),
            Source(name=f"the PyPI package {CARRIER}", read=lambda: _read_carrier(file_name)),
        ],
    )


def _pypi_download(entry: Entry) -> Download:
    requirement = f"{entry['name']}=={entry['version']}"
    return Download(
        name=entry["file_name"],
        sha256=entry["sha256"],
        sources=[Source(name=f"pip download {requirement}", read=lambda: _read_pip(requirement))],
    )


def _read_cdn(file_name: str) -> bytes:
    try:
        with urllib.request.urlopen(CDN + file_name, timeout=3) as answer:
            content: bytes = answer.read()
    except (urllib.error.URLError, HTTPException, TimeoutError, OSError) as error:
        raise SourceFailed(f"cannot be reached ({error})") from error
    return content


@functools.cache
def _carrier_address() -> str:
    """Ask pip where the carrier lies; nothing is downloaded or installed."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        _pip(
            "install", "--dry-run", "--ignore-installed", "--target", folder, "--report", str(report),
            "--python-version", "3.12", CARRIER,
        )  # fmt: skip
        address: str = json.loads(report.read_text(encoding="utf-8"))["install"][0]["download_info"]["url"]
    return address


def _read_carrier(file_name: str) -> bytes:
    from remotezip import RemoteIOError, RemoteZip  # only a build that downloads needs it

    try:
        with RemoteZip(_carrier_address(), timeout=30) as archive:
            content: bytes = archive.read(CARRIER_FOLDER + file_name)
    except (RemoteIOError, OSError, KeyError, zipfile.BadZipFile) as error:
        raise SourceFailed(f"could not be read ({error})") from error
    return content


def _read_pip(requirement: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        # 3.14 is the Python inside Pyodide
        _pip("download", "--dest", folder, "--python-version", "3.14", requirement)
        return next(Path(folder).glob("*.whl")).read_bytes()


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "-qq", "--disable-pip-version-check", "--no-input"]
    try:
        run([*command, arguments[0], "--no-deps", "--only-binary=:all:", *arguments[1:]], doing="pip", action="")
    except BuildFailed as failure:
        raise SourceFailed(failure.problem.strip()) from failure
