"""The script of a trainer's worker."""

from polyscript import xworker
from pyodide.ffi import create_proxy

from roundtab.browser import trainer

xworker.onmessage = create_proxy(trainer.start)
