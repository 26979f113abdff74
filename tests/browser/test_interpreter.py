from __future__ import annotations

import gzip
from typing import Any

from browser.conftest import Visits, World
from playwright.async_api import Page

from roundtab.publish.paths import SITE
from roundtab.publish.snapshot import MODULES

STARTED = """async (script) => {
  const { loadPyodide } = await import(new URL(`runtime/pyodide/${script}`, location.href).href);
  const python = await loadPyodide({});
  const { HEAP32, __PyRuntime, __PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET } = python._module;
  const found = JSON.parse(await python.runPythonAsync(`
    import asyncio, datetime, json, random, sys

    async def value():
        await asyncio.sleep(0)
        return 1

    def waited():
        try:
            return asyncio.run(value())
        except RuntimeError as problem:
            return str(problem)

    json.dumps({
        "modules": list(sys.modules),
        "random": random.random(),
        "hours": datetime.datetime.now().astimezone().utcoffset().total_seconds() / 3600,
        "waited": waited(),
    })
  `));
  return { ...found, trampoline: HEAP32[(__PyRuntime + HEAP32[__PyEM_EMSCRIPTEN_TRAMPOLINE_OFFSET / 4]) / 4] };
}"""
OLDER = "delete WebAssembly.Suspending; delete WebAssembly.promising"
"""Makes of a browser one that cannot wait for a promise while Python runs."""


async def started(visits: Visits, script: str = "interpreter.js", before: str = "", **options: Any) -> dict[str, Any]:
    """What a Python finds that starts on a page of its own."""
    page: Page = await visits.page("licences.txt", **options)
    await page.evaluate(before)
    found: dict[str, Any] = await page.evaluate(STARTED, script)
    return found


async def test_python_starts_with_its_modules_and_with_random_numbers_of_its_own(visits: Visits) -> None:
    """All copies of one memory would draw the same."""
    visits.expected.append("404")  # a file that is opened by itself has no icon
    first, second = await started(visits), await started(visits)
    assert set(MODULES) <= set(first["modules"])
    assert first["random"] != second["random"]


async def test_local_times_are_those_of_the_browser(visits: Visits) -> None:
    """Not those of the machine that made the snapshot."""
    visits.expected.append("404")
    assert (await started(visits, timezone_id="Asia/Tokyo"))["hours"] == 9
    assert (await started(visits, timezone_id="America/Bogota"))["hours"] == -5


async def test_python_waits_where_the_browser_can(visits: Visits) -> None:
    """Where it cannot, it says so. The machine that made the snapshot could not either."""
    visits.expected.append("404")
    assert (await started(visits))["waited"] == 1
    older = await started(visits, before=OLDER)
    assert older["waited"].startswith("Cannot stack switch")


async def test_calls_of_c_functions_go_the_way_that_the_browser_has(visits: Visits) -> None:
    """It is Pyodide's choice at each start; on an iPhone it goes over JavaScript."""
    visits.expected.append("404")
    chosen = (await started(visits))["trampoline"]
    assert chosen == (await started(visits, "pyodide.mjs"))["trampoline"] != 0
    phone = {"user_agent": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)", "before": OLDER}
    assert (await started(visits, **phone))["trampoline"] == 0


def test_the_snapshot_tells_nothing_of_the_machine_that_made_it(world: World) -> None:
    """Pyodide keeps the path of the program that started it, where there is one."""
    memory = gzip.decompress((world.dist / "runtime/pyodide/snapshot.bin").read_bytes())
    assert b"urllib.request" in memory
    assert str(SITE.parent).encode() not in memory
