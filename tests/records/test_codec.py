"""Records travel as plain JSON and come back the same; everything else is refused with its path."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NewType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtab.errors import InvalidRequest
from roundtab.records.codec import from_plain, to_plain
from roundtab.records.values import Blob, FileRef, Json, Limits

Id = NewType("Id", str)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A record within a record."""

    name: Annotated[str, Limits(1, 5)]
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """A record with a field of every kind."""

    id: Id
    count: Annotated[int, Limits(0, 10)]
    share: float
    flag: bool
    kind: Literal["a", "b"]
    maybe: int | None = None
    mixed: bool | int | str = 0
    parts: tuple[Part, ...] = ()
    named: dict[str, Part] = field(default_factory=dict)
    pass_: int = 0
    free: Json = None


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NUMBER = st.floats() | st.integers(-(2**53), 2**53).map(float)
PARTS = st.builds(Part, name=st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5), weight=NUMBER)
WHOLES = st.builds(
    Whole,
    id=TEXT,
    count=st.integers(0, 10),
    share=NUMBER,
    flag=st.booleans(),
    kind=st.sampled_from(["a", "b"]),
    maybe=st.none() | st.integers(-5, 5),
    mixed=st.booleans() | st.integers(-5, 5) | TEXT,
    parts=st.lists(PARTS, max_size=3).map(tuple),
    named=st.dictionaries(TEXT, PARTS, max_size=3),
    pass_=st.integers(0, 5),
    free=st.recursive(
        st.none() | st.booleans() | st.integers() | TEXT, lambda each: st.lists(each) | st.dictionaries(TEXT, each)
    ),
)


def problems_of(kind: Any, value: Json, **options: Any) -> list[tuple[str, str]]:
    """Path and problem of everything that is wrong with `value`."""
    with pytest.raises(InvalidRequest) as caught:
        from_plain(kind, value, **options)
    return [(each.path, each.problem) for each in caught.value.problems]


@given(WHOLES)
def test_a_record_comes_back_from_strict_json_the_same(record: Whole) -> None:
    """Whatever a record holds, NaN and the infinities too, it survives JSON without the non-standard words."""
    text = json.dumps(to_plain(record), allow_nan=False)
    back = from_plain(Whole, json.loads(text))
    assert to_plain(back) == to_plain(record)
    assert repr(back) == repr(record)


def test_a_field_named_like_a_keyword_has_no_underscore_on_the_wire() -> None:
    """`pass_` is Python's affair."""
    plain = to_plain(Whole(id=Id("x"), count=1, share=1.0, flag=True, kind="a", pass_=3))
    assert plain["pass"] == 3
    assert "pass_" not in plain


@pytest.mark.parametrize(("number", "word"), [(math.nan, "NaN"), (math.inf, "Infinity"), (-math.inf, "-Infinity")])
def test_numbers_that_json_lacks_travel_as_words(number: float, word: str) -> None:
    """JSON on every wire is strict."""
    assert to_plain(number) == word
    assert repr(from_plain(float, word)) == repr(number)


GOOD: dict[str, Json] = {"id": "x", "count": 1, "share": 0.5, "flag": True, "kind": "a"}


@pytest.mark.parametrize(
    ("change", "path", "words"),
    [
        ({"count": 11}, "$.count", "between 0 and 10"),
        ({"count": -1}, "$.count", "between 0 and 10"),
        ({"count": 1.0}, "$.count", "Expected an integer, got 1.0"),
        ({"count": True}, "$.count", "Expected an integer, got true"),
        ({"count": "1"}, "$.count", "Expected an integer, got '1'"),
        ({"share": "half"}, "$.share", "Expected a number, got 'half'"),
        ({"share": True}, "$.share", "Expected a number, got true"),
        ({"flag": 1}, "$.flag", "Expected true or false, got 1"),
        ({"flag": None}, "$.flag", "Expected true or false, got null"),
        ({"id": ["x"]}, "$.id", "Expected a text, got a list"),
        ({"kind": "c"}, "$.kind", "Expected one of 'a', 'b', got 'c'"),
        ({"maybe": "x"}, "$.maybe", "Expected an integer, got 'x'"),
        ({"mixed": 1.5}, "$.mixed", "Expected true or false or an integer or a text, got 1.5"),
        ({"parts": {}}, "$.parts", "Expected a list, got an object"),
        ({"parts": [{"name": "ok"}, {"name": ""}]}, "$.parts[1].name", "between 1 and 5 characters"),
        ({"parts": [{"name": "toolong"}]}, "$.parts[0].name", "between 1 and 5 characters"),
        ({"parts": [{}]}, "$.parts[0].name", "This field is missing."),
        ({"parts": [7]}, "$.parts[0]", "Expected an object, got 7"),
        ({"named": []}, "$.named", "Expected an object, got a list"),
        ({"named": {"k": {"name": 1}}}, "$.named.k.name", "Expected a text, got 1"),
        ({"extra": 1}, "$.extra", "There is no such field."),
        ({"x" * 200: 1}, "$." + "x" * 80 + "…", "There is no such field."),
    ],
)
def test_each_kind_of_problem_names_its_path(change: dict[str, Json], path: str, words: str) -> None:
    """The path leads to the very value that is wrong, and the words say what is wrong with it."""
    ((found, problem),) = problems_of(Whole, GOOD | change)
    assert found == path
    assert words in problem


