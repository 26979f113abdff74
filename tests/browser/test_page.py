"""The page itself: its first paint, its widths, its accessibility, and the ways it can be served."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from browser import jobs, workspace
from browser.axe import violations
from browser.conftest import Visits, World, until_ready
from playwright.async_api import Page, Route, expect

from roundtab.publish.server import serve

WIDTHS = (360, 768, 1440)

SHIFTS = """
window.shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""

WIDER = """() => [...document.querySelectorAll("body *")]
  .filter((each) => each.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5)
  .filter((each) => !each.closest(".scroll, .log, .raw, .visually-hidden, [popover]:not(:popover-open)"))
  .map((each) => `${each.tagName}.${each.className}#${each.id}`)"""


async def boxes(page: Page) -> dict[str, Any]:
    """Where the parts stand that are there from the first paint on."""
    parts = {
        "rail": page.get_by_role("banner"),
        "connection": page.get_by_role("region", name="Connection"),
        "jobs": page.get_by_role("article", name="Jobs"),
        "new job": page.get_by_role("button", name="New job").first,
    }
    return {name: await part.bounding_box() for name, part in parts.items()}


@pytest.mark.parametrize("width", WIDTHS)
async def test_the_page_is_painted_before_python_and_nothing_jumps(visits: Visits, width: int) -> None:
    """While the runtime is still loading, rail, connection and jobs already stand where they will stay."""
    context = await visits.context(viewport={"width": width, "height": 900})
    await context.add_init_script(SHIFTS)
    gate = asyncio.Event()

    async def hold(route: Route) -> None:
        await gate.wait()
        await route.continue_()

    await context.route("**/runtime/**", hold)
    page = await context.new_page()
    await page.goto(visits.world.site, wait_until="commit")
    await expect(page.get_by_role("region", name="Connection")).to_contain_text("Starting")
    await expect(page.get_by_role("article", name="Jobs")).to_contain_text("Reading jobs …")
    before = await boxes(page)
    gate.set()
    await until_ready(page)
    await expect(page.get_by_text("No jobs yet.")).to_be_visible()
    after = await boxes(page)
    for name, box in before.items():
        assert {key: box[key] for key in ("x", "y", "width")} == {key: after[name][key] for key in ("x", "y", "width")}
    assert await page.evaluate("window.shift") < 0.02


async def test_opened_as_a_file_the_page_says_what_to_do(visits: Visits, world: World) -> None:
    """Browsers start no Python there, so plain HTML names the commands."""
    visits.expected += ["file://", "CORS", "ERR_FAILED"]
    page = await visits.page((world.dist / "index.html").as_uri())
    await expect(page.get_by_text("This page was opened as a file")).to_be_visible()
    await expect(page.get_by_text("python3 build.py serve")).to_be_visible()
    await expect(page.get_by_text("python3 -m http.server")).to_be_visible()


@pytest.mark.parametrize("part", ["pyscript/core.js", "pyodide/python_stdlib.zip"])
async def test_a_python_that_cannot_be_loaded_is_said(visits: Visits, part: str) -> None:
    """Plain HTML says it, with the part that is missing, and what to do; once all is there again, a reload helps."""
    visits.expected += ["404", part, "MessageEvent"]
    context = await visits.context()
    page = await context.new_page()
    await page.route(f"**/runtime/{part}", lambda route: route.fulfill(status=404))
    await page.goto(visits.world.site)
    await expect(page.get_by_text("Python could not be loaded.")).to_contain_text(part)
    await expect(page.get_by_text("Check the connection, then reload the page.")).to_be_visible()
    await page.unroute_all()
    await page.reload()
    await until_ready(page)
    await expect(page.get_by_text("Python could not be loaded.")).to_be_hidden()


