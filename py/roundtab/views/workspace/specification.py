"""From the form to the specification of a job, and everything that is wrong with it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from roundtab.errors import InvalidRequest, Problem
from roundtab.records.codec import from_plain
from roundtab.records.fitting import DataForm, held_out_faults, training_faults
from roundtab.records.spec import Spec
from roundtab.records.values import Json, limit_text
from roundtab.views.workspace.file_rows import in_validation, unchecked
from roundtab.views.workspace.form import (
    Field,
    all_fields,
    chosen_capability,
    chosen_sample,
    uses_sample,
    validation_choice,
    value_of,
)
from roundtab.views.workspace.samples import Sample
from roundtab.views.workspace.state import ChosenData, WorkspaceState


def form_spec(state: WorkspaceState) -> dict[str, Json]:
    """The specification as `jobs.create` takes it, without numbers that cannot be read: `form_problems` names them."""
    capability = chosen_capability(state)
    if capability is None:
        return {}
    spec: dict[str, Json] = {"capability": f"{capability.name}@{capability.version}"}
    for field in all_fields(state):
        value = _read(field, value_of(field, state.form.values))
        if value is not None:
            *parents, last = field.path.removeprefix("$.spec.").split(".")
            target = spec
            for parent in parents:
                target = target.setdefault(parent, {})
            target[last] = value
    return spec


def form_problems(state: WorkspaceState) -> tuple[Problem, ...]:
    """What keeps the job from being created: settings, then files, then what the last attempt was refused for.

    Paths are those of the API (`$.spec.trainer.rounds`); problems with files have the file's name.
    """
    fields = all_fields(state)
    problems = [problem for field in fields if (problem := _field_problem(field, state.form.values))]
    unread = {problem.path for problem in problems}
    by_path = {field.path: field for field in fields}
    if fields:
        problems += [
            replace(each, action=_advice(by_path.get(each.path), each.action))
            for each in _spec_problems(form_spec(state))
            if each.path not in unread
        ]
    if uses_sample(state.form):
        problems += _sample_problems(state)
    else:
        problems += _data_problems(state.form.data, state.form.busy)
    if validation_choice(state) == "other":
        problems += map(in_validation, _data_problems(state.form.validation, state.form.busy))
    problems += _fit_problems(state)
    known = {problem.path for problem in problems}
    refused = state.form.trouble.problems if state.form.trouble else ()
    return tuple(problems + [each for each in refused if each.path not in known])


def _spec_problems(spec: dict[str, Json]) -> Iterable[Problem]:
    try:
        from_plain(Spec, spec, path="$.spec")
    except InvalidRequest as refused:
        return refused.problems
    return ()


def _field_problem(field: Field, values: Mapping[str, str]) -> Problem | None:
    entered = value_of(field, values).strip()
    if field.kind not in ("integer", "number") or (field.optional and not entered):
        return None
    number = _read(field, entered)
    if number is None:
        problem = "Must be a whole number." if field.kind == "integer" else "Must be a number."
    elif field.name == "learning_rate" and number <= 0:
        problem = "Must be greater than 0."
    elif field.name == "momentum" and not 0 <= number < 1:
        problem = "Must be at least 0 and below 1."
    elif field.least is not None and number < field.least:
        problem = f"Must be at least {limit_text(field.least)}."
    elif field.most is not None and number > field.most:
        problem = f"Must be at most {limit_text(field.most)}."
    else:
        return None
    return Problem(path=field.path, problem=problem, action=_advice(field, "Enter another value."))


def _advice(field: Field | None, otherwise: str) -> str:
    return f"For this model start with {field.default}." if field and field.default else otherwise


def _read(field: Field, entered: str) -> Json:
    """The value as the API takes it; None when there is none."""
    entered = entered.strip()
    if field.kind == "boolean":
        return entered == "true"
    if field.kind not in ("integer", "number"):
        return entered or None
    try:
        number = int(entered) if field.kind == "integer" else float(entered)
        return number if math.isfinite(number) else None
    except (ValueError, OverflowError):
        return None


def _sample_problems(state: WorkspaceState) -> list[Problem]:
    if chosen_capability(state) is None or chosen_sample(state):
        return []
    problem = "No sample data of this site fits the capability."
    return [Problem(path="$.sample", problem=problem, action="Choose your own manifest and files.")]


def _fit_problems(state: WorkspaceState) -> Iterator[Problem]:
    """Whether the data that was read fits the model, and the held-out data the training data."""
    capability, sample, choice = chosen_capability(state), chosen_sample(state), validation_choice(state)
    own = state.form.data.verified
    held_out, path = own.validation if own else None, "$.manifest"
    if choice == "other":
        other = state.form.validation.verified
        held_out, path = other.validation if other else None, "$.validation.manifest"
    if uses_sample(state.form):
        train = _form_of(sample, held_out) if sample and held_out and choice == "other" else None
    else:
        train = own.train if own else None
        if own and own.ok and train is None:
            action = "Leave fl:split out, or set it to train, for at least one file."
            yield Problem(path="$.manifest", problem="The manifest marks no file as training data.", action=action)
        if train and capability:
            for problem, action in training_faults(train, capability):
                yield Problem(path="$.manifest", problem=problem, action=action)
    if train and held_out and choice != "none":
        for problem, action in held_out_faults(held_out, train.feature_names, train.classes):
            yield Problem(path=path, problem=problem, action=action)


def _form_of(sample: Sample, like: DataForm) -> DataForm:
    """What a sample looks like. Of its names only the numbers are known; where equal, they are those of `like`."""
    names, classes = like.feature_names, like.classes
    return DataForm(
        feature_names=names if len(names) == sample.features else tuple(map(str, range(sample.features))),
        classes=classes if len(classes) == sample.classes else tuple(map(str, range(sample.classes))),
        rows=sample.rows,
        classes_present=sample.classes,
    )


def _data_problems(data: ChosenData, busy: str) -> list[Problem]:
    problems = []
    if data.manifest is None:
        problems.append(Problem(path="$.manifest", problem="No manifest is chosen.", action="Choose datapackage.json."))
    if not data.files:
        action = "Choose every file that the manifest names."
        problems.append(Problem(path="$.files", problem="No data files are chosen.", action=action))
    if data.trouble and not data.trouble.problems:
        problems.append(Problem(path="$.manifest", problem=data.trouble.problem, action=data.trouble.action))
    elif data.trouble:
        problems += data.trouble.problems
    if unchecked(data) and not busy:
        problems.append(Problem(path="$.manifest", problem="The files are not checked.", action="Check them."))
    if data.verified:
        problems += data.verified.problems
    return problems
