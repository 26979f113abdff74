"""How one entry of a form looks: label, control, help and the problem with it, tied together for screen readers."""

from __future__ import annotations

from roundtab.errors import Problem
from roundtab.views.html import Attribute, Child, Element, el
from roundtab.views.workspace.form import Field


def field_id(name: str) -> str:
    """The id of the control of a field."""
    return f"field-{name.replace('.', '-')}"


def field_row(field: Field, value: str, problem: Problem | None) -> Element:
    """A labelled control with `value`; a problem replaces the help."""
    own = field_id(field.name)
    words: Child = None
    if problem:
        words = el("small", {"class": "problem", "id": f"{own}-problem"}, f"{problem.problem} {problem.action}")
    elif field.help:
        words = el("small", {"id": f"{own}-help"}, field.help)
    shared: dict[str, Attribute] = {
        "id": own,
        "name": field.name,
        "aria-label": field.label,  # the help inside the label would be part of the name, and be read twice
        "aria-invalid": "true" if problem else None,
        "aria-describedby": f"{own}-problem" if problem else f"{own}-help" if field.help else None,
    }
    return el("label", {"for": own}, f"{field.label} ", _control(field, value, shared), words)


def _control(field: Field, value: str, shared: dict[str, Attribute]) -> Element:
    if field.kind in ("choice", "boolean"):
        choices = field.choices or (("true", "Yes"), ("false", "No"))
        options = [el("option", {"value": key, "selected": key == value}, label) for key, label in choices]
        return el("select", shared, options)
    shown: dict[str, Attribute]
    if field.kind == "text":
        shown = {"type": "text", "maxlength": 200, "autocomplete": "off"}
    else:
        shown = {"type": "number", "step": 1 if field.kind == "integer" else "any"}
    limits: dict[str, Attribute] = {
        "min": _limit(field.least),
        "max": _limit(field.most),
        "placeholder": field.placeholder or None,
    }
    return el("input", shared | shown | limits | {"value": value})


def _limit(value: float | None) -> str | None:
    return None if value is None else f"{value:g}"


def choice(name: str, value: str, title: str, words: str, *, checked: bool) -> Element:
    """One of several radio cards."""
    own = f"choice-{name.replace('.', '-')}-{value}"
    return el(
        "label",
        {"class": "choice", "for": own},
        el("input", {"type": "radio", "id": own, "name": name, "value": value, "checked": checked}),
        el("span", title),
        el("small", words),
    )
