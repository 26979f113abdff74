"""From the form to the specification."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from roundtab.api.protocol import Verified
from roundtab.errors import Problem
from roundtab.records.capabilities import Fit
from roundtab.records.codec import from_plain
from roundtab.records.fitting import DataForm
from roundtab.records.spec import Spec
from roundtab.views.workspace.form import all_fields, chosen_capability, chosen_sample, fitting_samples, value_of
from roundtab.views.workspace.specification import form_problems, form_spec
from roundtab.views.workspace.state import ChosenData, ChosenFile, NewJob, Trouble, WorkspaceState


def form(make: Any, values: dict[str, str] | None = None, **changes: Any) -> WorkspaceState:
    """A form with these values."""
    made: WorkspaceState = make.state(route="new", form=NewJob(values=values or {}, **changes))
    return made


def found(state: WorkspaceState) -> dict[str, str]:
    """The problems by path."""
    return {each.path: f"{each.problem} {each.action}" for each in form_problems(state)}


CHOSEN = ChosenData(manifest=ChosenFile(name="m.json", size=1), files=(ChosenFile(name="a.csv", size=2),))


def checked(features: int = 2) -> ChosenData:
    """Files that are right, of so many features and two classes."""
    names = tuple(f"column_{number}" for number in range(features))
    train = DataForm(feature_names=names, classes=("no", "yes"), rows=9, classes_present=2)
    passed = Verified(ok=True, stage="content", problems=(), notes=(), files=("a.csv",), train=train)
    return replace(CHOSEN, verified=passed)


def test_an_untouched_form_is_a_whole_specification(make: Any) -> None:
    """With the capability's defaults before the general ones."""
    state = form(make)
    assert form_spec(state) == {
        "capability": "tabular-classifier@1.0.0",
        "name": "Digits",
        "parameters": {"hidden_units": 32, "weight_decay": 0.002, "bias": True, "activation": "relu"},
        "trainer": {
            "algorithm": "fedavg",
            "rounds": 20,
            "local_epochs": 1,
            "batch_size": 32,
            "learning_rate": 0.3,
            "optimizer": "sgd",
            "optimizer_options": {"momentum": 0.9},
            "deadline_s": 60.0,
            "seed": 1,
        },
        "min_participants": 1,
    }
    assert from_plain(Spec, form_spec(state)).trainer.learning_rate == 0.3
    assert form_problems(state) == ()


def test_what_was_entered_replaces_defaults(make: Any) -> None:
    """Blanks around it do not matter."""
    spec = form_spec(form(make, {"rounds": " 5 ", "learning_rate": "1e-2", "parameters.bias": "false", "seed": "7"}))
    assert spec["trainer"]["rounds"] == 5
    assert spec["trainer"]["learning_rate"] == 0.01
    assert spec["trainer"]["seed"] == 7
    assert spec["parameters"]["bias"] is False


def test_empty_optional_fields_are_left_to_roundtab(make: Any) -> None:
    """They are not sent at all."""
    spec = form_spec(form(make, {"name": " ", "items_per_round": "", "local_trainers": ""}))
    assert "name" not in spec
    assert "local_trainers" not in spec
    assert "items_per_round" not in spec["trainer"]


def test_momentum_belongs_to_sgd_alone(make: Any) -> None:
    """Adam has no such option and would refuse it."""
    spec = form_spec(form(make, {"optimizer": "adam", "momentum": "0.5"}))
    assert "optimizer_options" not in spec["trainer"]
    assert form_spec(form(make, {"momentum": "0.5"}))["trainer"]["optimizer_options"] == {"momentum": 0.5}


