"""Memory of a tab with the page, the engine and two trainers that train, against a blank tab (Linux only)."""

from __future__ import annotations

import re
from pathlib import Path

from _tab import CREATE, Tabs, tabs
from calls import BUSY, TRAINING

from roundtab.publish.bench import Bench


def run(bench: Bench) -> None:
    """Proportional set size of the browser's renderer processes, in MB."""
    with tabs(bench) as browser:
        bench.compare(
            "page, engine and two trainers",
            unit="MB",
            ours=lambda: _workspace(browser),
            reference=lambda: _blank(browser),
            reference_name="blank tab",
        )


def _workspace(browser: Tabs) -> float:
    page = browser.ready()
    page.evaluate(TRAINING, page.evaluate(CREATE, BUSY))
    used = _renderers()
    page.context.close()
    return used


def _blank(browser: Tabs) -> float:
    context = browser.browser.new_context()
    context.new_page()
    used = _renderers()
    context.close()
    return used


def _renderers() -> float:
    """Sum over all renderer processes of this machine: run nothing else that has some."""
    total = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if b"--type=renderer" in (process / "cmdline").read_bytes():
                facts = (process / "smaps_rollup").read_text(encoding="utf-8")
                found = re.search(r"^Pss:\s+(\d+)", facts, re.MULTILINE)
                total += int(found.group(1)) if found else 0
        except OSError:
            continue  # it ended meanwhile
    return total / 1000
