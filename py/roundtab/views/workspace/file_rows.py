"""What is shown of each chosen file: what its check found, and what was noted without harm."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from unicodedata import normalize

from roundtab.errors import Problem
from roundtab.views.components import StatusKind
from roundtab.views.workspace.state import ChosenData

Role = Literal["data", "validation", "held_out"]
"""What files are chosen for: the data and the validation data of a new job, or to validate a round of a job on."""


VALIDATION_FILES = "$.validation.files/"
"""Begins the path of a problem with a file of the validation data in a form that has training data, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRow:
    """One file."""

    name: str
    size: int | None
    """None of a file that is missing."""
    result: tuple[StatusKind, str]
    problems: Sequence[Problem] = ()
    notes: Sequence[Problem] = ()
    number: int
    """0 is the manifest; then come the chosen files in their order, then those that are missing."""


def manifest_row(role: Role, data: ChosenData, checking: bool, problems: Sequence[Problem]) -> FileRow:
    """The manifest, chosen or not."""
    name, size = (data.manifest.name, data.manifest.size) if data.manifest else ("Manifest", None)
    reported = {each.path for each in data.verified.problems} if data.verified else set()
    own = [each for each in problems if _is_manifests(each.path, role, reported)]
    notes = [each for each in (data.verified.notes if data.verified else ()) if each.path.startswith("$")]
    result = _result(data, checking, bool(own), True)
    return FileRow(name=name, size=size, result=result, problems=own, notes=notes, number=0)


def file_rows(role: Role, data: ChosenData, checking: bool, problems: Sequence[Problem]) -> list[FileRow]:
    """The chosen files, then those that the manifest names and nobody chose; those with problems come first."""
    chosen = {normalize("NFC", file.name) for file in data.files}
    listed = {*_passed(data), *(each.path for each in (data.verified.problems if data.verified else ()))}
    shared = Counter(_basename(path) for path in listed if not path.startswith("$"))
    alone = {name for name in chosen if shared[name] == 1}
    """Names that only one file of the manifest has, so that no folder is needed to tell it."""
    wrong = _Found(_of_role(role, problems), chosen, alone)
    odd = _Found(data.verified.notes if data.verified else (), chosen, alone)
    passed = _Found([Problem(path=path, problem="", action="") for path in _passed(data)], chosen, alone)
    rows = []
    for number, file in enumerate(data.files, start=1):
        name, own = file.name, wrong.of(file.name)
        result = _result(data, checking, bool(own), bool(passed.of(name)))
        rows.append(FileRow(name=name, size=file.size, result=result, problems=own, notes=odd.of(name), number=number))
    reported = _Found(data.verified.problems if data.verified else (), chosen, alone)
    missing = [
        FileRow(name=path, size=None, result=("failed", "Missing"), problems=own, number=number)
        for number, (path, own) in enumerate(reported.of_nobody(), start=len(rows) + 1)
    ]
    return sorted([*rows, *missing], key=lambda row: not row.problems)


class _Found:
    """Problems or notes by the chosen file that they are about.

    The check names files as the manifest does. A browser tells no folder of files that were chosen one by one, and some
    systems write accents as letters of their own.
    """

    def __init__(self, found: Iterable[Problem], chosen: set[str], alone: set[str]) -> None:
        self._by_name: dict[str, list[Problem]] = {}
        self._others: dict[str, list[Problem]] = {}
        for each in found:
            base = _basename(each.path)
            if each.path.startswith("$"):
                continue
            path = normalize("NFC", each.path)
            if path in chosen or base in alone:
                self._by_name.setdefault(path if path in chosen else base, []).append(each)
            else:
                self._others.setdefault(each.path, []).append(each)

    def of(self, name: str) -> Sequence[Problem]:
        """What is about the chosen file of this name."""
        return self._by_name.get(normalize("NFC", name), ())

    def of_nobody(self) -> Iterable[tuple[str, Sequence[Problem]]]:
        """What is about files that were not chosen, by their paths."""
        return self._others.items()


def _basename(path: str) -> str:
    return normalize("NFC", path.rsplit("/", 1)[-1])


def _of_role(role: Role, problems: Iterable[Problem]) -> list[Problem]:
    """The problems with files of this set, by the paths of its own manifest."""
    if role != "validation":
        return [each for each in problems if not each.path.startswith(VALIDATION_FILES)]
    return [
        replace(each, path=each.path.removeprefix(VALIDATION_FILES))
        for each in problems
        if each.path.startswith(VALIDATION_FILES)
    ]


def in_validation(problem: Problem) -> Problem:
    """A problem of the validation data's check among those of the whole form: files of both sets may share names."""
    if problem.path == "$.files":
        return replace(problem, path="$.validation.files")
    if problem.path.startswith("$"):
        place = problem.path.removeprefix("$").removeprefix(".manifest")
        return replace(problem, path=f"$.validation.manifest{place}")
    return replace(problem, path=f"{VALIDATION_FILES}{problem.path}")


def _passed(data: ChosenData) -> Sequence[str]:
    return data.verified.files if data.verified else ()


def _is_manifests(path: str, role: Role, reported: set[str]) -> bool:
    """Whether a problem with this path belongs to the manifest of `role`; `reported` are paths of its check."""
    if role == "held_out":
        return path.startswith("$")
    if role == "validation":
        return path.startswith("$.validation") and not path.startswith(VALIDATION_FILES)
    return path == "$" or path.startswith(("$.manifest", "$.files")) or (path.startswith("$") and path in reported)


def _result(data: ChosenData, checking: bool, failed: bool, passed: bool) -> tuple[StatusKind, str]:
    if failed:
        return "failed", "Failed"
    if checking:
        return "running", "Checking"
    if data.verified is None:
        return "queued", "Not checked"
    if passed:
        return "completed", "Passed"
    return ("cancelled", "Not used") if data.verified.ok else ("queued", "Not checked")


def unchecked(data: ChosenData) -> bool:
    """Whether all was chosen and its check has no result: it is under way, or was stopped."""
    return bool(data.manifest and data.files) and data.verified is None and data.trouble is None


def counted(rows: Sequence[FileRow]) -> Mapping[str, int]:
    """How many rows have each result."""
    found: dict[str, int] = {}
    for row in rows:
        found[row.result[1]] = found.get(row.result[1], 0) + 1
    return found
