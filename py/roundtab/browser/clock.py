"""The browser's clock."""

from __future__ import annotations

from pyodide.code import run_js

from roundtab.clock import SystemClock

_pause = run_js(
    """
    globalThis.scheduler?.postTask
      ? () => scheduler.postTask(() => {}, { priority: "background" })
      : () => new Promise((resolve) => setTimeout(resolve, 0))
    """
)


class BrowserClock(SystemClock):
    """The machine's time; giving way lets the worker's messages in, which `asyncio.sleep(0)` does only after 450 ms."""

    async def breathe(self) -> None:
        """Let messages, timers and other tasks run."""
        await _pause()
