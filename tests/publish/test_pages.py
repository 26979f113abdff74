from __future__ import annotations

from pathlib import Path

import pytest

from roundtab import __version__
from roundtab.publish import pages
from roundtab.publish.commands import BuildFailed

pytestmark = pytest.mark.cpython_only(reason="builds the site: files, sockets and processes")


def template(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_part_is_put_in_where_it_is_named(tmp_path: Path) -> None:
    """Parts may include parts, and see the same values as the page."""
    template(tmp_path, "_head.html", "<title>{{version}}</title>{{> logo}}\n")
    template(tmp_path, "_logo.html", "<svg/>\n")
    page = template(tmp_path, "index.html", "<head>{{> head}}</head>\n")
    assert pages.render(page, root="./") == f"<head><title>{__version__}</title><svg/></head>\n"


def test_each_page_knows_its_way_to_the_root(tmp_path: Path) -> None:
    """Addresses are relative, so that the site works under any sub-path."""
    for name in ("index.html", "frame.html", "join.html", "_part.html"):
        template(tmp_path, name, "{{root}}")
    assert dict(pages.pages(tmp_path)) == {
        "index.html": b"./",
        "widget/frame.html": b"../",
        "join/index.html": b"../",
    }


def test_a_missing_part_is_named_with_the_page_that_wants_it(tmp_path: Path) -> None:
    """The message says which file to add."""
    page = template(tmp_path, "index.html", "{{> head}}")
    with pytest.raises(BuildFailed, match=r"index\.html includes the part _head\.html"):
        pages.render(page, root="./")


def test_an_unknown_placeholder_is_refused(tmp_path: Path) -> None:
    """A typing mistake never reaches a reader."""
    page = template(tmp_path, "index.html", "{{verion}}")
    with pytest.raises(BuildFailed, match="verion"):
        pages.render(page, root="./")


def test_a_part_that_includes_itself_is_refused(tmp_path: Path) -> None:
    """The builder ends, and shows the circle."""
    template(tmp_path, "_a.html", "{{> b}}")
    template(tmp_path, "_b.html", "{{> a}}")
    page = template(tmp_path, "index.html", "{{> a}}")
    with pytest.raises(BuildFailed, match=r"_a\.html > _b\.html > _a\.html"):
        pages.render(page, root="./")