async def test_a_python_that_fails_without_a_word_is_said_in_the_end(visits: Visits) -> None:
    """Pyodide waits for ever where its WebAssembly does not arrive."""
    visits.expected += ["404", "wasm", "WebAssembly"]
    context = await visits.context()
    page = await context.new_page()
    await page.clock.install()
    await page.route("**/pyodide.asm.wasm", lambda route: route.fulfill(status=404))
    async with page.expect_console_message(lambda message: "WebAssembly" in message.text):
        await page.goto(visits.world.site)
    await expect(page.get_by_text("Python could not be loaded.")).to_be_hidden()
    await page.clock.fast_forward("03:00")
    await expect(page.get_by_text("It has not answered for 3 minutes.")).to_be_visible()


async def finished_job(page: Page, name: str = "Wine") -> str:
    """A short job, run to its end."""
    job = await workspace.create(page, sample="wine", job_name=name, rounds=3)
    await workspace.start(page)
    await workspace.completed(page)
    await expect(workspace.job(page).locator("[data-chart] canvas")).to_be_visible()
    return job


async def test_no_page_scrolls_sideways(visits: Visits) -> None:
    """From a phone to a desk: jobs, new job, finished job; wide tables scroll by themselves, long words break."""
    page = await visits.ready()
    job = await finished_job(page, "W" * 200)
    for fragment in (f"#/job/{job}", "#/new", "#/"):
        await page.goto(page.url.split("#")[0] + fragment)
        for width in WIDTHS:
            await page.set_viewport_size({"width": width, "height": 900})
            await page.wait_for_function("width => document.documentElement.clientWidth <= width", arg=width)
            sizes = await page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
            assert sizes[0] <= sizes[1], f"{fragment} at {width}: {await page.evaluate(WIDER)}"


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_nothing(visits: Visits, scheme: Any) -> None:
    """Names, roles, contrast, structure, in both colour schemes, on every part of the workspace."""
    page = await visits.ready(color_scheme=scheme)
    found = await violations(page)
    await workspace.begin(page)
    found += await violations(page)
    await page.get_by_label("Manifest and files").check()
    await page.get_by_label("Learning rate").fill("0")
    await expect(page.get_by_text("problems to resolve")).to_be_visible()
    found += await violations(page)
    await page.get_by_label("Use sample data").check()
    await page.get_by_label("Learning rate").fill("0.1")
    await workspace.fill(page, rounds=2)
    await page.get_by_role("button", name="Create job").click()
    await workspace.opened(page)
    found += await violations(page)
    await workspace.start(page)
    await workspace.completed(page)
    await expect(workspace.job(page).locator("[data-chart] canvas")).to_be_visible()
    found += await violations(page)
    await workspace.button(page, "Delete job").click()
    await expect(page.get_by_role("dialog")).to_be_visible()
    found += await violations(page)
    assert found == []


async def tab_to(page: Page, role: str, name: str) -> None:
    """Press Tab until this control has the focus."""
    target = page.get_by_role(role, name=name, exact=True).first  # type: ignore[arg-type]
    await expect(target).to_be_enabled()
    handle = await target.element_handle()
    for _ in range(60):
        if await page.evaluate("target => document.activeElement === target", handle):
            return
        await page.keyboard.press("Tab")
    raise AssertionError(f"Tab does not reach {name}")


async def test_the_keyboard_alone_gets_from_the_open_page_to_a_running_job(visits: Visits) -> None:
    """Tab, Enter and Space do it all; afterwards a second Enter does not cancel what the first one started."""
    page = await visits.ready()
    await tab_to(page, "button", "New job")
    await page.keyboard.press("Space")
    await expect(page.get_by_role("heading", level=1, name="New job")).to_be_focused()
    await tab_to(page, "spinbutton", "Rounds")
    await page.keyboard.press("Control+a")
    await page.keyboard.type("1000")
    await tab_to(page, "button", "Create job")
    await page.keyboard.press("Space")
    await workspace.opened(page)
    await expect(page.locator("#job-title")).to_be_focused()
    await tab_to(page, "button", "Start job")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    await expect(workspace.badge(page)).to_have_text("Running")
    await expect(page.locator("#job-title")).to_be_focused()
    await page.keyboard.press("Enter")
    await workspace.saved(page, 2)
    await expect(workspace.badge(page)).to_have_text("Running")
    await tab_to(page, "button", "Cancel job")
    await page.keyboard.press("Space")
    await expect(workspace.badge(page)).to_have_text("Cancelled")


