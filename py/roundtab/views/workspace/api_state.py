"""«Full API state»: everything that the Training API knows about a job, as JSON to search and to copy."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from roundtab.api.protocol import JobState
from roundtab.records.codec import to_plain
from roundtab.views.components import button, note, panel
from roundtab.views.format import clock_time, plural
from roundtab.views.html import Child, Element, el
from roundtab.views.workspace.state import OpenJob

SHOWN = 100_000
"""So many characters are shown at the most; a page with more of them gets slow."""
MARKS = 500
"""So many matches are marked at the most; all are counted."""


def pretty(state: JobState) -> str:
    """The state as indented JSON, which is also what «Copy JSON» copies."""
    return json.dumps(to_plain(state), indent=2, ensure_ascii=False, allow_nan=False)


def api_state_panel(opened: OpenJob) -> Element:
    """The state with the matches of a search marked."""
    if opened.state_text is None:
        return panel("state", "Full API state", el("p", {"class": "note late"}, "Reading the state …"))
    found = matches(opened.state_text, opened.search)
    words = [f"Everything the Training API knows about this job, as of {clock_time(opened.state_as_of)} UTC"]
    if len(opened.state_text) > SHOWN:
        part = "lines that match" if opened.search else f"first {SHOWN:,} of {len(opened.state_text):,} characters"
        words.append(f"the {part} are shown; Copy JSON takes all")
    return panel(
        "state",
        "Full API state",
        note("; ".join(words) + "."),
        el(
            "pre",
            {
                "class": "raw",
                "id": "state-json",
                "role": "region",
                "tabindex": 0,
                "aria-label": "API state as JSON",
                "data-reveal": opened.search,
            },
            marked(excerpt(opened.state_text, opened.search), opened.search),
        ),
        aside=el(
            "div",
            {"class": "row"},
            el(
                "input",
                {
                    "type": "search",
                    "id": "state-search",
                    "name": "state.search",
                    "class": "search",
                    "aria-label": "Search the API state",
                    "placeholder": "Search",
                    "autocomplete": "off",
                    "maxlength": 200,
                    "value": opened.search,
                },
            ),
            el(
                "span",
                {"class": "note", "role": "status"},
                plural(found, "match", "matches") if opened.search else None,
            ),
            button("Refresh", "state.refresh", style="outline", small=True, name="Refresh the API state"),
            button("Copied" if opened.copied == "state" else "Copy JSON", "state.copy", style="outline", small=True),
        ),
    )


def matches(text: str, search: str) -> int:
    """How often `search` stands in `text`, in any case."""
    return sum(1 for _ in _places(text, search))


def excerpt(text: str, search: str) -> str:
    """What is shown of a long text: the lines that match, or its beginning."""
    if len(text) <= SHOWN:
        return text
    if not search:
        return text[:SHOWN]
    return "\n".join(line for line in text.split("\n") if search.lower() in line.lower())[:SHOWN]


def marked(text: str, search: str) -> list[Child]:
    """The text with its matches in <mark> elements."""
    pieces: list[Child] = []
    end = 0
    for number, match in enumerate(_places(text, search)):
        if number == MARKS:
            break
        pieces += [text[end : match.start()], el("mark", match.group())]
        end = match.end()
    return [*pieces, text[end:]]


def _places(text: str, search: str) -> Iterator[re.Match[str]]:
    return re.finditer(re.escape(search), text, re.IGNORECASE) if search else iter(())
