"""Where the parts of the project lie."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "py" / "roundtab"
SITE = ROOT / "site"
NODE_MODULES = SITE / "node_modules"
NPM_LOCK = SITE / "package-lock.json"
DIST = ROOT / "dist"


def cache_folder() -> Path:
    """The folder that keeps downloads between builds: `$ROUNDTAB_CACHE`, else `~/.cache/roundtab`."""
    return Path(os.environ.get("ROUNDTAB_CACHE") or Path.home() / ".cache" / "roundtab")


def shown(path: Path) -> str:
    """A path as people write it: relative to the project where it lies inside."""
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)
