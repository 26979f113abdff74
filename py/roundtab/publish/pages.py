"""The HTML pages, put together from templates.

A template knows three placeholders: `{{> part}}` puts in `_part.html`, `{{root}}` is the relative way from the page to
the root of the site (so the site works under any sub-path), `{{version}}` is the version of Roundtab.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

from roundtab import __version__
from roundtab.publish.commands import BuildFailed

PLACES = {"index": "index.html", "404": "404.html", "frame": "widget/frame.html"}
"""Where a template's page goes; every other one, `name.html`, becomes `name/index.html`."""
PLACEHOLDER = re.compile(r"\{\{\s*(>?)\s*([^{}]*?)\s*\}\}")


def pages(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every page's place in the site and its text, made from the templates of the folder."""
    for template in sorted(folder.glob("*.html")):
        if not template.name.startswith("_"):
            place = PLACES.get(template.stem, f"{template.stem}/index.html")
            yield place, render(template, root="../" * place.count("/") or "./").encode()


def render(template: Path, *, root: str) -> str:
    """Return the text of a template with its placeholders filled in."""
    return _fill(template, {"root": root, "version": html.escape(__version__)}, inside=())


def _fill(template: Path, values: dict[str, str], inside: tuple[str, ...]) -> str:
    if template.name in inside:
        raise BuildFailed(
            f"site/html: {template.name} includes itself ({' > '.join([*inside, template.name])}).",
            "Take one of the includes out.",
        )
    if not template.is_file():
        raise BuildFailed(
            f"site/html/{inside[-1]} includes the part {template.name}, which is not there.",
            f"Add site/html/{template.name} or take the placeholder out.",
        )

    def value(found: re.Match[str]) -> str:
        is_part, name = found.groups()
        if is_part:
            return _fill(template.with_name(f"_{name}.html"), values, (*inside, template.name)).rstrip("\n")
        if name not in values:
            raise BuildFailed(
                f"site/html/{template.name} has an unknown placeholder {found.group()}.",
                "Known are {{> part}}, {{root}} and {{version}}.",
            )
        return values[name]

    return PLACEHOLDER.sub(value, template.read_text(encoding="utf-8"))
