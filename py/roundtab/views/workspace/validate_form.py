"""The form that validates a round: which round, on which held-out data, and what keeps it from being done."""

from __future__ import annotations

from collections.abc import Sequence

from roundtab.errors import Problem
from roundtab.records.capabilities import CapabilityInfo
from roundtab.records.jobs import TERMINAL, Job
from roundtab.records.validations import Validation
from roundtab.views.components import issue, note
from roundtab.views.format import metric, metric_words, plural
from roundtab.views.html import Child, Element, el
from roundtab.views.workspace.fields import choice, field_id, field_row
from roundtab.views.workspace.files import files_table, inputs, progress_line
from roundtab.views.workspace.form import Field
from roundtab.views.workspace.state import OpenJob, ValidateForm, WorkspaceState
from roundtab.views.workspace.words import capability_of

INVITATION = "Validate with a file"
FIRST_FIELD = field_id("validate.round")
LISTED = 200
"""Up to so many rounds are chosen from a list; of more, the number is entered."""


def why_never(opened: OpenJob, job: Job, catalogue: Sequence[CapabilityInfo]) -> str | None:
    """Why no round of the job can be validated at present, whatever the data; None where one can."""
    info = capability_of(job, catalogue)
    if info and info.evaluation != "dataset":
        return "This model declares no evaluation."
    if catalogue and not info:
        return f"This site no longer has the code of {job.capability.name}@{job.capability.version}."
    if not opened.checkpoints and job.status in TERMINAL:
        return "No checkpoint: the job ended before its first round was saved."
    if not opened.checkpoints:
        return "No checkpoint yet. The first one comes with round 1."
    return None


def why_not(state: WorkspaceState, opened: OpenJob, job: Job) -> str | None:
    """Why «Validate» cannot be pressed now; None when it can."""
    form = opened.validate
    if state.connection.phase != "ready":
        return "Wait until the Training API is ready."
    if form.busy == "validating":
        return "A round is being validated."
    if form.busy == "checking":
        return "Wait until the files are checked, or stop the check."
    if not _read_round(form, opened):
        return f"Enter a round from {opened.checkpoints[0].round} to {opened.checkpoints[-1].round}, or none."
    if uses_own(form, job):
        return None
    if form.held_out.manifest is None or not form.held_out.files:
        return "Choose a manifest and its files first."
    if form.held_out.trouble or (form.held_out.verified and not form.held_out.verified.ok):
        return "Resolve what is shown beside the files first."
    return None


def uses_own(form: ValidateForm, job: Job) -> bool:
    """Whether the job's own validation data is to be used."""
    return job.validation_dataset is not None and form.values.get("validate.data", "own") == "own"


def chosen_round(form: ValidateForm, opened: OpenJob) -> int:
    """The round to validate: the one that was entered, else the latest."""
    return _read_round(form, opened) or opened.checkpoints[-1].round


def _read_round(form: ValidateForm, opened: OpenJob) -> int | None:
    """The round that was entered, or the latest for an empty field; None where there is no such round."""
    entered = form.values.get("validate.round", "").strip()
    if not entered:
        return opened.checkpoints[-1].round
    return next((each.round for each in opened.checkpoints if str(each.round) == entered), None)


def validate_form(state: WorkspaceState, opened: OpenJob, job: Job) -> Element:
    """The form, for a job of which `why_never` says nothing."""
    form, reason = opened.validate, why_not(state, opened, job)
    busy = form.busy == "validating"
    return el(
        "form",
        {
            "class": "stack",
            "id": "validate-form",
            "aria-label": "Validate a round",
            "novalidate": True,
            "data-action": "validation.validate",
        },
        el(
            "fieldset",
            {"disabled": busy},
            el("legend", {"class": "visually-hidden"}, "Round and held-out data"),
            el("div", {"class": "fields"}, _round_field(form, opened)),
            _data(opened, job),
        ),
        _failure(form),
        progress_line(form, "Validating …", "validation.stop") if busy else None,
        el(
            "div",
            {"class": "row"},
            el(
                "button",
                {
                    "type": "submit",
                    "class": "small",
                    "id": "validate",
                    "disabled": reason is not None,
                    "aria-describedby": "validate-reason" if reason else None,
                },
                "Validate",
            ),
            el("p", {"class": "note", "id": "validate-reason"}, reason) if reason else None,
        ),
        el("p", {"class": "note", "role": "status", "id": "validate-result"}, _result(form.done)),
    )


def _round_field(form: ValidateForm, opened: OpenJob) -> Element:
    numbers = [each.round for each in reversed(opened.checkpoints)]
    latest = f"Latest, round {numbers[0]}"
    value = form.values.get("validate.round", "")
    if len(numbers) <= LISTED:
        choices = (("", latest), *((str(number), f"Round {number}") for number in numbers))
        field = Field(name="validate.round", path="", label="Round", kind="choice", choices=choices)
    else:
        field = Field(
            name="validate.round",
            path="",
            label="Round",
            kind="integer",
            least=numbers[-1],
            most=numbers[0],
            placeholder=latest,
            optional=True,
        )
    return field_row(field, value, None)


def _data(opened: OpenJob, job: Job) -> Element:
    """The job's own validation data, or files to choose; of those that are checked nothing is stored but names."""
    form, own = opened.validate, job.validation_dataset
    use_own = uses_own(form, job)
    words = "Checked in this browser. Not stored: only names, sizes and checksums"
    options = []
    if own:
        facts = f"{own.name}, {plural(own.rows or 0, 'row')}"
        options = [
            choice("validate.data", "own", "The job's own validation data", facts, checked=use_own),
            choice("validate.data", "chosen", "Manifest and files", words, checked=not use_own),
        ]
    return el(
        "div",
        {"class": "stack"},
        el("div", {"class": "choices"}, options) if options else note(f"Held-out data. {words}."),
        el(
            "div",
            {"class": "stack", "id": "held-out-data", "hidden": use_own},
            inputs("held_out"),
            files_table("held_out", form.held_out, form, file_problems(form)) if not use_own else None,
        ),
    )


def file_problems(form: ValidateForm) -> tuple[Problem, ...]:
    """What is wrong with the chosen files: what their check found, then what the last attempt was refused for."""
    data, found = form.held_out, list[Problem]()
    for trouble in filter(None, (data.trouble, form.trouble)):
        found += trouble.problems
    if data.trouble and not data.trouble.problems:
        found.append(Problem(path="$.manifest", problem=data.trouble.problem, action=data.trouble.action))
    return (*(data.verified.problems if data.verified else ()), *found)


def _failure(form: ValidateForm) -> Element | None:
    if form.trouble is None:
        return None
    return issue(
        f"Validation failed: {form.trouble.problem}",
        "Check that the model supports evaluation and that the file is the right one.",
        form.trouble.action,
        id="validation-failed",
    )


def _result(done: Validation | None) -> Child:
    if done is None:
        return None
    values = ", ".join(f"{metric_words(name)} {metric(each.value)}" for name, each in done.metrics.items())
    return f"Round {done.round} is validated on {done.dataset.name}, {plural(done.count, 'row')}: {values}."
