"""From opening the workspace to «Training API ready», against a bare `loadPyodide()` in a page of its own."""

from __future__ import annotations

from _tab import Tabs, tabs

from roundtab.publish.bench import Bench

READY = "roundtab.ready.then((found) => found.training.ready && performance.now() / 1000)"
BARE = """async () => {
  const started = performance.now();
  const { loadPyodide } = await import(new URL("runtime/pyodide/pyodide.mjs", location.href).href);
  await loadPyodide();
  return (performance.now() - started) / 1000;
}"""


def run(bench: Bench) -> None:
    """Each run has an empty cache and storage of its own."""
    with tabs(bench) as browser:
        bench.compare(
            "time to «Training API ready»",
            unit="s",
            ours=lambda: _seconds(browser, "", READY),
            reference=lambda: _seconds(browser, "licences.txt", BARE),
            reference_name="bare loadPyodide()",
        )


def _seconds(browser: Tabs, path: str, script: str) -> float:
    page = browser.page(path)
    try:
        return float(page.evaluate(script))
    finally:
        page.context.close()
