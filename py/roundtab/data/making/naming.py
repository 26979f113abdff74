"""What the names of chosen files say: which are no data, which format they have, which split they belong to."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from roundtab.data.manifests.resources import MEDIA_TYPES, Split
from roundtab.data.names import SYSTEM_FILES

ENDINGS = {**{each: each for each in MEDIA_TYPES}, "jpg": "jpeg", "ndjson": "jsonl"}
"""Formats by the ending of a name."""

_SPLITS: tuple[tuple[Split, frozenset[str]], ...] = (
    ("train", frozenset({"train", "training"})),
    ("validation", frozenset({"validation", "valid", "val", "test", "testing", "heldout", "holdout"})),
)


def why_no_data(path: str) -> str:
    """Why a file with this path is no data, in words; empty for a file that may be."""
    if any(part.startswith(".") and part.strip(".") for part in path.split("/")):
        return "It is hidden."
    name = path.rpartition("/")[2].casefold()
    if name == "datapackage.json":
        return "It is a manifest."
    return "It belongs to the operating system." if name in SYSTEM_FILES else ""


def format_of(path: str) -> str | None:
    """The format that the ending stands for, in any case; None for one that no manifest can list."""
    stem, dot, ending = path.rpartition("/")[2].rpartition(".")
    return ENDINGS.get(ending.lower()) if stem and dot else None


def split_of(path: str) -> Split | None:
    """The split that the name of the file says, else that of the nearest folder; None where none says any.

    Words count, not letters within them: `wine-test.csv`, `held_out.csv` and `valid/1.npy` are validation data,
    `latest.csv` is not.
    """
    for part in reversed(path.lower().split("/")):
        words = set(re.findall(r"[a-z]+", re.sub(r"(held|hold)[-_ ]out", "heldout", part)))
        for split, names in _SPLITS:
            if words & names:
                return split
    return None


def resource_names(paths: Iterable[str]) -> list[str]:
    """A valid name for each path, all different: `data/Träin.csv` is `data-train`, another one `data-train-2`."""
    taken: set[str] = set()
    counts: dict[str, int] = {}
    names = []
    for path in paths:
        folder, _, file = path.rpartition("/")
        stem = file.rpartition(".")[0] or file
        ascii_only = unicodedata.normalize("NFKD", f"{folder}/{stem}").encode("ascii", "ignore").decode().lower()
        base = re.sub(r"[^a-z0-9._-]+", "-", ascii_only).strip("._-")[:120] or "file"
        name = base
        while name in taken:
            counts[base] = counts.get(base, 1) + 1
            name = f"{base}-{counts[base]}"
        taken.add(name)
        names.append(name)
    return names
