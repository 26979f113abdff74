"""A manifest is read strictly: what it does not say clearly is refused, with all problems and their paths."""

from __future__ import annotations

import copy
import hashlib
import json
from base64 import b64encode
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtab.data.manifests.manifest import MAX_BYTES, Manifest, parse_manifest
from roundtab.errors import InvalidData, Problem

DIGEST = hashlib.sha256(b"a,y\n1,0\n").hexdigest()
EMPTY = hashlib.sha256(b"").hexdigest()
RESOURCE: dict[str, Any] = {
    "name": "train",
    "path": "train.csv",
    "type": "table",
    "format": "csv",
    "mediatype": "text/csv",
    "encoding": "utf-8",
    "bytes": 8,
    "hash": f"sha256:{DIGEST}",
    "schema": {"fields": [{"name": "a", "type": "number"}, {"name": "y", "type": "integer"}]},
    "fl:split": "train",
    "fl:rows": 1,
    "fl:label": "y",
    "fl:classes": ["no", "yes"],
}


def package(*changes: dict[str, Any], **members: Any) -> dict[str, Any]:
    """A manifest with one resource for each of `changes`; a value of None takes the member away."""
    resources = []
    for number, change in enumerate(changes or ({},)):
        different = {"name": f"part-{number}", "path": f"part-{number}.csv"} if number else {}
        merged = copy.deepcopy(RESOURCE) | different | change
        resources.append({key: value for key, value in merged.items() if value is not None})
    return {"name": "digits", "resources": resources} | members


def problems_of(value: Any) -> list[Problem]:
    """Everything that is wrong with the manifest `value`."""
    with pytest.raises(InvalidData) as caught:
        parse_manifest(value)
    assert all(each.problem and each.action for each in caught.value.problems)
    return list(caught.value.problems)


def test_a_good_manifest_says_all_that_is_needed_to_read_its_files() -> None:
    """Names, sizes, checksums, columns, label, classes."""
    manifest = parse_manifest(package(version="1.2", title="Digits", licenses=[]))
    assert (manifest.name, manifest.version, manifest.title) == ("digits", "1.2", "Digits")
    (resource,) = manifest.resources
    assert (resource.path, resource.bytes, resource.sha256, resource.format) == ("train.csv", 8, DIGEST, "csv")
    assert [(field.name, field.type) for field in resource.fields] == [("a", "number"), ("y", "integer")]
    assert (resource.label, resource.classes, resource.features, resource.rows) == ("y", ("no", "yes"), ("a",), 1)
    assert (resource.delimiter, resource.quote, resource.header, resource.missing_values) == (",", '"', True, ("",))


def test_the_text_of_a_manifest_is_kept_and_its_checksum_is_that_of_the_text() -> None:
    """Two jobs have the same dataset exactly if their manifests have the same checksum."""
    text = json.dumps(package(), indent=3)
    manifest = parse_manifest(text)
    assert manifest.text == text
    assert manifest.sha256 == hashlib.sha256(text.encode()).hexdigest()


def test_an_object_has_one_text_whatever_the_order_of_its_keys() -> None:
    """An object given by a program has no text, so it gets a canonical one."""
    value = package()
    turned = dict(reversed(value.items()))
    assert parse_manifest(value).text == parse_manifest(turned).text
    assert parse_manifest(parse_manifest(value).text) == parse_manifest(value)


def test_a_byte_order_mark_before_the_text_is_allowed() -> None:
    """Some editors write it; it changes nothing but the checksum."""
    assert parse_manifest("\ufeff" + json.dumps(package())).resources


