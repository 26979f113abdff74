"""The validation panel: rounds compared on the same held-out data, and the form that validates one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from roundtab.records.capabilities import CapabilityInfo
from roundtab.records.ids import JobId
from roundtab.records.jobs import Job
from roundtab.records.validations import Direction, Validation, best_value, round_validations
from roundtab.views.components import button, caption, metric_value, note, panel, scroll, sha256
from roundtab.views.format import metric_title, plural
from roundtab.views.html import Child, Element, el
from roundtab.views.workspace.state import OpenJob, WorkspaceState
from roundtab.views.workspace.validate_form import validate_form, why_never
from roundtab.views.workspace.words import capability_of, job_title

SHORT = 6
"""So many of the newest rounds are shown until the person asks for all; those asked for and the best always are."""

Row = tuple[JobId, int]
"""A round of a job."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The columns of one data set: its validations by round."""

    name: str
    sha256: str
    count: int
    metrics: dict[str, Direction | None]
    """Columns and the direction that is better."""
    found: dict[Row, Validation]

    def best(self, metric: str, among: Iterable[Row]) -> set[Row]:
        """The rounds with the best value of `metric`; of equal ones of a job the earliest."""
        known = {row: self.found[row].metrics[metric] for row in among if metric in self._metrics(row)}
        best = best_value(known.values())
        first: dict[JobId, int] = {}
        for job, number in sorted(row for row, each in known.items() if each.value == best):
            first.setdefault(job, number)
        return set(first.items())

    def _metrics(self, row: Row) -> Iterable[str]:
        return self.found[row].metrics if row in self.found else ()


def validation_panel(state: WorkspaceState, opened: OpenJob, job: Job) -> Element:
    """All results of the job on held-out data, and the form for more."""
    catalogue = state.capabilities or ()
    reason = why_never(opened, job, catalogue)
    groups = grouped(opened, job, catalogue)
    return panel(
        "validations",
        "Validation on held-out data",
        *(_comparison(state, opened, job, groups) if groups else []),
        _refused(reason) if reason else _form(state, opened, job),
    )


def _form(state: WorkspaceState, opened: OpenJob, job: Job) -> Element:
    return el(
        "details", {"id": "validate-a-round"}, el("summary", "Validate a round"), validate_form(state, opened, job)
    )


def _refused(reason: str) -> Element:
    shut = button(
        "Validate", "validation.validate", small=True, id="validate", disabled=True, described_by="validate-reason"
    )
    return el("div", {"class": "row"}, shut, el("p", {"class": "note", "id": "validate-reason"}, reason))


def grouped(opened: OpenJob, job: Job, catalogue: Sequence[CapabilityInfo]) -> list[Group]:
    """The job's results by data set, its own validation data first, with those of other jobs where they were read."""
    info = capability_of(job, catalogue)
    own = round_validations(job, opened.rounds, opened.checkpoints, info.metrics if info else (job.metric,))
    groups: dict[str, Group] = {}
    for each in (*own, *opened.validations):
        group = groups.setdefault(
            each.data_sha256,
            Group(name=each.dataset.name, sha256=each.data_sha256, count=each.count, metrics={}, found={}),
        )
        _add(group, each)
    for each in opened.others or ():
        if each.data_sha256 in groups and each.job != job.id:
            _add(groups[each.data_sha256], each)
    return list(groups.values())


def _add(group: Group, validation: Validation) -> None:
    for name, measured in validation.metrics.items():
        group.metrics.setdefault(name, measured.direction)
    group.found[validation.job, validation.round] = validation


def _comparison(state: WorkspaceState, opened: OpenJob, job: Job, groups: Sequence[Group]) -> list[Child]:
    mine = sorted({row for group in groups for row in group.found if row[0] == job.id}, reverse=True)
    others = sorted({row for group in groups for row in _best_of_others(group, job)})
    best = {
        (group.sha256, name, row)
        for group in groups
        for name in group.metrics
        for row in group.best(name, [*mine, *others])
    }
    shown = _shown(opened, mine, {row for _, _, row in best})
    columns = 1 + sum(len(group.metrics) for group in groups)
    table = el(
        "table",
        caption("Validation results by round, one column group a data set"),
        _head(groups),
        el("tbody", [_row(el("th", {"scope": "row"}, row[1]), row, groups, best) for row in shown]),
        _others(state, others, columns, groups, best) if others else None,
    )
    return [
        note("Compare within one data set only: it is named by the sha256 of its content."),
        scroll("validations-title", table),
        _rest(len(shown), len(mine)),
        _more(opened, bool(others)),
    ]


