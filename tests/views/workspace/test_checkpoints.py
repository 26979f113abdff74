"""The checkpoint table."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from roundtab.records.jobs import Metric
from roundtab.views.workspace.checkpoints import checkpoints_panel
from roundtab.views.workspace.inference import shown_code


def panel(make: Any, read: Any, job: Any = None, catalogue: Any = None, **changes: Any) -> Any:
    """The panel of a job."""
    job = job or make.job()
    return read(checkpoints_panel(make.opened(job, **changes), job, catalogue or (make.capability(),)))


def test_a_row_has_everything_to_compare_and_to_check(make: Any, read: Any) -> None:
    """Metrics with 4 decimals, exact size, short sha256 with the whole one in its title, time of saving."""
    document = panel(make, read, make.job(1))
    assert document.one("td", data_label="Val accuracy").words == "0.7500"
    assert document.one("td", data_label="Train loss").words == "1.0000"
    assert document.one("td", data_label="Size").words == "10,412 B"
    assert document.one("code", title="0123456789abcdef" * 4).words == "01234567"
    assert document.one("td", data_label="Saved").words == "10:00:20"
    assert not document.all("td", data_label="Learning rate")


def test_values_that_are_missing_or_no_numbers_have_their_words(make: Any, read: Any) -> None:
    """A dash, and NaN."""
    document = panel(make, read, make.job(1), rounds=make.rounds(1, val_accuracy=None, train_loss=math.nan))
    assert document.one("td", data_label="Val accuracy").words == "–"
    assert document.one("span", class_="nan").words == "NaN"


def test_newest_first_with_latest_and_best_marked(make: Any, read: Any) -> None:
    """The best row is tinted too."""
    rounds = make.rounds(4, val_accuracy=0.1)
    document = panel(make, read, rounds=rounds)
    assert [each.words for each in document.all("th", scope="row")] == ["4 latest", "3 best", "2", "1"]
    assert "data-current" in document.one("tr", id="checkpoint-3").attributes


def test_with_an_error_to_minimize_the_smallest_is_marked(make: Any, read: Any) -> None:
    """And the metric that decides is the last one before the facts of the file."""
    rounds = tuple(
        replace(each, metrics={"train_rmse": 9.0, "val_rmse": value, "val_mae": 1.0})
        for each, value in zip(make.rounds(3), (60.0, 54.5, 55.0), strict=True)
    )
    document = panel(make, read, make.job(3, metric=Metric(name="rmse", direction="minimize")), rounds=rounds)
    assert [each.words for each in document.all("th", scope="row")] == ["3 latest", "2 best", "1"]
    assert [each.words for each in document.all("th", scope="col")][1:4] == ["Val MAE", "Train RMSE", "Val RMSE"]
    assert [each.words for each in document.all("td", data_label="Val RMSE")] == ["55.0000", "54.5000", "60.0000"]


def test_a_long_table_is_short_until_asked_but_keeps_the_best(make: Any, read: Any) -> None:
    """Six of the newest and the best one."""
    rounds = make.rounds(16)
    rounds = tuple(replace(each, metrics={**each.metrics, "val_accuracy": 1 / each.round}) for each in rounds)
    document = panel(make, read, make.job(16), rounds=rounds)
    shown = [each.words for each in document.all("th", scope="row")]
    assert shown == ["16 latest", "15", "14", "13", "12", "11", "1 best"]
    assert "Showing 7 of 16" in document.words
    assert document.one("button", data_action="show.all")["data-list"] == "checkpoints"
    whole = panel(make, read, make.job(16), rounds=rounds, whole=frozenset({"checkpoints"}))
    assert len(whole.all("th", scope="row")) == 16
    assert not whole.all("button", data_action="show.all")


def test_each_row_can_be_downloaded(make: Any, read: Any) -> None:
    """The name says which, and as what; while it is read the button does nothing."""
    document = panel(make, read, busy=frozenset({"checkpoint.download 2 safetensors"}))
    buttons = {each["data-round"]: each for each in document.all("button", data_action="checkpoint.download")}
    assert buttons["3"]["aria-label"] == "Download round 3 as safetensors"
    assert buttons["3"]["data-format"] == "safetensors"
    assert "disabled" not in buttons["3"].attributes
    assert buttons["2"].words == "Reading …"
    assert buttons["2"]["aria-disabled"] == "true"


def test_one_choice_of_the_format_is_for_all_rows(make: Any, read: Any) -> None:
    """The buttons say it; a file that is being written does not hinder another one."""
    document = panel(make, read, format="onnx", busy=frozenset({"checkpoint.download 2 onnx"}))
    switch = document.all("button", data_action="format.choose")
    assert [(each["data-format"], each.words, each["aria-pressed"]) for each in switch] == [
        ("safetensors", "safetensors", "false"),
        ("npz", "npz", "false"),
        ("onnx", "ONNX", "true"),
    ]
    buttons = {each["data-round"]: each for each in document.all("button", data_action="checkpoint.download")}
    assert buttons["3"]["aria-label"] == "Download round 3 as ONNX"
    assert {each["data-format"] for each in buttons.values()} == {"onnx"}
    assert buttons["2"].words == "Writing …"
    other = panel(make, read, format="npz", busy=frozenset({"checkpoint.download 2 onnx"}))
    assert "Writing …" not in other.words


def test_the_tool_and_the_code_of_the_chosen_format_are_shown(make: Any, read: Any) -> None:
    """As the model says them, as text to copy; after a copy the button says that it worked."""
    document = panel(make, read, format="npz")
    assert document.one("h4").words == "Open it with numpy"
    assert "".join(document.one("pre").parts) == 'import numpy as np\nw = np.load("checkpoint.npz")'
    assert "Save the download as checkpoint.npz" in document.words
    about_the_stored_file = "Size and sha256 in the table are those of the .safetensors file."
    assert about_the_stored_file in document.words
    assert about_the_stored_file not in panel(make, read).words
    assert document.one("button", data_action="snippet.copy").words == "Copy code"
    assert panel(make, read, copied="snippet").one("button", data_action="snippet.copy").words == "Copied"
    assert panel(make, read, copied="state").one("button", data_action="snippet.copy").words == "Copy code"


def test_what_is_copied_is_what_is_shown(make: Any, read: Any) -> None:
    """For each format, and for one that the model does not offer."""
    for form in ("safetensors", "npz", "onnx"):
        catalogue, opened = (make.capability(),), make.opened(format=form)
        shown = read(checkpoints_panel(opened, opened.job, catalogue)).one("pre")
        assert "".join(shown.parts) == shown_code(opened, catalogue)
        assert f"checkpoint.{form}" in shown.words
    assert shown_code(make.opened(format="onnx"), ()) == ""
    assert shown_code(make.opened(job=None), (make.capability(inference=()),)) == ""


@pytest.mark.parametrize("changes", [{"inference": ()}, {"sha256": "f" * 64}])
def test_a_model_that_offers_nothing_more_has_the_stored_format(make: Any, read: Any, changes: Any) -> None:
    """So has one whose code is no longer the one that trained the job, whatever was chosen for another job."""
    document = panel(make, read, catalogue=(make.capability(**changes),), format="onnx")
    assert "Downloads are .safetensors files" in document.words
    assert not document.all("button", data_action="format.choose")
    assert not document.all("pre")
    assert document.all("button", data_action="checkpoint.download")[0]["data-format"] == "safetensors"


def test_no_checkpoint_yet_says_when_the_first_comes(make: Any, read: Any) -> None:
    """Or that it is being saved."""
    assert "No checkpoint yet. The first one comes with round 1." in panel(make, read, make.job(0)).words
    assert "Saving …" in panel(make, read, make.job(0, phase="saving")).words