@pytest.mark.parametrize(
    ("change", "member", "words"),
    [
        ({"hash": DIGEST}, "hash", "which checksum it is"),
        ({"hash": DIGEST.upper()}, "hash", "which checksum it is"),
        ({"hash": f"SHA256:{DIGEST}"}, "hash", "read as sha256"),
        ({"hash": f"sha-256:{DIGEST}"}, "hash", "read as sha256"),
        ({"hash": f"sha256-{b64encode(bytes.fromhex(DIGEST)).decode()}"}, "hash", "read as sha256"),
        ({"size": 8}, "size", "Nothing reads 'size'"),
        ({"sha256": DIGEST}, "sha256", "Nothing reads 'sha256'"),
        ({"fl:feature": ["a"]}, "fl:feature", "Nothing reads 'fl:feature'"),
    ],
)
def test_what_is_odd_and_does_no_harm_is_noted(change: dict[str, Any], member: str, words: str) -> None:
    """The manifest is used, and its reader is told; whatever the spelling, the checksum is the same."""
    manifest = parse_manifest(package(change))
    (note,) = manifest.notes
    assert note.path == f"$.resources[0].{member}"
    assert words in note.problem
    assert manifest.resources[0].sha256 == DIGEST


def test_capital_digits_and_members_of_the_standard_are_ordinary() -> None:
    """Nothing is said of them."""
    change = {"hash": f"sha256:{DIGEST.upper()}", "title": "Rows", "description": "", "sources": [], "x:own": 1}
    manifest = parse_manifest(package(change, **{"$schema": "https://datapackage.org/profiles/2.0/datapackage.json"}))
    assert manifest.notes == ()
    assert manifest.resources[0].sha256 == DIGEST
    assert "is not known" in parse_manifest(package(**{"$schema": "https://x.org/y"})).notes[0].problem


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("version https://git-lfs.github.com/spec/v1\noid sha256:x\n", "git lfs pull"),
        ("<!DOCTYPE html><p>", "web page"),
        ("PK\x03\x04…", "archive"),
        (f"{DIGEST}  train.csv\n", "list of checksums"),
        ("name: wine\nresources:\n", "YAML"),
        ("a,b,y\n1,2,0\n", "table"),
        ('{"name": "x",}', "comma after the last entry"),
        ("{'name': 'x'}", "double quotes"),
        ('{"name": "x" // here\n}', "no comments"),
    ],
)
def test_a_text_that_is_no_manifest_is_told_what_it_seems_to_be(text: str, words: str) -> None:
    """With the place where it stops being JSON, and what to do."""
    (problem,) = problems_of(text)
    assert problem.path == "$"
    assert "line 1, column" in problem.problem
    assert words in problem.action


def test_resources_fall_into_training_and_validation() -> None:
    """Without `fl:split` a file is for training."""
    manifest = parse_manifest(package({"fl:split": None}, {"fl:split": "validation"}, {}))
    assert [each.name for each in manifest.part("train")] == ["train", "part-2"]
    assert [each.name for each in manifest.part("validation")] == ["part-1"]


def test_features_may_be_named() -> None:
    """Other columns are then left out of account."""
    fields = [{"name": name, "type": "number"} for name in "abcy"]
    manifest = parse_manifest(package({"schema": {"fields": fields}, "fl:features": ["c", "a"]}))
    assert manifest.resources[0].features == ("c", "a")


