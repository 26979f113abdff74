"""The Training API of a real page keeps the rules that tests/contracts holds it to in one process."""

from __future__ import annotations

import asyncio
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from browser.conftest import Visits, World, watched
from contracts.api_suite import RULES, Rule
from contracts.api_world import Contract
from playwright.async_api import Browser, Page

from roundtab.api.envelope import Envelope
from roundtab.checkpoints.store import TABLES

INSTALL = """() => {
  const decoded = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const encoded = (buffer) => {
    const bytes = new Uint8Array(buffer);
    let text = "";
    for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
    return btoa(text);
  };
  let heard = [], wake = () => {};
  roundtab.training.subscribe((event) => { heard.push(event); wake(); });
  const taken = () => heard.splice(0);
  window.wire = {
    taken,
    async news() {
      while (!heard.length) await new Promise((resolve) => { wake = resolve; });
      return taken();
    },
    async exchange([json, buffers, files]) {
      const answer = await roundtab.training.exchange({
        json,
        buffers: buffers.map((each) => decoded(each).buffer),
        files: files.map(([path, content]) => new File([decoded(content)], path)),
      });
      return [answer.json, (answer.buffers ?? []).map(encoded), taken()];
    },
  };
}"""

COUNT = """(tables) => new Promise((resolve, reject) => {
  const opening = indexedDB.open("roundtab");
  opening.onerror = () => reject(opening.error);
  opening.onsuccess = async () => {
    const reading = opening.result.transaction(tables), counts = {};
    for (const table of tables) {
      const counting = reading.objectStore(table).count();
      counting.onsuccess = () => { counts[table] = counting.result; };
    }
    reading.oncomplete = () => { opening.result.close(); resolve(counts); };
  };
})"""


class PageWire:
    """A `Wire` through the page's own JavaScript, the frame and its worker."""

    def __init__(self, page: Page, hear: Callable[[dict[str, Any]], None]) -> None:
        """`hear` gets each event before the response to a call that was answered after it."""
        self._page = page
        self._hear = hear

    async def exchange(self, envelope: Envelope) -> Envelope:
        """The engine's response."""
        files = [(file.path, b64encode(await file.read(0, file.size)).decode()) for file in envelope.files]
        buffers = [b64encode(each).decode() for each in envelope.buffers]
        text, back, events = await self._page.evaluate("sent => wire.exchange(sent)", [envelope.json, buffers, files])
        for event in events:
            self._hear(event)
        return Envelope(text, [b64decode(each) for each in back])

    async def listen(self) -> None:
        """Hear what comes while no call is under way, for as long as this is not cancelled."""
        while True:
            for event in await self._page.evaluate("wire.news()"):
                self._hear(event)


@pytest.fixture(scope="module")
def page(chromium: Browser, world: World, runner: asyncio.Runner) -> Iterator[Page]:
    """One page for all rules: each cleans up after itself."""
    with watched(chromium, world, runner) as visits:
        page = runner.run(ready(visits))
        yield page


async def ready(visits: Visits) -> Page:
    """A page with the wire of these tests."""
    page = await visits.ready()
    await page.evaluate(INSTALL)
    return page


@asynccontextmanager
async def in_browser(page: Page) -> AsyncIterator[Contract]:
    """The API of the engine behind the page; at the end nothing of it is left."""

    async def stored() -> dict[str, int]:
        return await page.evaluate(COUNT, list(TABLES))

    wire = PageWire(page, lambda event: contract.hear(event))
    contract = Contract(wire, stored)
    await page.evaluate("wire.taken()")  # what the rule before left unheard
    listening = asyncio.ensure_future(wire.listen())
    try:
        yield contract
        await contract.tidy()
        assert not any((await stored()).values())
    finally:
        listening.cancel()
        await asyncio.wait([listening])


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
async def test_the_api_keeps_the_rule_in_the_browser(rule: Rule, page: Page) -> None:
    """Each rule has its own words."""
    async with in_browser(page) as contract:
        await rule(contract)