def test_all_problems_are_reported_at_once() -> None:
    """Nobody has to send a request four times to learn of four problems."""
    bad = {"id": 1, "count": 99, "flag": True, "kind": "z", "parts": [{"name": 5}, {"nam": "x"}]}
    paths = [path for path, _ in problems_of(Whole, bad)]
    assert sorted(paths) == sorted(
        ["$.id", "$.count", "$.share", "$.kind", "$.parts[0].name", "$.parts[1].name", "$.parts[1].nam"]
    )


def test_a_misspelt_field_is_answered_with_the_right_spelling() -> None:
    """The action names the field that was probably meant."""
    with pytest.raises(InvalidRequest) as caught:
        from_plain(Whole, GOOD | {"cuont": 1})
    assert caught.value.problems[0].action == "Did you mean 'count'?"


@pytest.mark.parametrize("value", [None, 1, "x", [], True, 1.5])
def test_what_is_no_object_is_no_record(value: Json) -> None:
    """The problem stands at the root then."""
    ((path, problem),) = problems_of(Whole, value)
    assert path == "$"
    assert "Expected an object" in problem


def test_lists_have_limits_too() -> None:
    """A length limit counts entries."""
    kind = Annotated[tuple[int, ...], Limits(1, 2)]
    assert from_plain(kind, [1, 2]) == (1, 2)
    ((path, problem),) = problems_of(kind, [1, 2, 3])
    assert (path, problem) == ("$", "Must be between 1 and 2 entries.")


def test_a_limit_without_an_end_says_only_its_beginning() -> None:
    """«between 1 and inf» helps nobody."""
    ((_, problem),) = problems_of(Annotated[int, Limits(1)], 0)
    assert problem == "Must be at least 1."


def test_bytes_travel_beside_the_json() -> None:
    """A blob becomes a number into the list of buffers, and comes back from it."""
    buffers: list[bytes | memoryview] = []
    plain = to_plain({"a": Blob(b"one"), "b": [Blob(b"two")]}, buffers)
    assert plain == {"a": {"$buffer": 0}, "b": [{"$buffer": 1}]}
    assert buffers == [b"one", b"two"]
    assert bytes(from_plain(Blob, {"$buffer": 1}, [memoryview(b"one"), memoryview(b"two")]).data) == b"two"


def test_bytes_without_a_place_for_them_are_a_fault_of_the_program() -> None:
    """They would be lost silently otherwise."""
    with pytest.raises(TypeError, match="needs a list of buffers"):
        to_plain(Blob(b"x"))


@pytest.mark.parametrize("value", [{"$buffer": 1}, {"$buffer": -1}, {"$buffer": True}, {"$buffer": 0, "x": 1}, 0, None])
def test_a_reference_to_no_buffer_is_refused(value: Json) -> None:
    """A number out of range reaches no other memory."""
    ((path, _),) = problems_of(Blob, value, buffers=[memoryview(b"x")])
    assert path == "$"


def test_a_file_is_a_number_into_the_files_beside_the_json() -> None:
    """It is written the way it is read."""
    assert from_plain(FileRef, {"$file": 2}) == FileRef(2)
    assert to_plain(FileRef(2)) == {"$file": 2}
    problems_of(FileRef, {"$file": "2"})


def test_long_values_are_cut_in_messages() -> None:
    """A message stays readable, whatever was sent."""
    ((_, problem),) = problems_of(int, "x" * 10_000)
    assert len(problem) < 120
