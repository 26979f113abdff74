"""What the engine's and the trainers' workers share: packages, the catalogue, the sign of life."""

from __future__ import annotations

from typing import Any

import js
import pyodide_http
import pyodide_js
from polyscript import xworker
from pyodide.ffi import create_proxy

from roundtab.browser.ffi import js_object, never
from roundtab.capabilities.catalogue import Catalogue

pyodide_http.patch_all()  # urllib reads the site's own files, the same code as on CPython


def site_catalogue(root: str) -> Catalogue:
    """The catalogue of the site at `root`, the address of its folder with a slash at the end."""
    return Catalogue.at(f"{root}capabilities", install)


async def install(requirements: tuple[str, ...]) -> None:
    """Install packages of a capability from the wheels that the site brings along; nothing else can be reached."""
    await pyodide_js.loadPackage("micropip")
    import micropip

    await micropip.install(list(requirements), index_urls=[])


def hold(lock: str) -> None:
    """Hold a Web Lock as long as this worker lives, so that its end is noticed; the frame is told once it is held."""

    def taken(_: Any) -> Any:
        xworker.postMessage("holding")
        return never()

    js.navigator.locks.request(lock, js_object({"mode": "exclusive"}), create_proxy(taken))
