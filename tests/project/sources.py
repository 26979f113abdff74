"""The package's modules as text: what each imports, without importing any."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import roundtab

PACKAGE = Path(roundtab.__file__).parent


@cache
def modules() -> dict[str, Path]:
    """Every module of the package, by its dotted name. Model code of capabilities is among them."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = ("roundtab", *path.relative_to(PACKAGE).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def imports(name: str) -> frozenset[str]:
    """The modules that a module imports anywhere in its text; of ours, down to the module that is meant."""
    found = set()
    for node in ast.walk(ast.parse(modules()[name].read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            within = {f"{node.module}.{each.name}" for each in node.names}
            found |= {each if each in modules() else node.module for each in within}
    return frozenset(found)


def reached(name: str) -> dict[str, str]:
    """All modules that are loaded with `name`, ours and others, each with the one that brings it in."""
    loaded, waiting = {name: ""}, [name]
    while waiting:
        module = waiting.pop()
        for each in (module.rpartition(".")[0], *(imports(module) if module in modules() else ())):
            if each and each not in loaded:
                loaded[each] = module
                waiting.append(each)
    return loaded
