"""The form for a new job."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from roundtab.api.protocol import Verified
from roundtab.errors import Problem
from roundtab.records.capabilities import Fit
from roundtab.records.events import RequestProgress
from roundtab.views.workspace.new_job import new_job_page
from roundtab.views.workspace.samples import SAMPLES
from roundtab.views.workspace.state import ChosenData, ChosenFile, Connection, NewJob, Trouble, WorkspaceState

MANIFEST = ChosenFile(name="datapackage.json", size=12_218)
FILES = (ChosenFile(name="train.csv", size=212_058), ChosenFile(name="validation.csv", size=53_178))
SAMPLE_IDS = {each.id for each in SAMPLES}
DIFFERS = Problem(path="validation.csv", problem="The content differs.", action="Choose the original file.")


def form(make: Any, read: Any, values: dict[str, str] | None = None, **changes: Any) -> Any:
    """The page with these values."""
    return read(new_job_page(make.state(route="new", form=NewJob(values=values or {}, **changes))))


def own(make: Any, read: Any, verified: Verified | None = None, **changes: Any) -> Any:
    """The page with own files."""
    return form(
        make, read, {"data": "own"}, data=ChosenData(manifest=MANIFEST, files=FILES, verified=verified), **changes
    )


def results(document: Any) -> list[str]:
    """The result of each file."""
    return [each.words for each in document.all("td", data_label="Result")]


def test_sample_data_is_chosen_and_the_job_can_be_created_at_once(make: Any, read: Any) -> None:
    """A new user presses one button."""
    document = form(make, read)
    assert "checked" in document.one("input", name="data", value="sample").attributes
    assert "disabled" not in document.one("button", id="create-job").attributes
    assert document.one("form")["data-action"] == "form.create"
    assert "Use sample data" in document.words


def test_every_field_shows_its_value(make: Any, read: Any) -> None:
    """What was entered, else the default of the capability."""
    document = form(make, read, {"rounds": "5"})
    assert document.one("input", name="rounds")["value"] == "5"
    assert document.one("input", name="learning_rate")["value"] == "0.3"
    assert document.one("input", name="parameters.hidden_units")["max"] == "1024"
    chosen = [each["value"] for each in document.all("option") if "selected" in each.attributes]
    assert chosen == ["true", "relu", "digits", "fedavg", "sgd"]


def test_samples_can_be_chosen(make: Any, read: Any) -> None:
    """With their numbers of rows."""
    options = form(make, read).one("select", name="sample").words
    assert "Digits: 1,438 + 359 rows" in options
    assert "Wine cultivars: 142 + 36 rows" in options


def test_a_capability_is_offered_the_samples_that_fit_it(make: Any, read: Any) -> None:
    """Those with quantities for a regressor; another capability shows another sample, here and in the summary."""
    state = make.state(route="new", capabilities=(make.capability(), make.regressor()))
    for name, offered, title in (
        ("tabular-classifier", {"digits": False, "wdbc": False, "wine": True}, "Wine cultivars"),
        ("tabular-regressor", {"diabetes": True}, "Diabetes progression"),
    ):
        values = {"capability": f"{name}@1.0.0", "sample": "wine"}
        document = read(new_job_page(replace(state, form=NewJob(values=values))))
        options = {each["value"]: "selected" in each.attributes for each in document.all("option")}
        assert {each: options[each] for each in options if each in SAMPLE_IDS} == offered
        assert f"Data{title}, " in document.one("aside").words
        assert document.one("input", name="name")["value"] == title


def test_where_no_sample_fits_the_page_says_so(make: Any, read: Any) -> None:
    """And asks for own files, instead of creating a job that has no data."""
    info = make.capability(fit=Fit(min_features=500))
    document = read(new_job_page(make.state(route="new", capabilities=(info,))))
    assert "This site has none that fits this capability" in document.words
    assert not document.all("select", name="sample")
    assert document.one("div", id="problems").words == (
        "1 problem to resolveNo sample data of this site fits the capability. Choose your own manifest and files."
    )
    assert "disabled" in document.one("button", id="create-job").attributes


def test_the_summary_tells_work_data_and_space(make: Any, read: Any) -> None:
    """Before anything is created."""
    words = form(make, read, {"rounds": "10"}).one("aside").words
    for each in ("10 × 1,438 = 14,380 samples", "Digits, 1,438 rows", "359 rows", "265,236 B", "2.1 GB free"):
        assert each in words
    none = form(make, read, {"validation": "none", "items_per_round": "5"}).one("aside").words
    assert "Rounds20" in none
    assert "Validationnone" in none


def test_a_problem_stands_at_its_field_and_in_the_summary(make: Any, read: Any) -> None:
    """The field is marked and described by it; the summary links to the field; Create is off and says why."""
    document = form(make, read, {"learning_rate": "0"})
    field = document.one("input", name="learning_rate")
    assert field["aria-invalid"] == "true"
    assert document.one(id=field["aria-describedby"]).words == "Must be greater than 0. For this model start with 0.3."
    summary = document.one("div", id="problems")
    assert summary.words == "1 problem to resolveLearning rate: Must be greater than 0."
    assert document.one("a", href="#field-learning_rate")
    create = document.one("button", id="create-job")
    assert "disabled" in create.attributes
    assert document.one(id="create-reason").words == "Resolve the problem listed above first."
    assert "create-reason" in create["aria-describedby"].split()


def test_own_data_has_inputs_that_are_never_made_anew(make: Any, read: Any) -> None:
    """They are on the page in every state: a browser forgets chosen files with the element."""
    for values in ({}, {"data": "own"}, {"data": "own", "validation": "other"}):
        document = form(make, read, values)
        names = [each["name"] for each in document.all("input", type="file")]
        assert names == ["data.manifest", "data.files", "validation.manifest", "validation.files"]
        assert all("data-morph-keep" in each.attributes for each in document.all("input", type="file"))
        assert ("hidden" in document.one("div", id="own-data").attributes) == (values.get("data") != "own")
        assert ("hidden" in document.one("div", id="own-validation").attributes) == (
            values.get("validation") != "other"
        )


def test_missing_files_are_problems_that_lead_to_the_input(make: Any, read: Any) -> None:
    """Nothing was chosen yet, so there is no table."""
    document = form(make, read, {"data": "own"})
    assert [each["href"] for each in document.all("a")] == [
        "#field-data-manifest",
        "#field-data-files",
    ]
    assert not document.all("table")


def test_files_are_listed_with_the_result_of_the_check(make: Any, read: Any) -> None:
    """Manifest first; what failed says why and what to do, with the button that does it."""
    verified = Verified(ok=False, stage="checksums", problems=(DIFFERS,), notes=(), files=("train.csv",))
    document = own(make, read, verified)
    assert results(document) == ["Passed", "Passed", "Failed"]
    assert "Passed: manifest, names, sizes. Failed: checksums. Not checked yet: content." in document.words
    assert document.one("div", id="data-rejected").words == "1 of 3 files was rejected. Nothing has been created."
    details = document.one("td", data_label="Problem").words
    assert details == "The content differs.Choose the original file.Choose file again"
    assert document.one("button", data_opens="field-data-files")["aria-label"] == "Choose file again: validation.csv"
    assert document.one("a", href="#data-row-2").words == "validation.csv: The content differs."


def test_files_that_passed_say_so(make: Any, read: Any) -> None:
    """Also in a folder of the manifest; a file that the manifest does not name is not used."""
    verified = Verified(ok=True, stage="checksums", problems=(), notes=(), files=("data/train.csv",))
    document = own(make, read, verified)
    assert results(document) == ["Passed", "Passed", "Not used"]
    assert "The manifest does not name this file." in document.words
    assert "Passed: manifest, names, sizes, checksums." in document.words
    assert "disabled" not in document.one("button", id="create-job").attributes


def test_a_file_that_nobody_chose_has_a_row(make: Any, read: Any) -> None:
    """The manifest names it."""
    missing = Problem(path="more.csv", problem="It was not chosen.", action="Choose it too.")
    document = own(make, read, Verified(ok=False, stage="names", problems=(missing,), notes=(), files=()))
    assert results(document) == ["Passed", "Not checked", "Not checked", "Missing"]
    assert "more.csv" in document.words
    assert "Passed: manifest. Failed: names. Not checked yet: sizes, checksums, content." in document.words


def test_a_problem_of_the_manifest_stands_in_its_row(make: Any, read: Any) -> None:
    """With the button that chooses another manifest."""
    problem = Problem(path="$.resources[0].hash", problem="The checksum is missing.", action="Add it.")
    document = own(make, read, Verified(ok=False, stage="structure", problems=(problem,), notes=(), files=()))
    assert results(document)[0] == "Failed"
    assert "Failed: manifest." in document.words
    assert document.one("button", data_opens="field-data-manifest")
    unreadable = ChosenData(
        manifest=MANIFEST, files=FILES, trouble=Trouble(problem="It is not JSON.", action="Correct it.")
    )
    told = form(make, read, {"data": "own"}, data=unreadable)
    assert "It is not JSON." in told.one("td", data_label="Problem").words


def test_a_check_shows_how_far_it_is_and_can_be_stopped(make: Any, read: Any) -> None:
    """Create waits for it."""
    progress = RequestProgress(id="x", done=64, total=100, unit="bytes", what="Checking checksums: validation.csv")
    document = own(make, read, busy="checking", progress=progress)
    assert "Checking checksums: validation.csv, 64 %." in document.words
    assert document.one("button", data_action="form.stop").words == "Stop"
    assert results(document) == ["Checking"] * 3
    assert document.one(id="create-reason").words == "Wait until the files are checked, or stop the check."


@pytest.mark.parametrize(
    "progress", [None, RequestProgress(id="x", done=0, total=0, unit="bytes", what="Reading files")]
)
def test_creating_is_shown_where_it_was_asked_for(make: Any, read: Any, progress: RequestProgress | None) -> None:
    """And cannot be asked for twice."""
    document = form(make, read, busy="creating", progress=progress)
    assert ("Reading files." if progress else "Creating …") in document.one("aside").words
    assert document.one(id="create-reason").words == "The job is being created."
    assert document.one("button", data_action="form.stop")


def test_without_the_api_the_form_can_be_filled_in_but_not_sent(make: Any, read: Any) -> None:
    """The reason stands below the button."""
    state = replace(make.state(route="new"), connection=Connection())
    document = read(new_job_page(state))
    assert document.one(id="create-reason").words == "Wait until the Training API is ready."
    assert "disabled" in document.one("button", id="create-job").attributes


def test_a_refusal_says_what_the_api_said(make: Any, read: Any) -> None:
    """A general one as it is; single problems in the list. Trying again is possible."""
    general = form(make, read, trouble=Trouble(problem="The storage is full.", action="Free space."))
    assert general.one("div", id="create-refused").words == "The job was not created. The storage is full.Free space."
    single = Problem(path="$.spec.trainer.rounds", problem="Too many.", action="Take fewer.")
    listed = form(make, read, trouble=Trouble(problem="P.", action="A.", problems=(single,)))
    assert listed.one("a", href="#field-rounds").words == "Rounds: Too many."
    assert listed.one("input", name="rounds")["aria-invalid"] == "true"
    assert "disabled" not in listed.one("button", id="create-job").attributes
    unplaced = Problem(path="$.somewhere", problem="Odd.", action="Look.")
    other = form(make, read, trouble=Trouble(problem="P.", action="A.", problems=(unplaced,)))
    assert "Odd. Look." in other.one("div", id="problems").words


def test_before_the_catalogue_is_read_the_page_says_so(read: Any) -> None:
    """In the place of the form."""
    words = read(new_job_page(WorkspaceState(route="new"))).words
    assert "The form appears as soon as the Training API is ready." in words


def test_settings_that_are_folded_away_are_named(make: Any, read: Any) -> None:
    """A person sees the seed without opening anything."""
    summary = form(make, read, {"seed": "7"}).one("summary").words
    assert summary == "More settings: seed 7, items a round: one pass"
