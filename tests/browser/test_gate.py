"""The gate: what it refuses before anything of Python is loaded, and what the frame keeps in."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator

import pytest
from browser.conftest import Visits, World, until_ready, watched
from browser.jobs import create, ended, refusal, wait_for
from playwright.async_api import Page, async_playwright, expect

from roundtab.publish import browsers

FRAMED = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Outer</title>
<link rel="icon" href="data:,"></head><body><iframe title="inner" {more} src="{inner}"></iframe></body></html>"""


async def standing(page: Page) -> dict[str, object]:
    """What `roundtab.ready` says of training in the page inside the frame."""
    inner = page.frame_locator("iframe[title=inner]").locator("h1")
    return await inner.evaluate("() => roundtab.ready.then((found) => found.training)")


async def test_a_registered_page_inside_an_unregistered_one_is_refused(visits: Visits, world: World) -> None:
    """Whoever frames the host page could act on it, so every ancestor has to be registered."""
    (world.pages / "outer.html").write_text(FRAMED.format(inner=world.registered, more=""), encoding="utf-8")
    page = await visits.page(world.unregistered + "outer.html")
    found = await standing(page)
    assert found["code"] == "not_registered"
    assert world.unregistered[:-1] in str(found["reason"])


async def test_a_page_without_an_origin_is_refused(visits: Visits, world: World) -> None:
    """A sandboxed page has the origin "null", which every such page shares: no register can list it."""
    sandbox = 'sandbox="allow-scripts"'
    (world.pages / "sandbox.html").write_text(FRAMED.format(inner=world.registered, more=sandbox), encoding="utf-8")
    page = await visits.page(world.registered + "sandbox.html")
    found = await standing(page)
    assert (found["code"], found["ready"]) == ("not_registered", False)


async def test_the_frame_by_itself_says_what_it_is(visits: Visits) -> None:
    """Opened in a tab it has no host page to serve."""
    page = await visits.page("widget/frame.html")
    await expect(page.get_by_role("heading")).to_have_text("This page is the inside of the Roundtab widget.")
    await expect(page.get_by_text("Open the page that embeds it.")).to_be_visible()


async def test_only_the_parent_is_heard(visits: Visits, world: World) -> None:
    """A message from any other window, even of a registered origin, opens no connection."""
    context = await visits.context()
    page = await visits.page(world.registered, context)
    assert await page.evaluate("roundtab.ready.then((found) => found.training.ready)")
    answered = await page.evaluate(
        """() => new Promise((resolve) => {
          const other = document.createElement("iframe");
          other.srcdoc = "<p>a window that is not the parent</p>";
          other.onload = () => {
            const target = document.querySelector("roundtab-widget").shadowRoot.querySelector("iframe").contentWindow;
            const channel = new other.contentWindow.MessageChannel();
            channel.port1.onmessage = () => resolve(true);
            const script = other.contentDocument.createElement("script");
            other.contentWindow.send = (port) => {};
            script.textContent = "window.send = (target, port) => target.postMessage({roundtab: 'host'}, '*', [port])";
            other.contentDocument.body.append(script);
            other.contentWindow.send(target, channel.port2);
            roundtab.training.request("status").then(() => resolve(false));
          };
          document.body.append(other);
        })"""
    )
    assert answered is False


async def test_blocked_storage_is_said_before_python_is_loaded(visits: Visits) -> None:
    """Without IndexedDB PyScript never boots and says nothing, so the gate tries it first."""
    context = await visits.context()
    await context.add_init_script(
        """if (location.pathname.endsWith("frame.html")) IDBFactory.prototype.open = () => {
          throw new DOMException("denied", "SecurityError");
        };"""
    )
    asked: list[str] = []
    page = await visits.page("licences.txt", context)
    context.on("request", lambda request: asked.append(request.url))
    await page.goto(visits.world.site)
    found = await page.evaluate("roundtab.ready.then((found) => found.training)")
    assert (found["code"], found["reason"]) == ("storage_blocked", "This browser denies storage.")
    assert "Allow site data" in found["action"]
    await expect(page.get_by_text("This browser denies storage.")).to_be_visible()
    assert not [url for url in asked if url.endswith(("engine.py", "trainer.py"))]


