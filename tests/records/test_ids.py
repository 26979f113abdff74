"""Identifiers sort by the time of minting."""

from __future__ import annotations

import re
import time

import pytest

from roundtab.records.ids import new_id


def test_an_identifier_has_its_prefix_and_sixteen_characters() -> None:
    """The form is fixed, so that columns and file names line up."""
    assert re.fullmatch(r"job-[0-9A-HJKMNP-TV-Z]{16}", new_id("job"))


def test_identifiers_do_not_repeat() -> None:
    """Many minted in one millisecond differ too."""
    assert len({new_id("job") for _ in range(2_000)}) == 2_000


def test_later_identifiers_sort_behind_earlier_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Key order in a store is the order of creation."""
    minted = []
    for moment in (1, 31, 32, 1_800_000_000_000, 1_800_000_000_001):
        monkeypatch.setattr(time, "time_ns", lambda moment=moment: moment * 1_000_000)
        minted.append(new_id("job"))
    assert minted == sorted(minted)
