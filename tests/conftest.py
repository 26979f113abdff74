"""Runs `async def` tests, on CPython and inside Pyodide alike."""

from __future__ import annotations

import asyncio
import inspect
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

# The contract suites and other shared steps are no test modules; their asserts shall say as much. It comes
# before any of them is imported.
pytest.register_assert_rewrite("contracts", "browser.workspace", "browser.jobs")

IN_PYODIDE = sys.platform == "emscripten"
RUNNER = pytest.StashKey[asyncio.Runner]()
LIMIT = 300.0
"""Seconds after which a coroutine of a test is given up: what waits for ever shall fail, and not stop the whole run."""

# How long an example takes says nothing on a busy machine; inside Pyodide each takes several times as long.
settings.register_profile("roundtab", deadline=None, database=None, max_examples=25 if IN_PYODIDE else 100)
settings.load_profile("roundtab")


@pytest.fixture(scope="session", autouse=True)
def runner(request: pytest.FixtureRequest) -> Iterator[asyncio.Runner | None]:
    """One event loop for the whole session: making one for every test would cost more than most tests."""
    if IN_PYODIDE:
        yield None
        return
    with asyncio.Runner() as session:
        request.config.stash[RUNNER] = session
        yield session


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run an `async def` test to its end."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    coroutine = pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names})
    if IN_PYODIDE:
        asyncio.run(coroutine)
    else:
        pyfuncitem.config.stash[RUNNER].run(asyncio.wait_for(coroutine, LIMIT))
    return True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what cannot run inside Pyodide there. Each such test says why: it is a hole in the one dialect."""
    for item in items:
        mark = item.get_closest_marker("cpython_only")
        if mark is None:
            continue
        if not mark.kwargs.get("reason"):
            raise pytest.UsageError(f'{item.nodeid}: cpython_only needs a reason="…"')
        if IN_PYODIDE:
            item.add_marker(pytest.mark.skip(reason=mark.kwargs["reason"]))
