"""What the rules of the Training API are given: a client, the events, and data to train on."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest

from roundtab.api.client import Client, Wire, given
from roundtab.api.envelope import Envelope
from roundtab.api.protocol import JobsCancel, JobsCreate, JobsDelete, JobsGet, JobsList, JobsLogs, JobsStart
from roundtab.data.files import MemoryFile
from roundtab.errors import RoundtabError
from roundtab.records.ids import JobId, new_id
from roundtab.records.jobs import TERMINAL, Job, Status
from roundtab.records.rounds import LogEntry

CLASSIFIER = "tabular-classifier@1.0.0"
CAPABILITIES = Path(__file__).parent / "capabilities"
"""Models that do what a rule needs; whoever runs the rules has them in its catalogue."""
SAMPLES = Path(__file__).parents[2] / "site" / "samples"
PATIENCE = 60.0
"""Seconds until an event that does not come is given up."""

Event = dict[str, Any]
Overrides = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Data:
    """A manifest and its files."""

    manifest: dict[str, Any]
    files: tuple[MemoryFile, ...]


class Contract:
    """A Training API to be held to its rules. Each rule gets one of its own, with a project of its own."""

    def __init__(self, wire: Wire, stored: Callable[[], Awaitable[Mapping[str, int]]]) -> None:
        """`stored` counts the rows of each table of the engine's store. Who makes this calls `hear` with each event."""
        self.wire = wire
        self.client = Client(wire)
        self.stored = stored
        self.events: list[Event] = []
        self.project = new_id("project")
        self._news = asyncio.Event()

    def hear(self, event: Event) -> None:
        """An event came: name, epoch, seq, data."""
        self.events.append(event)
        self._news.set()

    async def heard(self, matches: Callable[[Event], Any], *, behind: int = 0) -> Event:
        """The first event, of those after the first `behind`, that matches; waits for one."""
        looked_at = behind
        async with asyncio.timeout(PATIENCE):
            while True:
                while looked_at < len(self.events):
                    looked_at += 1
                    if matches(self.events[looked_at - 1]):
                        return self.events[looked_at - 1]
                self._news.clear()
                await self._news.wait()

    # Jobs -------------------------------------------------------------------------------------------------------------

    def spec(self, overrides: Overrides | None = None, **trainer: Any) -> dict[str, Any]:
        """A specification of a job that trains for some milliseconds."""
        settings = {"rounds": 2, "batch_size": 16, **trainer}
        return {"capability": CLASSIFIER, "project": self.project, "local_trainers": 1, "trainer": settings} | dict(
            overrides or {}
        )

    async def create(self, overrides: Overrides | None = None, data: Data | None = None, **trainer: Any) -> Job:
        """A queued job."""
        data = data or table()
        spec = self.spec(overrides, **trainer)
        return await self.client.call(
            JobsCreate(spec=spec, manifest=data.manifest, files=given(data.files)), data.files
        )

    async def trained(self, overrides: Overrides | None = None, data: Data | None = None, **trainer: Any) -> Job:
        """A job that has come to its end."""
        job = await self.create(overrides, data, **trainer)
        await self.client.call(JobsStart(job=job.id))
        return await self.ended(job.id)

    async def ended(self, job: JobId, attempt: int = 1) -> Job:
        """The record of a job once that attempt has ended and its participants have left."""

        def over(event: Event) -> bool:
            item = event["data"]["item"] if event["name"] == "job.updated" else None
            return bool(item and item["id"] == job and item["attempt"] == attempt and item["completed_at"])

        await self.heard(over)
        async with asyncio.timeout(PATIENCE):
            record = await self.get(job)
            while any(each.state != "left" for each in record.participants):
                await asyncio.sleep(0)
                record = await self.get(job)
            return record

    async def in_status(self, status: Status) -> Job:
        """A new job in this status."""
        if status == "completed":
            return await self.trained()
        if status == "failed":
            return await self.trained({"parameters": {"weight_decay": 1.0}}, learning_rate=1000.0, batch_size=1)
        job = await self.create({"local_trainers": 0})  # it waits for participants
        if status != "queued":
            await self.client.call(JobsStart(job=job.id))
        if status == "cancelled":
            await self.client.call(JobsCancel(job=job.id))
            return await self.ended(job.id)
        if status == "running":
            waiting = '"phase": "waiting_for_participants"'
            await self.heard(lambda event: event["data"].get("job") == job.id and waiting in json.dumps(event["data"]))
        return await self.get(job.id)

    async def get(self, job: JobId) -> Job:
        """The record."""
        return await self.client.call(JobsGet(job=job))

    async def log(self, job: JobId) -> tuple[LogEntry, ...]:
        """The whole log."""
        return (await self.client.call(JobsLogs(job=job, limit=10_000))).items

    async def tidy(self) -> None:
        """End and delete all jobs of the project."""
        for item in (await self.client.call(JobsList(project=self.project))).items:
            if item.status not in TERMINAL:
                await self.client.call(JobsCancel(job=item.id))
                await self.ended(item.id, item.attempt)
            await self.client.call(JobsDelete(job=item.id))

    # Refusals ---------------------------------------------------------------------------------------------------------

    async def exchange(self, text: str, *, files: Sequence[MemoryFile] = ()) -> dict[str, Any]:
        """The JSON of the answer to a request of exactly this text."""
        answer: dict[str, Any] = json.loads((await self.wire.exchange(Envelope(text, (), files))).json)
        return answer

    async def refusal(self, text: str, *, files: Sequence[MemoryFile] = ()) -> dict[str, Any]:
        """The code, problem, action and problems with which a request of this text is refused."""
        answer = await self.exchange(text, files=files)
        assert "result" not in answer
        error: dict[str, Any] = answer["error"]
        assert error["data"]["problem"].strip()
        assert error["data"]["action"].strip()
        assert error["message"] == f"{error['data']['problem']} {error['data']['action']}"
        return {**error["data"], "rpc": error["code"]}

    async def refused(
        self, method: str, params: Any, code: str, *paths: str, files: Sequence[MemoryFile] = ()
    ) -> list[dict[str, str]]:
        """Check that a call is refused with `code` and with problems at exactly these paths; the problems."""
        text = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        data = await self.refusal(text, files=files)
        found: list[dict[str, str]] = data["problems"]
        assert data["code"] == code, data
        assert sorted(each["path"] for each in found) == sorted(paths), found
        assert all(each["problem"].endswith((".", "?")) and each["action"].endswith((".", "?")) for each in found)
        return found


