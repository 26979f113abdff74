"""The rules for paths in a manifest: names that mean one and the same file on every system."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from roundtab.errors import Problem

MAX_PATH_BYTES = 1_024
MAX_SEGMENTS = 16
MAX_SEGMENT_BYTES = 255

_FORBIDDEN = re.compile(r'[\\:*?"<>|]')
_INVISIBLE = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters, and those that change the reading direction, so that a name looks like another one."""
_DEVICE = re.compile(r"(con|prn|aux|nul|com[1-9]|lpt[1-9])(\..*)?", re.IGNORECASE)
"""Names that Windows keeps for devices, with or without an ending."""


def path_problems(path: str) -> Iterator[tuple[str, str]]:
    """What is wrong with `path`, each as (problem, action); nothing for a path that may be used."""
    segments = path.split("/")
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", path):
        yield "This is an address or names a drive.", "Give a path beside the manifest; nothing is fetched."
    elif path.startswith("/"):
        yield "The path is absolute.", "Give a path relative to the manifest."
    elif "" in segments:
        yield "The path has an empty part.", "Write single slashes, and none at the end."
    if len(path.encode("utf-8", "replace")) > MAX_PATH_BYTES or len(segments) > MAX_SEGMENTS:
        yield f"The path is longer than {MAX_PATH_BYTES} bytes or {MAX_SEGMENTS} parts.", "Use a shorter path."
    if unicodedata.normalize("NFC", path) != path:
        yield "The path is not in Unicode's composed form (NFC).", "Write accented letters as single characters."
    for segment in segments:
        yield from _segment_problems(segment)


def _segment_problems(segment: str) -> Iterator[tuple[str, str]]:
    shown = segment if len(segment) <= 40 else f"{segment[:40]}…"
    if segment in (".", ".."):
        yield f"The part {shown!r} leaves or repeats the folder.", "Give the path without it."
    elif segment.startswith("$") or re.match(r"%[A-Za-z_]+%", segment):
        yield f"The part {shown!r} stands for a variable.", "Begin the name with another character."
    elif segment.startswith((".", "~")):
        yield f"The part {shown!r} is hidden or stands for a home folder.", "Begin the name with another character."
    elif segment.endswith((".", " ")) or segment.startswith(" "):
        yield f"The part {shown!r} begins or ends with a space, or ends with a dot.", "Rename the file."
    if len(segment.encode("utf-8", "replace")) > MAX_SEGMENT_BYTES:
        yield f"The part {shown!r} is longer than {MAX_SEGMENT_BYTES} bytes.", "Use a shorter name."
    if _FORBIDDEN.search(segment):
        yield f'The part {shown!r} has one of \\ : * ? " < > | in it.', "Rename the file; write / between folders."
    if _INVISIBLE.search(segment):
        yield f"The part {shown!r} has an invisible control character in it.", "Rename the file."
    if _DEVICE.fullmatch(segment):
        yield f"Windows keeps the name {shown!r} for a device.", "Rename the file."


def path_key(path: str) -> str:
    """What `path` is on disks that ignore case and Unicode forms; two files must not share it."""
    return unicodedata.normalize("NFC", path).casefold()


def clashes(paths: Sequence[tuple[str, str]]) -> Iterator[Problem]:
    """Problems between paths. `paths` holds (where it stands, path) pairs."""
    first: dict[str, tuple[str, str]] = {}
    for where, path in paths:
        key = path_key(path)
        if key not in first:
            first[key] = (where, path)
            continue
        other = first[key][1]
        if other == path:
            yield Problem(path=where, problem=f"{path!r} is listed twice.", action="List each file once.")
        else:
            problem = f"{path!r} and {other!r} are one file on disks that ignore case or Unicode forms."
            yield Problem(path=where, problem=problem, action="Rename one of them.")
    for where, path in paths:
        parts = path_key(path).split("/")
        for count in range(1, len(parts)):
            folder = "/".join(parts[:count])
            if folder in first:
                problem = f"{first[folder][1]!r} is a file, and {path!r} needs a folder of that name."
                yield Problem(path=where, problem=problem, action="Rename one of them.")
