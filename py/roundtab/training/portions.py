"""Portions: the training and the held-out data, checked and read from files that were handed in.

Creating a job and validating one take their data in here, so that held-out data is held to the same rules by both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from roundtab.checkpoints.archive import Part
from roundtab.clock import Clock
from roundtab.data.dataset import Dataset, concatenate
from roundtab.data.files import FileSource
from roundtab.data.manifest import Manifest, Resource
from roundtab.data.names import match_names
from roundtab.data.reading import read_data
from roundtab.data.verify import unreadable, verify
from roundtab.errors import InvalidData, Problem
from roundtab.records.fitting import held_out_faults
from roundtab.records.jobs import DatasetRef, FileEntry

Tell = Callable[[int, int, str, str], None]
"""Progress: done, total, unit, what is being done. It may raise `Stopped`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Portion:
    """The training or the held-out data: its manifest, the resources used, and what they hold."""

    part: Part
    manifest: Manifest
    resources: tuple[Resource, ...]
    data: Dataset

    @property
    def reference(self) -> DatasetRef:
        """How records name it."""
        entries = [FileEntry(path=each.path, bytes=each.bytes, sha256=each.sha256) for each in self.resources]
        return DatasetRef(
            name=self.manifest.name,
            version=self.manifest.version,
            sha256=self.manifest.sha256,
            files=tuple(entries),
            rows=len(self.data.labels),
        )


def only_held_out(manifest: Manifest) -> Manifest:
    """The manifest with the files of its validation split alone; with all of them where it has none.

    So whoever holds a data set with both parts need not hand in the training data to validate on the other part.
    """
    return replace(manifest, resources=manifest.part("validation") or manifest.resources)


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    """The files that came with one call."""

    files: Sequence[FileSource]
    clock: Clock
    tell: Tell
    spared: str
    """How every refusal ends: what it has not changed."""

    async def verify(self, *manifests: Manifest) -> None:
        """Check names, sizes and checksums. Raises `InvalidData` with the problems of all manifests."""
        problems: list[Problem] = []
        for each in manifests:
            result = await verify(
                each, self.files, self.clock, lambda done, total, what: self.tell(done, total, "bytes", what)
            )
            problems += result.problems
        self.refuse("files", problems)

    async def read(self, part: Part, manifest: Manifest, resources: tuple[Resource, ...]) -> Portion:
        """The tables of verified files. Raises `InvalidData` for the first one with wrong content."""
        tables, sources = [], match_names(manifest, self.files).found
        for number, resource in enumerate(resources):
            self.tell(number, len(resources), "files", f"Reading {resource.path}")
            try:
                tables.append(await read_data(sources[resource.path], resource, self.clock))
            except OSError as error:
                raise self.unreadable(resource, error) from None
        return Portion(part=part, manifest=manifest, resources=resources, data=concatenate(tables))

    def refuse(self, what: str, problems: Sequence[Problem]) -> None:
        """Raise `InvalidData` if there are problems with `what`: files or data."""
        if problems:
            raise self._refusal(what, problems)

    def unreadable(self, resource: Resource, error: OSError) -> InvalidData:
        """What to raise for a file that could be read when it was verified."""
        problem = Problem(path=resource.path, problem=unreadable(error), action="Choose it again.")
        return self._refusal("files", [problem])

    def _refusal(self, what: str, problems: Sequence[Problem]) -> InvalidData:
        count = f"{len(problems)} problem" + ("s" if len(problems) > 1 else "")
        return InvalidData(f"The {what} did not pass: {count}. {self.spared}", "Resolve each one.", problems)


def unlike(data: Dataset, feature_names: Sequence[str], classes: Sequence[str], path: str) -> list[Problem]:
    """Where held-out data has another form than the training data, whose features and classes are given.

    `path` is what the problems belong to.
    """
    faults = held_out_faults(data.form, tuple(feature_names), tuple(classes))
    return [Problem(path=path, problem=problem, action=action) for problem, action in faults]
