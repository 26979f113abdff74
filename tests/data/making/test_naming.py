"""Names of files say what they are; names of resources are made of them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtab.data.making.naming import format_of, resource_names, split_of, why_no_data


@pytest.mark.parametrize(
    ("path", "split"),
    [
        ("train.csv", "train"),
        ("wine-validation.csv", "validation"),
        ("VAL.csv", "validation"),
        ("x_valid.npy", "validation"),
        ("test/1.npy", "validation"),
        ("held-out.csv", "validation"),
        ("held out 2.csv", "validation"),
        ("holdout.csv", "validation"),
        ("test/train.csv", "train"),
        ("train/x/test.csv", "validation"),
        ("latest.csv", None),
        ("valve.csv", None),
        ("contest/data.csv", None),
    ],
)
def test_whole_words_say_the_split(path: str, split: str | None) -> None:
    """Those of the file before those of its folders."""
    assert split_of(path) == split


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("a.csv", "csv"),
        ("a.b.TSV", "tsv"),
        ("x/a.JPG", "jpeg"),
        ("a.ndjson", "jsonl"),
        ("a", None),
        ("csv/a.txt", None),
    ],
)
def test_the_ending_says_the_format(path: str, form: str | None) -> None:
    """In any case; the ending is that of the file."""
    assert format_of(path) == form


@pytest.mark.parametrize(
    "path", [".a.csv", "x/.DS_Store", ".git/a.csv", "x/Thumbs.db", "DESKTOP.INI", "datapackage.json"]
)
def test_what_is_no_data_is_told_why(path: str) -> None:
    """Hidden, of the system, or the manifest itself."""
    assert why_no_data(path)


@pytest.mark.parametrize("path", ["a.csv", "../a.csv", "./a.csv", "package.json", "thumbs.db/a.csv"])
def test_everything_else_may_be_data(path: str) -> None:
    """The rules for paths are kept elsewhere."""
    assert why_no_data(path) == ""


def test_names_of_resources_are_made_of_paths() -> None:
    """Without their endings; the second of a name gets a number."""
    paths = [
        "train.csv",
        "x/Träin 1.csv",
        "train.npy",
        "train-2.csv",
        "日本.csv",
        "x" * 200 + ".csv",
        ".csv",
        "a.tar.gz",
    ]
    assert resource_names(paths) == [
        "train", "x-train-1", "train-2", "train-2-2", "file", "x" * 120, "csv", "a.tar",
    ]  # fmt: skip


@given(st.lists(st.text(max_size=8), max_size=20))
def test_every_resource_gets_a_valid_name_of_its_own(paths: list[str]) -> None:
    """Whatever its path is."""
    names = resource_names(paths)
    assert len(set(names)) == len(names) == len(paths)
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,127}", name) for name in names)