@pytest.mark.parametrize(
    ("change", "member", "words"),
    [
        ({"name": None}, "name", "missing"),
        ({"name": ""}, "name", "empty"),
        ({"name": "Train Set"}, "name", "not a name"),
        ({"name": 3}, "name", "not a text"),
        ({"path": None}, "path", "missing"),
        ({"path": ["a.csv", "b.csv"]}, "path", "several files"),
        ({"path": "../a.csv"}, "path", "leaves or repeats"),
        ({"path": "https://x/a.csv"}, "path", "address"),
        ({"data": [1]}, "data", "not supported"),
        ({"url": "x"}, "url", "not supported"),
        ({"bytes": None}, "bytes", "missing"),
        ({"bytes": "8"}, "bytes", "got a text"),
        ({"bytes": 8.0}, "bytes", "number with a point"),
        ({"bytes": True}, "bytes", "true or false"),
        ({"bytes": -1}, "bytes", "negative"),
        ({"bytes": []}, "bytes", "something else"),
        ({"bytes": 0}, "bytes", "empty"),
        ({"bytes": 0, "fl:allowEmpty": True}, "hash", "not the checksum of an empty file"),
        ({"hash": None}, "hash", "missing"),
        ({"hash": ""}, "hash", "empty"),
        ({"hash": "sha256"}, "hash", "not a checksum"),
        ({"hash": f"md5:{DIGEST[:32]}"}, "hash", "MD5 is too weak"),
        ({"hash": f"sha1:{DIGEST[:40]}"}, "hash", "SHA1 is too weak"),
        ({"hash": f"sha512:{DIGEST * 2}"}, "hash", "'sha512' is not supported"),
        ({"hash": f"crc32:{DIGEST[:8]}"}, "hash", "'crc32' is not supported"),
        ({"hash": f"blake2b:{DIGEST}"}, "hash", "'blake2b' is not supported"),
        ({"hash": f"{DIGEST[:32]}-2"}, "hash", "not a checksum"),
        ({"hash": f" sha256:{DIGEST}"}, "hash", "not supported"),
        ({"hash": f"sha256:{DIGEST[:63]}g"}, "hash", "not a checksum"),
        ({"hash": "sha256:e2QeOH8="}, "hash", "not a checksum"),
        ({"hash": f"sha256:{DIGEST[:32]}"}, "hash", "MD5"),
        ({"hash": f"sha256:{DIGEST[:40]}"}, "hash", "SHA-1"),
        ({"hash": f"sha256:{DIGEST[:63]}"}, "hash", "this has 63"),
        ({"hash": f"sha256:{DIGEST}0"}, "hash", "this has 65"),
        ({"hash": f"sha256:{DIGEST}\n"}, "hash", "not a checksum"),
        ({"hash": f"sha256:{'0' * 64}"}, "hash", "placeholder"),
        ({"hash": f"sha256:{EMPTY}"}, "hash", "checksum of an empty file"),
        ({"format": "zip"}, "format", "Archives are not opened"),
        ({"format": None}, "format", "missing"),
        ({"format": "xlsx"}, "format", "not known"),
        ({"mediatype": "image/png"}, "mediatype", "does not agree"),
        ({"encoding": "latin-1"}, "encoding", "not supported"),
        ({"fl:split": "test"}, "fl:split", "not known"),
        ({"fl:rows": 1.0}, "fl:rows", "number with a point"),
        ({"fl:label": "z"}, "fl:label", "no column"),
        ({"fl:label": None}, "fl:classes", "no label"),
        ({"fl:classes": []}, "fl:classes", "not a list of texts"),
        ({"fl:classes": [0, 1]}, "fl:classes", "not a list of texts"),
        ({"fl:classes": ["a", "a"]}, "fl:classes", "twice"),
        ({"fl:features": ["z"]}, "fl:features", "is no column"),
        ({"fl:features": ["y"]}, "fl:features", "is the label"),
        ({"schema": None}, "schema.fields", "missing"),
        ({"schema": {"fields": []}}, "schema.fields", "not a list with entries"),
        ({"schema": []}, "schema", "not an object"),
        ({"dialect": {"delimiter": ";;"}}, "dialect.delimiter", "single character"),
        ({"dialect": {"delimiter": '"'}}, "dialect.quoteChar", "delimiter as well"),
        ({"dialect": {"header": 1}}, "dialect.header", "neither true nor false"),
        ({"dialect": {"commentChar": "#"}}, "dialect.commentChar", "not supported"),
    ],
)
def test_each_broken_rule_is_named_with_its_path(change: dict[str, Any], member: str, words: str) -> None:
    """The path leads to the member, and the words say which rule."""
    found = [each.problem for each in problems_of(package(change)) if each.path == f"$.resources[0].{member}"]
    assert any(words in problem for problem in found), problems_of(package(change))


@pytest.mark.parametrize(
    ("fields", "path", "words"),
    [
        ([{"name": "a", "type": "number"}, {"name": "a", "type": "number"}], "[1].name", "listed twice"),
        ([{"name": "y"}], "[0].type", "missing"),
        ([{"type": "number"}], "[0].name", "missing"),
        ([{"name": "y", "type": "float"}], "[0].type", "not known"),
        (["y"], "[0]", "not an object"),
    ],
)
def test_each_column_has_a_name_of_its_own_and_a_type(fields: list[Any], path: str, words: str) -> None:
    """Columns are found by name."""
    found = problems_of(package({"schema": {"fields": fields}}))
    assert any(each.path == f"$.resources[0].schema.fields{path}" and words in each.problem for each in found)


