"""Puts the site together in `dist/`, redoing only the parts whose sources changed."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from roundtab.publish import bundle, capabilities, licences, npm, pages, scripts, sites
from roundtab.publish.commands import BuildFailed, say
from roundtab.publish.paths import DIST, NPM_LOCK, SITE, shown
from roundtab.publish.runtime import File, runtime
from roundtab.publish.vendor import write_atomically

STAMP = ".stamp.json"
"""In the site's folder: the parts it was made of, what each was made from, and its files."""
REQUIRED = (
    *scripts.BUNDLES,
    "css/roundtab.css",
    "html/frame.html",
    "html/index.html",
)
"""Sources below site/ without which there is no whole site."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a build can be told: where to put the site, more capabilities, another site register."""

    out: Path = DIST
    capabilities: tuple[Path, ...] = ()
    sites: Path = SITE / "sites.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of the site, made anew when one of its sources changed."""

    name: str
    sources: Iterable[Path]
    make: Callable[[], Iterable[File]]


class Made(TypedDict):
    """What the stamp keeps of a part: the fingerprint of its sources, and its files."""

    key: str
    files: list[str]


def build(settings: Settings) -> Path:
    """Build the site and return its folder.

    Where sources are missing, everything else is built before BuildFailed names them.
    """
    started = time.perf_counter()
    npm.install()
    old = _read_stamp(settings.out)
    new = dict(old)
    for part in _parts(settings):
        key = _key(part.sources)
        if _is_current(settings.out, old.get(part.name), key):
            continue
        say(f"making {part.name}")
        new[part.name] = Made(key=key, files=sorted(_write(settings.out, part.make())))
        _remove(settings.out, _files(old) - _files(new))
        write_atomically(settings.out / STAMP, json.dumps(new, indent=1).encode())  # so no later failure undoes it
    missing = [f"site/{name}" for name in REQUIRED if not (SITE / name).is_file()]
    if missing:
        raise BuildFailed(f"The site is not complete, since sources are missing: {', '.join(missing)}.", "Add them.")
    say(f"{shown(settings.out)} is up to date ({time.perf_counter() - started:.1f} s)")
    return settings.out


def _parts(settings: Settings) -> Iterator[Part]:
    def part(name: str, sources: Iterable[Path], make: Callable[[], Iterable[File]]) -> Part:
        return Part(name=name, sources=sources, make=make)

    yield part("runtime", [NPM_LOCK], runtime)
    yield part("scripts", [NPM_LOCK, *scripts.sources()], scripts.bundles)
    package = list(bundle.members())
    yield part("bundle", package, lambda: [("roundtab.zip", bundle.archive())])
    yield part("pages", _below("html", "*.html"), lambda: pages.pages(SITE / "html"))
    yield part("styles", _below("css", "*.css"), lambda: _copies("css", "*.css", "assets/css"))
    yield part("entries", _entries(), lambda: [(f"py/{path.name}", path) for path in _entries()])
    yield part("samples", _below("samples", "*/*"), lambda: _copies("samples", "*/*", "samples"))
    yield part(
        "capabilities",
        [*capabilities.sources(settings.capabilities), *package],  # the package makes the catalogue
        lambda: capabilities.capabilities(settings.capabilities),
    )
    yield part("sites", [settings.sites], lambda: [("sites.json", sites.as_json(sites.read(settings.sites)))])
    yield part("licences", [NPM_LOCK], lambda: [("licences.txt", licences.licences())])


def _below(folder: str, pattern: str) -> list[Path]:
    return sorted(path for path in (SITE / folder).glob(pattern) if path.is_file())


def _entries() -> list[Path]:
    """Scripts that pages and workers start with, and their PyScript configs."""
    return _below("py", "*.py") + _below("py", "*.toml")


def _copies(folder: str, pattern: str, place: str) -> list[File]:
    return [(f"{place}/{path.relative_to(SITE / folder).as_posix()}", path) for path in _below(folder, pattern)]


def _key(sources: Iterable[Path]) -> str:
    """Fingerprint of a part: the content of its sources and of the builder itself."""
    digest = hashlib.sha256()
    for path in (*sorted(Path(__file__).parent.rglob("*.py")), *sources):
        content = path.read_bytes() if path.is_file() else b""
        digest.update(f"{path}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


def _write(out: Path, files: Iterable[File]) -> Iterator[str]:
    """Write files that differ from what is there; the others keep their time, so browsers keep their copy."""
    for name, content in files:
        wanted = content if isinstance(content, bytes) else content.read_bytes()
        path = out / name
        if not path.is_file() or path.read_bytes() != wanted:
            write_atomically(path, wanted)
        yield name


def _is_current(out: Path, made: Made | None, key: str) -> bool:
    return made is not None and made["key"] == key and all((out / name).is_file() for name in made["files"])


def _read_stamp(out: Path) -> dict[str, Made]:
    try:
        stamp: dict[str, Made] = json.loads((out / STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp


def _files(stamp: dict[str, Made]) -> set[str]:
    return {name for made in stamp.values() for name in made["files"]}


def _remove(out: Path, names: set[str]) -> None:
    for name in names:
        (out / name).unlink(missing_ok=True)
