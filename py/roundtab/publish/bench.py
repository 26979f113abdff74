"""Benchmarks: each measures a ratio, both sides in turn in the same run.

`tests/benchmarks/NAME.py` defines `run(bench: Bench) -> None` and adds a row per case:

    bench.compare("mean of 1 M", unit="ms", ours=ours, reference=other, reference_name="numpy", target=1.1)
"""

from __future__ import annotations

import importlib.util
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

from roundtab import __version__
from roundtab.publish.commands import BuildFailed, say
from roundtab.publish.paths import ROOT

FOLDER = ROOT / "tests" / "benchmarks"
LEAST = 5
"""Runs that a median needs at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One case: the figures of both sides, in `unit`. `target` is a bound on `ours / reference`."""

    case: str
    unit: str
    ours: Sequence[float]
    reference: Sequence[float]
    reference_name: str
    target: float | None = None
    better: Literal["lower", "higher"] = "lower"

    def __post_init__(self) -> None:
        """Refuse a case with too few runs to call the middle one a median."""
        if min(len(self.ours), len(self.reference)) < LEAST:
            raise BuildFailed(f"The case {self.case!r} has fewer than {LEAST} runs.", "Measure each side more often.")

    @property
    def ratio(self) -> float:
        """Median of ours over median of the reference."""
        return statistics.median(self.ours) / statistics.median(self.reference)

    @property
    def met(self) -> bool | None:
        """Whether the ratio keeps to the target; None without a target."""
        if self.target is None:
            return None
        return self.ratio <= self.target if self.better == "lower" else self.ratio >= self.target

    def as_json(self) -> dict[str, Any]:
        """Return the row as the report writes it; a case without a target has neither `target` nor `met`."""
        row = {
            "case": self.case,
            "unit": self.unit,
            "ours": statistics.median(self.ours),
            "reference": statistics.median(self.reference),
            "reference_name": self.reference_name,
            "ratio": self.ratio,
            "better": self.better,
            "spread": {"ours": spread(self.ours), "reference": spread(self.reference)},
        }
        return row if self.target is None else row | {"target": self.target, "met": self.met}


@dataclass(slots=True, kw_only=True)
class Bench:
    """Collects the rows of one benchmark, and the versions of what it measured."""

    name: str
    rows: list[Row] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)

    def compare(
        self,
        case: str,
        *,
        unit: str,
        ours: Callable[[], float],
        reference: Callable[[], float],
        reference_name: str,
        target: float | None = None,
        better: Literal["lower", "higher"] = "lower",
        runs: int = LEAST,
    ) -> None:
        """Measure both sides in turn, after one warm-up each, and add the row; each call returns a figure in `unit`."""
        ours(), reference()
        figures = [(ours(), reference()) for _ in range(runs)]
        mine, theirs = zip(*figures, strict=True)
        row = Row(
            case=case, unit=unit, ours=mine, reference=theirs, reference_name=reference_name, target=target,
            better=better,
        )  # fmt: skip
        self.add(row)

    def add(self, row: Row) -> None:
        """Add a row that was measured elsewhere, in a browser for example, and show it."""
        self.rows.append(row)
        say(f"{self.name}: {row.case}: ratio {row.ratio:.3f}")

    def report(self) -> dict[str, Any]:
        """Return everything measured, as JSON values."""
        own = {"roundtab": __version__, "python": platform.python_version(), "numpy": metadata.version("numpy")}
        return {
            "name": self.name,
            "machine": machine(),
            "versions": own | self.versions,
            "rows": [row.as_json() for row in self.rows],
        }

    def table(self) -> str:
        """Return the rows as text for people."""
        lines = [f"{'case':<40} {'ours':>12} {'reference':>12} {'unit':<8} {'ratio':>7} {'target':>9}  against"]
        for row in self.rows:
            sign = "≤" if row.better == "lower" else "≥"
            target = "" if row.target is None else f"{sign} {row.target:g} {'✓' if row.met else '✗'}"
            lines.append(
                f"{row.case:<40} {statistics.median(row.ours):>12.4g} {statistics.median(row.reference):>12.4g} "
                f"{row.unit:<8} {row.ratio:>7.3f} {target:>9}  {row.reference_name}"
            )
            lines.append(f"{'  spread':<40} {_range(row.ours):>12} {_range(row.reference):>12}")
        return "\n".join(lines)


def seconds(work: Callable[[], object]) -> Callable[[], float]:
    """Return a measurement for `Bench.compare`: how many seconds a call of `work` takes."""

    def measure() -> float:
        started = time.perf_counter()
        work()
        return time.perf_counter() - started

    return measure


def spread(figures: Sequence[float]) -> dict[str, float]:
    """Return the least and the greatest figure."""
    return {"min": min(figures), "max": max(figures)}


def machine() -> dict[str, Any]:
    """Describe the machine as far as figures depend on it."""
    return {"system": platform.system(), "processor": _processor(), "cores": os.cpu_count()}


def main(name: str, target: Path | None) -> int:
    """Run a benchmark, print its table and write its JSON report where asked; 1 when a target was missed."""
    bench = Bench(name=name)
    with _import_paths():
        _load(name).run(bench)
    print(bench.table())
    if target:
        target.write_text(json.dumps(bench.report(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 1 if any(row.met is False for row in bench.rows) else 0


def _load(name: str) -> Any:
    path = FOLDER / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"benchmark_{path.stem}", path)
    if spec is None or spec.loader is None or not path.is_file():
        known = ", ".join(sorted(each.stem for each in FOLDER.glob("[!_]*.py"))) or "none yet"
        raise BuildFailed(f"There is no benchmark {name}.", f"Benchmarks in tests/benchmarks: {known}.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def _import_paths() -> Iterator[None]:
    """Let a benchmark import modules that lie beside it."""
    sys.path.insert(0, str(FOLDER))
    try:
        yield
    finally:
        sys.path.remove(str(FOLDER))


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _range(figures: Sequence[float]) -> str:
    return f"{min(figures):.3g}–{max(figures):.3g}"
