"""JSON text from outside can hurt nothing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtab.errors import InvalidData
from roundtab.records.strict_json import MAX_DEPTH, MAX_INTEGER, depth, parse

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-MAX_INTEGER, MAX_INTEGER)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda each: st.lists(each, max_size=4) | st.dictionaries(TEXT, each, max_size=4),
)


def problem_of(text: str, max_bytes: int = 10_000_000) -> str:
    """What `parse` has against `text`."""
    with pytest.raises(InvalidData) as caught:
        parse(text, max_bytes=max_bytes, what="message")
    assert caught.value.problem == "The message cannot be read."
    (problem,) = caught.value.problems
    assert problem.path == "$"
    assert problem.action
    return problem.problem


@given(VALUES)
def test_plain_json_is_read_as_the_parser_reads_it(value: object) -> None:
    """Strictness changes no value that it lets through."""
    for ascii_only in (True, False):
        text = json.dumps(value, ensure_ascii=ascii_only)
        assert parse(text, max_bytes=10_000_000, what="message") == json.loads(text)


@given(VALUES)
def test_the_depth_is_that_of_the_value(value: object) -> None:
    """The scan sees brackets as the parser does: those within texts do not count."""

    def deep(each: object) -> int:
        if isinstance(each, dict):
            return 1 + max(map(deep, each.values()), default=0)
        return 1 + max(map(deep, each), default=0) if isinstance(each, list) else 0

    assert depth(json.dumps(value)) == deep(value)


def test_nesting_up_to_the_limit_is_read() -> None:
    """The limit itself still fits."""
    text = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert depth(text) == MAX_DEPTH
    parse(text, max_bytes=1_000, what="message")


@pytest.mark.parametrize(
    "text",
    [
        "[" * 65 + "]" * 65,
        "[" * 1_000_000,
        '{"a":' * 100_000 + "1" + "}" * 100_000,
        '["' + "\\\\" * 9 + '",' + "[" * 70,
    ],
)
def test_deep_nesting_is_refused_before_a_parser_sees_it(text: str) -> None:
    """The parser would end a Pyodide interpreter for good."""
    assert "nested deeper" in problem_of(text)


def test_the_depth_of_a_long_text_is_found_in_one_pass() -> None:
    """A text full of quotation marks and backslashes takes no quadratic time."""
    assert depth('"\\' * 500_000) == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1, column 1"),
        ("{'a': 1}", "line 1, column 2"),
        ('{"a": 1,\n "b": 2,}', "line 2"),
        ("[1] [2]", "Extra data"),
        ("<html>", "not JSON"),
        ("version https://git-lfs.github.com/spec/v1", "not JSON"),
        ('{"a": 1, "b": 2, "a": 3}', "The key 'a' stands twice"),
        ('{"a": {"b": 1, "b": 1}}', "The key 'b' stands twice"),
        ("NaN", "NaN is not JSON"),
        ("[Infinity]", "Infinity is not JSON"),
        ("[-Infinity]", "-Infinity is not JSON"),
        ("1e999", "too large"),
        (str(MAX_INTEGER + 1), "beyond"),
        (str(-MAX_INTEGER - 1), "beyond"),
        ("9" * 5_000, "beyond"),
        ('"\\ud800"', "half of a Unicode character pair"),
        ('{"\\udfff": 1}', "half of a Unicode character pair"),
        ('"\ud800"', "half of a Unicode character pair"),
    ],
)
def test_what_parties_would_read_differently_is_refused(text: str, words: str) -> None:
    """Every refusal says what is wrong, and where the parser knows."""
    assert words in problem_of(text)


def test_a_whole_pair_of_escapes_is_a_character() -> None:
    """Only halves are refused."""
    assert parse('"\\ud83d\\ude00"', max_bytes=100, what="message") == "😀"


@pytest.mark.parametrize("integer", [MAX_INTEGER, -MAX_INTEGER, 0])
def test_integers_that_javascript_reads_exactly_are_read(integer: int) -> None:
    """The limit itself still fits."""
    assert parse(str(integer), max_bytes=100, what="message") == integer


def test_size_is_counted_in_bytes() -> None:
    """A text may be longer on the wire than in characters."""
    assert parse('"éé"', max_bytes=6, what="message") == "éé"
    assert "larger than 5 bytes" in problem_of('"éé"', max_bytes=5)
    assert "larger than 5 bytes" in problem_of('"abcdef"', max_bytes=5)
