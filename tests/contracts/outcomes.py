"""A bad input and what has to come of it, and the check that it does."""

from __future__ import annotations

from dataclasses import dataclass

from contracts.api_world import Contract, Data

from roundtab.api.client import given
from roundtab.api.protocol import ManifestsVerify, Verified


@dataclass(frozen=True, slots=True)
class Case:
    """Data that is handed to `manifests.verify`.

    With a `stage` it is refused there, with a problem at `path` whose words these are; without one it passes, with such
    a note where there are words.
    """

    number: int
    title: str
    data: Data
    stage: str | None = None
    path: str = ""
    words: str = ""
    problems: int | None = None
    """How many there are, where that matters."""


async def check(contract: Contract, case: Case) -> None:
    """Hand the data in and compare what comes of it."""
    files = case.data.files
    request = ManifestsVerify(manifest=case.data.manifest, files=given(files))
    found = await contract.client.call(request, files)
    assert _as_expected(case, found), f"{case.number} {case.title}: {found}"


def _as_expected(case: Case, found: Verified) -> bool:
    told = found.problems if case.stage else found.notes
    if not all(each.problem and each.action for each in (*found.problems, *found.notes)):
        return False
    if case.stage is None:
        if not found.ok or found.problems or found.stage != "content":
            return False
    elif found.ok or found.stage != case.stage or case.problems not in (None, len(found.problems)):
        return False
    if not case.words:
        return not told
    return any(each.path == case.path and case.words in f"{each.problem} {each.action}" for each in told)
