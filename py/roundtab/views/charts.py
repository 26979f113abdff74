"""Metric charts: an ECharts option as plain JSON values, and the same in a sentence for those who do not see it.

Colours are the names of the style sheet's tokens, `token:--rt-chart-train`; charts.js puts in what they are in the
present theme. A value that is missing or no number leaves a gap; the word (NaN) stands at the axis.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from roundtab.records.rounds import Round
from roundtab.records.values import Json
from roundtab.views.format import metric_title, number_word
from roundtab.views.html import Element, el

TRAIN, VALIDATION = "token:--rt-chart-train", "token:--rt-chart-val"
AXIS, GRID, BAND, EDGE = "token:--rt-chart-axis", "token:--rt-chart-grid", "token:--rt-chart-band", "token:--rt-edge"
FEW = 60
"""Up to so many rounds every value has its point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A chart: what ECharts draws, and its text alternative."""

    name: str
    option: dict[str, Json]
    label: str

    @property
    def node(self) -> Element:
        """The element that charts.js draws in."""
        option = json.dumps(self.option, allow_nan=False, separators=(",", ":"), ensure_ascii=False)
        return el(
            "div",
            {
                "class": "echart",
                "id": "chart-metric",
                "data-chart": self.name,
                "data-option": option,
                "role": "img",
                "aria-label": self.label,
            },
        )


def metric_chart(
    rounds: Sequence[Round], metric: str, total_rounds: int, best: int | None, in_progress: int | None = None
) -> Chart:
    """The training and validation values of `metric` by round, with the best round and the one in progress marked."""
    train = _values(rounds, f"train_{metric}")
    validation = _values(rounds, f"val_{metric}")
    numbers = [each.round for each in rounds]
    option: dict[str, Json] = {
        "animationDuration": 200,
        "grid": {"left": 8, "right": 16, "top": 28, "bottom": 24, "containLabel": True},
        "xAxis": {
            "type": "value",
            "min": 0,
            "max": max(total_rounds, 1),
            "minInterval": 1,
            "name": "checkpoint round",
            "nameLocation": "end",
            "nameGap": 0,
            "nameTextStyle": {
                "color": AXIS,
                "fontSize": 12,
                "align": "right",
                "verticalAlign": "top",
                "padding": [24, 0, 0, 0],  # below the numbers
            },
            "axisLine": {"lineStyle": {"color": EDGE}, "onZero": False},
            "axisTick": {"show": False},
            "axisLabel": {"color": AXIS, "fontSize": 12},
            "splitLine": {"show": False},
        },
        "yAxis": {
            "type": "value",
            "scale": True,
            "axisLine": {"show": False},
            "axisTick": {"show": False},
            "axisLabel": {"color": AXIS, "fontSize": 12},
            "splitLine": {"lineStyle": {"color": GRID}},
        },
        "tooltip": {"trigger": "axis", "axisPointer": {"type": "line", "lineStyle": {"color": EDGE, "type": "solid"}}},
        "series": [
            _line("training", numbers, train, TRAIN)
            | _marks(numbers, train, validation, best, in_progress, total_rounds),
            _line("validation", numbers, validation, VALIDATION)
            | {"symbol": "rect", "lineStyle": {"width": 2, "type": [5, 3], "color": VALIDATION}},
        ],
    }
    return Chart(name=metric, option=option, label=_sentence(metric, numbers, train, validation, best))


def _values(rounds: Sequence[Round], name: str) -> list[float | None]:
    return [each.metrics.get(name) for each in rounds]


def _line(name: str, numbers: Sequence[int], values: Sequence[float | None], colour: str) -> dict[str, Json]:
    return {
        "name": name,
        "type": "line",
        "data": [[number, _drawable(value)] for number, value in zip(numbers, values, strict=True)],
        "connectNulls": False,
        "symbol": "circle",
        "symbolSize": 6,
        "showSymbol": len(numbers) <= FEW,
        "sampling": "lttb",
        "lineStyle": {"width": 2, "type": "solid", "color": colour},
        "itemStyle": {"color": "token:--rt-surface", "borderColor": colour, "borderWidth": 1.5},
        "emphasis": {"disabled": True},
    }


def _drawable(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _marks(
    numbers: Sequence[int],
    train: Sequence[float | None],
    validation: Sequence[float | None],
    best: int | None,
    in_progress: int | None,
    total: int,
) -> dict[str, Json]:
    """The band of the round in progress, the line at the best round, the words where a value is no number."""
    lines: list[Json] = []
    if best is not None:
        lines.append(
            {
                "xAxis": best,
                "label": {
                    "formatter": f"best: round {best}",
                    "color": VALIDATION,
                    "fontSize": 12,
                    "fontWeight": 600,
                    "align": _side(best, total),
                },
                "lineStyle": {"color": VALIDATION, "type": [2, 3], "width": 1},
            }
        )
    for number, pair in zip(numbers, zip(train, validation, strict=True), strict=True):
        words = dict.fromkeys(number_word(each) for each in pair if each is not None and not math.isfinite(each))
        if words:
            label = {"formatter": " / ".join(words), "color": "token:--rt-warn", "fontSize": 12, "position": "start"}
            lines.append({"xAxis": number, "label": label | {"distance": -14}, "lineStyle": {"width": 0}})
    marks: dict[str, Json] = {}
    if lines:
        marks["markLine"] = {"silent": True, "animation": False, "symbol": "none", "data": lines}
    if in_progress is not None:
        marks["markArea"] = {
            "silent": True,
            "animation": False,
            "itemStyle": {"color": BAND},
            "data": [[{"xAxis": in_progress - 1}, {"xAxis": in_progress}]],
        }
    return marks


def _side(best: int, total: int) -> str:
    """Where the words at a vertical line stand, so that they stay off the axis and inside the chart."""
    return "left" if best <= total * 0.1 else "right" if best >= total * 0.9 else "center"


def _sentence(
    metric: str,
    numbers: Sequence[int],
    train: Sequence[float | None],
    validation: Sequence[float | None],
    best: int | None,
) -> str:
    """«Accuracy by round. Training rises from 0.780 in round 1 to 0.973 in round 16; validation …»."""
    told = [part for part in (_trend("training", numbers, train), _trend("validation", numbers, validation)) if part]
    if not told:
        return f"{metric_title(metric)} by round. No values yet."
    sentence = "; ".join(told)
    if best is not None and best in numbers:
        value = _drawable(validation[numbers.index(best)])
        sentence += f", best {value:.3f} in round {best}" if value is not None else f"; round {best} is the best"
    gaps = sum(value is not None and not math.isfinite(value) for value in (*train, *validation))
    sentence += f"; {gaps} {'value is' if gaps == 1 else 'values are'} not a number" if gaps else ""
    return f"{metric_title(metric)} by round. {sentence[:1].upper()}{sentence[1:]}."


def _trend(name: str, numbers: Sequence[int], values: Sequence[float | None]) -> str:
    known = [(number, value) for number, value in zip(numbers, values, strict=True) if _drawable(value) is not None]
    if not known:
        return ""
    (first, start), (last, end) = known[0], known[-1]
    if start is None or end is None or first == last:
        return f"{name} is {end:.3f} in round {last}"
    verb = "rises" if end > start else "falls" if end < start else "goes"
    return f"{name} {verb} from {start:.3f} in round {first} to {end:.3f} in round {last}"
