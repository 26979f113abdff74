"""Portions: the training and the held-out data, checked and read from files that were handed in.

Creating a job and validating one take their data in here, so that held-out data is held to the same rules by both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from roundtab.checkpoints.archive import Part
from roundtab.clock import Clock
from roundtab.data.content import read_content
from roundtab.data.dataset import Dataset
from roundtab.data.files import FileSource
from roundtab.data.manifests.manifest import Manifest, Resource
from roundtab.data.names import match_names
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
    files: tuple[tuple[Resource, FileSource], ...]
    data: Dataset

    @property
    def reference(self) -> DatasetRef:
        """How records name it."""
        entries = [FileEntry(path=each.path, bytes=each.bytes, sha256=each.sha256) for each, _ in self.files]
        return DatasetRef(
            name=self.manifest.name,
            version=self.manifest.version,
            sha256=self.manifest.sha256,
            files=tuple(entries),
            rows=len(self.data.labels),
        )


def only(part: Part, manifest: Manifest) -> Manifest:
    """The manifest with the files of one part alone; to validate on, all files where none is marked for it.

    So whoever holds a data set with both parts need not hand in the one that is not used.
    """
    resources = manifest.part(part) or (manifest.resources if part == "validation" else ())
    wanted = {each.path for each in resources}
    unused = tuple(each for each in manifest.resources if each.path not in wanted)
    return replace(manifest, resources=resources, unused=unused)


@dataclass(frozen=True, slots=True, kw_only=True)
class Handed:
    """A manifest and the files that were handed in with it."""

    manifest: Manifest
    files: Sequence[FileSource]

    def pairs(self, resources: Sequence[Resource]) -> tuple[tuple[Resource, FileSource], ...]:
        """Resources with their files, once those were verified."""
        found = match_names(self.manifest, self.files).found
        return tuple((each, found[each.path]) for each in resources)


@dataclass(frozen=True, slots=True, kw_only=True)
class Intake:
    """Takes in what came with one call."""

    clock: Clock
    tell: Tell
    spared: str
    """How every refusal ends: what it has not changed."""

    async def verify(self, *handed: Handed) -> None:
        """Check names, sizes and checksums. Raises `InvalidData` with the problems of all manifests."""
        problems: list[Problem] = []
        for each in handed:
            problems += (await verify(each.manifest, each.files, self.clock, self._bytes)).problems
        self.refuse("files", problems)

    async def read(self, parts: Mapping[Part, tuple[Handed, Sequence[Resource]]]) -> list[Portion]:
        """The data in verified files, part by part. Raises `InvalidData` with all problems of their content."""
        files = {part: handed.pairs(resources) for part, (handed, resources) in parts.items()}
        content = await read_content(files, self.clock, self._bytes)
        self.refuse("files", content.problems)
        return [
            Portion(part=part, manifest=handed.manifest, files=files[part], data=content.datasets[part])
            for part, (handed, _) in parts.items()
        ]

    def _bytes(self, done: int, total: int, what: str) -> None:
        self.tell(done, total, "bytes", what)

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
