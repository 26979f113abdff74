"""Imports go one way, and only roundtab/browser touches the browser."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import roundtab

PACKAGE = Path(roundtab.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

BELOW: dict[str, set[str]] = {
    "__init__": set(),
    "errors": set(),
    "clock": set(),
    "records": {"errors"},
    "data": {"errors", "clock", "records"},
    "nn": {"errors", "records"},
    "capabilities": {"errors", "clock", "records", "data", "nn"},
    "checkpoints": {"errors", "clock", "records", "data"},
    "training": {"errors", "clock", "records", "data", "nn", "capabilities", "checkpoints"},
    "api": {"errors", "clock", "records", "data", "capabilities", "checkpoints", "training"},
    "views": {"errors", "records", "api"},
    "browser": {"errors", "clock", "records", "data", "capabilities", "checkpoints", "training", "api", "views"},
    "publish": {"errors", "records", "capabilities"},
    "cli": {"errors", "clock", "data"},
    "__main__": {"cli"},
}
"""What each part may import, besides itself. A part that is not here has no place in the layers yet."""

BROWSER = {"js", "micropip", "polyscript", "pyodide", "pyodide_http", "pyodide_js", "pyscript"}

PAGE_API = ("roundtab.api.client", "roundtab.api.protocol")
"""What views may import of the API: the page has neither the engine nor numpy."""


def part(path: Path) -> str:
    """`training` for roundtab/training/plan.py, `errors` for roundtab/errors.py."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path: Path) -> Iterator[str]:
    """Every module that `path` imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path.name} imports relatively"
            yield node.module or ""
            if (PACKAGE.parent / (node.module or "").replace(".", "/")).is_dir():
                yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imports(*parts: str) -> list[tuple[str, str, str]]:
    """The part, the file and the module of every import in these parts, or in all."""
    return [
        (part(path), path.relative_to(PACKAGE).as_posix(), module)
        for path in MODULES
        if not parts or part(path) in parts
        for module in imported(path)
    ]


def test_imports_go_one_way() -> None:
    """Records <- data, nn, capabilities, checkpoints <- training <- api <- views, browser; errors and clock below all.

    A part that imports what lies above it cannot be read, tested or replaced without it.
    """
    wrong = [
        (file, module)
        for mine, file, module in imports()
        if module.startswith("roundtab.") and module != "roundtab.__version__"
        if module.split(".")[1] not in BELOW[mine] | {mine}
    ]
    assert wrong == []


def test_only_the_browser_part_imports_the_browser() -> None:
    """Everything else takes what it needs as a parameter, so it runs and is tested on CPython."""
    assert [each for each in imports() if each[0] != "browser" and each[2].partition(".")[0] in BROWSER] == []


def test_views_know_only_the_protocol_of_the_api() -> None:
    """They are shown wherever the engine is."""
    of_api = [(file, module) for _, file, module in imports("views") if module.startswith("roundtab.api.")]
    assert [each for each in of_api if not each[1].startswith(PAGE_API)] == []


def test_numpy_is_the_only_package_that_the_core_needs() -> None:
    """Whatever else is imported comes with Python; the browser brings its own, and the site builder has tools."""
    allowed = sys.stdlib_module_names | {"roundtab", "numpy"}
    more = {"browser": BROWSER, "publish": {"remotezip", "playwright"}}
    wrong = [each for each in imports() if each[2].partition(".")[0] not in allowed | more.get(each[0], set())]
    assert wrong == []


def test_every_part_has_its_place() -> None:
    """A new folder or module of the package is put into the layers before anything else is done with it."""
    assert {part(path) for path in MODULES} <= set(BELOW)


def test_the_layers_have_no_circles() -> None:
    """Each part stands above all that it may import."""
    above: set[str] = set()
    for mine, theirs in BELOW.items():
        assert theirs <= above, f"{mine} stands too low"
        above.add(mine)
