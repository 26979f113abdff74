"""Real Chromium, the built site, real origins.

Every page is watched: what it logs as an error, fails to load or asks of another host fails the test.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from contracts.api_world import CAPABILITIES
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, Request, async_playwright, expect

from roundtab.publish import browsers, site
from roundtab.publish.paths import PACKAGE, SITE
from roundtab.publish.server import serve

expect.set_options(timeout=30_000)  # Python has to start first, and the machine may be busy

HOST_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Host</title><link rel="icon" href="data:,"></head>
<body><h1>A page of another site</h1><script src="{widget}widget.js"></script></body></html>
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder drives a browser."""
    for item in items:
        if "browser" in Path(item.path).parts:
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.cpython_only(reason="drives a browser from outside"))


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The addresses that the tests visit; each ends in a slash."""

    site: str
    """The built site, on 127.0.0.1."""
    dist: Path
    """Its folder."""
    registered: str
    """A host page on localhost, another site, that the register lists."""
    unregistered: str
    """A host page on localhost that it does not list."""
    no_training: str
    """A host page on localhost that may play recordings only."""
    second_port: str
    """A host page on 127.0.0.1, the site's own host, but on another port."""
    pages: Path
    """The folder that all host pages are served from; tests may add pages."""

    def origins(self) -> tuple[str, ...]:
        """All of them."""
        return (self.site, self.registered, self.unregistered, self.no_training, self.second_port)


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Build the site with a register that lists the tests' hosts, and serve everything."""
    pages = tmp_path_factory.mktemp("hosts")
    dist = tmp_path_factory.mktemp("site") / "dist"
    dist.mkdir()
    with ExitStack() as stack:
        hosts = {
            name: stack.enter_context(serve(pages)).replace("127.0.0.1", "localhost")
            for name in ("registered", "unregistered", "no_training")
        }
        second_port = stack.enter_context(serve(pages))
        register = tmp_path_factory.mktemp("register") / "sites.toml"
        register.write_text(
            (SITE / "sites.toml").read_text(encoding="utf-8")
            + f'[[site]]\norigin = "{hosts["registered"][:-1]}"\ngrants = ["training"]\n'
            + f'[[site]]\norigin = "{hosts["no_training"][:-1]}"\ngrants = ["recordings"]\n',
            encoding="utf-8",
        )
        own = Path(__file__).parent / "capabilities"
        capabilities = (own, CAPABILITIES, PACKAGE / "capabilities" / "template")
        site.build(site.Settings(out=dist, capabilities=capabilities, sites=register))
        url = stack.enter_context(serve(dist))
        (pages / "index.html").write_text(HOST_PAGE.format(widget=url), encoding="utf-8")
        yield World(site=url, dist=dist, second_port=second_port, pages=pages, **hosts)


@pytest.fixture(scope="session")
def chromium(runner: asyncio.Runner) -> Iterator[Browser]:
    """The browser, for the whole session."""
    playwright = runner.run(async_playwright().start())
    browser = runner.run(playwright.chromium.launch(executable_path=browsers.find(), args=list(browsers.FLAGS)))
    yield browser
    runner.run(browser.close())
    runner.run(playwright.stop())


@dataclass  # without slots: Playwright notes its handlers in attributes of the object
class Visits:
    """Opens pages and watches them."""

    browser: Browser
    world: World
    contexts: list[BrowserContext] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    """Patterns of problems that the test provokes."""

    allowed: list[str] = field(default_factory=list)
    """Further servers that the test started."""

    async def context(self, **options: Any) -> BrowserContext:
        """A browser profile of its own."""
        context = await self.browser.new_context(**options)
        context.on("console", self._console)
        context.on("weberror", lambda error: self._note(f"page error: {error.error}"))
        context.on("request", self._request)
        context.on("requestfailed", self._failed)
        self.contexts.append(context)
        return context

    async def page(self, address: str = "", context: BrowserContext | None = None, **options: Any) -> Page:
        """A tab at `address`, which may be relative to the site."""
        page = await (context or await self.context(**options)).new_page()
        await page.goto(address if "://" in address else self.world.site + address)
        return page

    async def ready(self, context: BrowserContext | None = None, **options: Any) -> Page:
        """A workspace whose Training API is ready."""
        page = await self.page(context=context, **options)
        await until_ready(page)
        return page

    def unexpected(self) -> list[str]:
        """Problems that no pattern covers."""
        return [each for each in self.problems if not any(re.search(pattern, each) for pattern in self.expected)]

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._note(f"console {message.type}: {message.text}")

    def _request(self, request: Request) -> None:
        if not request.url.startswith((*self.world.origins(), *self.allowed, "data:", "blob:", "file:", "about:")):
            self._note(f"request to another host: {request.url}")

    def _failed(self, request: Request) -> None:
        if "ERR_ABORTED" not in (request.failure or ""):  # a page that is left aborts what it was loading
            self._note(f"failed request: {request.url} {request.failure}")

    def _note(self, problem: str) -> None:
        self.problems.append(problem)


@contextmanager
def watched(chromium: Browser, world: World, runner: asyncio.Runner) -> Iterator[Visits]:
    """Pages that are closed at the end. Anything unexpected on one of them is an error then."""
    visits = Visits(chromium, world)
    yield visits
    for context in visits.contexts:
        runner.run(context.close())
    assert visits.unexpected() == []


@pytest.fixture
def visits(chromium: Browser, world: World, runner: asyncio.Runner) -> Iterator[Visits]:
    """Pages of this test. Anything unexpected on one of them fails it."""
    with watched(chromium, world, runner) as visits:
        yield visits


async def until_ready(page: Page) -> None:
    """Wait until the page's Python is up and the Training API is ready."""
    await page.locator("html[data-app=ready]").wait_for(state="attached")
    await page.get_by_role("region", name="Connection").get_by_text("Training API ready").wait_for()
