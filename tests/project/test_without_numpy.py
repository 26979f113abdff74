"""The page has no numpy: what runs there must import without it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from project.sources import modules, reached

import roundtab

PACKAGE = Path(roundtab.__file__).parent

FIRST = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "numpy":
            raise ImportError("there is no numpy on the page")

sys.meta_path.insert(0, Blocked())
import importlib
for name in sys.argv[1:]:
    importlib.import_module(name)
assert "numpy" not in sys.modules
"""


PAGES = [name for name in modules() if name.startswith("roundtab.browser.pages")]


@pytest.mark.parametrize("module", PAGES)
def test_the_code_of_a_page_does_not_lead_to_numpy(module: str) -> None:
    """It needs a browser to be imported, so its imports are followed in its text, through everything in between."""
    assert reached(module).get("numpy") is None
    assert "numpy" in reached("roundtab.browser.engine")  # so the way is followed at all


@pytest.mark.cpython_only(reason="starts another Python")
def test_what_the_page_needs_imports_without_numpy() -> None:
    """Records, errors, clock, the client and the protocol of the API, and all views."""
    paths = [
        PACKAGE / "errors.py",
        PACKAGE / "clock.py",
        PACKAGE / "api" / "client.py",
        PACKAGE / "api" / "protocol.py",
    ]
    paths += [*(PACKAGE / "records").rglob("*.py"), *(PACKAGE / "views").rglob("*.py")]
    names = [
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__") for path in paths
    ]
    run = subprocess.run(
        [sys.executable, "-c", FIRST, *names],
        env={"PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
