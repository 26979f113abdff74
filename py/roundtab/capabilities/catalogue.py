"""The catalogue: the capabilities of a site, and the only way by which model code gets in.

A catalogue is a folder of capability folders with a `catalogue.json` that lists the checksum of every file. The
checksum of a capability is that of its files' checksums, so a job that names it names exactly one state of the code.
"""

from __future__ import annotations

import difflib
import hashlib
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, cast
from urllib.error import URLError
from urllib.parse import quote
from urllib.request import urlopen

from roundtab.capabilities.contract import Model
from roundtab.capabilities.definition import name_and_version, read_definition
from roundtab.errors import InvalidData, NotFound, TrainingFailed, Unavailable
from roundtab.records.capabilities import CapabilityInfo
from roundtab.records.codec import from_plain
from roundtab.records.ids import Sha256
from roundtab.records.strict_json import parse

Install = Callable[[tuple[str, ...]], Awaitable[None]]
"""Makes the packages that a capability requires importable."""

MAX_BYTES = 4 * 2**20
FUNCTIONS = ("init", "train", "evaluate")


async def nothing_to_install(requirements: tuple[str, ...]) -> None:
    """For interpreters whose packages are installed beforehand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A capability in `catalogue.json`."""

    name: str
    version: str
    folder: str
    """Where its files are, relative to `catalogue.json`."""
    files: dict[str, str]
    """sha256 by file name."""
    sha256: str


def index(folder: Path) -> list[dict[str, Any]]:
    """What `catalogue.json` has to say of the capability folders in `folder`.

    Raises `InvalidData` where one of them is not defined rightly, or one version stands twice.
    """
    entries: list[dict[str, Any]] = []
    for definition in sorted(folder.glob("*/capability.toml")):
        home = definition.parent
        files = {
            path.relative_to(home).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(home.rglob("*"))
            if path.is_file() and not any(p.startswith((".", "__pycache__")) for p in path.relative_to(home).parts)
        }
        sha256 = checksum(files)
        info = read_definition(definition.read_text("utf-8"), sha256)
        entries.append(
            {"name": info.name, "version": info.version, "folder": home.name, "files": files, "sha256": sha256}
        )
    return entries


def checksum(files: Mapping[str, str]) -> str:
    """The checksum of a capability: of the lines `<sha256>  <file>` of its files, sorted."""
    lines = sorted(f"{sha256}  {name}\n" for name, sha256 in files.items())
    return hashlib.sha256("".join(lines).encode()).hexdigest()


class Catalogue:
    """The capabilities that can be trained here."""

    def __init__(self, entries: list[tuple[str, Entry]], install: Install) -> None:
        """`entries` pairs each capability with the address of the catalogue it is in."""
        self._install = install
        self._entries: dict[str, tuple[str, Entry]] = {}
        self._infos: dict[str, CapabilityInfo] = {}
        for url, entry in entries:
            text = _fetch(url, entry, "capability.toml").decode("utf-8")
            info = read_definition(text, entry.sha256)
            name = name_and_version(info)
            if name in self._infos:
                raise InvalidData(f"The catalogue has {name} twice.", "Give one of them another version.")
            self._infos[name] = info
            self._entries[name] = (url, entry)

    @classmethod
    def at(cls, url: str, install: Install = nothing_to_install) -> Catalogue:
        """The catalogue whose `catalogue.json` is at `url`, an http(s) or file address of a folder."""
        plain = parse(_read(f"{url}/catalogue.json").decode("utf-8"), max_bytes=MAX_BYTES, what="catalogue")
        return cls([(url, entry) for entry in from_plain(tuple[Entry, ...], plain)], install)

    @classmethod
    def of_folders(cls, *folders: Path, install: Install = nothing_to_install) -> Catalogue:
        """The capabilities in `folders` on this machine, which need no `catalogue.json`."""
        return cls(
            [(folder.resolve().as_uri(), Entry(**entry)) for folder in folders for entry in index(folder)], install
        )

    def list(self) -> tuple[CapabilityInfo, ...]:
        """All capabilities, by name and version."""
        return tuple(self._infos[name] for name in sorted(self._infos))

    def info(self, name: str) -> CapabilityInfo:
        """The capability `name@version`. Raises `NotFound`, with names that come near."""
        if name in self._infos:
            return self._infos[name]
        near = difflib.get_close_matches(name, self._infos, n=3, cutoff=0.5)
        action = f"Did you mean {' or '.join(near)}?" if near else "Ask for the list of capabilities and choose one."
        raise NotFound(f"There is no capability {name[:100]!r}.", action)

    async def load(self, name: str, sha256: Sha256 | str) -> Model:
        """The model of the capability `name@version` whose checksum is `sha256`, from freshly fetched code.

        Every file is checked before anything runs. Raises `InvalidData` where the code is not the one named, `NotFound`
        where there is none, `TrainingFailed` where it does not run or lacks a function of the contract.
        """
        info = self.info(name)
        url, entry = self._entries[name]
        if sha256 != entry.sha256 or checksum(entry.files) != sha256:
            raise InvalidData(f"The code of {name} is not the one that the job names.", "Create a new job with it.")
        if "model.py" not in entry.files:
            raise NotFound(f"{name} has no model.py.", "Ask the site's owner to correct the catalogue.")
        sources = {file: _fetch(url, entry, file) for file in entry.files}
        if info.requirements:
            await self._install(info.requirements)
        module = ModuleType(f"roundtab_capability_{info.name.replace('-', '_')}_{sha256[:16]}")
        # Dataclasses and pickles look their module up by name.
        sys.modules[module.__name__] = module
        try:
            exec(compile(sources["model.py"], f"{name}/model.py", "exec"), module.__dict__)
        except Exception as error:
            problem = f"The code of {name} does not run: {type(error).__name__}: {error}."
            raise TrainingFailed(problem, "Correct its model.py.") from error
        exported = any(each.format == "onnx" for each in info.inference)
        wanted = (*FUNCTIONS, "graph") if exported else FUNCTIONS
        missing = [each for each in wanted if not callable(getattr(module, each, None))]
        if missing:
            raise TrainingFailed(f"The model of {name} lacks {', '.join(missing)}.", "Define it in model.py.")
        return cast("Model", module)


def _fetch(url: str, entry: Entry, file: str) -> bytes:
    """A file of a capability, once its checksum is found right."""
    data = _read(f"{url}/{quote(entry.folder)}/{quote(file)}")
    if hashlib.sha256(data).hexdigest() != entry.files.get(file):
        raise InvalidData(
            f"The file {file} of {entry.name}@{entry.version} is not the one in the catalogue.",
            "Reload the page; if that does not help, ask the site's owner to build the site again.",
        )
    return data


def _read(url: str) -> bytes:
    try:
        with urlopen(url) as response:
            return cast("bytes", response.read())
    except (URLError, OSError) as error:
        raise Unavailable(f"{url} cannot be read: {error}.", "Check the connection and reload the page.") from error
