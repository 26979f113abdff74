"""The Training API keeps its rules in one process. The browser is held to the same ones by tests/browser."""

from __future__ import annotations

import inspect
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from contracts.api_suite import MODULES, RULES, Rule
from contracts.api_world import CAPABILITIES, Contract
from contracts.late_store import LateStore
from training.world import nothing_left

import roundtab.capabilities
from roundtab.api.local import ServiceWire, local_engine
from roundtab.api.protocol import METHODS
from roundtab.api.service import Service
from roundtab.capabilities.catalogue import Catalogue
from roundtab.checkpoints.memory_store import MemoryDatabase, MemoryStore

BUILT_IN = Path(roundtab.capabilities.__file__).parent


@asynccontextmanager
async def in_process(store: type[MemoryStore] = MemoryStore) -> AsyncIterator[Contract]:
    """The API of an engine in this process; at the end nothing of it is left."""
    database = MemoryDatabase()
    engine = local_engine(Catalogue.of_folders(BUILT_IN, CAPABILITIES), store(database))

    async def stored() -> dict[str, int]:
        return {table: len(rows) for table, rows in database.tables.items()}

    async with nothing_left():
        await engine.open()
        contract = Contract(ServiceWire(Service(engine)), stored)
        engine.announcer.subscribe(contract.hear)
        yield contract
        await contract.tidy()
        assert not any((await stored()).values())


@pytest.mark.parametrize("store", [MemoryStore, LateStore], ids=["at_once", "late"])
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
async def test_the_api_keeps_the_rule_in_process(rule: Rule, store: type[MemoryStore]) -> None:
    """Each rule has its own words; a store that takes its time changes nothing."""
    async with in_process(store) as contract:
        await rule(contract)


def test_every_method_is_called_by_some_rule() -> None:
    """By its request record; so a new method needs rules."""
    text = "".join(inspect.getsource(module) for module in MODULES)
    assert [kind.__name__ for kind in METHODS.values() if not re.search(rf"\b{kind.__name__}\(", text)] == []


def test_every_rule_is_run() -> None:
    """A coroutine of a suite's module that takes a contract is a rule, unless it helps one."""
    helpers = {"still_answers"}
    for module in MODULES:
        written = {
            name
            for name, each in inspect.getmembers(module, inspect.iscoroutinefunction)
            if each.__module__ == module.__name__ and list(inspect.signature(each).parameters) == ["contract"]
        }
        assert written - helpers == {rule.__name__ for rule in module.RULES}
        assert all(rule.__doc__ for rule in module.RULES)