def table(rows: int = 60, *, name: str = "table", validation: int = 20, seed: int | None = None) -> Data:
    """Random numbers with a class to learn, without a seed other ones each time; both parts in one manifest."""
    source = random.Random(seed)
    files = []
    for path, count in (("train.csv", rows), ("validation.csv", validation)):
        lines = ["a,b,label"]
        for _ in range(count):
            a, b = source.gauss(0, 1), source.gauss(0, 1)
            lines.append(f"{a:.6f},{b:.6f},{'yes' if a + b > 0 else 'no'}")
        files.append(MemoryFile(path, ("\n".join(lines) + "\n").encode()))
    return Data(manifest_of([file for file in files if rows_of(file)], name), tuple(f for f in files if rows_of(f)))


def rows_of(file: MemoryFile) -> int:
    """Rows of a table made here."""
    return bytes_of(file).count(b"\n") - 1


def bytes_of(file: MemoryFile) -> bytes:
    """All bytes of a file in memory."""
    return file._data


def manifest_of(files: Sequence[MemoryFile], name: str = "table") -> dict[str, Any]:
    """The manifest of tables made here."""
    return {
        "name": name,
        "resources": [
            {
                "name": file.path.removesuffix(".csv"),
                "path": file.path,
                "format": "csv",
                "bytes": file.size,
                "hash": f"sha256:{hashlib.sha256(bytes_of(file)).hexdigest()}",
                "schema": {
                    "fields": [
                        {"name": "a", "type": "number"},
                        {"name": "b", "type": "number"},
                        {"name": "label", "type": "string"},
                    ]
                },
                "fl:split": file.path.removesuffix(".csv"),
                "fl:label": "label",
                "fl:classes": ["no", "yes"],
            }
            for file in files
        ],
    }


def sample(name: str) -> Data:
    """A sample of the site, as people choose it."""
    folder = SAMPLES / name
    files = [MemoryFile(path, (folder / path).read_bytes()) for path in ("train.csv", "validation.csv")]
    return Data(json.loads((folder / "datapackage.json").read_text(encoding="utf-8")), tuple(files))


def differences(before: Job, after: Job) -> set[str]:
    """Names of the fields in which two records differ."""
    return {field.name for field in fields(Job) if getattr(before, field.name) != getattr(after, field.name)}


async def error_of(call: Awaitable[object]) -> RoundtabError:
    """The error that a call raises."""
    with pytest.raises(RoundtabError) as caught:
        await call
    return caught.value
