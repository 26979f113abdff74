"""The page for a new job: what to train, on what, how; beside it a summary with everything that is still wrong."""

from __future__ import annotations

from collections.abc import Sequence

from roundtab.errors import Problem
from roundtab.records.capabilities import CapabilityInfo
from roundtab.views.components import note, panel
from roundtab.views.html import Attribute, Child, Element, Fragment, el, fragment
from roundtab.views.workspace.fields import choice, field_row
from roundtab.views.workspace.files import files_table, inputs
from roundtab.views.workspace.form import (
    Field,
    chosen_capability,
    chosen_sample,
    fitting_samples,
    more_fields,
    name_field,
    parameter_fields,
    trainer_fields,
    uses_sample,
    validation_choice,
    value_of,
)
from roundtab.views.workspace.samples import Sample
from roundtab.views.workspace.specification import form_problems
from roundtab.views.workspace.state import WorkspaceState
from roundtab.views.workspace.summary import summary_panel


def new_job_page(state: WorkspaceState) -> Fragment:
    """The whole form."""
    capability = chosen_capability(state)
    if capability is None:
        waiting = note("The form appears as soon as the Training API is ready.")
        return fragment(panel("catalogue", "Capability", el("div", {"class": "jobs-body"}, waiting), level="h2"))
    problems = form_problems(state)
    return fragment(
        el(
            "form",
            {
                "class": "columns",
                "id": "new-job",
                "aria-label": "New job",
                "novalidate": True,
                "data-action": "form.create",
            },
            el(
                "div",
                {"class": "stack"},
                _part("capability", _capability(state, capability, problems)),
                _part("data", _data(state, problems)),
                _part("validation", _validation(state, problems)),
                _part("settings", _settings(state, capability, problems)),
            ),
            summary_panel(state, problems),
        )
    )


def _part(name: str, fieldset: Element) -> Element:
    return el("article", {"class": "panel", "id": f"{name}-panel"}, fieldset)


def _held(state: WorkspaceState) -> dict[str, Attribute]:
    """What is being created changes no more."""
    return {"disabled": state.form.busy == "creating"}


def _capability(state: WorkspaceState, chosen: CapabilityInfo, problems: Sequence[Problem]) -> Element:
    kinds = {"supervised": "dataset job", "reinforcement": "experience job"}
    options = []
    for each in state.capabilities or ():
        key = f"{each.name}@{each.version}"
        facts = f"{key} · {kinds[each.trainer_type]} · counts {each.work_unit}"
        options.append(choice("capability", key, each.title, facts, checked=each is chosen))
    return el(
        "fieldset",
        _held(state),
        el("legend", "Capability"),
        el("div", {"class": "choices"}, options),
        _fields(state, [name_field(state), *parameter_fields(chosen)], problems),
    )


def _data(state: WorkspaceState, problems: Sequence[Problem]) -> Element:
    sample, from_site = chosen_sample(state), uses_sample(state.form)
    words = _rows(sample) + ", comes with this site" if sample else "This site has none that fits this capability"
    return el(
        "fieldset",
        _held(state),
        el("legend", "Data"),
        el(
            "div",
            {"class": "choices"},
            choice("data", "sample", "Use sample data", words, checked=from_site),
            choice(
                "data",
                "own",
                "Manifest and files",
                "You send each participant the rows of its tasks",
                checked=not from_site,
            ),
        ),
        el("div", {"class": "fields wide", "id": "sample-fields"}, _samples(state, sample))
        if from_site and sample
        else None,
        el(
            "div",
            {"class": "stack", "id": "own-data", "hidden": from_site},
            inputs("data"),
            files_table("data", state.form.data, state.form, problems) if not from_site else None,
        ),
    )


def _samples(state: WorkspaceState, chosen: Sample) -> Child:
    choices = tuple((each.id, _rows(each)) for each in fitting_samples(state))
    field = Field(name="sample", path="", label="Data set", kind="choice", choices=choices)
    return field_row(field, chosen.id, None)


def _rows(sample: Sample) -> str:
    return f"{sample.title}: {sample.rows:,} + {sample.validation_rows:,} rows"


def _validation(state: WorkspaceState, problems: Sequence[Problem]) -> Element:
    chosen, sample, capability = validation_choice(state), chosen_sample(state), chosen_capability(state)
    if capability and capability.evaluation != "dataset":
        return el("fieldset", el("legend", "Validation data"), note("This model declares no evaluation."))
    marked = "The files marked as validation split"
    if sample and uses_sample(state.form):
        marked = f"{sample.files[-1]}, {sample.validation_rows:,} rows marked as validation split"
    return el(
        "fieldset",
        _held(state),
        el("legend", "Validation data"),
        el(
            "div",
            {"class": "choices"},
            choice("validation", "manifest", "From the manifest", marked, checked=chosen == "manifest"),
            choice(
                "validation",
                "other",
                "Another manifest and file",
                "Held-out rows that are not in the training data",
                checked=chosen == "other",
            ),
            choice("validation", "none", "None", "No round will be marked best", checked=chosen == "none"),
        ),
        el(
            "div",
            {"class": "stack", "id": "own-validation", "hidden": chosen != "other"},
            inputs("validation"),
            files_table("validation", state.form.validation, state.form, problems) if chosen == "other" else None,
        ),
    )


def _settings(state: WorkspaceState, capability: CapabilityInfo, problems: Sequence[Problem]) -> Element:
    engine = state.connection.status
    more = more_fields(capability, engine.local_trainers if engine else None)
    shown = {field.name: value_of(field, state.form.values) or field.placeholder for field in more}
    words = f"More settings: seed {shown['seed']}, items a round: {shown['items_per_round']}"
    return el(
        "fieldset",
        _held(state),
        el("legend", "Trainer settings"),
        _fields(state, trainer_fields(capability, state.form.values), problems),
        el("details", {"id": "more-settings"}, el("summary", words), _fields(state, more, problems)),
    )


def _fields(state: WorkspaceState, fields: Sequence[Field], problems: Sequence[Problem]) -> Element:
    by_path = {problem.path: problem for problem in problems}
    rows = [field_row(field, value_of(field, state.form.values), by_path.get(field.path)) for field in fields]
    return el("div", {"class": "fields"}, rows)