@pytest.mark.parametrize(
    ("name", "entered", "path", "words"),
    [
        (
            "learning_rate",
            "0",
            "$.spec.trainer.learning_rate",
            "Must be greater than 0. For this model start with 0.3.",
        ),
        ("learning_rate", "abc", "$.spec.trainer.learning_rate", "Must be a number. For this model start with 0.3."),
        ("learning_rate", "nan", "$.spec.trainer.learning_rate", "Must be a number."),
        ("learning_rate", "1e9", "$.spec.trainer.learning_rate", "Must be between 1e-09 and 1,000."),
        ("rounds", "", "$.spec.trainer.rounds", "Must be a whole number. For this model start with 20."),
        ("rounds", "2.5", "$.spec.trainer.rounds", "Must be a whole number."),
        ("rounds", "0", "$.spec.trainer.rounds", "Must be at least 1."),
        ("rounds", "20000", "$.spec.trainer.rounds", "Must be between 1 and 10,000."),
        ("rounds", "9" * 400, "$.spec.trainer.rounds", "Must be a whole number."),
        ("momentum", "1", "$.spec.trainer.optimizer_options.momentum", "Must be at least 0 and below 1."),
        ("parameters.hidden_units", "1025", "$.spec.parameters.hidden_units", "Must be at most 1,024."),
        ("parameters.weight_decay", "-1", "$.spec.parameters.weight_decay", "Must be at least 0."),
        ("local_trainers", "17", "$.spec.local_trainers", "Must be at most 16. Enter another value."),
        ("name", "x" * 201, "$.spec.name", "Must be between 1 and 200 characters."),
    ],
)
def test_a_wrong_value_is_one_problem_at_its_path(make: Any, name: str, entered: str, path: str, words: str) -> None:
    """The problem first, then what to enter. The path is the one that the API would name."""
    problems = found(form(make, {name: entered}))
    assert list(problems) == [path]
    assert problems[path].startswith(words)


def test_own_data_needs_a_manifest_and_files(make: Any) -> None:
    """For the data, and for validation data of its own."""
    state = form(make, {"data": "own", "validation": "other"})
    assert list(found(state)) == ["$.manifest", "$.files", "$.validation.manifest", "$.validation.files"]
    assert found(form(make, {"data": "own"}, data=checked())) == {}
    assert found(form(make, {"data": "own"}, data=CHOSEN)) == {"$.manifest": "The files are not checked. Check them."}
    assert found(form(make, {"data": "own"}, data=CHOSEN, busy="checking")) == {}


def test_validation_of_its_own_goes_with_sample_data_too(make: Any) -> None:
    """The sample has a validation split, but nobody has to use it."""
    assert list(found(form(make, {"validation": "other"}))) == ["$.validation.manifest", "$.validation.files"]


def test_what_the_check_found_is_left_to_resolve(make: Any) -> None:
    """Under the name of the file."""
    problem = Problem(path="a.csv", problem="The content differs.", action="Choose the original file.")
    verified = Verified(ok=False, stage="checksums", problems=(problem,), notes=(), files=())
    data = ChosenData(manifest=CHOSEN.manifest, files=CHOSEN.files, verified=verified)
    assert list(found(form(make, {"data": "own"}, data=data))) == ["a.csv"]
    trouble = Trouble(problem="The manifest cannot be read.", action="Correct it.")
    broken = ChosenData(manifest=CHOSEN.manifest, files=CHOSEN.files, trouble=trouble)
    assert found(form(make, {"data": "own"}, data=broken)) == {"$.manifest": "The manifest cannot be read. Correct it."}


def test_what_the_api_refused_is_listed_once(make: Any) -> None:
    """A problem that the form sees by itself is not told twice."""
    refused = Trouble(
        problem="P",
        action="A",
        problems=(
            Problem(path="$.spec.trainer.rounds", problem="Too many.", action="Take fewer."),
            Problem(path="$.manifest.name", problem="Missing.", action="Give a name."),
        ),
    )
    assert found(form(make, {"rounds": "0"}, trouble=refused)) == {
        "$.spec.trainer.rounds": "Must be at least 1. For this model start with 20.",
        "$.manifest.name": "Missing. Give a name.",
    }