def _best_of_others(group: Group, job: Job) -> Iterator[Row]:
    """Of each other job the round that is best on this data by the metric that decides."""
    decides = next(iter(group.metrics))
    for other in dict.fromkeys(row[0] for row in group.found if row[0] != job.id):
        yield from group.best(decides, [row for row in group.found if row[0] == other])


def _shown(opened: OpenJob, rows: Sequence[Row], best: set[Row]) -> list[Row]:
    if "validations" in opened.whole:
        return list(rows)
    asked = {(each.job, each.round) for each in opened.validations}
    return [row for place, row in enumerate(rows) if place < SHORT or row in best or row in asked]


def _head(groups: Sequence[Group]) -> Element:
    titles = [
        el(
            "th",
            {"scope": "colgroup", "colspan": len(group.metrics), "class": "group-start"},
            f"{group.name} · {plural(group.count, 'row')} · ",
            sha256(group.sha256),
        )
        for group in groups
    ]
    columns = [
        _column(name, way, first=place == 0)
        for group in groups
        for place, (name, way) in enumerate(group.metrics.items())
    ]
    return el("thead", el("tr", el("td"), titles), el("tr", el("th", {"scope": "col"}, "Round"), columns))


def _column(name: str, way: Direction | None, *, first: bool) -> Element:
    words: list[Child] = [metric_title(name)]
    if way:
        arrow, meaning = ("↑", "higher is better") if way == "maximize" else ("↓", "lower is better")
        words += [
            el("span", {"aria-hidden": "true", "title": meaning}, f" {arrow}"),
            el("span", {"class": "visually-hidden"}, f", {meaning}"),
        ]
    return el("th", {"scope": "col", "class": "num group-start" if first else "num"}, words)


def _row(heading: Element, row: Row, groups: Sequence[Group], best: set[tuple[str, str, Row]]) -> Element:
    cells = []
    for group in groups:
        metrics = group.found[row].metrics if row in group.found else {}
        for place, name in enumerate(group.metrics):
            words: list[Child] = [metric_value(metrics[name].value if name in metrics else None)]
            if (group.sha256, name, row) in best:
                words = [el("span", {"class": "tag best"}, "best"), " ", *words]
            cells.append(el("td", {"class": "num" if place else "num group-start"}, words))
    return el("tr", {"id": f"validation-{row[0]}-{row[1]}"}, heading, cells)


def _others(
    state: WorkspaceState, rows: Sequence[Row], columns: int, groups: Sequence[Group], best: set[tuple[str, str, Row]]
) -> Element:
    """The best rounds of other jobs; each leads to its job."""
    titles = {each.id: job_title(each) for each in (state.jobs.items if state.jobs else ())}
    lines = []
    for job, number in rows:
        link = el("a", {"href": f"#/job/{job}"}, titles.get(job, job))
        lines.append(_row(el("th", {"scope": "row"}, link, f", round {number}"), (job, number), groups, best))
    heading = el("tr", el("th", {"scope": "rowgroup", "colspan": columns}, "Other jobs on this data, each at its best"))
    return el("tbody", {"id": "other-jobs"}, heading, lines)


def _rest(shown: int, total: int) -> Element | None:
    if shown == total:
        return None
    more = button(
        f"Show all {total:,}",
        "show.all",
        name=f"Show all {total:,} rounds",
        style="quiet",
        small=True,
        list="validations",
    )
    return el("p", {"class": "row note"}, f"Showing {shown} of {total:,}", more)


def _more(opened: OpenJob, found: bool) -> Element:
    asked = opened.others is not None
    busy = "validations.compare" in opened.busy
    label = "Reading …" if busy else "Read other jobs again" if asked else "Other jobs on this data"
    words = "No other job has results on this data." if asked and not found else None
    compare = button(label, "validations.compare", style="outline", small=True, id="compare", busy=busy)
    return el("div", {"class": "row"}, compare, el("p", {"class": "note", "role": "status"}, words))
