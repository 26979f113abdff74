"""Hostile inputs are read or refused in words: some hundreds of each kind here, ten thousand in a browser's worker."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzz.inputs import Trial, run, trials

import roundtab.capabilities
from roundtab.capabilities.catalogue import Catalogue

CATALOGUE = Catalogue.of_folders(Path(roundtab.capabilities.__file__).parent)


@pytest.mark.parametrize("kind", ["manifest", "csv", "arrays", "safetensors", "call"])
async def test_hostile_inputs_are_read_or_refused_in_words(kind: str) -> None:
    """Some of each are harmless and most are not, else the inputs would prove nothing."""
    outcomes = await run((await trials(CATALOGUE))[kind], 400)
    assert outcomes["read"] > 5
    assert outcomes["refused"] > 100


async def test_an_exception_that_is_not_declared_is_told_with_its_input() -> None:
    """So that it can be tried again."""

    async def broken(_: object) -> None:
        raise KeyError("x")

    trial: Trial = broken
    with pytest.raises(AssertionError, match="input 0 of seed 7: KeyError"):
        await run(trial, 3, seed=7)
