"""What the browser benchmarks share: the built site in Chromium, and a job on the digits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from playwright.sync_api import Browser, Page, sync_playwright

from roundtab.publish import browsers, site
from roundtab.publish.bench import Bench
from roundtab.publish.paths import DIST
from roundtab.publish.server import serve

CREATE = """async (spec) => {
  const read = async (name) => new File([await (await fetch(`samples/digits/${name}`)).blob()], name);
  const files = [await read("train.csv"), await read("validation.csv")];
  const manifest = await (await fetch("samples/digits/datapackage.json")).text();
  const job = await roundtab.training.request("jobs.create", { spec, manifest }, { files });
  await roundtab.training.request("jobs.start", { job: job.id });
  return job.id;
}"""
"""Creates a job on the digits with `spec` and starts it; returns its id."""


@dataclass(frozen=True)
class Tabs:
    """A browser and the address of the built site."""

    browser: Browser
    url: str

    def page(self, path: str = "") -> Page:
        """A tab with storage and cache of its own."""
        page = self.browser.new_context().new_page()
        page.goto(f"{self.url}{path}")
        return page

    def ready(self) -> Page:
        """A workspace whose Training API is ready."""
        page = self.page()
        if not page.evaluate("roundtab.ready.then((found) => found.training.ready)"):
            raise RuntimeError("the Training API did not become ready")
        return page


@contextmanager
def tabs(bench: Bench) -> Iterator[Tabs]:
    """Build the site, serve it, open a browser; note the browser's version."""
    out = site.build(site.Settings(out=DIST))
    with serve(out) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browsers.find(), args=list(browsers.FLAGS))
        bench.versions["chromium"] = browser.version
        yield Tabs(browser, url)
        browser.close()
