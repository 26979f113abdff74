"""The command line: `python -m roundtab manifest make|verify`, the same code as behind the Training API.

Results go to standard output, one problem or note a line; progress goes to standard error where that is a terminal.
Exit codes: 0 for all well, 1 for problems, 2 for a command that is none.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from roundtab.clock import Slice, SystemClock
from roundtab.data.content import notes_on, read_content
from roundtab.data.disk import DiskFile, files_in
from roundtab.data.files import FileSource
from roundtab.data.importers.listing import LIST, Listed
from roundtab.data.importers.sha256sum import read_checksums
from roundtab.data.making.making import make_manifest
from roundtab.data.manifests.manifest import MAX_BYTES, parse_manifest
from roundtab.data.manifests.resources import Resource, Split
from roundtab.data.names import match_names
from roundtab.data.verify import verify
from roundtab.errors import InvalidData, Problem, RoundtabError

MANIFEST = "datapackage.json"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code; `arguments` are those of the process unless given."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # names of files may hold what a terminal cannot show
    options = _parser().parse_args(arguments)
    try:
        return asyncio.run(_make(options) if options.verb == "make" else _verify(options))
    except RoundtabError as error:
        _print(error.problems or [Problem(path="roundtab", problem=error.problem, action=error.action)], options)
        if error.problems:
            print(f"{error.problem} {error.action}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="roundtab", description="Train one model together across browser tabs.")
    things = top.add_subparsers(dest="thing", required=True, metavar="THING")
    manifest = things.add_parser("manifest", help="the list of data files with their sizes and checksums")
    verbs = manifest.add_subparsers(dest="verb", required=True, metavar="VERB")
    make = verbs.add_parser("make", help="make a manifest of files")
    make.add_argument("files", type=Path, nargs="+", metavar="FILE", help="data files, or one folder with them")
    make.add_argument("--name", metavar="N", help="what the data is called (the name of its folder)")
    make.add_argument("--label", metavar="COLUMN", help="the column to predict (label, target, class, y or the last)")
    make.add_argument("--checksums", type=Path, metavar="FILE", help="a list by sha256sum that the files must fit")
    make.add_argument("--out", type=Path, metavar="FILE", help=f"where it goes ({MANIFEST} beside the files)")
    check = verbs.add_parser("verify", help="check files against their manifest")
    check.add_argument("manifest", type=Path, nargs="?", default=Path(MANIFEST), metavar="FILE", help=f"({MANIFEST})")
    check.add_argument("--folder", type=Path, metavar="DIR", help="where the files are (where the manifest is)")
    return top


async def _make(options: argparse.Namespace) -> int:
    folder, files, left_out = _chosen(options)
    out = options.out or folder / MANIFEST
    if out.exists():
        raise InvalidData(f"{out} is there already.", "Give another place with --out, or remove it first.")
    made = await make_manifest(
        files,
        SystemClock(),
        name=options.name or folder.resolve().name or None,
        label=options.label,
        listed=await _listed(options.checksums) if options.checksums else None,
        progress=_progress,
    )
    try:
        out.write_text(made.text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise InvalidData(f"{out} cannot be written: {error.strerror}.", "Give another place with --out.") from None
    _print([*left_out, *made.notes], options)
    print(f"{out} lists {_files(len(parse_manifest(made.text).resources))}.")
    return 0


async def _verify(options: argparse.Namespace) -> int:
    manifest = parse_manifest(_text(options.manifest, MAX_BYTES))
    files, _ = _below(options.folder or options.manifest.parent)
    result = await verify(manifest, files, SystemClock(), _progress)
    _print([*manifest.notes, *result.notes, *result.problems], options)
    if result.problems:
        return 1
    found = match_names(manifest, files).found
    parts: dict[Split, list[tuple[Resource, FileSource]]] = {
        part: [(each, found[each.path]) for each in manifest.part(part) if each.label] for part in get_args(Split)
    }
    content = await read_content(parts, SystemClock(), _progress)
    _print([*(await notes_on(content, parts, SystemClock())), *content.problems], options)
    if content.problems:
        return 1
    read = sum(map(len, parts.values()))
    unread = len(result.passed) - read
    _print([_unread(each) for each in manifest.resources if not each.label], options)
    told = f"names, sizes and checksums of {_files(len(result.passed))}, content of {read:,}."
    if not unread:
        told = f"names, sizes, checksums and content of {_files(read)}."
    print(f"{options.manifest} fits: {told}")
    return 0


def _files(count: int) -> str:
    return f"{count:,} file{'' if count == 1 else 's'}"


def _unread(resource: Resource) -> Problem:
    problem = "Its content was not read: the manifest does not say what is to be predicted."
    return Problem(path=resource.path, problem=problem, action="Name it in fl:label if a model is to be trained on it.")


def _chosen(options: argparse.Namespace) -> tuple[Path, list[DiskFile], list[Problem]]:
    """The folder that paths begin at, the files to list, and what was left out of a folder."""
    given: list[Path] = options.files
    if len(given) == 1 and given[0].is_dir():
        files, left_out = _below(given[0])
        own = {each.resolve() for each in (options.checksums, options.out) if each}
        return given[0], [each for each in files if (given[0] / each.path).resolve() not in own], left_out
    missing = [each for each in given if not each.is_file()]
    if missing:
        problems = [_missing(each) for each in missing]
        raise InvalidData("Files are missing.", "Give data files, or one folder with them.", problems)
    folder = Path(os.path.commonpath([each.absolute().parent for each in given]))
    return folder, [DiskFile(each, each.absolute().relative_to(folder).as_posix()) for each in given], []


def _missing(place: Path) -> Problem:
    if place.is_dir():
        return Problem(path=str(place), problem="This is a folder.", action="Give one folder alone, or files.")
    return Problem(path=str(place), problem="There is no such file.", action="Correct the path.")


def _below(folder: Path) -> tuple[list[DiskFile], list[Problem]]:
    try:
        return files_in(folder)
    except OSError as error:
        raise InvalidData(f"{folder} cannot be read: {error.strerror}.", "Give a folder that can.") from None


async def _listed(place: Path) -> Sequence[Listed]:
    return await read_checksums(_text(place, MAX_BYTES), Slice(SystemClock()))


def _text(place: Path, most: int) -> str:
    """The text of a file that has at most so many bytes."""
    try:
        with place.open("rb") as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise InvalidData(f"{place} is larger than {most:,} bytes.", "Give the right file.")
        return data.decode("utf-8")
    except OSError as error:
        raise InvalidData(f"{place} cannot be read: {error.strerror}.", "Correct the path.") from None
    except UnicodeDecodeError as error:
        raise InvalidData(f"{place} is not UTF-8 text (byte {error.start}).", "Save it as UTF-8.") from None


def _print(problems: Sequence[Problem], options: argparse.Namespace) -> None:
    """One a line; what is about the list of checksums or the manifest begins with the name of that file."""
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    for each in problems:
        where = each.path
        if where == LIST and options.checksums:
            where = str(options.checksums)
        print(f"{where}: {each.problem} {each.action}".replace("\n", "\\n"))  # one a line, whatever a file is called


def _progress(done: int, total: int, what: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{what}, {100 * done // max(total, 1)} %", end="", file=sys.stderr, flush=True)
