"""The capabilities that the site offers: `capabilities/<name>@<version>/` and their catalogue."""

from __future__ import annotations

import json
import shutil
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from roundtab.capabilities.catalogue import index
from roundtab.publish.commands import BuildFailed
from roundtab.publish.paths import PACKAGE, shown

BUILT_IN = PACKAGE / "capabilities"


def folders(roots: Sequence[Path]) -> Iterator[Path]:
    """Yield the capability folders below each root, built-in ones first."""
    for root in (BUILT_IN, *roots):
        if not root.is_dir():
            raise BuildFailed(f"There is no folder {root}.", "Give --capabilities a folder of capability folders.")
        yield from sorted(path.parent for path in root.glob("*/capability.toml"))


def sources(roots: Sequence[Path]) -> list[Path]:
    """Every file of every capability."""
    return [path for folder in folders(roots) for path in _files(folder)]


def capabilities(roots: Sequence[Path]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of every capability and the catalogue of them."""
    with tempfile.TemporaryDirectory() as temporary:
        staged = Path(temporary)
        for folder in folders(roots):
            target = staged / _full_name(folder)
            if target.exists():
                raise BuildFailed(
                    f"There are two capabilities {target.name}, one of them in {shown(folder)}.",
                    "Give one of them another name or version.",
                )
            for path in _files(folder):
                copy = target / path.relative_to(folder)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy)
                yield f"capabilities/{copy.relative_to(staged).as_posix()}", copy.read_bytes()
        yield "capabilities/catalogue.json", json.dumps(index(staged), indent=1, allow_nan=False).encode()


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def _full_name(folder: Path) -> str:
    """Return `name@version`; the rest of the definition is checked when the catalogue is made."""
    toml = folder / "capability.toml"
    try:
        described = tomllib.loads(toml.read_text(encoding="utf-8"))
        return f"{described['name']}@{described['version']}"
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BuildFailed(f"{shown(toml)} is not valid TOML: {error}.", "Correct that place.") from None
    except KeyError as error:
        raise BuildFailed(f"{shown(toml)} has no {error.args[0]}.", "Add it.") from None
