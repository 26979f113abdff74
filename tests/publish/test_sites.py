from __future__ import annotations

import json
from pathlib import Path

import pytest

from roundtab.errors import InvalidData
from roundtab.publish import sites
from roundtab.publish.paths import SITE

pytestmark = pytest.mark.cpython_only(reason="builds the site: files, sockets and processes")


def written(folder: Path, text: str) -> Path:
    path = folder / "sites.toml"
    path.write_text(text, encoding="utf-8")
    return path


def entry(origin: str, grants: str = '["training"]') -> str:
    return f"[[site]]\norigin = {json.dumps(origin)}\ngrants = {grants}\n"


def problems(path: Path) -> list[tuple[str, str]]:
    with pytest.raises(InvalidData) as caught:
        sites.read(path)
    assert all(each.problem and each.action for each in caught.value.problems)
    return [(each.path, each.problem) for each in caught.value.problems]


def test_the_register_that_ships_grants_everything_to_its_own_origin() -> None:
    """Without a change, the workspace pages may use the whole widget and no other site anything."""
    assert sites.read(SITE / "sites.toml") == [sites.Site(origin="self", grants=("training", "recordings"))]


@pytest.mark.parametrize(
    "origin",
    ["self", "https://school.example", "http://localhost:8001", "https://xn--caf-dma.example", "http://[::1]:8000"],
)
def test_exact_origins_are_accepted(tmp_path: Path, origin: str) -> None:
    """Scheme and host, a port where it is not the default one, or the word self."""
    assert sites.read(written(tmp_path, entry(origin))) == [sites.Site(origin=origin, grants=("training",))]


@pytest.mark.parametrize(
    ("origin", "why"),
    [
        ("https://school.example/", "trailing slash"),
        ("https://school.example/app", "path"),
        ("https://School.example", "capital"),
        ("https://school.example:443", "default port"),
        ("http://school.example:80", "default port"),
        ("https://café.example", "xn--"),
        ("null", "no single site"),
        ("*", "no single site"),
        ("https://*.school.example", "not an origin"),
        ("school.example", "not an origin"),
        ("file://", "not an origin"),
        ("https://user@school.example", "not an origin"),
        ("https://school.example:port", "not an origin"),
        ("", "not an origin"),
    ],
)
def test_what_no_browser_would_send_is_refused(tmp_path: Path, origin: str, why: str) -> None:
    """The gate compares text, so an entry that cannot match is an error of the register, with the reason."""
    [(path, problem)] = problems(written(tmp_path, entry(origin)))
    assert path == "site[0].origin"
    assert why in problem


def test_every_problem_is_reported_at_once_with_its_place(tmp_path: Path) -> None:
    """Nobody should have to build once per mistake."""
    text = (
        'colour = "red"\n'
        + entry("https://a.example", '["training", "training"]')
        + entry("https://a.example", '["fly"]')
        + "[[site]]\nports = 1\n"
    )
    assert problems(written(tmp_path, text)) == [
        ("colour", "This key is not known."),
        ("site[0].grants[1]", '"training" is there twice.'),
        ("site[1].origin", "https://a.example is registered twice."),
        ("site[1].grants[0]", 'There is no grant "fly".'),
        ("site[2].ports", "This key is not known."),
        ("site[2].origin", "The origin is missing or not text."),
        ("site[2].grants", "The grants are missing or not a list of words."),
    ]


def test_a_register_without_sites_lets_nobody_in(tmp_path: Path) -> None:
    """An empty file is a valid register."""
    assert sites.read(written(tmp_path, "")) == []


@pytest.mark.parametrize("text", ["[[site]", "site = 3", '[site]\norigin = "self"'])
def test_a_file_that_is_no_register_is_refused(tmp_path: Path, text: str) -> None:
    """Broken TOML and single brackets get a message and no traceback."""
    with pytest.raises(InvalidData):
        sites.read(written(tmp_path, text))


def test_a_missing_register_is_named(tmp_path: Path) -> None:
    """A build without a register would let nobody in, silently."""
    with pytest.raises(InvalidData, match=r"nowhere\.toml is missing"):
        sites.read(tmp_path / "nowhere.toml")


def test_the_gate_reads_origins_and_grants() -> None:
    """sites.json has one shape: a list of origins, each with its grants."""
    made = sites.as_json([sites.Site(origin="self", grants=("training",))])
    assert json.loads(made) == {"sites": [{"origin": "self", "grants": ["training"]}]}
