"""The screen: draws a state when it changed, not more often than the eye needs, and never while the tab is hidden."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import js
from pyodide.ffi import create_proxy

from roundtab.views.html import Node, text

EVERY = 100
"""Milliseconds between two pictures while events rain: drawing shares the processor with the trainers."""
SHARE = 4
"""Between two pictures there is at least so many times the time that the last one took, so that long tables draw less
often and clicks are answered between."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """What a page shows at one moment."""

    main: Node
    rail: Node
    """The status at the foot of the navigation."""


class Screen:
    """Patches the page with what `picture` returns."""

    def __init__(self, page: Any, picture: Callable[[], Picture], title: Callable[[], str]) -> None:
        """`page` is the module site/js/page.js; `title` alone is made for hidden tabs, which show nothing else."""
        self._page = page
        self._picture = picture
        self._title = title
        self._main = js.document.getElementById("main")
        self._rail = js.document.getElementById("rail-status")
        self._due = False
        self._took = 0.0
        self._draw_proxy = create_proxy(lambda *_: self.draw())
        js.document.addEventListener("visibilitychange", create_proxy(lambda _: self.changed()))

    def changed(self) -> None:
        """Draw soon; a hidden tab only changes its title."""
        if js.document.hidden:
            self._entitle()
        elif not self._due:
            self._due = True
            js.setTimeout(self._draw_proxy, max(EVERY, SHARE * self._took))

    def draw(self) -> None:
        """Draw now."""
        self._due = False
        since = js.performance.now()
        picture = self._picture()
        self._page.morph(self._main, text(picture.main))
        self._page.morph(self._rail, text(picture.rail))
        self._entitle()
        self._page.drawCharts(self._main)
        self._took = js.performance.now() - since

    def _entitle(self) -> None:
        title = self._title()
        if js.document.title != title:
            js.document.title = title
