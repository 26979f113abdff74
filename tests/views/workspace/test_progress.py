"""The progress panel."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from roundtab.records.jobs import Metric, Rounds
from roundtab.views.workspace.progress import progress_panel, seconds_per_round


def panel(make: Any, read: Any, job: Any, now: str | None = "2026-11-30T10:00:54Z", **changes: Any) -> Any:
    """The panel at a moment shortly after round 4."""
    return read(progress_panel(make.opened(job, **changes), job, now))


def test_progress_is_counted_in_work_units(make: Any, read: Any) -> None:
    """Of committed rounds; the bar has one segment a round."""
    document = panel(make, read, make.job())
    assert document.one("p", class_="big").words == "5,752 of 28,760 samples"
    bar = document.one("progress")
    assert (bar["value"], bar["max"], bar["aria-label"]) == ("5752", "28760", "Samples trained in committed rounds")
    assert document.one("div", class_="ruler")["style"] == "--rounds: 20"


def test_a_running_job_has_pace_and_time_left(make: Any, read: Any) -> None:
    """Ten seconds a round, 16 rounds to go, 4 seconds since the last one."""
    words = panel(make, read, make.job()).words
    assert "round 4 of 20 saved · 10 s a round · 144 samples/s · about 2 min 36 s left" in words
    assert "Started 10:00:10 UTC · 44 s" in words


def test_time_left_is_not_told_where_nobody_knows_it(make: Any, read: Any) -> None:
    """While it waits, is being cancelled, has ended, or no round is there yet."""
    for changes in (
        {"phase": "waiting_for_participants"},
        {"cancel_requested_at": "2026-11-30T10:00:50Z"},
        {"status": "completed", "completed_at": "2026-11-30T10:00:50Z"},
    ):
        assert "left" not in panel(make, read, make.job(**changes)).words
    assert "no round saved yet" in panel(make, read, make.job(0)).words


def test_a_late_round_is_nearly_done(make: Any, read: Any) -> None:
    """Never a negative time."""
    assert "nearly done" in panel(make, read, make.job(19), now="2026-11-30T10:30:00Z").words


def test_a_job_that_never_started_says_when_it_was_created(make: Any, read: Any) -> None:
    """With the day: it may wait for long."""
    document = panel(make, read, make.job(0, status="queued", started_at=None), rounds=())
    assert "Created 2026-11-30 10:00:00 UTC" in document.words
    assert "0 of 28,760 samples" in document.words


def test_the_pace_is_that_of_the_last_rounds(make: Any) -> None:
    """A pause long ago does not count."""
    rounds = make.rounds(30)
    slow = tuple(replace(each, committed_at="2026-11-30T09:00:00Z") for each in rounds[:10])
    assert seconds_per_round(slow + rounds[10:], "2026-11-30T08:00:00Z") == 10
    assert seconds_per_round(rounds[:1], "2026-11-30T10:00:12Z") == 8
    assert seconds_per_round((), "2026-11-30T10:00:12Z") is None
    assert seconds_per_round(rounds[:1], None) is None
    assert seconds_per_round((rounds[0], rounds[0]), "2026-11-30T10:00:12Z") is None


def test_marks_stand_at_their_rounds_and_do_not_overlap(make: Any, read: Any) -> None:
    """The best round wins over a quarter beside it, and over the end."""
    job = make.job(16)
    rounds = make.rounds(16)
    best_14 = tuple(
        replace(each, metrics={**each.metrics, "val_accuracy": 1.0 if each.round == 14 else 0.5}) for each in rounds
    )
    marks = panel(make, read, job, rounds=best_14).one("div", class_="marks")
    assert marks.words == "5101614 best20"
    last = make.job(20, status="completed")
    marks = panel(make, read, last).one("div", class_="marks")
    assert marks.words == "5101520 best"


def test_the_mark_of_the_best_round_follows_the_direction_of_the_metric(make: Any, read: Any) -> None:
    """Of errors the smallest is best."""
    rounds = make.rounds(16)
    rounds = tuple(replace(each, metrics={"val_rmse": 50.0 + abs(each.round - 8)}) for each in rounds)
    for direction, words in (("minimize", "8 best"), ("maximize", "16 best")):
        job = make.job(16, metric=Metric(name="rmse", direction=direction))
        assert panel(make, read, job, rounds=rounds).one("span", class_="best").words == words


def test_a_job_of_many_rounds_has_a_bar_that_can_be_seen(make: Any, read: Any) -> None:
    """Thousand segments would be all gap."""
    job = replace(make.job(), rounds=Rounds(done=4, total=1_000))
    assert panel(make, read, job).one("div", class_="ruler")["style"] == "--rounds: 100"
