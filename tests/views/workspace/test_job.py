"""The page of a job: what it is doing, what can be done, and what that would do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from roundtab.errors import Problem
from roundtab.records.jobs import JobError, Metric, Rounds
from roundtab.views.workspace.job import job_section
from roundtab.views.workspace.state import Connection, OpenJob, Trouble


def section(make: Any, read: Any, job: Any = None, **changes: Any) -> Any:
    """The section of a job."""
    state = make.job_page(job, **changes)
    return read(job_section(state, state.open))


ACTIONS: list[tuple[dict[str, Any], dict[str, bool], str]] = [
    (
        {"status": "queued", "phase": None},
        {"job.start": True, "job.cancel": True, "job.delete": True},
        "Start checks the data copy and the capability, then trains 20 rounds with 2 trainers in this tab. "
        "Cancel takes effect at once.",
    ),
    ({"status": "queued", "phase": None, "attempt": 2}, {"job.start": True, "job.cancel": True}, "Cancel takes effect"),
    ({}, {"job.cancel": True}, "Cancel ends the job as soon as clean-up is done. Saved rounds stay."),
    ({"cancel_requested_at": "2026-11-30T09:51:20Z"}, {"job.cancel": False}, "The cancel is under way."),
    *[
        (
            {"status": status, "phase": None},
            {"job.retry": True, "job.delete": True},
            "Retry clears metrics, artifacts and checkpoints and starts the job again as attempt 2. Logs are kept.",
        )
        for status in ("completed", "failed", "cancelled")
    ],
]


@pytest.mark.parametrize(("changes", "expected", "words"), ACTIONS)
def test_a_status_has_exactly_the_actions_that_the_api_allows(
    make: Any, read: Any, changes: dict[str, Any], expected: dict[str, bool], words: str
) -> None:
    """And says what they will do before they are pressed."""
    document = section(make, read, make.job(**changes))
    actions = {
        each["data-action"]: "disabled" not in each.attributes
        for each in document.all("button")
        if each.attributes.get("data-action", "").startswith("job.")
    }
    assert actions == expected
    assert words in document.words


def test_each_action_has_an_element_of_its_own(make: Any, read: Any) -> None:
    """By its id: patching the page never turns the focused «Start job» into the button that cancels."""
    found: dict[str, set[str]] = {}
    for changes in ({"status": "queued", "phase": None}, {}, {"status": "completed", "phase": None}):
        for each in section(make, read, make.job(**changes)).all("button"):
            if each.attributes.get("id"):
                found.setdefault(each["id"], set()).add(each.words)
    assert {name: found[name] for name in ("start-job", "cancel-job", "retry-ask", "delete-ask")} == {
        "start-job": {"Start job"},
        "cancel-job": {"Cancel job"},
        "retry-ask": {"Retry job"},
        "delete-ask": {"Delete job"},
    }


PHASES: list[tuple[dict[str, Any], str]] = [
    ({"status": "queued", "phase": None}, "Nothing runs until you start it."),
    ({"status": "queued", "phase": None, "attempt": 2}, "It starts again by itself."),
    ({"status": "queued", "phase": "validating"}, "Checking the data copy and the capability."),
    ({"phase": None}, "Starting the trainers."),
    ({"phase": "validating"}, "Checking the data copy and the capability."),
    ({"phase": "training"}, "Training round 5: 1 of 3 participants has reported."),
    ({"phase": "aggregating"}, "Round 5: adding up the updates."),
    ({"phase": "evaluating"}, "Round 5: evaluating on validation data."),
    ({"phase": "saving"}, "Round 5: saving the checkpoint."),
    ({"phase": "recovering"}, "Going on after round 4, the last one that was saved."),
    (
        {"cancel_requested_at": "2026-11-30T09:51:20Z"},
        "Cancel requested at 09:51:20 UTC. "
        "The job ends when clean-up is done; if it completes or fails first, that stands.",
    ),
    ({"status": "completed", "phase": None}, "Completed: 4 rounds. Round 4 is the best on validation data."),
    ({"status": "failed", "phase": None}, "Failed after 4 rounds of 20. What was saved is kept."),
    (
        {"status": "cancelled", "phase": None, "rounds": Rounds(done=0, total=20)},
        "Cancelled before the first round was saved.",
    ),
    ({"status": "cancelled", "phase": None}, "Cancelled after 4 rounds of 20. What was saved is kept."),
]


@pytest.mark.parametrize(("changes", "words"), PHASES)
def test_one_sentence_says_what_the_job_is_doing(make: Any, read: Any, changes: dict[str, Any], words: str) -> None:
    """It is announced when it changes."""
    people = (
        make.participant(1),
        make.participant(2, state="reported"),
        make.participant(3),
        make.participant(4, state="left"),
        make.participant(5, state="starting"),
    )
    lede = section(make, read, make.job(**changes), participants=people).one("p", class_="lede")
    assert (lede["role"], lede.words) == ("status", words)


def test_the_best_round_in_words_follows_the_direction_of_the_metric(make: Any, read: Any) -> None:
    """Of errors the smallest is best."""
    rounds = tuple(replace(each, metrics={"val_rmse": 50.0 + abs(each.round - 2)}) for each in make.rounds(4))
    for direction, best in (("minimize", 2), ("maximize", 4)):
        job = make.job(status="completed", phase=None, metric=Metric(name="rmse", direction=direction))
        assert f"Round {best} is the best on validation data." in section(make, read, job, rounds=rounds).words


def test_waiting_says_how_many_are_missing(make: Any, read: Any) -> None:
    """Two are needed; one is there, or none."""
    job = make.job(phase="waiting_for_participants")
    one = section(make, read, job, participants=(make.participant(state="ready"),))
    assert one.one("p", class_="lede").words == "Waiting for 1 more participant."
    nobody = section(make, read, job, participants=())
    assert nobody.one("p", class_="lede").words == "Waiting for 2 more participants."
    assert nobody.one("span", class_="badge status")["data-status"] == "waiting"


def test_without_validation_data_the_end_says_so(make: Any, read: Any) -> None:
    """No round is best then."""
    document = section(make, read, make.job(status="completed"), rounds=make.rounds(4, validation=False))
    assert document.one("p", class_="lede").words == (
        "Completed: 4 rounds. No validation data, so no round is marked best."
    )


def test_a_failed_job_shows_problem_and_action(make: Any, read: Any) -> None:
    """Above everything else."""
    error = JobError(code="x", problem="The loss became NaN.", action="Lower the learning rate and retry.")
    issue = section(make, read, make.job(status="failed", error=error)).one("div", id="job-error")
    assert issue.words == "The loss became NaN.Lower the learning rate and retry."


@pytest.mark.parametrize(("action", "name"), [("job.retry", "retry"), ("job.delete", "delete")])
def test_what_destroys_checkpoints_asks_first(make: Any, read: Any, action: str, name: str) -> None:
    """The question says what would be lost, in numbers, and offers to keep it."""
    document = section(make, read, make.job(status="completed"))
    assert document.one("button", id=f"{name}-ask")["popovertarget"] == f"{name}-question"
    question = document.one("div", id=f"{name}-question")
    assert question["popover"] == "auto"
    assert "4 checkpoints (41,648 B) will be gone: download first what you need." in question.words
    assert document.one("button", data_action=action)["popovertargetaction"] == "hide"


@pytest.mark.parametrize(("busy", "label"), [("job.retry", "Retrying …"), ("job.delete", "Deleting …")])
def test_an_action_under_way_cannot_be_pressed_again(make: Any, read: Any, busy: str, label: str) -> None:
    """Nor any other one of the job."""
    document = section(make, read, make.job(status="completed"), busy=frozenset({busy}))
    buttons = [each for each in document.all("button") if each.attributes.get("data-action", "").startswith("job.")]
    assert all("disabled" in each.attributes or "aria-disabled" in each.attributes for each in buttons)
    assert document.one("button", data_action=busy).words == label


def test_starting_says_so(make: Any, read: Any) -> None:
    """The button keeps its place."""
    document = section(make, read, make.job(0, status="queued", phase=None), busy=frozenset({"job.start"}))
    assert document.one("button", data_action="job.start").words == "Starting …"


def test_without_connection_the_actions_say_why_they_are_off(make: Any, read: Any) -> None:
    """A disabled button stays visible with its reason."""
    state = replace(make.job_page(), connection=Connection(phase="unavailable"))
    document = read(job_section(state, state.open))
    assert "disabled" in document.one("button", data_action="job.cancel").attributes
    assert "The Training API is not ready, so nothing can be changed now." in document.words


def test_a_refused_action_is_told_where_it_happened(make: Any, read: Any) -> None:
    """With every single problem."""
    trouble = Trouble(
        problem="The data copy is damaged.",
        action="Create the job again.",
        problems=(Problem(path="train.csv", problem="train.csv is gone.", action="Choose it again."),),
    )
    issue = section(make, read, trouble=trouble).one("div", id="job-trouble")
    for words in ("The data copy is damaged.", "Create the job again.", "train.csv is gone. Choose it again."):
        assert words in issue.words


def test_a_job_that_was_not_read_yet_says_so(make: Any, read: Any) -> None:
    """Or why it cannot be read, with a button to try again."""
    state = make.state()
    assert read(job_section(state, OpenJob(id="job-1"))).words == "Reading the job …"
    trouble = Trouble(problem="There is no job job-1.", action="Choose another one.")
    document = read(job_section(state, OpenJob(id="job-1", trouble=trouble)))
    assert "The job could not be read: There is no job job-1." in document.words
    assert document.one("button", data_action="job.reload").words == "Try again"


def test_a_second_attempt_is_named(make: Any, read: Any) -> None:
    """Logs of both are on the page."""
    assert "attempt 2" in section(make, read, make.job(attempt=2)).words
    assert "attempt 1" not in section(make, read, make.job()).words
