"""The parts that every page is made of: panel, status, issue, button, table cells. Names as in the style sheet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

from roundtab.views.format import metric, short_sha256
from roundtab.views.html import Attribute, Child, Element, el

StatusKind = Literal["queued", "running", "waiting", "cancelling", "completed", "failed", "cancelled"]
"""The shape and colour of a status; its label says what it means."""


def panel(name: str, title: str, *body: Child, aside: Child = None, level: Literal["h2", "h3"] = "h3") -> Element:
    """A titled card. Its ids are `<name>-panel` and `<name>-title`."""
    return el(
        "article",
        {"class": "panel", "id": f"{name}-panel", "aria-labelledby": f"{name}-title"},
        el("header", el(level, {"id": f"{name}-title"}, title), aside),
        *body,
    )


def status(kind: StatusKind, label: str, *, badge: bool = False) -> Element:
    """A shape, a colour and a label for a state."""
    return el("span", {"class": "badge status" if badge else "status", "data-status": kind}, label)


def note(*words: Child) -> Element:
    """Secondary text."""
    return el("p", {"class": "note"}, *words)


def issue(
    problem: str,
    *details: Child,
    buttons: Sequence[Element] = (),
    level: Literal["error", "warning"] = "error",
    id: str | None = None,
) -> Element:
    """A problem, what to do about it, and the buttons that do it. It is announced when it appears."""
    return el(
        "div",
        {"class": "issue", "data-level": level, "role": "alert", "id": id},
        el("p", {"class": "problem"}, problem),
        *[el("p", each) if isinstance(each, str) else each for each in details],
        el("div", {"class": "row"}, *buttons) if buttons else None,
    )


ButtonStyle = Literal["primary", "outline", "danger", "quiet"]
_CLASSES: dict[ButtonStyle, str] = {
    "primary": "",
    "outline": "outline secondary",
    "danger": "danger",
    "quiet": "quiet",
}


def button(
    label: str,
    action: str,
    *,
    style: ButtonStyle = "primary",
    small: bool = False,
    name: str | None = None,
    id: str | None = None,
    disabled: bool = False,
    busy: bool = False,
    described_by: str | None = None,
    **data: Attribute,
) -> Element:
    """A button that sends `action` with `data` to the page's program. `name` says more than the label.

    A busy button does nothing until its action has ended; unlike a disabled one it keeps the focus meanwhile.
    """
    classes = " ".join(filter(None, ("small" if small else "", _CLASSES[style])))
    return el(
        "button",
        {
            "type": "button",
            "class": classes or None,
            "id": id,
            "data-action": action,
            "aria-label": name,
            "aria-describedby": described_by,
            "aria-disabled": "true" if busy else None,
            "disabled": disabled and not busy,
            **{f"data-{key}": value for key, value in data.items()},
        },
        label,
    )


def segments(label: str, action: str, argument: str, choices: Sequence[tuple[str, str]], shown: str) -> Element:
    """A switch between `choices`, pairs of value and title. It sends `action` with the value as `argument`."""
    buttons = []
    for value, title in choices:
        attributes: dict[str, Attribute] = {
            "type": "button",
            "id": f"{argument}-{value}",
            "data-action": action,
            f"data-{argument}": value,
            "aria-pressed": "true" if value == shown else "false",
        }
        buttons.append(el("button", attributes, title))
    return el("div", {"class": "segments", "role": "group", "aria-label": label}, buttons)


def scroll(labelled_by: str, *content: Child, tall: bool = False, reveal: str | None = None) -> Element:
    """A part that scrolls by itself, also by keyboard; to its current row when `reveal` changes."""
    return el(
        "div",
        {
            "class": "scroll tall" if tall else "scroll",
            "id": f"{labelled_by}-scroll",
            "role": "region",
            "tabindex": 0,
            "aria-labelledby": labelled_by,
            "data-reveal": reveal,
        },
        *content,
    )


def head(*columns: tuple[str, str | None] | str) -> Element:
    """The head of a table: titles, or pairs of title and class; an empty title is «Actions», for readers only."""
    cells = []
    for column in columns:
        title, kind = column if isinstance(column, tuple) else (column, None)
        shown: Child = title or el("span", {"class": "visually-hidden"}, "Actions")
        cells.append(el("th", {"scope": "col", "class": kind}, shown))
    return el("thead", el("tr", cells))


def cell(label: str, *content: Child, number: bool = False, span: int | None = None) -> Element:
    """A cell of a `cards` table: `label` names it and `span` of six is its width where the table becomes blocks."""
    return el(
        "td",
        {"class": "num" if number else None, "style": f"--span: {span}" if span else None, "data-label": label},
        *content,
    )


def metric_value(value: float | None) -> Child:
    """A metric value; a word such as NaN stands out."""
    shown = metric(value)
    return shown if value is None or math.isfinite(value) else el("span", {"class": "nan"}, shown)


def sha256(value: str) -> Element:
    """A checksum, short, with the whole one in its title."""
    return el("code", {"title": value}, short_sha256(value))


def caption(words: str) -> Element:
    """The caption of a table, for those who do not see its heading."""
    return el("caption", {"class": "visually-hidden"}, words)


def confirm(name: str, label: str, question: str, consequence: str, action: str) -> tuple[Element, Element]:
    """A button, and the question that it opens: what will happen, and the button that sends `action`."""
    own = f"{name}-question"
    closes: dict[str, Attribute] = {"type": "button", "popovertarget": own, "popovertargetaction": "hide"}
    opener = el(
        "button",
        {"type": "button", "class": "outline secondary", "id": f"{name}-ask", "popovertarget": own},
        label,
    )
    asked = el(
        "div",
        {
            "class": "question",
            "id": own,
            "popover": "auto",
            "role": "dialog",
            "aria-labelledby": f"{own}-title",
            "aria-describedby": f"{name}-consequence",
        },
        el("p", {"class": "big", "id": f"{own}-title"}, question),
        el("p", {"id": f"{name}-consequence"}, consequence),
        el(
            "div",
            {"class": "row"},
            el("button", closes | {"class": "danger", "data-action": action}, label),
            el("button", closes | {"class": "outline secondary", "autofocus": True}, "Keep it as it is"),
        ),
    )
    return opener, asked
