"""The validation panel: what is compared, what is best, and what keeps a round from being validated."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from roundtab.api.protocol import Verified
from roundtab.errors import Problem
from roundtab.records.events import RequestProgress
from roundtab.records.ids import JobId
from roundtab.views.workspace.state import ChosenData, ChosenFile, Connection, Trouble, ValidateForm
from roundtab.views.workspace.validate_form import chosen_round, uses_own
from roundtab.views.workspace.validation import validation_panel

CHOSEN = ChosenData(
    manifest=ChosenFile(name="m.json", size=9),
    files=(ChosenFile(name="held-out.csv", size=2),),
    verified=Verified(ok=True, stage="checksums", problems=(), notes=(), files=("held-out.csv",)),
)


def panel(make: Any, read: Any, job: Any = None, page: dict[str, Any] | None = None, **changes: Any) -> Any:
    """The panel of a job; `page` changes the state of the page."""
    state = replace(make.job_page(job, **changes), **(page or {}))
    return read(validation_panel(state, state.open, state.open.job))


def rows(document: Any) -> list[list[str]]:
    """The words of the table's body, row by row."""
    lines: list[list[str]] = []
    for each in document.elements:
        if each.tag == "tr":
            lines.append([])
        elif each.tag in ("td", "th") and lines:
            lines[-1].append(each.words)
    return lines[2:]


# The comparison -------------------------------------------------------------------------------------------------------


def test_rounds_are_compared_on_each_data_set(make: Any, read: Any) -> None:
    """Newest first; the data set is named by name, rows and short sha256, with the whole one in its title."""
    job = make.job(2, validation_dataset=make.held_out())
    document = panel(make, read, job, validations=(make.validation(1, 0.8, 0.5),))
    groups = document.all("th", scope="colgroup")
    assert [each.words for each in groups] == ["digits · 359 rows · aaaaaaaa", "room-7 · 120 rows · bbbbbbbb"]
    assert [each["colspan"] for each in groups] == ["2", "2"]
    assert [each["title"] for each in document.all("code")] == ["a" * 64, "b" * 64]
    assert rows(document) == [
        ["2", "best 0.8750", "best 0.5500", "–", "–"],
        ["1", "0.7500", "1.1000", "best 0.8000", "best 0.5000"],
    ]
    assert "Compare within one data set only" in document.words


def test_the_best_is_marked_by_the_direction_of_its_metric(make: Any, read: Any) -> None:
    """The highest accuracy, the lowest loss, the earliest of equals, never NaN; said in words and by an arrow."""
    values = ((1, 0.9, 0.1), (2, 0.9, math.nan), (3, 0.8, 0.3))
    document = panel(make, read, make.job(3), validations=tuple(make.validation(*each) for each in values))
    assert rows(document) == [
        ["3", "0.8000", "0.3000"],
        ["2", "0.9000", "NaN"],
        ["1", "best 0.9000", "best 0.1000"],
    ]
    heads = [each.words for each in document.all("th", scope="col")]
    assert heads == ["Round", "Accuracy ↑, higher is better", "Loss ↓, lower is better"]


def test_a_round_that_is_validated_again_has_the_newer_value(make: Any, read: Any) -> None:
    """One row, also for a round that has a value from the job's own data."""
    job = make.job(1, validation_dataset=make.held_out())
    again = make.validation(1, 0.5, 0.5, data_sha256="a" * 64)
    assert rows(panel(make, read, job, validations=(again,))) == [["1", "best 0.5000", "best 0.5000"]]


def test_a_long_comparison_is_short_until_asked_but_keeps_what_was_asked_for(make: Any, read: Any) -> None:
    """Six of the newest, the best, and every round that somebody validated."""
    job = make.job(16, validation_dataset=make.held_out())
    rounds = tuple(replace(each, metrics={"val_accuracy": 1 / each.round}) for each in make.rounds(16))
    document = panel(make, read, job, rounds=rounds, validations=(make.validation(4),))
    assert [each.words for each in document.all("th", scope="row")] == [str(n) for n in (16, 15, 14, 13, 12, 11, 4, 1)]
    assert "Showing 8 of 16" in document.words
    whole = panel(make, read, job, rounds=rounds, whole=frozenset({"validations"}))
    assert len(whole.all("th", scope="row")) == 16


