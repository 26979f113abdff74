"""The job list."""

from __future__ import annotations

import math
from typing import Any

import pytest

from roundtab.records.jobs import JobError
from roundtab.views.workspace.jobs import jobs_panel
from roundtab.views.workspace.state import Connection, Trouble, WorkspaceState

STATUSES: list[tuple[dict[str, Any], str, str, str]] = [
    ({"status": "queued", "phase": None}, "queued", "Queued", "not started"),
    ({"status": "queued", "phase": None, "attempt": 2}, "queued", "Queued", "starts again"),
    ({"phase": "validating"}, "running", "Running", "checking the data"),
    ({"phase": "training"}, "running", "Running", "training round 5"),
    ({"phase": "aggregating"}, "running", "Running", "aggregating round 5"),
    ({"phase": "evaluating"}, "running", "Running", "evaluating round 5"),
    ({"phase": "saving"}, "running", "Running", "saving round 5"),
    ({"phase": "recovering"}, "running", "Running", "going on after round 4"),
    ({"phase": "waiting_for_participants"}, "waiting", "Running", "waiting for participants"),
    ({"cancel_requested_at": "2026-11-30T09:51:20Z"}, "cancelling", "Cancel requested", "since 09:51:20"),
    ({"status": "completed", "phase": None}, "completed", "Completed", "after 4 rounds"),
    (
        {"status": "failed", "phase": None, "error": JobError(code="x", problem="Loss is NaN.", action="A.")},
        "failed",
        "Failed",
        "after round 4: Loss is NaN.",
    ),
    ({"status": "cancelled", "phase": None}, "cancelled", "Cancelled", "after 4 rounds"),
]


@pytest.mark.parametrize(("changes", "kind", "label", "words"), STATUSES)
def test_every_status_has_shape_label_and_phase(
    make: Any, read: Any, changes: dict[str, Any], kind: str, label: str, words: str
) -> None:
    """The label is the status of the record; the phase stands beside it."""
    document = read(jobs_panel(make.state(jobs=make.jobs(make.item(**changes)))))
    status = document.one("span", class_="status")
    assert (status["data-status"], status.words) == (kind, label)
    assert document.one("td", data_label="Status").words == label + words


def test_a_row_links_to_its_job_and_tells_progress(make: Any, read: Any) -> None:
    """Name, capability, work units, participants, the value that decides."""
    document = read(jobs_panel(make.state()))
    assert document.one("a")["href"] == "#/job/job-01KB8M3Q7V0000AA"
    assert document.one("th", scope="row").words == "Digitstabular-classifier@1.0.0"
    assert document.one("td", data_label="Progress").words == "5,752 of 28,760 samples"
    assert document.one("td", data_label="Latest metric").words == "val_accuracy 0.9638"


@pytest.mark.parametrize(
    ("latest", "words"),
    [
        ({}, "–"),
        ({"val_accuracy": None, "train_accuracy": 0.5}, "train_accuracy 0.5000"),
        ({"val_accuracy": math.nan, "train_accuracy": 0.5}, "val_accuracy NaN"),
    ],
)
def test_the_latest_metric_is_of_validation_data_where_there_is_some(
    make: Any, read: Any, latest: dict[str, float | None], words: str
) -> None:
    """NaN is a value: it does not give way to the training value."""
    document = read(jobs_panel(make.state(jobs=make.jobs(make.item(latest)))))
    assert document.one("td", data_label="Latest metric").words == words


def test_a_job_without_name_is_called_after_its_data(make: Any, read: Any) -> None:
    """And without data after its id."""
    items = (make.item(name=None), make.item(name=None, dataset=None))
    links = read(jobs_panel(make.state(jobs=make.jobs(*items)))).all("a")
    assert [each.words for each in links] == ["digits", "job-01KB8M3Q7V0000AA"]


def test_an_open_job_is_marked_and_the_list_stays_short(make: Any, read: Any) -> None:
    """So that the job is not pushed out of sight, and its row is scrolled to."""
    document = read(jobs_panel(make.job_page()))
    assert document.one("a")["aria-current"] == "true"
    region = document.one("div", class_="scroll tall")
    assert (region["tabindex"], region["data-reveal"]) == ("0", "job-01KB8M3Q7V0000AA")
    assert not read(jobs_panel(make.state())).all("div", class_="scroll tall")


def test_no_jobs_yet_says_how_to_begin(make: Any, read: Any) -> None:
    """With the button that does it."""
    document = read(jobs_panel(make.state(jobs=make.jobs())))
    assert "No jobs yet. Create one with the sample data; it takes about a minute." in document.words
    assert document.one("a").attributes["href"] == "#/new"


def test_reading_and_failing_to_read_are_told(make: Any, read: Any) -> None:
    """In the place of the list."""
    assert "Reading jobs …" in read(jobs_panel(WorkspaceState())).words
    broken = make.state(jobs=None, jobs_trouble=Trouble(problem="The store is closed.", action="Reload the page."))
    document = read(jobs_panel(broken))
    words = document.one(role="alert").words
    assert words.startswith("Jobs could not be read: The store is closed.Reload the page.")
    assert document.one("button", data_action="jobs.reload").words == "Try again"
    away = read(jobs_panel(make.state(jobs=None, connection=Connection(phase="unavailable"))))
    assert "Jobs appear here as soon as the Training API is available." in away.words


def test_more_jobs_than_were_read_are_a_click_away(make: Any, read: Any) -> None:
    """The API gives a page at a time."""
    document = read(jobs_panel(make.state(jobs=make.jobs(make.item(), total=240))))
    assert "Showing 1 of 240" in document.words
    assert document.one("button", data_action="jobs.more").words == "Show more"
    assert not read(jobs_panel(make.state())).all("button", data_action="jobs.more")
