"""`manifests.*`: data before a job is made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from roundtab.api.protocol.base import Files, Manifest, Request
from roundtab.errors import Problem
from roundtab.records.fitting import DataForm
from roundtab.records.values import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """The result of checking files against a manifest."""

    ok: bool
    stage: Literal["parse", "structure", "names", "sizes", "checksums", "content"]
    """The last stage that ran; the ones after it wait until it passes."""
    problems: tuple[Problem, ...]
    notes: tuple[Problem, ...]
    """What is odd about the manifest and the files and does no harm, such as files that the manifest does not list."""
    files: tuple[str, ...]
    """Paths that passed every stage so far."""
    train: DataForm | None = None
    """What the training data looks like, once all of it was read."""
    validation: DataForm | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestsVerify(Request[Verified], method="manifests.verify", response=Verified):
    """Check a manifest and its files. Nothing is created."""

    manifest: Manifest
    files: Files = ()
    part: Literal["train", "validation"] | None = None
    """Only what would be trained on, or validated on: for the latter all files where none is marked as validation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A new manifest."""

    manifest: str
    """The text of `datapackage.json`, indented by two spaces."""
    notes: tuple[Problem, ...]
    """What was assumed in it, or should be looked at. Paths are those of files, or begin with `$`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestsMake(Request[Made], method="manifests.make", response=Made):
    """Make a manifest of files, or raise all problems that they have. Nothing is stored."""

    files: Files
    name: Annotated[str, Limits(1, 200)] | None = None
    """What the data is called; without it the folder that all files are in, else `dataset`."""
    label: Annotated[str, Limits(1, 1_000)] | None = None
    """The column to predict; without it the one called label, target, class or y, else the last one."""
    checksums: str | None = None
    """The text of a list as `sha256sum` writes it; the files must have these checksums."""
