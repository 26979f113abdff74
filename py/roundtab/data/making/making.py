"""Makes a manifest of chosen files: it says what they are now, so that everybody can tell later that they still are.

Nothing is decided silently: what was assumed stands in the notes, and what could not be decided is a problem. A
manifest that was made passes `parse_manifest`, its files pass `verify`, and `read_table` reads each of its tables.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roundtab.clock import Clock, Slice
from roundtab.data.files import FileSource
from roundtab.data.hashing import Hasher, Progress
from roundtab.data.importers.listing import ALGORITHMS, Listed, Match, differences, digest_of, match, notes_on
from roundtab.data.making.array_drafts import ArrayDrafts
from roundtab.data.making.naming import format_of, resource_names, split_of, why_no_data
from roundtab.data.making.sheets import DELIMITERS, Sheets
from roundtab.data.manifests.manifest import MAX_RESOURCES, parse_manifest
from roundtab.data.manifests.paths import clashes, path_problems
from roundtab.data.manifests.resources import MEDIA_TYPES, Split
from roundtab.data.steps import Step
from roundtab.data.verify import unreadable
from roundtab.errors import InvalidData, Problem

PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"
TRAINABLE = ("csv", "tsv", "npy", "npz")
"""Formats with numbers to train on."""
NOTED = 5
"""Files for which the same note is told one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A manifest, and what was assumed in it or should be looked at: where, what, what to do."""

    text: str
    """Its file: JSON, indented by two spaces."""
    notes: tuple[Problem, ...]


async def make_manifest(
    files: Sequence[FileSource],
    clock: Clock,
    *,
    name: str | None = None,
    label: str | None = None,
    listed: Sequence[Listed] | None = None,
    progress: Progress | None = None,
) -> Made:
    """A manifest of `files`.

    `label` is the column to predict; without it `guess_label` tells it. `listed` are checksums from elsewhere, which
    the files must have. `progress` hears bytes and may raise to stop.

    Raises `InvalidData` with all problems of the first stage that has any: paths, files of the list that are missing,
    files that are empty or cannot be read, checksums that differ from the list, content of tables.
    """
    notes: list[Problem] = []
    chosen = _chosen(files, notes)
    data = _data(chosen, notes)
    matched = match(listed, [*chosen]) if listed is not None else None
    if matched:
        _refuse_if(matched.problems)
        notes += matched.notes
    _refuse_if(_unusable(chosen, data, notes))
    digests = await _checksums(data, clock, progress)
    if matched:
        await _confirm(matched, chosen, digests, clock, progress)
        notes += notes_on(matched.entries)
    tables = {path: (file, form) for path, file in data.items() if (form := format_of(path)) in DELIMITERS}
    held = {path: (file, form) for path, file in data.items() if (form := format_of(path)) in ("npy", "npz")}
    step = Step(progress, [file for file, _ in (*tables.values(), *held.values())])
    sheets, arrays = Sheets(label, clock), ArrayDrafts(label, clock)
    await sheets.read(tables, step)
    await arrays.read(held, step)
    _refuse_if([*sheets.problems, *arrays.problems])
    notes += arrays.notes
    splits = _splits(data, notes)
    notes += _notes_on_tables(sheets)
    manifest = {
        "$schema": PROFILE,
        "name": name or _common_folder([*data]) or "dataset",
        "resources": list(_resources(data, digests, splits, sheets, arrays)),
    }
    if manifest["name"] == "dataset":
        action = "Give it a name of its own in `name`, at the top."
        notes.append(Problem(path="$.name", problem="The manifest calls the data 'dataset'.", action=action))
    text = json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"
    parse_manifest(text)
    return Made(text=text, notes=tuple(_short(notes)))


def _chosen(files: Sequence[FileSource], notes: list[Problem]) -> dict[str, FileSource]:
    """The files that may be data, by the path that the manifest will have for them."""
    kept: list[tuple[str, FileSource]] = []
    for file in files:
        path = unicodedata.normalize("NFC", file.path)
        if reason := why_no_data(path):
            notes.append(Problem(path=path, problem=f"{reason} It was left out.", action="Nothing is to be done."))
        else:
            kept.append((path, file))
    problems = [
        Problem(path=path, problem=problem, action=action)
        for path, _ in kept
        for problem, action in path_problems(path)
    ]
    problems += clashes([(path, path) for path, _ in kept])
    if len(kept) > MAX_RESOURCES:
        problem = f"There are more than {MAX_RESOURCES:,} files."
        problems.append(Problem(path="$.files", problem=problem, action="Put the data into fewer files."))
    _refuse_if(problems)
    return dict(kept)


def _data(chosen: Mapping[str, FileSource], notes: list[Problem]) -> dict[str, FileSource]:
    """The files to list. Where some can be trained on, others are no part of that data; else all of a known format."""
    known = {path: file for path, file in chosen.items() if format_of(path)}
    numbers = {path: file for path, file in known.items() if format_of(path) in TRAINABLE}
    if not numbers:
        return known
    for path in known.keys() - numbers.keys():
        problem = f"A model is not trained on a file in the format {format_of(path)!r}; it was left out."
        notes.append(Problem(path=path, problem=problem, action="Nothing is to be done if it is no data."))
    return numbers


def _unusable(chosen: Mapping[str, FileSource], data: Mapping[str, FileSource], notes: list[Problem]) -> list[Problem]:
    """What keeps the chosen files from being listed, before any of them is read."""
    known = ", ".join(MEDIA_TYPES)
    for path in [each for each in chosen if not format_of(each)]:
        problem = "Its ending stands for no format that a manifest lists; it was left out."
        action = f"Nothing is to be done if it is no data; else save it as one of {known}."
        notes.append(Problem(path=path, problem=problem, action=action))
    if not data:
        action = f"Choose files with one of the endings {known}."
        return [Problem(path="$.files", problem="There are no data files.", action=action)]
    return [
        Problem(path=path, problem="The file is empty.", action="Leave it out, or choose the one with the data.")
        for path, file in data.items()
        if not file.size
    ]


async def _checksums(data: Mapping[str, FileSource], clock: Clock, progress: Progress | None) -> dict[str, str]:
    """The sha256 of each file."""
    hasher, found, problems = Hasher(clock, progress), {}, []
    hasher.total = sum(file.size for file in data.values())
    for path, file in data.items():
        try:
            found[path] = await hasher.digest(file)
        except OSError as error:
            problems.append(_unreadable(path, error))
    _refuse_if(problems)
    return found


async def _confirm(
    matched: Match,
    chosen: Mapping[str, FileSource],
    digests: Mapping[str, str],
    clock: Clock,
    progress: Progress | None,
) -> None:
    """Compare the files with the list, by the kind of checksum that it has of each."""
    known = {path: digests[path] for path, entry in matched.entries.items() if _is_known(entry, path, digests)}
    others = {path: chosen[path] for path in matched.entries if path not in known}
    step, pace, problems = Step(progress, others.values()), Slice(clock), []
    for path, file in others.items():
        algorithm = matched.entries[path].algorithm
        tell = step.of(file, f"Checking {ALGORITHMS[algorithm]} checksums: {path}")
        try:
            known[path] = await digest_of(file, algorithm, pace, tell)
        except OSError as error:
            problems.append(_unreadable(path, error))
    _refuse_if(problems)
    _refuse_if(differences(matched.entries, known))


def _is_known(entry: Listed, path: str, digests: Mapping[str, str]) -> bool:
    return entry.algorithm == "sha256" and path in digests


def _splits(paths: Mapping[str, FileSource], notes: list[Problem]) -> dict[str, Split]:
    """The split of each file: validation where its name says so, and other files are left to train on."""
    said = {path: split_of(path) or "train" for path in paths}
    held_out = [path for path, split in said.items() if split == "validation"]
    if len(held_out) == len(said):
        if held_out:
            problem = "Its name says validation data, but no other file is left to train on; it is training data."
            action = "Add the training data, or keep it so."
            notes += [Problem(path=path, problem=problem, action=action) for path in held_out]
        return dict.fromkeys(said, "train")
    problem = "Its name says validation data; no model is trained on it."
    action = "Take fl:split out if it is training data."
    notes += [Problem(path=path, problem=problem, action=action) for path in held_out]
    return said


def _notes_on_tables(sheets: Sheets) -> Iterator[Problem]:
    for path, sheet in sheets.by_path.items():
        if not sheet.header:
            problem = "Its first row has numbers in it, so it is data; the columns are called column_1, column_2, …."
            yield Problem(path=path, problem=problem, action="Write the names of the columns into a first row.")
        if sheet.delimiter != DELIMITERS[format_of(path) or ""]:
            problem = f"The columns are divided by {sheet.delimiter!r}."
            yield Problem(path=path, problem=problem, action="Nothing is to be done if that is right.")
    if sheets.draft:
        yield from sheets.draft.notes()


def _resources(
    data: Mapping[str, FileSource],
    digests: Mapping[str, str],
    splits: Mapping[str, Split],
    sheets: Sheets,
    arrays: ArrayDrafts,
) -> Iterator[dict[str, Any]]:
    members = sheets.draft.members() if sheets.draft else {}
    for name, (path, file) in zip(resource_names(data), data.items(), strict=True):
        form = format_of(path) or ""
        sheet = sheets.by_path.get(path)
        resource: dict[str, Any] = {"name": name, "path": path}
        if sheet:
            resource["type"] = "table"
        resource |= {"format": form, "mediatype": MEDIA_TYPES[form][0]}
        if sheet:
            resource["encoding"] = "utf-8"
        resource |= {"bytes": file.size, "hash": f"sha256:{digests[path]}", "fl:split": splits[path]}
        if sheet:
            resource |= {**_dialect(sheet.delimiter, sheet.header, form), "fl:rows": sheet.rows, **members}
        resource |= arrays.members(path)
        yield resource


def _dialect(delimiter: str, header: bool, form: str) -> dict[str, Any]:
    """The dialect, where it is not what the format stands for."""
    members: dict[str, Any] = {"delimiter": delimiter} if delimiter != DELIMITERS[form] else {}
    if not header:
        members["header"] = False
    return {"dialect": members} if members else {}


def _common_folder(paths: Sequence[str]) -> str:
    """The first folder, if all files are in it."""
    folders = {path.partition("/")[0] if "/" in path else "" for path in paths}
    return folders.pop() if len(folders) == 1 else ""


def _short(notes: Sequence[Problem]) -> Iterator[Problem]:
    """The notes; of those that many files share, the first few and the number of the others."""
    alike: dict[tuple[str, str], int] = {}
    for note in notes:
        alike[note.problem, note.action] = alike.get((note.problem, note.action), 0) + 1
    told: dict[tuple[str, str], int] = {}
    for note in notes:
        key = note.problem, note.action
        told[key] = told.get(key, 0) + 1
        if told[key] <= NOTED:
            yield note
        elif told[key] == alike[key]:
            more = alike[key] - NOTED
            yield Problem(path="$.files", problem=f"{more:,} more: {note.problem}", action=note.action)


def _unreadable(path: str, error: OSError) -> Problem:
    return Problem(path=path, problem=unreadable(error), action="Choose it again.")


def _refuse_if(problems: Sequence[Problem]) -> None:
    if problems:
        count = f"{len(problems):,} problem{'s' if len(problems) > 1 else ''}"
        raise InvalidData(f"No manifest was made: {count}.", "Resolve each one.", problems)
