"""«Full API state»: all of it, to search and to copy."""

from __future__ import annotations

import json
from typing import Any

from roundtab.views.workspace.api_state import MARKS, SHOWN, api_state_panel, pretty


def panel(make: Any, read: Any, **changes: Any) -> Any:
    """The panel of a job."""
    return read(api_state_panel(make.opened(**changes)))


def test_the_text_is_strict_json_with_everything(make: Any) -> None:
    """What «Copy JSON» gives, other programs can read."""

    def refuse(word: str) -> None:
        raise AssertionError(word)

    value = json.loads(pretty(make.job_state(make.job())), parse_constant=refuse)
    assert value["job"]["name"] == "Digits"
    assert value["rounds"][0]["metrics"]["val_loss"] == "NaN"
    assert value["queue"]["pass"] == 2


def test_matches_are_marked_and_counted_in_any_case(make: Any, read: Any) -> None:
    """Literal text, not a pattern."""
    document = panel(make, read, state_text='{"Errors": 1, "errors": 2, "e.rors": 3}', search="errors")
    assert [each.words for each in document.all("mark")] == ["Errors", "errors"]
    assert document.one("span", role="status").words == "2 matches"
    assert document.one("pre").words == '{"Errors": 1, "errors": 2, "e.rors": 3}'
    assert len(panel(make, read, state_text="e.rors errors", search="e.r").all("mark")) == 1


def test_without_a_search_nothing_is_marked(make: Any, read: Any) -> None:
    """And nothing is counted."""
    document = panel(make, read)
    assert not document.all("mark")
    assert document.one("span", role="status").words == ""


def test_a_new_search_scrolls_to_its_first_match(make: Any, read: Any) -> None:
    """dom.js does it when `data-reveal` changes."""
    assert panel(make, read, search="quota").one("pre")["data-reveal"] == "quota"


def test_a_long_state_is_cut_and_says_so(make: Any, read: Any) -> None:
    """Its first part, or with a search the lines that match; the copy has all."""
    long = "\n".join(f"line {number}" for number in range(SHOWN // 8))
    document = panel(make, read, state_text=long)
    assert len(document.one("pre").words) <= SHOWN
    assert f"the first {SHOWN:,} of {len(long):,} characters are shown; Copy JSON takes all" in document.words
    found = panel(make, read, state_text=long, search="line 77")
    assert "the lines that match are shown" in found.words
    assert found.one("pre").words.startswith("line 77 line 770 line 771")


def test_marks_have_an_end_but_the_count_has_none(make: Any, read: Any) -> None:
    """Ten thousand elements would make the page slow."""
    document = panel(make, read, state_text="a" * (MARKS + 50), search="a")
    assert len(document.all("mark")) == MARKS
    assert document.one("span", role="status").words == f"{MARKS + 50} matches"
    assert document.one("pre").words == "a" * (MARKS + 50)


def test_the_buttons_refresh_and_copy(make: Any, read: Any) -> None:
    """After a copy the button says that it worked."""
    assert panel(make, read).one("button", data_action="state.copy").words == "Copy JSON"
    assert panel(make, read, copied="state").one("button", data_action="state.copy").words == "Copied"
    assert panel(make, read).one("button", data_action="state.refresh").words == "Refresh"


def test_before_it_was_read_it_says_so(make: Any, read: Any) -> None:
    """In place."""
    assert "Reading the state …" in panel(make, read, state_text=None).words