@pytest.mark.parametrize("kind", ["engine", "trainer"])
async def test_nothing_inside_the_frame_reaches_another_host(visits: Visits, world: World, kind: str) -> None:
    """The frame's policy holds in its workers too: it is what «never leaves the tab» rests on."""
    visits.expected.append(re.escape(world.second_port))
    visits.expected.append("Content Security Policy")
    page = await visits.ready()
    if kind == "trainer":
        job = await create(page, "wine", trainer={"rounds": 5000})
        await wait_for(page, job["id"], "job.rounds.done > 0")
    workers = page.workers
    outcomes = [
        await worker.evaluate("(url) => fetch(url).then(() => 'reached', () => 'blocked')", world.second_port)
        for worker in workers
    ]
    assert len(workers) >= (1 if kind == "engine" else 3)
    assert set(outcomes) == {"blocked"}


async def test_the_widget_shows_its_state_when_it_is_opened(visits: Visits, world: World) -> None:
    """A host page that has nothing of its own to show still tells the person where things stand."""
    page = await visits.page(world.registered)
    assert await page.evaluate("roundtab.ready.then((found) => found.training.ready)")
    frame = page.frame_locator("iframe[title=Roundtab]")
    await page.evaluate("roundtab.open()")
    await expect(frame.get_by_role("status")).to_have_text("Training API ready")
    await expect(page.locator("iframe[title=Roundtab]")).to_be_in_viewport()
    await page.evaluate("roundtab.close()")
    await expect(page.locator("iframe[title=Roundtab]")).not_to_be_in_viewport()


async def test_a_call_before_the_engine_is_there_waits_for_it(visits: Visits, world: World) -> None:
    """A host page need not wait for `ready`: what it asks early is answered once there is somebody to answer."""
    page = await visits.page(world.registered)
    assert (await page.evaluate("roundtab.training.state"))["phase"] == "starting"
    assert (await page.evaluate("roundtab.training.request('status')"))["site"]["grants"] == ["training"]


@pytest.fixture
def returning(world: World, runner: asyncio.Runner) -> Iterator[Visits]:
    """Pages of a browser that keeps pages in its back/forward cache, which Playwright's own switch turns off."""
    playwright = runner.run(async_playwright().start())
    browser = runner.run(
        playwright.chromium.launch(
            executable_path=browsers.find(),
            args=list(browsers.FLAGS),
            ignore_default_args=["--disable-back-forward-cache"],
        )
    )
    with watched(browser, world, runner) as visits:
        yield visits
    runner.run(browser.close())
    runner.run(playwright.stop())


async def there_and_back(page: Page) -> None:
    """Leave the page for another site and come back to it as it was."""
    await page.evaluate("addEventListener('pageshow', ({ persisted }) => { window.persisted = persisted; })")
    address = page.url
    await page.goto("about:blank")
    await page.go_back(wait_until="commit")  # a kept page does not load again
    await page.wait_for_function("window.persisted !== undefined")
    assert page.url == address
    assert await page.evaluate("window.persisted")


async def test_a_page_that_comes_back_from_the_cache_goes_on(returning: Visits) -> None:
    """Its workers ended when it was left, so that other tabs could lead; on return an engine starts anew."""
    page = await returning.ready()
    job = (await create(page, trainer={"rounds": 150}))["id"]
    before = (await wait_for(page, job, "job.rounds.done >= 3"))["rounds"]["done"]
    await there_and_back(page)
    await until_ready(page)
    done = await ended(page, job)
    assert (done["status"], done["rounds"]["done"]) == ("completed", 150)
    assert done["metrics"]["rounds"] == list(range(1, 151))
    assert before < 150


async def test_a_refused_page_that_comes_back_from_the_cache_is_still_refused(returning: Visits, world: World) -> None:
    """No Python is loaded then either."""
    context = await returning.context()
    page = await returning.page(world.unregistered, context)
    assert (await page.evaluate("roundtab.ready.then(({ training }) => training)"))["code"] == "not_registered"
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    await there_and_back(page)
    assert (await refusal(page, "status"))["code"] == "not_registered"
    await page.wait_for_load_state("networkidle")
    assert not [url for url in asked if "runtime" in url]
