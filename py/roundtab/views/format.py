"""Values as people read them: exact in tables, rounded in prose, UTC, and a dash for what is missing."""

from __future__ import annotations

import math
from datetime import UTC, datetime

MISSING = "–"
_ABBREVIATIONS = frozenset({"auc", "mae", "mse", "rmse"})
"""Words in the names of metrics that are written in capitals."""


def count(value: float | None) -> str:
    """A whole number with separators: `23,008`."""
    return MISSING if value is None else f"{value:,.0f}" if math.isfinite(value) else number_word(value)


def number_word(value: float) -> str:
    """NaN and the infinities as the words under which they travel."""
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def metric(value: float | None) -> str:
    """A metric value with 4 decimals, or with 4 significant digits where it is so small or large that they lie."""
    if value is None:
        return MISSING
    if not math.isfinite(value):
        return number_word(value)
    if value and not 0.001 <= abs(value) < 1_000_000:
        return f"{value:.3e}"
    return f"{value:,.4f}"


def exact_bytes(value: int | None) -> str:
    """A size in a table: `10,412 B`."""
    return MISSING if value is None else f"{value:,} B"


def size(value: int) -> str:
    """A size in prose: `41.2 MB`."""
    if value < 1000:
        return f"{value} B"
    amount, units = value / 1000, ["kB", "MB", "GB", "TB"]
    while amount >= 999.95 and len(units) > 1:
        amount, units = amount / 1000, units[1:]
    return f"{amount:,.1f} {units[0]}"


def duration(seconds: float) -> str:
    """A length of time: `32 ms`, `0.4 s`, `41 s`, `11 min 3 s`, `2 h 5 min`, `3 d 4 h`."""
    if 0.0005 <= seconds < 0.0995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 10:
        return f"{max(seconds, 0.0):.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    if whole < 86_400:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    return f"{whole // 86_400} d {whole % 86_400 // 3600} h"


def ago(seconds: float) -> str:
    """How long ago: `just now`, `44 s ago`, `4 min ago`."""
    if seconds < 1.5:
        return "just now"
    if seconds < 60:
        return f"{seconds:.0f} s ago"
    if seconds < 3600:
        return f"{seconds // 60:.0f} min ago"
    if seconds < 86_400:
        return f"{seconds // 3600:.0f} h ago"
    return f"{seconds // 86_400:.0f} d ago"


def clock_time(moment: str | None) -> str:
    """The time of day of an RFC 3339 moment: `09:41:14`, UTC."""
    return MISSING if moment is None else _moment(moment).strftime("%H:%M:%S")


def date_time(moment: str | None) -> str:
    """Day and time of an RFC 3339 moment: `2026-11-30 09:41:14`, UTC."""
    return MISSING if moment is None else _moment(moment).strftime("%Y-%m-%d %H:%M:%S")


def seconds_between(start: str, end: str) -> float:
    """Seconds from one RFC 3339 moment to another."""
    return (_moment(end) - _moment(start)).total_seconds()


def short_sha256(value: str) -> str:
    """The first 8 digits; show the whole one in `title`."""
    return value[:8]


def percent(done: float, total: float) -> str:
    """A share in whole percent, never 100 before it is all: `40 %`."""
    return f"{min(math.floor(100 * done / total), 100) if total else 0} %"


def plural(amount: int, one: str, many: str | None = None) -> str:
    """`1 round`, `2 rounds`, `1,438 rows`."""
    return f"{amount:,} {one if amount == 1 else many or one + 's'}"


def metric_words(name: str) -> str:
    """A metric's name in a sentence: `val_accuracy` is «val accuracy», `rmse` is «RMSE»."""
    return " ".join(word.upper() if word in _ABBREVIATIONS else word for word in name.replace("_", " ").split())


def metric_title(name: str) -> str:
    """A metric's name as a heading: `val_accuracy` is «Val accuracy»."""
    words = metric_words(name)
    return words[:1].upper() + words[1:]


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)