def test_before_the_catalogue_is_read_there_is_no_form() -> None:
    """And nothing to complain about."""
    state = WorkspaceState(route="new")
    assert (form_spec(state), form_problems(state), all_fields(state)) == ({}, (), [])


def test_another_capability_brings_its_own_parameters_and_defaults(make: Any) -> None:
    """What was entered for the same setting stays."""
    other = make.capability(name="other", parameters=(), defaults={"rounds": 3})
    catalogue = (make.capability(), other)
    state = make.state(capabilities=catalogue, form=NewJob(values={"capability": "other@1.0.0", "batch_size": "8"}))
    assert chosen_capability(state) is other
    spec = form_spec(state)
    assert "parameters" not in spec
    assert (spec["trainer"]["rounds"], spec["trainer"]["batch_size"], spec["trainer"]["learning_rate"]) == (3, 8, 0.1)


def test_a_choice_that_is_gone_falls_back_to_the_first(make: Any) -> None:
    """A capability or sample may not be there any more."""
    state = form(make, {"capability": "gone@1", "sample": "gone"})
    assert chosen_capability(state) == make.capability()
    sample = chosen_sample(state)
    assert sample
    assert sample.id == "digits"


def test_another_capability_brings_a_sample_that_fits_and_keeps_the_rest(make: Any) -> None:
    """What was entered stays, and going back brings back the sample that was chosen."""
    state = make.state(capabilities=(make.capability(), make.regressor()))
    entered = {"sample": "wdbc", "rounds": "7", "name": "Mine", "validation": "none"}
    found = []
    for name in ("tabular-classifier", "tabular-regressor", "tabular-classifier"):
        now = replace(state, form=NewJob(values=entered | {"capability": f"{name}@1.0.0"}))
        sample, spec = chosen_sample(now), form_spec(now)
        assert sample
        found.append(sample.id)
        assert (spec["trainer"]["rounds"], spec["name"], now.form.values["validation"]) == (7, "Mine", "none")
        assert form_problems(now) == ()
    assert found == ["wdbc", "diabetes", "wdbc"]


@pytest.mark.parametrize(
    ("fit", "expected"),
    [
        (Fit(), ["digits", "wdbc", "wine"]),
        (Fit(max_classes=2), ["wdbc"]),
        (Fit(min_classes=3, max_features=20), ["wine"]),
        (Fit(label="number"), ["diabetes"]),
        (Fit(label="number", min_features=11), []),
    ],
)
def test_samples_that_fit_the_model_are_offered(make: Any, fit: Fit, expected: list[str]) -> None:
    """By kind of label, number of features and number of classes."""
    info = make.capability(fit=fit)
    offered = fitting_samples(make.state(capabilities=(info,)))
    assert [each.id for each in offered] == expected


def test_without_a_sample_that_fits_own_files_are_asked_for(make: Any) -> None:
    """Nothing is left to resolve once they are there."""
    state = make.state(capabilities=(make.capability(fit=Fit(max_features=1)),))
    assert chosen_sample(state) is None
    assert list(found(state)) == ["$.sample"]
    assert found(replace(state, form=NewJob(values={"data": "own"}, data=checked(1)))) == {}


def test_the_name_follows_the_sample_until_one_is_entered(make: Any) -> None:
    """So that jobs can be told apart without typing."""
    assert form_spec(form(make, {"sample": "wine"}))["name"] == "Wine cultivars"
    assert form_spec(form(make, {"sample": "wine", "name": "Mine"}))["name"] == "Mine"
    assert "name" not in form_spec(form(make, {"data": "own"}))


def test_each_field_has_its_own_name_and_path(make: Any) -> None:
    """Names are ids on the page, paths are where problems go."""
    fields = all_fields(form(make))
    assert len({field.name for field in fields}) == len({field.path for field in fields}) == len(fields)
    assert all(value_of(field, {}) or field.optional for field in fields)
