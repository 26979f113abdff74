"""A path in a manifest means one and the same file on every system."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtab.data.manifests.paths import clashes, path_key, path_problems


@pytest.mark.parametrize(
    "path",
    ["a", "train.csv", "a/b/c.csv", "%2e%2e/x", "ä/ö.csv", "a b.csv", "con2.csv", "x.con", "a-_+=@!()[]{},;#'.txt"],
)
def test_ordinary_paths_may_be_used(path: str) -> None:
    """Percent signs are literal: nothing is decoded."""
    assert list(path_problems(path)) == []


@pytest.mark.parametrize(
    "path",
    [
        "../x", "a/..", "a/../b", "./a", "a/./b", "/etc/passwd", "C:\\x", "C:x", "..\\x", "\\\\?\\UNC\\x", "~x", "~/x",
        "$HOME", "a/$x.csv", "%HomeDrive%/x",
        "a/.hidden", "a//b", "a/", " a", "a ", "a.", "file:///x", "data:text/csv,x", "javascript:alert(1)",
        "https://x/y.csv", "a\x00b", "a\nb", "a\x7f", "a\x85", "a\u202eb", "a\u2066b", "CON", "con.txt", "dir/NUL",
        "com1.csv", "LPT9", 'a"b', "a*b", "a?b", "a|b", "a<b", "a>b", "a:b", "x" * 256, "ä" * 128, "a/" * 16 + "a",
        "/".join(["x" * 200] * 6), "a\u0308.csv",
    ],
)  # fmt: skip
def test_paths_that_leave_the_folder_or_differ_between_systems_are_refused(path: str) -> None:
    """Each is refused with what is wrong and what to do."""
    found = list(path_problems(path))
    assert found
    assert all(problem and action for problem, action in found)


@given(st.text(max_size=40))
def test_any_text_is_judged(path: str) -> None:
    """No text, however odd, makes the check itself fail."""
    list(path_problems(path))
    path_key(path)


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("a.csv", "a.csv", "listed twice"),
        ("a.csv", "A.CSV", "one file on disks"),
        ("straße", "STRASSE", "one file on disks"),
        ("ä.csv", "a\u0308.csv", "one file on disks"),
        ("a", "a/b", "needs a folder of that name"),
        ("x/Y/z", "x/y", "needs a folder of that name"),
    ],
)
def test_two_paths_that_cannot_stand_side_by_side_clash(first: str, second: str, words: str) -> None:
    """Wherever they are written, the problem names the entry."""
    (problem,) = clashes([("$.one", first), ("$.two", second)])
    assert words in problem.problem
    assert problem.path in ("$.one", "$.two")


def test_different_paths_do_not_clash() -> None:
    """Same names in different folders are different files."""
    assert list(clashes([("1", "a/x.csv"), ("2", "b/x.csv"), ("3", "a/y.csv"), ("4", "ab")])) == []
