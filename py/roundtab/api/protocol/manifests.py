"""`manifests.*`: data before a job is made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from roundtab.api.protocol.base import Files, Manifest, Request
from roundtab.errors import Problem


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestsVerify(Request[Verified], method="manifests.verify", response=Verified):
    """Check a manifest and its files. Nothing is created."""

    manifest: Manifest
    files: Files = ()
    held_out: bool = False
    """Only what would be validated on: the files of its validation split, or all where it has none."""
