"""The participants panel."""

from __future__ import annotations

from typing import Any

import pytest

from roundtab.views.workspace.participants import participants_panel


def panel(make: Any, read: Any, *participants: Any, job: Any = None, **changes: Any) -> Any:
    """The panel with these participants."""
    job = job or make.job()
    return read(participants_panel(make.opened(job, participants=participants, **changes), job, make.now))


@pytest.mark.parametrize(
    ("state", "kind", "label"),
    [
        ("starting", "queued", "Starting"),
        ("ready", "queued", "Ready"),
        ("training", "running", "Training"),
        ("reported", "completed", "Reported round 5"),
        ("evaluating", "running", "Evaluating"),
        ("left", "cancelled", "Left"),
    ],
)
def test_every_state_has_shape_and_label(make: Any, read: Any, state: str, kind: str, label: str) -> None:
    """As everywhere."""
    status = panel(make, read, make.participant(state=state)).one("span", class_="status")
    assert (status["data-status"], status.words) == (kind, label)


def test_a_row_tells_items_examples_and_when_it_was_seen(make: Any, read: Any) -> None:
    """Numbers exact, time rough."""
    document = panel(make, read, make.participant(last_seen_at="2026-11-30T10:29:16Z"))
    assert document.one("th", scope="row").words == "This tab, trainer 1"
    assert document.one("td", data_label="Items now").words == "15"
    assert document.one("td", data_label="Samples done").words == "7,191"
    assert document.one("td", data_label="Last seen").words == "44 s ago"
    assert "1 connected, 2 needed" in document.words


def test_a_problem_comes_with_its_action(make: Any, read: Any) -> None:
    """On the row where it happened, with the shape of a warning."""
    document = panel(make, read, make.participant(problem="No answer for 44 s.", action="Check its connection."))
    assert document.one("span", class_="status")["data-status"] == "waiting"
    assert document.one("span", class_="problem help").words == "No answer for 44 s."
    assert "Check its connection." in document.words


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("queued", "Nobody yet. The trainers in this tab join when the job starts."),
        ("running", "The trainers in this tab are starting."),
        ("completed", "Nobody is connected: the job has ended."),
    ],
)
def test_nobody_is_explained(make: Any, read: Any, status: str, words: str) -> None:
    """An empty table says nothing."""
    document = panel(make, read, job=make.job(status=status, phase=None))
    assert words in document.words
    assert not document.all("table")


def test_a_trainer_can_be_added_while_the_job_runs(make: Any, read: Any) -> None:
    """Not before, not after, not while it is being cancelled, not twice at once."""
    assert panel(make, read).one("button", data_action="participants.add").words == "Add a trainer in this tab"
    assert "disabled" in panel(make, read, busy=frozenset({"participants.add"})).one("button").attributes
    for changes in ({"status": "queued"}, {"status": "failed"}, {"cancel_requested_at": make.now}):
        assert not panel(make, read, job=make.job(**changes)).all("button")
