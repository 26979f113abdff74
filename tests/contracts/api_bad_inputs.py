"""Rules of bad inputs: each manifest, choice of files and content that is not right has the outcome that is listed."""

from __future__ import annotations

from contracts.api_world import Contract
from contracts.bad_content import content
from contracts.bad_files import files
from contracts.bad_manifests import manifests
from contracts.outcomes import check


async def each_bad_manifest_has_its_outcome(contract: Contract) -> None:
    """Nothing but the manifest is looked at where it is refused."""
    for case in manifests():
        await check(contract, case)


async def each_wrong_choice_of_files_has_its_outcome(contract: Contract) -> None:
    """Names, then sizes, then checksums."""
    for case in files():
        await check(contract, case)


async def each_bad_content_has_its_outcome(contract: Contract) -> None:
    """With the row and the column, or with both numbers."""
    for case in content():
        await check(contract, case)


async def nothing_is_left_of_bad_inputs(contract: Contract) -> None:
    """Checking stores nothing, whatever it finds."""
    before = await contract.stored()
    for case in (next(manifests()), next(files()), next(content())):
        await check(contract, case)
    assert await contract.stored() == before


RULES = (
    each_bad_manifest_has_its_outcome,
    each_wrong_choice_of_files_has_its_outcome,
    each_bad_content_has_its_outcome,
    nothing_is_left_of_bad_inputs,
)
