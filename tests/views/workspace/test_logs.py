"""The log panel."""

from __future__ import annotations

import math
from typing import Any

from roundtab.views.workspace.logs import log_panel


def panel(make: Any, read: Any, *logs: Any, job: Any = None, **changes: Any) -> Any:
    """The panel with these entries."""
    job = job or make.job()
    return read(log_panel(make.opened(job, logs=logs, **changes), job))


def test_newest_first_with_time_level_message_and_data(make: Any, read: Any) -> None:
    """Data is strict JSON, so NaN is a word."""
    entry = make.log(2, level="warning", message="A <b>", data={"loss": math.nan})
    document = panel(make, read, make.log(1), entry)
    assert [each["id"] for each in document.all("li")] == ["log-2", "log-1"]
    assert document.all("time")[0].words == "10:00:02"
    assert document.one(class_="level", data_level="warning").words == "warning"
    assert document.one("code").words == '{"loss": "NaN"}'
    assert "A <b>" in document.words


def test_earlier_attempts_stand_behind_a_divider(make: Any, read: Any) -> None:
    """Logs are kept when a job is retried."""
    document = panel(make, read, make.log(1), make.log(2, attempt=2), job=make.job(attempt=2))
    assert [each["id"] for each in document.all("li")] == ["log-2", "attempt-1", "log-1"]
    assert document.one("li", class_="divider").words == "Attempt 1 ended here"


def test_a_long_log_is_short_until_asked(make: Any, read: Any) -> None:
    """The newest 100, then all."""
    logs = [make.log(number) for number in range(150)]
    document = panel(make, read, *logs)
    assert len(document.all("li")) == 100
    assert "Showing 100 of 150 entries" in document.words
    assert document.one("button", data_action="show.all")["data-list"] == "log"
    assert len(panel(make, read, *logs, whole=frozenset({"log"})).all("li")) == 150


def test_the_log_scrolls_by_keyboard(make: Any, read: Any) -> None:
    """A region with a name, in the tab order."""
    region = panel(make, read, make.log(1)).one("div", id="log")
    assert (region["tabindex"], region["role"], region["aria-labelledby"]) == ("0", "region", "log-title")


def test_an_empty_log_says_so(make: Any, read: Any) -> None:
    """Nothing is a state too."""
    assert "Nothing yet." in panel(make, read).words
