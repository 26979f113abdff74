"""A Pyodide worker with the project's package in it, for benchmarks of the core in a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from _tab import tabs
from playwright.sync_api import Page

from roundtab.publish.bench import Bench

START = """async () => {
  const root = new URL("./", location.href).href;
  const script = `
    import { loadPyodide } from "${root}runtime/pyodide/pyodide.mjs";
    const ready = (async () => {
      const pyodide = await loadPyodide();
      await pyodide.loadPackage(["numpy"]);
      const zip = await (await fetch("${root}roundtab.zip")).arrayBuffer();
      pyodide.unpackArchive(zip, "zip", { extractDir: "/home/pyodide" });
      return pyodide;
    })();
    onmessage = async ({ data: { code, file } }) => {
      try {
        const pyodide = await ready;
        if (file) pyodide.globals.set("chosen", file);
        postMessage({ value: await pyodide.runPythonAsync(code) });
      } catch (error) {
        postMessage({ error: String(error) });
      }
    };`;
  const worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })), { type: "module" });
  window.run = (code, file) => new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => ("error" in data ? reject(new Error(data.error)) : resolve(data.value));
    worker.postMessage({ code, file });
  });
}"""


class Worker:
    """Runs Python in the worker of a page."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def run(self, code: str) -> Any:
        """The value of the last line of `code`, which is JSON text."""
        return json.loads(self._page.evaluate("code => run(code, null)", code))

    def choose(self, path: Path) -> None:
        """Hand a file of this machine to the worker, as a person chooses it; its name there is `chosen`."""
        self._page.set_content("<input type=file>")
        self._page.set_input_files("input", path)
        self._page.evaluate("run('None', document.querySelector('input').files[0])")


@contextmanager
def worker(bench: Bench) -> Iterator[Worker]:
    """Build and serve the site, start the worker."""
    with tabs(bench) as browser:
        page = browser.page("licences.txt")
        page.evaluate(START)
        yield Worker(page)
