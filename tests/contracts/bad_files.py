"""Chosen files that are not those of their manifest, each with its outcome."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from contracts.api_world import Data, bytes_of, table
from contracts.outcomes import Case

from roundtab.data.files import MemoryFile

DATA = table(seed=4)
TRAIN, HELD_OUT = DATA.files
CONTENT = bytes_of(TRAIN)


def chosen(
    number: int, title: str, *files: MemoryFile, stage: str | None = "names", words: str, path: str = "train.csv"
) -> Case:
    """The good manifest with other files."""
    return Case(number, title, Data(DATA.manifest, files), stage=stage, path=path, words=words)


def named(path: str, content: bytes = CONTENT) -> Case:
    """The training data under another name."""
    return chosen(17, path, MemoryFile(path, content + b"\n"), HELD_OUT, words=f"You chose {path!r}")


def files() -> Iterator[Case]:
    """Yield every choice of files of the list; what a browser does to files that change is tested there."""
    yield Case(15, "nothing chosen", Data(DATA.manifest, ()), "names", "train.csv", "missing", problems=2)
    yield chosen(15, "one missing", HELD_OUT, words="This file is missing.")
    extra = MemoryFile("notes.txt", b"mine")
    yield chosen(15, "one more", TRAIN, HELD_OUT, extra, stage=None, words="does not list", path="notes.txt")
    system = [MemoryFile(name, b"x") for name in (".DS_Store", "a/Thumbs.db", "desktop.ini")]
    yield Case(15, "what systems leave in folders", Data(DATA.manifest, (TRAIN, HELD_OUT, *system)))
    yield chosen(
        16, "other name", MemoryFile("rows.csv", CONTENT), HELD_OUT, words="'rows.csv' has exactly its content"
    )
    for path in ("train (1).csv", "train.csv.txt", "train.csv.crdownload", "Train.csv", "old/train.csv"):
        yield named(path)
    longer = MemoryFile("train.csv", CONTENT + b"1,2,no\n")
    yield chosen(18, "other size", longer, HELD_OUT, stage="sizes", words="(7 more)")
    other = MemoryFile("train.csv", CONTENT.replace(b"yes", b"nay"))
    yield chosen(18, "other content", other, HELD_OUT, stage="checksums", words="its sha256 is")
    wrong = deepcopy(DATA.manifest)
    wrong["resources"][0]["bytes"] += 1
    data = Data(wrong, DATA.files)
    yield Case(18, "wrong size in the manifest", data, "sizes", "train.csv", "so the size in the manifest is wrong")
    for ends in (b"\r\n", b"\r\r\n"):
        changed = MemoryFile("train.csv", CONTENT.replace(b"\n", ends))
        yield chosen(19, f"line ends {ends!r}", changed, HELD_OUT, stage="sizes", words="Only its line ends differ")
    yield chosen(20, "empty", MemoryFile("train.csv", b""), HELD_OUT, stage="sizes", words="The file is empty;")
    yield chosen(20, "twice", TRAIN, TRAIN, HELD_OUT, words="Two files were chosen under this path.")
    folders = deepcopy(DATA.manifest)
    for resource, folder in zip(folders["resources"], ("one", "two"), strict=True):
        resource["path"] = f"{folder}/rows.csv"
    data = Data(folders, (MemoryFile("rows.csv", b"x"),))
    words = "2 files of the manifest are called 'rows.csv'"
    yield Case(20, "same name in two folders", data, "names", "one/rows.csv", words, problems=2)
    yield Case(
        22,
        "archive",
        Data(_one("train.zip", b"PK\x03\x04", "zip"), ()),
        "structure",
        "$.resources[0].format",
        "not opened",
    )
    accented = _one("täglich.csv", CONTENT, "csv")
    decomposed = MemoryFile(unicodedata.normalize("NFD", "täglich.csv"), CONTENT)
    yield Case(10, "name from macOS", Data(accented, (decomposed,)), None, "täglich.csv", "another Unicode form")
    inside = _one("rows/train.csv", CONTENT, "csv")
    yield Case(20, "without its folder", Data(inside, (TRAIN,)), None, "rows/train.csv", "without its folder")


def _one(path: str, content: bytes, form: str) -> dict[str, Any]:
    """A manifest of one file."""
    resource = deepcopy(DATA.manifest["resources"][0])
    resource |= {"path": path, "format": form, "bytes": len(content), "fl:split": "train"}
    resource["hash"] = f"sha256:{hashlib.sha256(content).hexdigest()}"
    return {"name": "one", "resources": [resource]}
