"""The script of the engine's worker."""

from polyscript import js_modules, xworker
from pyodide.ffi import create_proxy

from roundtab.browser.engine import EngineWorker

engines = []
xworker.onmessage = create_proxy(lambda event: engines.append(EngineWorker(event.data, js_modules.idb)))
