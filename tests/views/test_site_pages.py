"""The page before Python runs is the one that Python draws first, so that nothing jumps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from roundtab.views.html import text
from roundtab.views.workspace.connection import connection_status
from roundtab.views.workspace.page import page, title
from roundtab.views.workspace.samples import SAMPLES
from roundtab.views.workspace.state import Connection, WorkspaceState

SITE = Path(__file__).parents[2] / "site"

pytestmark = pytest.mark.cpython_only(reason="reads the repository")


def part(name: str) -> str:
    """The text of a template."""
    return (SITE / "html" / name).read_text(encoding="utf-8")


def test_the_first_paint_is_the_first_picture() -> None:
    """site/html/_workspace.html holds `text(page(WorkspaceState()))`: after a change of that view, write it there."""
    assert part("_workspace.html").rstrip("\n") == text(page(WorkspaceState()))
    assert f"<title>{title(WorkspaceState())}</title>" in part("index.html")
    assert text(connection_status(Connection())) in part("_rail.html")


def test_a_page_opened_as_a_file_says_what_to_do(read: Any) -> None:
    """In plain HTML; without JavaScript another notice stands. When each is shown, tests/browser/test_page.py tries."""
    notices = part("_notices.html")
    assert "python3 build.py serve" in notices
    assert "<noscript>" in notices
    assert "{{> notices}}" in part("index.html")


def test_the_shell_links_only_to_what_is_there() -> None:
    """A link to a page that does not exist yet would be worse than none."""
    assert "training/" not in part("_rail.html")
    assert "help/" not in part("_rail.html")


def test_the_samples_are_what_the_form_says() -> None:
    """Columns, classes, rows, sizes and file names, against the files of the site; and none is forgotten."""
    assert {each.id for each in SAMPLES} == {folder.name for folder in (SITE / "samples").iterdir()}
    for sample in SAMPLES:
        folder = SITE / "samples" / sample.id
        rows = [len((folder / name).read_text(encoding="utf-8").splitlines()) - 1 for name in sample.files]
        assert rows == [sample.rows, sample.validation_rows]
        assert sum((folder / name).stat().st_size for name in sample.files) == sample.bytes
        manifest = json.loads((folder / sample.manifest).read_text(encoding="utf-8"))
        assert [each["path"] for each in manifest["resources"]] == list(sample.files)
        for each in manifest["resources"]:
            assert len(each.get("fl:features", each["schema"]["fields"][:-1])) == sample.features
            assert len(each.get("fl:classes", [])) == sample.classes
