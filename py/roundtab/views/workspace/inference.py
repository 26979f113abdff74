"""How downloads are used: the formats that a job's checkpoints can be had in, and the code that opens each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roundtab.records.capabilities import CapabilityInfo, Inference
from roundtab.records.jobs import Job
from roundtab.records.rounds import FileFormat
from roundtab.views.components import button, note, segments
from roundtab.views.html import Element, el
from roundtab.views.workspace.state import OpenJob

TITLES: dict[FileFormat, str] = {"safetensors": "safetensors", "npz": "npz", "onnx": "ONNX"}

Offer = Mapping[FileFormat, Inference | None]
"""How files of each format are used, where the model says it."""


def offered(job: Job, catalogue: Sequence[CapabilityInfo]) -> Offer:
    """What the job's model offers. Only what is stored, safetensors, once the catalogue has other code by that name."""
    info = next((each for each in catalogue if each.sha256 == job.capability.sha256), None)
    said = {each.format: each for each in info.inference} if info else {}
    return {name: said.get(name) for name in TITLES if name == "safetensors" or name in said}


def chosen(opened: OpenJob, offer: Offer) -> FileFormat:
    """The format of downloads."""
    return opened.format if opened.format in offer else "safetensors"


def shown_code(opened: OpenJob, catalogue: Sequence[CapabilityInfo]) -> str:
    """The lines as they are printed and copied; none where the model does not say how its files are used."""
    offer = offered(opened.job, catalogue) if opened.job else {}
    use = offer.get(chosen(opened, offer))
    return use.snippet if use else ""


def format_switch(offer: Offer, shown: FileFormat) -> Element:
    """Chooses the format of downloads where there is a choice."""
    if len(offer) == 1:
        return note("Downloads are .safetensors files")
    choices = [(name, TITLES[name]) for name in offer]
    return el(
        "div",
        {"class": "row"},
        el("span", {"class": "note", "aria-hidden": "true"}, "Download as"),
        segments("Format of downloads", "format.choose", "format", choices, shown),
    )


def how_to_use(use: Inference | None, copied: bool) -> Element | None:
    """The tool for a downloaded file, and the lines of code that read it and predict."""
    if use is None:
        return None
    return el(
        "div",
        {"class": "stack use", "id": "inference"},
        el(
            "div",
            {"class": "row spread"},
            el("h4", {"id": "inference-title"}, f"Open it with {use.tool}"),
            button("Copied" if copied else "Copy code", "snippet.copy", style="outline", small=True),
        ),
        el(
            "pre",
            {"class": "raw", "id": "snippet", "role": "region", "tabindex": 0, "aria-labelledby": "inference-title"},
            use.snippet,
        ),
        note(
            "Save the download as ",
            el("code", f"checkpoint.{use.format}"),
            "; ",
            el("code", "rows"),
            " is a list of rows, their features in the order of the training data.",
            None
            if use.format == "safetensors"
            else " Size and sha256 in the table are those of the .safetensors file.",
        ),
    )
