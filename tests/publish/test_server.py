from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from roundtab.publish.commands import BuildFailed
from roundtab.publish.server import make_server, serve

pytestmark = pytest.mark.cpython_only(reason="builds the site: files, sockets and processes")


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A served folder whose sub-folder `some/where` is a site."""
    site = tmp_path / "some" / "where"
    site.mkdir(parents=True)
    for name in ("index.html", "a.js", "a.mjs", "a.wasm", "a.whl", "a.toml", "a.safetensors", "a.json", "a.py"):
        (site / name).write_text(name, encoding="utf-8")
    with serve(tmp_path) as url:
        yield url


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("", "text/html"),
        ("a.js", "text/javascript"),
        ("a.mjs", "text/javascript"),
        ("a.wasm", "application/wasm"),
        ("a.whl", "application/zip"),
        ("a.toml", "application/toml"),
        ("a.safetensors", "application/octet-stream"),
        ("a.json", "application/json"),
        ("a.py", "text/x-python"),
    ],
)
def test_files_have_the_types_that_browsers_insist_on(address: str, name: str, kind: str) -> None:
    """Whatever the machine's own tables say, and under a sub-path as well."""
    with urlopen(address + "some/where/" + name) as answer:
        assert answer.headers["Content-Type"].partition(";")[0] == kind
        assert answer.read().decode() == (name or "index.html")


def test_browsers_ask_again_and_get_an_unchanged_file_only_once(address: str) -> None:
    """A rebuild shows at the next reload; what did not change is not sent again."""
    with urlopen(address + "some/where/a.js") as answer:
        assert answer.headers["Cache-Control"] == "no-cache"
        changed = answer.headers["Last-Modified"]
    with pytest.raises(HTTPError) as caught:
        urlopen(Request(address + "some/where/a.js", headers={"If-Modified-Since": changed}))
    caught.value.close()
    assert caught.value.code == 304


def test_the_server_needs_no_special_headers(address: str) -> None:
    """The site must work on any static host, so the one here sends nothing that others do not."""
    with urlopen(address + "some/where/a.wasm") as answer:
        assert not [name for name in answer.headers if name.lower().startswith("cross-origin")]


def test_nothing_outside_the_folder_is_served(address: str, tmp_path: Path) -> None:
    """Dots in an address do not lead out."""
    with pytest.raises(HTTPError) as caught:
        urlopen(address + "..%2f..%2fetc/passwd")
    caught.value.close()
    assert caught.value.code == 404


def test_a_taken_port_is_named_with_what_to_do(tmp_path: Path) -> None:
    """A second `serve` gets a sentence and no traceback."""
    with make_server(tmp_path, port=0) as first, pytest.raises(BuildFailed, match="--port"):
        make_server(tmp_path, port=first.server_address[1])