async def test_the_site_works_below_a_path(visits: Visits, world: World) -> None:
    """All its addresses are relative: it may stand in any folder of a server."""
    with serve(world.dist.parent) as root:
        site = f"{root}{world.dist.name}/"
        await trains(visits, world, site)


@pytest.fixture
def plain_server(world: World) -> Iterator[str]:
    """The site on Python's own server, as `python -m http.server` starts it."""
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(world.dist)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout
        found = re.search(r"port (\d+)", server.stdout.readline())
        assert found
        yield f"http://127.0.0.1:{found[1]}/"
        server.terminate()


async def test_any_static_server_will_do(visits: Visits, world: World, plain_server: str) -> None:
    """No header and no type has to be set for the site."""
    await trains(visits, world, plain_server)


async def trains(visits: Visits, world: World, site: str) -> None:
    """The site at this address becomes ready and trains a job, and nothing it asks for is missing."""
    context = await visits.context()
    failed: list[str] = []
    visits.expected.append(f"request to another host: {re.escape(site)}")  # this host is its own
    context.on("response", lambda response: failed.append(response.url) if response.status >= 400 else None)
    page = await visits.page(site, context)
    await until_ready(page)
    await finished_job(page)
    assert (await jobs.call(page, "status"))["site"]["origin"] == re.match("[^/]+//[^/]+", site)[0]
    assert failed == []


async def test_the_skip_link_leads_to_the_content_and_nowhere_else(visits: Visits) -> None:
    """The part of the page that is shown stays."""
    page = await visits.ready()
    await workspace.begin(page)
    await page.get_by_label("Rounds", exact=True).fill("7")
    await page.get_by_role("link", name="Skip to content").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("main")).to_be_focused()
    assert page.url.endswith("#/new")
    await expect(page.get_by_label("Rounds", exact=True)).to_have_value("7")


async def test_a_chart_that_could_not_be_loaded_is_loaded_later(visits: Visits) -> None:
    """The rest of the page works meanwhile, and no traceback is shown to anybody."""
    visits.expected += ["ERR_INTERNET_DISCONNECTED", "ERR_FAILED", "The chart cannot be drawn now"]
    page = await visits.ready()
    await page.route("**/charts.js", lambda route: route.abort())
    await workspace.create(page, sample="wine", rounds=3)
    await workspace.start(page)
    await workspace.completed(page)
    await expect(workspace.checkpoints(page)).to_have_count(3)
    canvas = workspace.job(page).locator("[data-chart] canvas")
    await expect(canvas).to_have_count(0)
    await page.unroute("**/charts.js")
    switch = workspace.job(page).get_by_role("button", name="Loss")
    other = workspace.job(page).get_by_role("button", name="Accuracy")
    async with asyncio.timeout(30):
        while not await canvas.count():
            await switch.click()
            await other.click()
    await expect(canvas).to_be_visible()
    assert "Traceback" not in await page.locator("body").inner_text()


async def test_a_creation_without_a_connection_says_so_and_can_be_tried_again(visits: Visits) -> None:
    """What was entered stays; nothing waits for ever."""
    visits.expected += ["ERR_INTERNET_DISCONNECTED"]
    page = await visits.ready()
    await workspace.begin(page)
    await workspace.fill(page, rounds=2)
    await page.context.set_offline(True)
    await page.get_by_role("button", name="Create job").click()
    await expect(page.get_by_text("the server does not answer")).to_be_visible()
    await expect(page.get_by_label("Rounds", exact=True)).to_have_value("2")
    await page.context.set_offline(False)
    await page.get_by_role("button", name="Create job").click()
    await workspace.opened(page)
