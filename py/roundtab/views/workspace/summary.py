"""The summary beside the form: how much work it is, what is left to resolve, and the button that creates the job."""

from __future__ import annotations

from collections.abc import Sequence

from roundtab.errors import Problem
from roundtab.views.components import issue, panel
from roundtab.views.format import exact_bytes, plural, size
from roundtab.views.html import Child, Element, el
from roundtab.views.workspace.fields import field_id
from roundtab.views.workspace.file_rows import VALIDATION_FILES, Role, file_rows
from roundtab.views.workspace.files import manifest_place, progress_line
from roundtab.views.workspace.form import (
    all_fields,
    chosen_capability,
    chosen_sample,
    uses_sample,
    validation_choice,
    value_of,
)
from roundtab.views.workspace.specification import form_problems
from roundtab.views.workspace.state import ChosenData, WorkspaceState

LISTED = 20
"""Problems that are listed one by one."""


def summary_panel(state: WorkspaceState, problems: Sequence[Problem]) -> Element:
    """Work, data and space; the problems with links to where they are; «Create job»."""
    reason = why_not(state, problems)
    described = "create-reason create-note" if reason else "create-note"
    body: list[Child] = [
        el("dl", {"class": "pairs"}, [[el("dt", name), el("dd", value)] for name, value in _facts(state)]),
        _refusal(state),
        _problems(state, problems),
        progress_line(state.form, "Creating …", "form.stop") if state.form.busy == "creating" else None,
        el(
            "button",
            {"type": "submit", "id": "create-job", "aria-describedby": described, "disabled": reason is not None},
            "Create job",
        ),
        el("p", {"class": "note", "id": "create-reason"}, reason) if reason else None,
        el(
            "p",
            {"class": "note", "id": "create-note"},
            "Copies the files into this browser and makes a queued job. It uses no participant until you start it.",
        ),
    ]
    return el(
        "aside", {"class": "stack sticky", "aria-label": "Summary"}, panel("summary", "Summary", *body, level="h2")
    )


def why_not(state: WorkspaceState, problems: Sequence[Problem]) -> str | None:
    """Why «Create job» cannot be pressed now; None when it can."""
    if state.connection.phase != "ready":
        return "Wait until the Training API is ready."
    if state.form.busy == "creating":
        return "The job is being created."
    if state.form.busy == "checking":
        return "Wait until the files are checked, or stop the check."
    if any(each not in _refused(state) for each in problems):
        return f"Resolve {'the problem' if len(problems) == 1 else 'the problems'} listed above first."
    return None


def _refused(state: WorkspaceState) -> Sequence[Problem]:
    """Problems of the last attempt: they do not keep the person from trying again."""
    return state.form.trouble.problems if state.form.trouble else ()


def _refusal(state: WorkspaceState) -> Element | None:
    trouble = state.form.trouble
    if trouble is None or trouble.problems:
        return None  # the list of problems says it all
    return issue(f"The job was not created. {trouble.problem}", trouble.action, id="create-refused")


def _problems(state: WorkspaceState, problems: Sequence[Problem]) -> Element | None:
    if not problems:
        return None
    places = _Places(state)
    entries = [el("li", _entry(places, each)) for each in problems[:LISTED]]
    if len(problems) > LISTED:
        entries.append(el("li", f"And {len(problems) - LISTED:,} more."))
    head = f"{plural(len(problems), 'problem')} to resolve"
    return issue(head, el("ul", entries), id="problems")


def _entry(places: _Places, problem: Problem) -> Child:
    place, label = places.of(problem.path)
    words = f"{label}: {problem.problem}" if label else f"{problem.problem} {problem.action}"
    return el("a", {"href": f"#{place}"}, words) if place else words


