"""`roundtab.zip`: the Python package as pages and workers load it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

from roundtab.publish.paths import PACKAGE

STAYS_HOME = ("publish", "cli.py", "__main__.py")
"""What only runs on CPython."""
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""One date for every member, so that equal files make an equal archive."""


def members() -> Iterator[Path]:
    """Yield the package's files that go to the browser.

    Folders with a `capability.toml` stay out: the site serves capabilities by themselves.
    """
    for path in sorted(PACKAGE.rglob("*.py")):
        inside = path.relative_to(PACKAGE)
        is_capability = any((PACKAGE / folder / "capability.toml").exists() for folder in inside.parents)
        if inside.parts[0] not in STAYS_HOME and not is_capability:
            yield path


def archive() -> bytes:
    """Return the zip file of the package; the same sources always give the same bytes."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as target:
        for path in members():
            name = (Path("roundtab") / path.relative_to(PACKAGE)).as_posix()
            member = zipfile.ZipInfo(name, date_time=LONG_AGO)
            member.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(member, path.read_bytes())
    return content.getvalue()
