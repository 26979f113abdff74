"""The chosen files of a form: the inputs, and a table that says of each file what the check found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from roundtab.api.protocol import Verified
from roundtab.errors import Problem
from roundtab.views.components import StatusKind, button, cell, head, issue, status
from roundtab.views.format import exact_bytes, percent, plural
from roundtab.views.html import Attribute, Child, Element, el
from roundtab.views.workspace.fields import field_id
from roundtab.views.workspace.making import making
from roundtab.views.workspace.state import ChosenData, Form

Role = Literal["data", "validation", "held_out"]
"""What files are chosen for: the data and the validation data of a new job, or to validate a round of a job on."""

SPARED = {
    "data": "Nothing has been created.",
    "validation": "Nothing has been created.",
    "held_out": "The job is as it was.",
}
"""What rejected files have not changed."""

STAGES = {"manifest": ("parse", "structure"), "names": ("names",), "sizes": ("sizes",), "checksums": ("checksums",)}
"""What the checks are called, in their order, and the stages of the API that they stand for."""


_MANIFEST_HELP = "datapackage.json, or a list of checksums to make one from"


def inputs(role: Role) -> Element:
    """The two file inputs. They are never made anew, for a browser forgets the chosen files with the element."""
    titles = {"data": "Data files", "validation": "Validation files", "held_out": "Held-out files"}
    helps = {
        "data": "Every file that the manifest names, with its original name",
        "validation": "Every file of its validation split, or all that it names",
        "held_out": "Every file of its validation split, or all that it names",
    }
    return el(
        "div",
        {"class": "fields wide"},
        _input(f"{role}.manifest", "Manifest", _MANIFEST_HELP, {"accept": ".json,.txt,.sha256,.md5"}),
        _input(f"{role}.files", titles[role], helps[role], {"multiple": True}),
    )


def _input(name: str, label: str, help: str, more: dict[str, Attribute]) -> Element:
    own = field_id(name)
    attributes: dict[str, Attribute] = {
        "type": "file",
        "id": own,
        "name": name,
        "aria-label": label,
        "data-morph-keep": True,
    }
    return el(
        "label",
        {"for": own},
        f"{label} ",
        el("input", attributes | more | {"aria-describedby": f"{own}-help"}),
        el("small", {"id": f"{own}-help"}, help),
    )


def files_table(role: Role, data: ChosenData, form: Form, problems: Sequence[Problem]) -> Element | None:
    """What was chosen and what the check found; None while nothing is chosen."""
    stop = "validation.stop" if role == "held_out" else "form.stop"
    if data.manifest is None and not data.files:
        return None
    rows = _rows(role, data, form.busy == "checking", problems)
    failed = sum(1 for row in rows if row.problems)
    return el(
        "div",
        {"class": "stack", "id": f"{role}-check"},
        progress_line(form, "Checking …", stop) if form.busy == "checking" else None,
        issue(
            f"{failed} of {plural(len(rows), 'file')} {'was' if failed == 1 else 'were'} rejected. " + SPARED[role],
            id=f"{role}-rejected",
        )
        if failed
        else None,
        el(
            "table",
            {"class": "cards"},
            el("caption", _caption(data.verified)),
            head("File", "Result", ("Size", "num"), "Problem and action"),
            el("tbody", [_row(role, number, row) for number, row in enumerate(rows)]),
        ),
        making(role, data, form),
    )


def progress_line(form: Form, words: str, stop: str) -> Element:
    """How far a long call is, with the button that sends `stop`; `words` until it has reported."""
    progress = form.progress
    if progress:
        words = f"{progress.what}, {percent(progress.done, progress.total)}." if progress.total else f"{progress.what}."
    return el(
        "div",
        {"class": "row"},
        el("p", {"class": "note"}, words),
        button("Stop", stop, style="outline", small=True),
    )


@dataclass(frozen=True, slots=True)
class _File:
    """A row of the table."""

    name: str
    size: int | None
    result: tuple[StatusKind, str]
    problems: Sequence[Problem]


def _rows(role: Role, data: ChosenData, checking: bool, problems: Sequence[Problem]) -> list[_File]:
    """The manifest, the chosen files, and the files that the manifest names and nobody chose."""
    of_manifest = [each for each in problems if _is_manifests(each.path, role, data)]
    name, size = (data.manifest.name, data.manifest.size) if data.manifest else ("Manifest", None)
    rows = [_File(name, size, _result(data, checking, bool(of_manifest), True), of_manifest)]
    chosen = {file.name for file in data.files}
    for file in data.files:
        own = [each for each in problems if _same_file(each.path, file.name)]
        passed = data.verified is not None and any(_same_file(path, file.name) for path in data.verified.files)
        rows.append(_File(file.name, file.size, _result(data, checking, bool(own), passed), own))
    reported = data.verified.problems if data.verified else ()
    missing = dict.fromkeys(
        each.path
        for each in reported
        if not each.path.startswith("$") and not any(_same_file(each.path, name) for name in chosen)
    )
    for path in missing:
        own = [each for each in reported if each.path == path]
        rows.append(_File(path, None, ("failed", "Missing"), own))
    return rows


def _is_manifests(path: str, role: Role, data: ChosenData) -> bool:
    """Whether a problem with this path belongs to the manifest of `role`."""
    if data.verified and path.startswith("$") and path in {each.path for each in data.verified.problems}:
        return True
    if role == "held_out":
        return path.startswith("$")
    if role == "validation":
        return path.startswith("$.validation")
    return path.startswith(("$.manifest", "$.files"))


def _same_file(path: str, name: str) -> bool:
    """Whether a manifest path names this file: browsers give a chosen file without its folder."""
    return path == name or path.rsplit("/", 1)[-1] == name


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


def _row(role: Role, number: int, file: _File) -> Element:
    return el(
        "tr",
        {"id": f"{role}-row-{number}", "tabindex": -1},
        el("th", {"scope": "row"}, file.name),
        cell("Result", status(*file.result)),
        cell("Size", exact_bytes(file.size), number=True),
        cell("Problem", _problems(role, number, file), span=6) if file.problems else _details(role, file.result[1]),
    )


def _details(role: Role, result: str) -> Element:
    unused = "The manifest does not name this file." if role == "data" else "It is not one of the held-out files."
    words = {"Not used": unused, "Passed": "As in the manifest"}.get(result)
    return cell("Details", el("span", {"class": "note"}, words), span=6) if words else el("td")


def _problems(role: Role, number: int, file: _File) -> Element:
    target = field_id(f"{role}.manifest" if number == 0 else f"{role}.files")
    again = el(
        "button",
        {
            "type": "button",
            "class": "small",
            "data-opens": target,
            "aria-label": f"Choose file again: {file.name}",
        },
        "Choose file again",
    )
    told = [[el("p", {"class": "problem"}, _where(each), each.problem), el("p", each.action)] for each in file.problems]
    return el("div", *told, el("div", {"class": "row"}, again))


def _where(problem: Problem) -> Child:
    """The place in the manifest that a problem is about."""
    place = manifest_place(problem.path)
    return [el("code", place), ": "] if place else None


def manifest_place(path: str) -> str:
    """`resources[0].hash` for `$.manifest.resources[0].hash`; nothing for what is no place in a manifest."""
    return path.removeprefix("$.manifest").removeprefix("$").removeprefix(".") if path.startswith("$") else ""


def _caption(verified: Verified | None) -> str:
    if verified is None:
        return "The files are checked in this browser. Nothing is sent."
    names = list(STAGES)
    reached = next((i for i, stages in enumerate(STAGES.values()) if verified.stage in stages), len(names))
    if verified.ok:
        return f"Passed: {', '.join(names)}."
    passed, failed, waiting = names[:reached], [*names, "content"][reached], [*names[reached + 1 :], "content"]
    parts = [f"Passed: {', '.join(passed)}." if passed else "", f"Failed: {failed}."]
    parts.append(f"Not checked yet: {', '.join(waiting)}." if failed != "content" else "")
    return " ".join(filter(None, parts))
