"""Manifests that are not right, each with its outcome: refused, or used with a note, or used without a word.

The numbers are those of the list of bad inputs that the checks were written for; every entry of it is here, in
`bad_files.py` or in `bad_content.py`.
"""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

from contracts.api_world import Data, table
from contracts.outcomes import Case

DATA = table(seed=3)
DIGEST = DATA.manifest["resources"][0]["hash"].removeprefix("sha256:")
EMPTY = hashlib.sha256(b"").hexdigest()
FIRST = "$.resources[0]"
TEXT = json.dumps(DATA.manifest, indent=1)


def text(number: int, title: str, manifest: str, words: str, path: str = "$") -> Case:
    """A manifest whose text is refused."""
    return Case(number, title, Data(manifest, DATA.files), stage="structure", path=path, words=words)  # type: ignore[arg-type]


def changed(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    """The good manifest after `change`."""
    manifest = deepcopy(DATA.manifest)
    change(manifest)
    return manifest


def first(
    number: int, title: str, member: str, value: Any, words: str = "", *, note: bool = False, path: str | None = None
) -> Case:
    """A manifest whose first resource has another `member`; without words it is used as if nothing were odd."""
    data = Data(changed(lambda manifest: manifest["resources"][0].update({member: value})), DATA.files)
    where = path or f"{FIRST}.{member}"
    return Case(number, title, data, stage=None if note or not words else "structure", path=where, words=words)


def paths(number: int, title: str, one: str, other: str, words: str, path: str = "$.resources[1].path") -> Case:
    """A manifest whose two resources have these paths."""

    def change(manifest: dict[str, Any]) -> None:
        for resource, value in zip(manifest["resources"], (one, other), strict=True):
            resource["path"] = value

    return Case(number, title, Data(changed(change), DATA.files), stage="structure", path=path, words=words)


def manifests() -> Iterator[Case]:
    """Yield every manifest of the list."""
    yield text(1, "nested deeply", "[" * 100_000, "nested deeper than 64")
    yield text(1, "nested deeply in an object", '{"a":' * 65 + "1" + "}" * 65, "nested deeper than 64")
    yield Case(2, "byte order mark", Data("\ufeff" + TEXT, DATA.files), path="$", words="byte order mark")  # type: ignore[arg-type]
    yield text(3, "trailing comma", TEXT.rstrip()[:-1].rstrip() + ",}", "line ")
    yield text(3, "comment", TEXT.replace("{", "{ // mine\n", 1), "line 1, column 3")
    yield text(3, "single quotes", "{'name': 'x'}", "line 1, column 2")
    yield text(3, "two objects", "{}\n{}", "line 2, column 1")
    yield text(3, "empty", "", "line 1, column 1")
    yield text(3, "web page", "<!doctype html><title>404</title>", "line 1, column 1")
    yield text(3, "pointer of Git LFS", "version https://git-lfs.github.com/spec/v1\n", "line 1, column 1")
    for word in ("NaN", "Infinity", "-Infinity"):
        yield text(4, word, TEXT.replace('"bytes": ', f'"x": {word}, "bytes": ', 1), f"{word} is not JSON")
    yield text(4, "1e999", TEXT.replace('"bytes": ', '"x": 1e999, "bytes": ', 1), "too large")
    yield text(5, "key twice", TEXT.replace('"bytes": ', '"bytes": 1, "bytes": ', 1), "stands twice")
    yield text(
        6, "integer of 5,000 digits", TEXT.replace('"bytes": ', '"x": ' + "1" * 5_000 + ', "bytes": ', 1), "beyond"
    )
    yield text(6, "integer beyond 2^53", TEXT.replace('"bytes": ', '"x": 9007199254740993, "bytes": ', 1), "beyond")
    for value, words in (("12", "got a text"), (12.0, "with a point"), (True, "true or false"), (-1, "negative")):
        yield first(7, f"bytes {value!r}", "bytes", value, words)
    yield first(7, "bytes 0", "bytes", 0, "The file is empty.")
    yield Case(8, "no resources", Data({"name": "x"}, ()), stage="structure", path="$.resources", words="missing")
    for value in ([], "train.csv", {}):
        data = Data({"name": "x", "resources": value}, ())
        yield Case(8, f"resources {value!r}", data, stage="structure", path="$.resources", words="list with entries")
    yield first(8, "path and data", "data", [1], "not supported")
    yield first(8, "several paths", "path", ["a.csv", "b.csv"], "several files")
    yield first(8, "unknown format", "format", "xlsx", "not known")
    yield from _bad_paths()
    yield from _bad_hashes()
    yield first(14, "other name of the checksum", "sha256", DIGEST, "Nothing reads 'sha256'", note=True)

    def without_hash(manifest: dict[str, Any]) -> None:
        for resource in manifest["resources"]:
            del resource["hash"]

    data = Data(changed(without_hash), DATA.files)
    yield Case(14, "no checksum", data, stage="structure", path=f"{FIRST}.hash", words="missing", problems=2)


def _bad_paths() -> Iterator[Case]:
    for path in (
        "../x", "a/..", "a/../b", "/etc/passwd", "C:\\x", "C:x", "..\\x", "\\\\?\\UNC\\x", "~x", "$HOME",
        "%HomeDrive%", "file:x", "data:text/csv,x", "javascript:alert(1)", "https://example.org/a.csv",
        "a\0b", "a\x1bb",
        "a.", "a ", "a//b", "./a", "CON", "con.csv", "x" * 300, "a\u202eb",
    ):  # fmt: skip
        yield first(9, f"path {path[:20]!r}", "path", path, ".")
    yield paths(10, "case clash", "A.csv", "a.csv", "one file on disks")
    yield paths(10, "Unicode clash", "ä.csv", "a\u0308.csv", "composed form")
    yield paths(10, "file and folder", "a", "a/b", "needs a folder of that name")
    yield paths(11, "listed twice", "a.csv", "a.csv", "listed twice")


def _bad_hashes() -> Iterator[Case]:
    base64 = b64encode(bytes.fromhex(DIGEST)).decode()
    yield first(12, "capital digits", "hash", f"sha256:{DIGEST.upper()}")
    for spelling in (f"SHA256:{DIGEST}", f"sha-256:{DIGEST}", f"sha256-{base64}", f"sha256:{base64}"):
        yield first(12, spelling[:8], "hash", spelling, "read as sha256", note=True)
    yield first(12, "64 digits alone", "hash", DIGEST, "which checksum", note=True)
    for value, words in (
        (f"sha256: {DIGEST}", "not a checksum"),
        (f"sha256:{DIGEST}\n", "not a checksum"),
        (f"sha256:{DIGEST[:63]}", "this has 63"),
        (f"sha256:{DIGEST}0", "this has 65"),
        (f"sha256:{DIGEST[:63]}g", "not a checksum"),
        ("", "empty"),
        (f"sha256:{DIGEST[:32]}", "length of MD5"),
        (DIGEST[:32], "length of MD5"),
        (f"md5:{DIGEST[:32]}", "too weak"),
        (f"sha1:{DIGEST[:40]}", "too weak"),
        (f"sha3-256:{DIGEST}", "not supported"),
        (f"blake2b:{DIGEST}", "not supported"),
        (f"crc32:{DIGEST[:8]}", "not supported"),
        (f"{DIGEST[:32]}-2", "not a checksum"),
    ):
        yield first(12, f"hash {value[:12]!r}", "hash", value, words)
    yield first(13, "the word sha256", "hash", "sha256", "not a checksum")
    yield first(13, "an address", "hash", "https://github.com/mlcommons/croissant/issues/80", "not supported")
    yield first(13, "zeros", "hash", f"sha256:{'0' * 64}", "placeholder")
    yield first(13, "checksum of nothing", "hash", f"sha256:{EMPTY}", "checksum of an empty file")
