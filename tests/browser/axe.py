"""Asks axe what is wrong with a page for people who do not see it, or do not use a mouse."""

from __future__ import annotations

from playwright.async_api import Frame, Page

from roundtab.publish.paths import SITE

SCRIPT = SITE / "node_modules/axe-core/axe.min.js"


async def violations(page: Page | Frame) -> list[str]:
    """What axe finds in this document: rule, and where."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(SCRIPT.read_text(encoding="utf-8"))  # a script tag is refused by the frame's policy
    found = await page.evaluate(
        """async () => (await axe.run(document, { iframes: false })).violations.map(
          ({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")).join(", ")}`)"""
    )
    return [f"{await page.title()}: {each}" for each in found]
