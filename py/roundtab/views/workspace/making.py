"""Where files are chosen without a manifest that fits: the offer to make one, and what was assumed in one so made."""

from __future__ import annotations

from roundtab.errors import Problem
from roundtab.views.components import button, note
from roundtab.views.html import Element, el
from roundtab.views.workspace.state import ChosenData, Form


def making(role: str, data: ChosenData, form: Form) -> Element | None:
    """What a person can do about the manifest; None where the chosen one is to be used as it is."""
    reason = _reason(data)
    if data.made is None and reason is None:
        return None
    return el(
        "div",
        {"class": "stack", "id": f"{role}-making"},
        [_kept(role), _assumed(data.made)] if data.made is not None else None,
        [note(reason), _button(role, form)] if reason else None,
    )


def _reason(data: ChosenData) -> str | None:
    """Why a manifest should be made; None where none should."""
    if not data.files:
        return None
    if data.manifest is None:
        return "Without a manifest, one can be made: it says what these files are now, with their checksums."
    if data.listing:
        return "A manifest can be made of it and these files; each of them is compared with the list."
    reported = data.verified.problems if data.verified else ()
    if any(each.path.startswith("$.resources[") and each.path.endswith(".hash") for each in reported):
        return "A manifest that is made of these files has their checksums. It takes the place of the chosen one."
    if data.outdated and (reported or data.trouble):
        return "Other files were chosen since the manifest was made."
    return None


def _button(role: str, form: Form) -> Element:
    busy = form.busy == "checking"
    label = "Make a manifest from these files"
    return el("div", {"class": "row"}, button(label, "manifest.make", style="outline", busy=busy, role=role))


def _kept(role: str) -> Element:
    return el(
        "div",
        {"class": "row"},
        note("This manifest was made here. Keep it: with it, everybody can check that they have the same files."),
        button("Download manifest", "manifest.download", style="outline", small=True, role=role),
    )


def _assumed(notes: tuple[Problem, ...]) -> Element | None:
    if not notes:
        return None
    entries = [el("li", el("code", each.path), f": {each.problem} {each.action}") for each in notes]
    return el("div", note("What was assumed in it, to be looked at:"), el("ul", {"class": "note"}, entries))
