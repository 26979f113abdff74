"""Downloads: taken from the first source that has the right bytes, kept in a cache by their sha256."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from roundtab.publish.commands import BuildFailed, say
from roundtab.publish.paths import cache_folder


class SourceFailed(Exception):
    """A source could not give the file; the message says why in half a sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One place that may have a file. `read` returns its bytes or raises SourceFailed."""

    name: str
    read: Callable[[], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """A file known by its checksum, and where to look for it, in order."""

    name: str
    sha256: str
    sources: Sequence[Source]


def fetch(download: Download, cache: Path | None = None) -> Path:
    """Return the cached file, downloading it first where the cache does not have it.

    Raises BuildFailed, naming the file, every source tried and what to do, when no source gave the right bytes.
    """
    kept = (cache or cache_folder()) / download.sha256
    if kept.is_file() and _sha256(kept.read_bytes()) == download.sha256:
        return kept
    tried = []
    for source in download.sources:
        try:
            content = source.read()
        except SourceFailed as failure:
            tried.append(f"  {source.name}: {failure}")
            continue
        if _sha256(content) == download.sha256:
            say(f"got {download.name} from {source.name}")
            write_atomically(kept, content)
            return kept
        tried.append(f"  {source.name}: gave a file with the wrong checksum (sha256 {_sha256(content)})")
    raise BuildFailed(
        f"Cannot get {download.name}. Tried:\n" + "\n".join(tried) + "\n",
        f"Check the network, a proxy and pip's settings and build again, or put the file, whose sha256 must be "
        f"{download.sha256}, at {kept}",
    )


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that a reader sees either the old content or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(temporary, 0o644)  # mkstemp makes it private, and a web server may run as somebody else
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
