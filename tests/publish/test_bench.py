from __future__ import annotations

import json
from itertools import count
from pathlib import Path

import pytest

from roundtab.publish import bench
from roundtab.publish.commands import BuildFailed

pytestmark = pytest.mark.cpython_only(reason="builds the site: files, sockets and processes")


def row(**changes: object) -> bench.Row:
    values = {"case": "sum", "unit": "ms", "ours": [1.0] * 5, "reference": [2.0] * 5, "reference_name": "numpy"}
    return bench.Row(**{**values, **changes})


def test_both_sides_are_measured_in_turn_after_a_warm_up() -> None:
    """The first figure of each side is thrown away, and neither side gets a quieter machine."""
    clock = count()
    measured = bench.Bench(name="self-test")
    measured.compare(
        "ticks", unit="1", ours=lambda: next(clock), reference=lambda: next(clock), reference_name="the other"
    )
    assert measured.rows[0].ours == (2, 4, 6, 8, 10)
    assert measured.rows[0].reference == (3, 5, 7, 9, 11)


def test_the_ratio_is_that_of_the_medians() -> None:
    """One slow run does not move it."""
    assert row(ours=[1, 1, 1, 1, 90], reference=[2, 2, 2, 2, 2]).ratio == 0.5


@pytest.mark.parametrize(
    ("target", "better", "met"), [(0.6, "lower", True), (0.4, "lower", False), (0.4, "higher", True)]
)
def test_a_target_bounds_the_ratio(target: float, better: str, met: bool) -> None:
    """From above where lower is better, from below where higher is."""
    assert row(target=target, better=better).met is met


def test_a_case_without_a_target_says_nothing_about_meeting_it() -> None:
    """`met` is a promise kept, not a default."""
    assert row().as_json().keys().isdisjoint({"target", "met"})


def test_a_median_needs_five_runs() -> None:
    """Fewer are refused."""
    with pytest.raises(BuildFailed, match="fewer than 5"):
        row(ours=[1.0] * 4)


def test_a_benchmark_writes_what_it_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The report has the machine and the versions, and a missed target ends with 1."""
    script = (
        "from roundtab.publish.bench import seconds\n"
        "def run(bench):\n"
        "    bench.versions['peer'] = '1.2'\n"
        "    bench.compare('nothing', unit='s', ours=seconds(int), reference=seconds(int), reference_name='int',"
        " target=0.0)\n"
    )
    (tmp_path / "idle.py").write_text(script, encoding="utf-8")
    monkeypatch.setattr(bench, "FOLDER", tmp_path)
    assert bench.main("idle", tmp_path / "report.json") == 1
    assert "nothing" in capsys.readouterr().out
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert report["name"] == "idle"
    assert report["machine"]["cores"] >= 1
    assert report["versions"]["peer"] == "1.2"
    assert report["rows"][0]["met"] is False
    assert report["rows"][0]["reference_name"] == "int"


def test_an_unknown_benchmark_lists_the_known_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A typing mistake shows the choice."""
    (tmp_path / "mean.py").write_text("", encoding="utf-8")
    monkeypatch.setattr(bench, "FOLDER", tmp_path)
    with pytest.raises(BuildFailed, match="mean"):
        bench.main("maen", None)
