"""The form for a new job."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from roundtab.api.protocol import Verified
from roundtab.errors import Problem
from roundtab.records.capabilities import Fit
from roundtab.records.events import RequestProgress
from roundtab.records.fitting import DataForm
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
        kinds = ("manifest", "files", "folder")
        assert names == [f"{role}.{kind}" for role in ("data", "validation") for kind in kinds]
        assert [each["data-drop"] for each in document.all("div", class_="drop")] == ["data.files", "validation.files"]
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
    assert results(document) == ["Passed", "Failed", "Passed"]
    assert "Passed: manifest, names, sizes. Failed: checksums. Not checked yet: content." in document.words
    assert document.one("div", id="data-rejected").words == "1 of 3 files was rejected. Nothing has been created."
    details = document.one("td", data_label="Problem").words
    assert details == "The content differs.Choose the original file.Choose file againRemove"
    assert document.one("button", data_opens="field-data-files")["aria-label"] == "Choose file again: validation.csv"
    assert document.one("a", href="#data-row-2").words == "validation.csv: The content differs."


def test_files_that_passed_say_so(make: Any, read: Any) -> None:
    """Also in a folder of the manifest; a file that the manifest does not name is not used."""
    odd = Problem(path="validation.csv", problem="It is not used.", action="List it.")
    verified = Verified(
        ok=True, stage="content", problems=(), notes=(odd,), files=("data/train.csv",), train=data_form()
    )
    document = own(make, read, verified)
    assert results(document) == ["Passed", "Passed", "Not used"]
    assert "It is not used. List it." in document.words
    assert "Passed: manifest, names, sizes, checksums, content." in document.words
    assert "10 rows, 2 features, 2 classes" in document.one("aside").words
    assert "Copied212,058 B" in document.one("aside").words
    assert "disabled" not in document.one("button", id="create-job").attributes


def data_form(features: str = "ab", classes: tuple[str, ...] = ("no", "yes"), rows: int = 10) -> DataForm:
    """What a table of these columns looks like."""
    return DataForm(feature_names=tuple(features), classes=classes, rows=rows, classes_present=len(classes))


def passed(train: DataForm | None = None, validation: DataForm | None = None) -> Verified:
    """The result for files that are right."""
    files = ("train.csv", "validation.csv")
    return Verified(ok=True, stage="content", problems=(), notes=(), files=files, train=train, validation=validation)


def test_data_that_does_not_fit_is_a_problem_before_anything_is_asked(make: Any, read: Any) -> None:
    """Of the model, of held-out data, and of a manifest without training data; the row of the manifest says so."""
    for verified, problem in (
        (passed(data_form(classes=())), "predicts a class; the manifest lists none"),
        (passed(data_form(), data_form("abc")), "It has 3 features, the training data has 2."),
        (passed(None, data_form()), "The manifest marks no file as training data."),
    ):
        document = own(make, read, verified)
        assert problem in document.one("tr", id="data-row-0").words
        assert problem in document.one("div", id="problems").words
        assert "disabled" in document.one("button", id="create-job").attributes
    fits = own(make, read, passed(data_form(), data_form(rows=4)))
    assert not fits.all("div", id="problems")
    assert "Validation4 rows" in fits.one("aside").words


def test_other_held_out_data_is_held_to_the_training_data(make: Any, read: Any) -> None:
    """To that of a sample by its numbers, for its names are not known here."""
    other = ChosenData(manifest=MANIFEST, files=FILES, verified=passed(validation=data_form("abc")))
    values = {"data": "own", "validation": "other"}
    data = ChosenData(manifest=MANIFEST, files=FILES, verified=passed(data_form()))
    document = form(make, read, values, data=data, validation=other)
    assert "It has 3 features, the training data has 2." in document.one("tr", id="validation-row-0").words
    document = form(make, read, {"validation": "other"}, validation=other)
    assert "It has 3 features, the training data has 64." in document.one("div", id="problems").words


def test_a_model_without_evaluation_asks_for_no_held_out_data(make: Any, read: Any) -> None:
    """It says so before files are chosen, and is created without."""
    state = make.state(route="new", capabilities=(make.capability(evaluation="none"),))
    document = read(new_job_page(replace(state, form=NewJob(values={"validation": "other"}))))
    assert "This model declares no evaluation." in document.one("article", id="validation-panel").words
    assert not document.all("input", name="validation")
    assert not document.all("div", id="problems")


def test_files_of_both_sets_may_share_a_name(make: Any, read: Any) -> None:
    """What is wrong with one is not told of the other, in its row or in the summary."""
    files = (ChosenFile(name="data.csv", size=10),)
    wrong = Problem(path="data.csv", problem="It has 9 bytes; the manifest says 10.", action="Choose the original.")
    refused = Verified(ok=False, stage="sizes", problems=(wrong,), notes=(), files=())
    right = replace(passed(data_form()), files=("data.csv",))
    document = form(
        make,
        read,
        {"data": "own", "validation": "other"},
        data=ChosenData(manifest=MANIFEST, files=files, verified=right),
        validation=ChosenData(manifest=MANIFEST, files=files, verified=refused),
    )
    assert results(document) == ["Passed", "Passed", "Passed", "Failed"]
    assert document.one("div", id="problems").words == (
        "1 problem to resolvedata.csv: It has 9 bytes; the manifest says 10."
    )
    assert document.one("a", href="#validation-row-1")
    assert not document.all("a", href="#data-row-1")


def test_a_missing_file_is_not_told_of_another_one_of_its_name(make: Any, read: Any) -> None:
    """Where the manifest has the name in two folders, the folder tells which one is there."""
    missing = Problem(path="validation/data.csv", problem="This file is missing.", action="Choose this file too.")
    verified = Verified(ok=False, stage="names", problems=(missing,), notes=(), files=("data.csv",))
    data = ChosenData(manifest=MANIFEST, files=(ChosenFile(name="data.csv", size=1),), verified=verified)
    document = form(make, read, {"data": "own"}, data=data)
    assert results(document) == ["Passed", "Missing", "Passed"]


def test_files_that_are_not_checked_keep_the_job_from_being_created(make: Any, read: Any) -> None:
    """After a check was stopped, a button begins it again."""
    document = own(make, read)
    assert "The files are not checked." in document.one("tr", id="data-row-0").words
    assert document.one("button", data_action="file.check").words == "Check them"
    assert "disabled" in document.one("button", id="create-job").attributes
    assert not own(make, read, busy="checking").all("button", data_action="file.check")


def test_of_very_many_files_the_first_are_shown(make: Any, read: Any) -> None:
    """Those with problems before others; of the rest the numbers are told."""
    files = tuple(ChosenFile(name=f"{number}.csv", size=1) for number in range(1_000))
    wrong = Problem(path="777.csv", problem="The content differs.", action="Choose it again.")
    verified = Verified(ok=False, stage="checksums", problems=(wrong,), notes=(), files=())
    data = ChosenData(manifest=MANIFEST, files=files, verified=verified)
    document = form(make, read, {"data": "own"}, data=data)
    assert "777.csv" in document.all("tr")[2].words
    assert len(document.all("tr")) < 60
    assert "And 960 more files: 960 not checked." in document.words
    assert "1 of 1,001 files was rejected." in document.words


def test_a_file_that_nobody_chose_has_a_row(make: Any, read: Any) -> None:
    """The manifest names it."""
    missing = Problem(path="more.csv", problem="It was not chosen.", action="Choose it too.")
    document = own(make, read, Verified(ok=False, stage="names", problems=(missing,), notes=(), files=()))
    assert results(document) == ["Passed", "Missing", "Not checked", "Not checked"]
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


def offered(make: Any, read: Any, **data: Any) -> list[str]:
    """The buttons below the files."""
    document = form(make, read, {"data": "own"}, data=ChosenData(**{"files": FILES, **data}))
    found = [
        *document.all("button", data_action="manifest.make"),
        *document.all("button", data_action="manifest.download"),
    ]
    assert all(each["data-role"] == "data" for each in found)
    return [each.words for each in found]


MAKE, DOWNLOAD = "Make a manifest from these files", "Download manifest"


def test_a_manifest_can_be_made_where_none_fits(make: Any, read: Any) -> None:
    """None was chosen, it lacks checksums, or it is a list of them. What is only wrong with the files needs another."""
    lacking = Problem(path="$.resources[0].hash", problem="This is missing.", action="Add it.")
    other = Problem(path="$.resources[0].bytes", problem="This is missing.", action="Add it.")
    listing = Trouble(problem="This is a list of checksums, not a manifest.", action="Make one.")

    def checked(*problems: Problem) -> Verified:
        return Verified(ok=not problems, stage="structure", problems=problems, notes=(), files=())

    assert offered(make, read) == [MAKE]
    assert offered(make, read, manifest=MANIFEST, verified=checked(lacking, other)) == [MAKE]
    assert offered(make, read, manifest=MANIFEST, listing=True, trouble=listing) == [MAKE]
    assert offered(make, read, manifest=MANIFEST) == []
    assert offered(make, read, manifest=MANIFEST, verified=checked()) == []
    assert offered(make, read, manifest=MANIFEST, verified=checked(other)) == []
    assert offered(make, read, manifest=MANIFEST, verified=checked(DIFFERS)) == []
    assert offered(make, read, manifest=MANIFEST, files=()) == []


def test_a_made_manifest_can_be_kept_and_says_what_it_assumed(make: Any, read: Any) -> None:
    """It is made again where the files are others by now."""
    passed = Verified(ok=True, stage="checksums", problems=(), notes=(), files=("train.csv", "validation.csv"))
    assumed = Problem(path="train.csv", problem="The label is 'y'.", action="Check it.")
    document = form(
        make,
        read,
        {"data": "own"},
        data=ChosenData(manifest=MANIFEST, files=FILES, verified=passed, made=(assumed,)),
    )
    assert "train.csv: The label is 'y'. Check it." in document.one("div", id="data-making").words
    assert offered(make, read, manifest=MANIFEST, verified=passed, made=(assumed,)) == [DOWNLOAD]
    failed = replace(passed, ok=False, problems=(DIFFERS,))
    assert offered(make, read, manifest=MANIFEST, verified=failed, made=()) == [DOWNLOAD]
    assert offered(make, read, manifest=MANIFEST, verified=failed, made=(), outdated=True) == [MAKE, DOWNLOAD]
    trouble = Trouble(problem="No manifest was made.", action="Resolve it.")
    assert offered(make, read, manifest=MANIFEST, trouble=trouble, made=(), outdated=True) == [MAKE, DOWNLOAD]


def test_a_manifest_is_made_once_at_a_time(make: Any, read: Any) -> None:
    """The button waits for the check; it keeps the focus."""
    document = form(make, read, {"data": "own"}, data=ChosenData(files=FILES), busy="checking")
    assert document.one("button", data_action="manifest.make")["aria-disabled"] == "true"
    assert document.one("button", data_action="form.stop")