def test_other_jobs_stand_at_their_best_round(make: Any, read: Any) -> None:
    """Linked by name; their values take part in what is best; what is on other data is left out."""
    other = JobId("job-other")
    found = (
        *(replace(make.validation(number, accuracy, 0.2), job=other) for number, accuracy in ((1, 0.7), (2, 0.95))),
        replace(make.validation(3, data_sha256="c" * 64), job=other),
        make.validation(4),
    )
    page = {"jobs": make.jobs(make.item(id=other, name="Twin"))}
    document = panel(make, read, page=page, validations=(make.validation(4),), others=found)
    assert document.one("a", href="#/job/job-other").words == "Twin"
    assert rows(document) == [
        ["4", "0.9000", "0.3000"],
        ["Other jobs on this data, each at its best"],
        ["Twin, round 2", "best 0.9500", "best 0.2000"],
    ]
    alone = panel(make, read, validations=(make.validation(4),), others=(make.validation(4),))
    assert "No other job has results on this data." in alone.words
    assert not alone.all("tbody", id="other-jobs")


def test_without_results_there_is_no_table(make: Any, read: Any) -> None:
    """Only the form."""
    document = panel(make, read)
    assert not document.all("table")
    assert document.one("form")["data-action"] == "validation.validate"


# The form -------------------------------------------------------------------------------------------------------------


def test_a_round_is_chosen_from_the_list(make: Any, read: Any) -> None:
    """The latest unless another one is."""
    options = panel(make, read, make.job(3)).all("option")
    assert [(each["value"], each.words) for each in options] == [
        ("", "Latest, round 3"),
        ("3", "Round 3"),
        ("2", "Round 2"),
        ("1", "Round 1"),
    ]
    opened = make.opened(make.job(3))
    assert chosen_round(ValidateForm(), opened) == 3
    assert chosen_round(ValidateForm(values={"validate.round": "2"}), opened) == 2


def test_of_very_many_rounds_the_number_is_entered(make: Any, read: Any) -> None:
    """One that is not there is told."""
    job = make.job(300, 300)
    field = panel(make, read, job).one("input", name="validate.round")
    assert (field["min"], field["max"], field["placeholder"]) == ("1", "300", "Latest, round 300")
    form = ValidateForm(values={"validate.round": "301"}, held_out=CHOSEN)
    document = panel(make, read, job, validate=form)
    assert document.one("p", id="validate-reason").words == "Enter a round from 1 to 300, or none."


def test_the_data_is_the_jobs_own_or_chosen(make: Any, read: Any) -> None:
    """Files are asked for only when they are needed; a job without validation data needs them."""
    job = make.job(validation_dataset=make.held_out())
    document = panel(make, read, job)
    assert "digits, 359 rows" in document.words
    assert "checked" in document.one("input", value="own").attributes
    assert "hidden" in document.one("div", id="held-out-data").attributes
    assert not document.all("p", id="validate-reason")
    chosen = panel(make, read, job, validate=ValidateForm(values={"validate.data": "chosen"}))
    assert "hidden" not in chosen.one("div", id="held-out-data").attributes
    without = panel(make, read)
    assert not without.all("input", type="radio")
    assert "Not stored: only names, sizes and checksums" in without.words
    assert [each["name"] for each in without.all("input", type="file")] == [
        "held_out.manifest",
        "held_out.files",
        "held_out.folder",
    ]
    assert not uses_own(ValidateForm(), make.job())


REASONS: list[tuple[dict[str, Any], str | None]] = [
    ({}, "Choose a manifest and its files first."),
    ({"held_out": CHOSEN}, None),
    ({"held_out": CHOSEN, "busy": "validating"}, "A round is being validated."),
    ({"held_out": CHOSEN, "busy": "checking"}, "Wait until the files are checked, or stop the check."),
    (
        {"held_out": replace(CHOSEN, trouble=Trouble(problem="P.", action="A."))},
        "Resolve what is shown beside the files first.",
    ),
    (
        {"held_out": replace(CHOSEN, verified=Verified(ok=False, stage="names", problems=(), notes=(), files=()))},
        "Resolve what is shown beside the files first.",
    ),
]


