"""Values as people read them."""

from __future__ import annotations

import math

import pytest

from roundtab.views import format as words


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.96377, "0.9638"),
        (0.0, "0.0000"),
        (1, "1.0000"),
        (0.001, "0.0010"),
        (0.000123456, "1.235e-04"),
        (-12345.5, "-12,345.5000"),
        (3e9, "3.000e+09"),
        (math.nan, "NaN"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
        (None, "–"),
    ],
)
def test_a_metric_has_four_decimals_or_its_word(value: float | None, shown: str) -> None:
    """NaN is a value and has a word, a missing value a dash; tiny and huge values keep their digits."""
    assert words.metric(value) == shown


def test_counts_and_sizes_in_tables_are_exact() -> None:
    """Tables are for comparing."""
    assert words.count(23008) == "23,008"
    assert words.count(None) == "–"
    assert words.count(math.nan) == "NaN"
    assert words.exact_bytes(10412) == "10,412 B"
    assert words.exact_bytes(None) == "–"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (41_234_567, "41.2 MB"),
        (999_960_000, "1.0 GB"),
        (10**15, "1,000.0 TB"),
    ],
)
def test_sizes_in_prose_are_rounded(value: int, shown: str) -> None:
    """One decimal, and never 1000.0 of a unit where there is a larger one."""
    assert words.size(value) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-1, "0.0 s"),
        (0, "0.0 s"),
        (0.0321, "32 ms"),
        (0.44, "0.4 s"),
        (9.96, "10.0 s"),
        (41, "41 s"),
        (59.6, "1 min 0 s"),
        (663, "11 min 3 s"),
        (7500, "2 h 5 min"),
        (273_600, "3 d 4 h"),
    ],
)
def test_a_duration_has_two_units_at_most(seconds: float, shown: str) -> None:
    """More digits would not be true a second later."""
    assert words.duration(seconds) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(-5, "just now"), (1, "just now"), (44, "44 s ago"), (250, "4 min ago"), (7300, "2 h ago"), (200_000, "2 d ago")],
)
def test_ago_is_rough(seconds: float, shown: str) -> None:
    """Clocks of two tabs may differ, so a moment in the future is «just now»."""
    assert words.ago(seconds) == shown


def test_times_are_utc() -> None:
    """Whatever offset a record came with."""
    assert words.clock_time("2026-11-30T10:41:14.500+01:00") == "09:41:14"
    assert words.date_time("2026-11-30T09:41:14Z") == "2026-11-30 09:41:14"
    assert words.clock_time(None) == words.date_time(None) == "–"
    assert words.seconds_between("2026-11-30T09:41:14Z", "2026-11-30T09:42:14.500Z") == 60.5


@pytest.mark.parametrize(
    ("done", "total", "shown"), [(0, 0, "0 %"), (8, 20, "40 %"), (199, 200, "99 %"), (5, 5, "100 %")]
)
def test_percent_is_full_only_at_the_end(done: int, total: int, shown: str) -> None:
    """99.5 % is not 100 %."""
    assert words.percent(done, total) == shown


def test_abbreviations_in_metrics_are_written_in_capitals() -> None:
    """In headings and in sentences, with and without the part of the data that they are of."""
    assert [words.metric_title(name) for name in ("rmse", "mae", "val_rmse")] == ["RMSE", "MAE", "Val RMSE"]
    assert words.metric_words("train_mae") == "train MAE"
    assert words.metric_words("smaerd") == "smaerd"


def test_plurals_and_titles() -> None:
    """Words around numbers."""
    assert words.plural(1, "round") == "1 round"
    assert words.plural(1438, "row") == "1,438 rows"
    assert words.plural(2, "match", "matches") == "2 matches"
    assert words.metric_title("val_accuracy") == "Val accuracy"
    assert words.metric_words("val_accuracy") == "val accuracy"
    assert words.short_sha256("0123456789abcdef") == "01234567"
