"""Errands have trainers of their own, which wait a while for the next one where starting one takes long."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from training.meddling import Trainers
from training.world import World, nothing_left

from roundtab.capabilities.catalogue import Catalogue
from roundtab.clock import SystemClock
from roundtab.errors import ParticipantLost
from roundtab.training.errands import AT_ONCE, Errands


def errands(folder: Path, keep_s: float) -> tuple[Errands, Trainers]:
    """Errands, and the pool that they take trainers from."""
    trainers = Trainers(Catalogue.of_folders(World(folder).folder))
    trainers.keep_s = keep_s
    return Errands(trainers, SystemClock()), trainers


async def test_a_trainer_ends_with_its_errand_where_starting_one_costs_nothing(tmp_path: Path) -> None:
    """Each errand has a new one, and nothing is left of it."""
    async with nothing_left():
        sent, trainers = errands(tmp_path, 0)
        for _ in range(2):
            async with sent.trainer() as member:
                assert member.connected
            assert not member.connected
    assert len(trainers.transports) == 2


async def test_a_trainer_waits_for_the_next_errand_and_then_ends(tmp_path: Path) -> None:
    """The next one has the same trainer; at the end nothing is left."""
    async with nothing_left():
        sent, trainers = errands(tmp_path, 0.05)
        async with sent.trainer() as first:
            pass
        async with sent.trainer() as second:
            assert second is first
        assert second.connected
        async with asyncio.timeout(10):
            await second.closed()
    assert len(trainers.transports) == 1


async def test_a_trainer_that_was_stopped_or_lost_is_not_used_again(tmp_path: Path) -> None:
    """It may still be at work, or be gone."""
    async with nothing_left():
        sent, trainers = errands(tmp_path, 60)
        with pytest.raises(ValueError, match="stopped"):
            async with sent.trainer() as first:
                raise ValueError("stopped")
        assert not first.connected
        async with sent.trainer() as second:
            pass
        trainers.transports[1].close()
        await second.closed()
        async with sent.trainer() as third:
            assert third is not second

        async def lost() -> None:
            async with sent.trainer() as same:
                assert same is third
                raise ParticipantLost("It went away.", "Its items are drawn again.")

        with pytest.raises(ParticipantLost, match="Try again"):
            await lost()
        assert not third.connected
    assert len(trainers.transports) == 3


async def test_errands_go_on_together_up_to_a_limit(tmp_path: Path) -> None:
    """Each has its own trainer; one waits afterwards, not all."""
    async with nothing_left():
        sent, _ = errands(tmp_path, 0.05)
        under_way, most = 0, 0
        release = asyncio.Event()

        async def errand() -> None:
            nonlocal under_way, most
            async with sent.trainer():
                under_way += 1
                most = max(most, under_way)
                if under_way == AT_ONCE:
                    release.set()
                await release.wait()
                under_way -= 1

        await asyncio.gather(*(errand() for _ in range(AT_ONCE + 2)))
        assert most == AT_ONCE
        async with sent.trainer() as last:
            pass
        async with asyncio.timeout(10):
            await last.closed()