@pytest.mark.parametrize(("form", "reason"), REASONS)
def test_the_button_says_why_it_cannot_be_pressed(
    make: Any, read: Any, form: dict[str, Any], reason: str | None
) -> None:
    """And is tied to these words."""
    document = panel(make, read, validate=ValidateForm(**form))
    shut = document.one("button", id="validate")
    assert ("disabled" in shut.attributes) == (reason is not None)
    if reason:
        assert document.one("p", id=shut["aria-describedby"]).words == reason


def test_offline_nothing_is_validated(make: Any, read: Any) -> None:
    """The form stays as it is."""
    document = panel(make, read, page={"connection": Connection()}, validate=ValidateForm(held_out=CHOSEN))
    assert document.one("p", id="validate-reason").words == "Wait until the Training API is ready."


def test_what_can_never_be_validated_asks_for_no_files(make: Any, read: Any) -> None:
    """A model without evaluation, a job without checkpoints, code that is gone: the button is shut and says why."""
    cases = [
        (make.job(4), {"capabilities": (make.capability(evaluation="none"),)}, "This model declares no evaluation."),
        (make.job(0), {}, "No checkpoint yet. The first one comes with round 1."),
        (
            make.job(0, status="failed", phase=None),
            {},
            "No checkpoint: the job ended before its first round was saved.",
        ),
        (
            make.job(4),
            {"capabilities": (make.capability(sha256="c" * 64),)},
            "This site no longer has the code of tabular-classifier@1.0.0.",
        ),
    ]
    for job, page, reason in cases:
        document = panel(make, read, job, page)
        assert "disabled" in document.one("button", id="validate").attributes
        assert document.one("p", id="validate-reason").words == reason
        assert not document.all("input")


def test_a_validation_under_way_can_be_watched_and_stopped(make: Any, read: Any) -> None:
    """What is validated does not change meanwhile."""
    progress = RequestProgress(id="c", done=0, total=0, unit="rows", what="Evaluating round 4")
    document = panel(make, read, validate=ValidateForm(held_out=CHOSEN, busy="validating", progress=progress))
    assert "Evaluating round 4." in document.words
    assert document.one("button", data_action="validation.stop").words == "Stop"
    assert "disabled" in document.one("fieldset").attributes


def test_a_failure_says_what_to_check_and_each_problem_stands_beside_its_file(make: Any, read: Any) -> None:
    """The words of the service, then the advice."""
    problems = (
        Problem(path="held-out.csv", problem="Row 3 has 2 cells.", action="Correct the file."),
        Problem(path="$.manifest", problem="It has 2 features, the training data has 64.", action="Give others."),
    )
    trouble = Trouble(problem="The data did not pass: 2 problems.", action="Resolve each one.", problems=problems)
    document = panel(make, read, validate=ValidateForm(held_out=CHOSEN, trouble=trouble))
    failed = document.one("div", id="validation-failed")
    assert failed.words == (
        "Validation failed: The data did not pass: 2 problems."
        "Check that the model supports evaluation and that the file is the right one.Resolve each one."
    )
    assert "It has 2 features" in document.one("tr", id="held_out-row-0").words
    assert "Row 3 has 2 cells." in document.one("tr", id="held_out-row-1").words
    assert "2 of 2 files were rejected. The job is as it was." in document.words
    assert "disabled" not in document.one("button", id="validate").attributes


def test_a_result_is_told_in_words(make: Any, read: Any) -> None:
    """Politely, for those who do not see the table change."""
    document = panel(make, read, validate=ValidateForm(done=make.validation()))
    told = document.one("p", id="validate-result")
    assert told["role"] == "status"
    assert told.words == "Round 4 is validated on room-7, 120 rows: accuracy 0.9000, loss 0.3000."
