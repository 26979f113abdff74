"""The chosen files of a form: the inputs, and a table that says of each file what the check found."""

from __future__ import annotations

from collections.abc import Sequence

from roundtab.api.protocol import Verified
from roundtab.errors import Problem
from roundtab.views.components import button, cell, head, issue, note, status
from roundtab.views.format import exact_bytes, percent, plural, size
from roundtab.views.html import Attribute, Child, Element, el
from roundtab.views.workspace.fields import field_id
from roundtab.views.workspace.file_rows import FileRow, Role, counted, file_rows, manifest_row, unchecked
from roundtab.views.workspace.making import making
from roundtab.views.workspace.state import ChosenData, Form

MOST = 40
"""Files that are shown one by one, those with problems first; of so many more the number is told."""
SOME = 10

SPARED = {
    "data": "Nothing has been created.",
    "validation": "Nothing has been created.",
    "held_out": "The job is as it was.",
}
"""What rejected files have not changed."""

STAGES = {
    "manifest": ("parse", "structure"),
    "names": ("names",),
    "sizes": ("sizes",),
    "checksums": ("checksums",),
    "content": ("content",),
}
"""What the checks are called, in their order, and the stages of the API that they stand for."""


_MANIFEST_HELP = "datapackage.json, or a list of checksums to make one from"


def inputs(role: Role) -> Element:
    """The file inputs, in an area that files may be dropped on.

    They are never made anew, for a browser forgets the chosen files with the element.
    """
    titles = {"data": "Data files", "validation": "Validation files", "held_out": "Held-out files"}
    helps = {
        "data": "Every file that the manifest names, with its original name",
        "validation": "Every file of its validation split, or all that it names",
        "held_out": "Every file of its validation split, or all that it names",
    }
    folders = {"data": "Data folder", "validation": "Validation folder", "held_out": "Held-out folder"}
    folder_help = "Everything in it, with the manifest"
    return el(
        "div",
        {"class": "drop", "data-drop": f"{role}.files"},
        el(
            "div",
            {"class": "fields wide"},
            _input(f"{role}.manifest", "Manifest", _MANIFEST_HELP, {"accept": ".json,.txt,.sha256,.md5"}),
            _input(f"{role}.files", titles[role], helps[role], {"multiple": True}),
            _input(f"{role}.folder", folders[role], folder_help, {"webkitdirectory": True}),
        ),
        el("p", {"class": "note"}, "Or drop files or a folder here. What you choose stays in this browser."),
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
    if data.manifest is None and not data.files:
        return None
    checking = form.busy == "checking"
    manifest, files = manifest_row(role, data, checking, problems), file_rows(role, data, checking, problems)
    failed = sum(1 for row in (manifest, *files) if row.problems)
    shown = files if len(files) <= MOST + SOME else files[:MOST]
    return el(
        "div",
        {"class": "stack", "id": f"{role}-check"},
        progress_line(form, "Checking …", "validation.stop" if role == "held_out" else "form.stop")
        if checking
        else None,
        issue(
            f"{failed:,} of {plural(len(files) + (data.manifest is not None), 'file')} "
            f"{'was' if failed == 1 else 'were'} rejected. " + SPARED[role],
            id=f"{role}-rejected",
        )
        if failed
        else None,
        el(
            "table",
            {"class": "cards"},
            el("caption", _caption(data.verified)),
            head("File", "Result", ("Size", "num"), "Problem and action"),
            el("tbody", [_row(role, row) for row in (manifest, *shown)]),
        ),
        _rest(files[len(shown) :]),
        el("div", {"class": "row"}, note("The files are not checked."), button("Check them", "file.check", role=role))
        if unchecked(data) and not checking
        else None,
        making(role, data, form),
    )


def _rest(rows: Sequence[FileRow]) -> Element | None:
    """The files that are not shown one by one, by what the check found."""
    if not rows:
        return None
    told = ", ".join(f"{count:,} {result.lower()}" for result, count in counted(rows).items())
    return note(f"And {plural(len(rows), 'more file')}: {told}.")


def progress_line(form: Form, words: str, stop: str) -> Element:
    """How far a long call is, with the button that sends `stop`; `words` until it has reported."""
    progress = form.progress
    if progress:
        words = f"{progress.what}, {percent(progress.done, progress.total)}" if progress.total else progress.what
        words += f" ({size(round(progress.rate))}/s)." if progress.rate and progress.unit == "bytes" else "."
    return el(
        "div",
        {"class": "row"},
        el("p", {"class": "note"}, words),
        button("Stop", stop, style="outline", small=True),
    )


def _row(role: Role, row: FileRow) -> Element:
    return el(
        "tr",
        {"id": f"{role}-row-{row.number}", "tabindex": -1},
        el("th", {"scope": "row"}, row.name),
        cell("Result", status(*row.result)),
        cell("Size", exact_bytes(row.size), number=True),
        cell("Problem" if row.problems else "Details", _details(role, row), span=6),
    )


def _details(role: Role, row: FileRow) -> Element:
    """What was found, and what can be done about the file: choose it again, take it out."""
    unused = "The manifest does not name this file." if role == "data" else "It is not one of the held-out files."
    words = {"Not used": unused, "Passed": "As in the manifest"}.get(row.result[1], "")
    told: list[Child] = [
        [el("p", {"class": "problem"}, _where(each), each.problem), el("p", each.action)] for each in row.problems
    ]
    told += [note(_where(each), f"{each.problem} {each.action}") for each in row.notes]
    target = f"{role}.files" if row.number else f"{role}.manifest"
    again = el(
        "button",
        {
            "type": "button",
            "class": "small",
            "data-opens": field_id(target),
            "aria-label": f"Choose file again: {row.name}",
        },
        "Choose file again",
    )
    remove = button(
        "Remove",
        "file.remove",
        style="quiet",
        small=True,
        name=f"Remove {row.name}",
        role=role,
        path=row.name if row.number else "",
    )
    buttons = [again] if row.problems else []
    buttons += [remove] if row.size is not None else []
    return el(
        "div",
        {"class": "verdict"},
        el("div", told or (note(words) if words else None)),
        el("div", {"class": "row"}, buttons) if buttons else None,
    )


def _where(problem: Problem) -> Child:
    """The place in the manifest that a problem is about."""
    place = manifest_place(problem.path)
    return [el("code", place), ": "] if place else None


def manifest_place(path: str) -> str:
    """`resources[0].hash` for `$.manifest.resources[0].hash`; nothing for what is no place in a manifest."""
    if not path.startswith("$"):
        return ""
    for start in ("$.validation.manifest", "$.validation", "$.manifest", "$"):
        if path.startswith(start):
            return path.removeprefix(start).removeprefix(".")
    return ""


def _caption(verified: Verified | None) -> str:
    if verified is None:
        return "The files are checked in this browser. Nothing is sent."
    names = list(STAGES)
    if verified.ok:
        return f"Passed: {', '.join(names)}."
    reached = next(i for i, stages in enumerate(STAGES.values()) if verified.stage in stages)
    passed, waiting = names[:reached], names[reached + 1 :]
    parts = [f"Passed: {', '.join(passed)}." if passed else "", f"Failed: {names[reached]}."]
    parts.append(f"Not checked yet: {', '.join(waiting)}." if waiting else "")
    return " ".join(filter(None, parts))