class _Places:
    """Which element a problem belongs to, and what to call it."""

    def __init__(self, state: WorkspaceState) -> None:
        self._fields = {field.path: (field_id(field.name), field.label) for field in all_fields(state)}
        self._own = not uses_sample(state.form)
        self._rows: dict[str, tuple[str, str]] = {}
        sets: tuple[tuple[Role, ChosenData, str], ...] = (
            ("validation", state.form.validation, VALIDATION_FILES),
            ("data", state.form.data, ""),
        )
        for role, data, start in sets:
            for row in file_rows(role, data, False, form_problems(state)):
                for path in {row.name, *(each.path for each in row.problems)}:
                    self._rows[f"{start}{path}"] = f"{role}-row-{row.number}", row.name

    def of(self, path: str) -> tuple[str | None, str]:
        """The element's id, if it has one on the page, and the words."""
        if path in self._fields:
            return self._fields[path]
        if path in self._rows:
            return self._rows[path]
        if path == "$.files":
            return field_id("data.files"), "Data files"
        if path == "$.validation.files":
            return field_id("validation.files"), "Validation files"
        if path.startswith(VALIDATION_FILES):
            return field_id("validation.files"), path.removeprefix(VALIDATION_FILES)
        if path.startswith("$.validation"):
            return field_id("validation.manifest"), manifest_place(path) or "Validation manifest"
        if not path.startswith("$"):
            return field_id("data.files") if self._own else None, path
        in_manifest = path.startswith(("$.manifest", "$.resources", "$.name")) or path == "$"
        label = manifest_place(path) or "Manifest" if in_manifest else ""
        return field_id("data.manifest") if self._own else None, label


def _own_facts(state: WorkspaceState) -> list[tuple[str, str]]:
    """What the check found in the person's own files; only those that the manifests name are copied."""
    chosen = [state.form.data]
    choice = validation_choice(state)
    if choice == "other":
        chosen.append(state.form.validation)
    facts = []
    verified = [each.verified for each in chosen if each.verified]
    train = next((each.train for each in verified if each.train), None)
    held_out = next((each.validation for each in reversed(verified) if each.validation), None)
    if train:
        kind = plural(len(train.classes), "class", "classes") if train.classes else "quantities"
        features = plural(len(train.feature_names), "feature")
        facts.append(("Data", f"{plural(train.rows, 'row')}, {features}, {kind}"))
        facts.append(("Validation", plural(held_out.rows, "row") if held_out else "none"))
    if any(each.files for each in chosen):
        facts.append(("Copied", exact_bytes(sum(map(_used, chosen)))))
    return facts


def _used(data: ChosenData) -> int:
    """Bytes of the files that will be copied; all until they were checked."""
    rows = file_rows("data", data, False, ())
    return sum(row.size or 0 for row in rows if row.result[1] != "Not used")


def _facts(state: WorkspaceState) -> list[tuple[str, str]]:
    fields = {field.name: value_of(field, state.form.values) for field in all_fields(state)}
    sample = chosen_sample(state) if uses_sample(state.form) else None
    rounds = fields.get("rounds", "")
    number = int(rounds) if rounds.isdecimal() else 0
    capability = chosen_capability(state)
    unit = capability.work_unit if capability else "samples"
    facts = [("Rounds", f"{number:,}" if number else "–")]
    if sample:
        if number and not fields.get("items_per_round"):
            facts = [("Work", f"{number:,} × {sample.rows:,} = {number * sample.rows:,} {unit}")]
        held_out = {"manifest": f"{sample.validation_rows:,} rows", "other": "another file", "none": "none"}
        facts.append(("Data", f"{sample.title}, {sample.rows:,} rows"))
        facts.append(("Validation", held_out[validation_choice(state)]))
        more = _used(state.form.validation) if validation_choice(state) == "other" else 0
        facts.append(("Copied", exact_bytes(sample.bytes + more)))
    else:
        facts += _own_facts(state)
    if engine := state.connection.status:
        facts.append(("Space", f"{size(max(engine.storage.quota - engine.storage.used, 0))} free in this browser"))
    return facts
