"""The content of files that passed their checksums: each is read, and everything wrong in any of them is told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from roundtab.clock import Clock
from roundtab.data.dataset import Dataset, concatenate
from roundtab.data.files import FileSource
from roundtab.data.formats.reading import MAX_BYTES, read_data
from roundtab.data.hashing import Progress
from roundtab.data.manifests.resources import Resource, Split
from roundtab.data.quality import Note, oddities, shared_rows
from roundtab.data.steps import Step
from roundtab.data.verify import unreadable
from roundtab.errors import InvalidData, Problem
from roundtab.records.fitting import held_out_faults

MANIFEST = "$.resources"
"""The path of what is about several files."""

Parts = Mapping[Split, Sequence[tuple[Resource, FileSource]]]
"""Resources and their files by the part of the data that they belong to."""


@dataclass(slots=True)
class Content:
    """What the files hold: a dataset for each part without problems."""

    datasets: dict[Split, Dataset] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


async def read_content(parts: Parts, clock: Clock, progress: Progress | None = None) -> Content:
    """Read all files of all parts. `progress` hears bytes and may raise to stop."""
    found = Content()
    total = sum(resource.bytes for files in parts.values() for resource, _ in files)
    if total > MAX_BYTES:
        problem = f"The data has {total:,} bytes; at most {MAX_BYTES:,} fit into the memory of a tab."
        action = "Leave columns or rows out that are not needed."
        found.problems.append(Problem(path=MANIFEST, problem=problem, action=action))
        return found
    step = Step(progress, [source for files in parts.values() for _, source in files])
    for part, files in parts.items():
        tables = [await _read(resource, source, clock, step, found) for resource, source in files]
        whole = [each for each in tables if each]
        if len(whole) < len(files):
            continue
        unlike = [
            Problem(path=resource.path, problem=problem, action="Give all files of one part the same columns.")
            for (resource, _), table in zip(files[1:], whole[1:], strict=True)
            for problem, _ in held_out_faults(table.form, whole[0].feature_names, whole[0].classes, files[0][0].path)
        ]
        found.problems += unlike
        if whole and not unlike:
            found.datasets[part] = concatenate(whole)
    return found


async def _read(resource: Resource, source: FileSource, clock: Clock, step: Step, found: Content) -> Dataset | None:
    try:
        return await read_data(source, resource, clock, step.of(source, f"Reading {resource.path}"))
    except InvalidData as error:
        found.problems += [Problem(path=resource.path, problem=p.problem, action=p.action) for p in error.problems]
    except OSError as error:
        found.problems.append(Problem(path=resource.path, problem=unreadable(error), action="Choose it again."))
    return None


async def notes_on(content: Content, parts: Parts, clock: Clock) -> list[Problem]:
    """What is odd about the data and does not stop a job."""
    notes: list[Problem] = []

    def add(part: Split, found: Sequence[Note]) -> None:
        paths = [resource.path for resource, _ in parts[part]]
        path = paths[0] if len(paths) == 1 else MANIFEST
        notes.extend(Problem(path=path, problem=problem, action=action) for problem, action in found)

    train, held_out = content.datasets.get("train"), content.datasets.get("validation")
    if train:
        add("train", await oddities(train, clock))
    if train and held_out and train.feature_names == held_out.feature_names:
        shared = await shared_rows(train, held_out, clock)
        add("validation", [shared] if shared else [])
    return notes