def test_a_key_that_people_write_instead_is_recognised() -> None:
    """`sha256` and `size` are what other formats call them."""
    found = problems_of(package({"hash": None, "sha256": DIGEST, "bytes": None, "size": 8}))
    assert {each.action for each in found} == {"Rename 'sha256' to 'hash'.", "Rename 'size' to 'bytes'."}


@pytest.mark.parametrize(
    ("changes", "path", "words"),
    [
        (({}, {"name": "train"}), "$.resources[1].name", "used twice"),
        (({}, {"path": "train.csv"}), "$.resources[1].path", "listed twice"),
        (({}, {"path": "TRAIN.csv"}), "$.resources[1].path", "one file on disks"),
        (({"path": "a"}, {"path": "a/b"}), "$.resources[1].path", "folder of that name"),
    ],
)
def test_names_and_paths_are_unique(changes: tuple[dict[str, Any], ...], path: str, words: str) -> None:
    """One entry a file, one file an entry."""
    (problem,) = problems_of(package(*changes))
    assert problem.path == path
    assert words in problem.problem


def test_all_problems_of_all_resources_are_reported_at_once() -> None:
    """Nobody has to correct a manifest ten times."""
    found = problems_of(package({"bytes": -1}, {"hash": "x"}, {"path": "/a"}, name=7))
    assert [each.path for each in found] == [
        "$.name", "$.resources[0].bytes", "$.resources[1].hash", "$.resources[2].path",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"name": "x"}, "$.resources"),
        ({"name": "x", "resources": []}, "$.resources"),
        ({"name": "x", "resources": {}}, "$.resources"),
        ({"name": "x", "resources": ["train.csv"]}, "$.resources[0]"),
        ("[]", "$"),
        ("7", "$"),
        ("null", "$"),
        ("{", "$"),
        ("[" * 100_000, "$"),
        ('{"name": "a", "name": "b"}', "$"),
        (" " * (MAX_BYTES + 1), "$"),
        ('{"name": "\\ud800", "resources": []}', "$"),
        ({"name": "x", "resources": [], "size": float("nan")}, "$"),
    ],
)
def test_what_is_no_manifest_at_all_is_refused_in_words(value: Any, path: str) -> None:
    """Text that is not JSON, too deep, too large, or another thing."""
    assert path in {each.path for each in problems_of(value)}


def test_more_than_ten_thousand_files_are_refused() -> None:
    """The limit stands in the answer."""
    resource = {"name": "n", "path": "p", "format": "npy", "bytes": 1, "hash": f"sha256:{DIGEST}"}
    many = [resource | {"name": f"n{i}", "path": f"p{i}"} for i in range(10_001)]
    (problem,) = problems_of({"name": "x", "resources": many})
    assert problem.path == "$.resources"
    assert "10,000" in problem.problem


def test_files_that_are_no_tables_need_no_schema() -> None:
    """Their content says what is in them."""
    (resource,) = parse_manifest(package({"format": "npz", "mediatype": None, "schema": None})).resources
    assert resource.fields == ()


def test_an_empty_file_may_be_listed_on_purpose() -> None:
    """With `fl:allowEmpty` and the checksum of nothing."""
    change = {"bytes": 0, "hash": f"sha256:{EMPTY}", "fl:allowEmpty": True}
    assert parse_manifest(package(change)).resources[0].bytes == 0


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(max_size=8), each, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from([*sorted(RESOURCE), "dialect", "fl:features", "data"]), JSON, max_size=4), JSON)
def test_any_value_anywhere_is_read_or_refused(change: dict[str, Any], version: Any) -> None:
    """No value, however odd, makes the reading itself fail."""
    with suppress(InvalidData):
        assert isinstance(parse_manifest(package(change, version=version)), Manifest)
