from __future__ import annotations

import gzip
from typing import Any

from browser.conftest import Visits, World
from playwright.async_api import Page

from roundtab.publish.paths import SITE
from roundtab.publish.snapshot import MODULES

STARTED = """async () => {
  const { loadPyodide } = await import(new URL("runtime/pyodide/interpreter.js", location.href).href);
  const python = await loadPyodide({});
  return JSON.parse(python.runPython(`
    import datetime, json, random, sys
    json.dumps({
        "modules": list(sys.modules),
        "random": random.random(),
        "hours": datetime.datetime.now().astimezone().utcoffset().total_seconds() / 3600,
    })
  `));
}"""


async def started(visits: Visits, **options: Any) -> dict[str, Any]:
    """What a Python finds that starts on a page of its own."""
    page: Page = await visits.page("licences.txt", **options)
    found: dict[str, Any] = await page.evaluate(STARTED)
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


def test_the_snapshot_tells_nothing_of_the_machine_that_made_it(world: World) -> None:
    """Pyodide keeps the path of the program that started it, where there is one."""
    memory = gzip.decompress((world.dist / "runtime/pyodide/snapshot.bin").read_bytes())
    assert b"urllib.request" in memory
    assert str(SITE.parent).encode() not in memory
