"""The service answers every call, from whomever it comes, and never raises."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from roundtab.api.access import Caller
from roundtab.api.client import given
from roundtab.api.engine import Engine
from roundtab.api.envelope import Envelope, write_call
from roundtab.api.local import THIS_PROCESS, local_engine
from roundtab.api.protocol import METHODS, ManifestsVerify, RequestsCancel, Site
from roundtab.api.service import HANDLERS, Service
from roundtab.capabilities.catalogue import Catalogue
from roundtab.checkpoints.memory_store import MemoryStore
from roundtab.data.files import Stream, in_pieces
from roundtab.records.codec import to_plain

MANIFEST = {
    "name": "numbers",
    "resources": [
        {
            "name": "a",
            "path": "a.csv",
            "format": "csv",
            "bytes": 6,
            "hash": "sha256:" + "0123456789abcdef" * 4,
            "schema": {"fields": [{"name": "a", "type": "number"}]},
        },
    ],
}


class GatedFile:
    """A file whose reading waits until the test lets it go on."""

    def __init__(self) -> None:
        self.path = "a.csv"
        self.size = 6
        self.reading = asyncio.Event()
        self.go_on = asyncio.Event()

    async def read(self, offset: int, length: int) -> bytes:
        """Six bytes."""
        self.reading.set()
        await self.go_on.wait()
        return b"a\n1\n2\n"[offset : offset + length]

    def stream(self, piece: int) -> Stream:
        """All bytes in order."""
        return in_pieces(self, piece)


def caller(client: str = "tab", *grants: str) -> Caller:
    """Somebody who calls."""
    return Caller(site=Site(origin="https://example.org", grants=grants or ("training",)), client=client)


async def engine_of(store: MemoryStore | None = None) -> Engine:
    """An open engine without capabilities."""
    engine = local_engine(Catalogue([], nothing), store)
    await engine.open()
    return engine


async def nothing(_: tuple[str, ...]) -> None:
    """Nothing is installed."""


async def answer(service: Service, method: str, who: Caller = THIS_PROCESS, **params: Any) -> dict[str, Any]:
    """The JSON of an answer."""
    plain: dict[str, Any] = json.loads((await service.exchange(write_call(1, method, params), who)).json)
    return plain


async def verifying(service: Service, who: Caller, progress: str, file: GatedFile) -> asyncio.Task[Envelope]:
    """A long call under way."""
    params = to_plain(ManifestsVerify(manifest=MANIFEST, files=given([file])))
    call = write_call(1, "manifests.verify", params | {"progress": progress}, [file])
    task = asyncio.ensure_future(service.exchange(call, who))
    async with asyncio.timeout(5):
        await file.reading.wait()
    return task


def test_every_method_has_a_handler() -> None:
    """Except the one that the service answers itself."""
    assert set(METHODS.values()) - set(HANDLERS) == {RequestsCancel}
    assert set(HANDLERS) < set(METHODS.values())


@pytest.mark.parametrize("method", [*METHODS, "no.such.method"])
async def test_a_site_without_the_grant_may_call_nothing(method: str) -> None:
    """It does not even learn which methods there are."""
    service = Service(await engine_of())
    refused = (await answer(service, method, caller("tab", "recordings")))["error"]
    assert refused["data"]["code"] == "access_denied"
    assert "https://example.org may not use training" in refused["message"]


async def test_the_status_names_the_caller() -> None:
    """With its grants, as the gate told them; no parameter can change either."""
    service = Service(await engine_of())
    result = (await answer(service, "status", caller("tab", "training", "recordings")))["result"]
    assert result["site"] == {"origin": "https://example.org", "grants": ["training", "recordings"]}


async def test_a_fault_of_roundtab_is_an_answer_too(caplog: pytest.LogCaptureFixture) -> None:
    """It says that it is one, and the log has the trace."""

    class Broken(MemoryStore):
        async def usage(self) -> Any:
            raise ZeroDivisionError("broken " * 100)

    service = Service(await engine_of(Broken()))
    error = (await answer(service, "status"))["error"]
    assert (error["code"], error["data"]["code"]) == (-32603, "internal")
    assert "ZeroDivisionError: broken" in error["message"]
    assert len(error["message"]) < 500
    assert "ZeroDivisionError" in caplog.text


async def test_a_call_is_stopped_by_its_own_client_only() -> None:
    """Another tab may use the same id for a call of its own."""
    service, file = Service(await engine_of()), GatedFile()
    task = await verifying(service, caller("one"), "same", file)
    await answer(service, "requests.cancel", caller("other"), id="same")
    file.go_on.set()
    assert json.loads((await task).json)["result"]["stage"] == "checksums"
    file = GatedFile()
    task = await verifying(service, caller("one"), "same", file)
    await answer(service, "requests.cancel", caller("one"), id="same")
    file.go_on.set()
    assert json.loads((await task).json)["error"]["data"]["code"] == "stopped"


async def test_of_calls_with_one_id_the_end_of_the_first_leaves_the_second_stoppable() -> None:
    """A page that is reloaded counts its ids from 1 again while its old call may still be under way."""
    service, first, second = Service(await engine_of()), GatedFile(), GatedFile()
    old = await verifying(service, caller(), "1", first)
    new = await verifying(service, caller(), "1", second)
    first.go_on.set()
    await old
    await answer(service, "requests.cancel", caller(), id="1")
    second.go_on.set()
    assert json.loads((await new).json)["error"]["data"]["code"] == "stopped"


async def test_a_call_that_is_given_up_leaves_nothing_behind() -> None:
    """Its id is free again."""
    service, file = Service(await engine_of()), GatedFile()
    task = await verifying(service, caller(), "1", file)
    task.cancel()
    await asyncio.wait([task])
    assert service._long_calls == {}
