"""The client speaks the protocol and believes no answer that does not fit it."""

from __future__ import annotations

import json

import pytest

from roundtab.api.client import Client, given
from roundtab.api.envelope import Envelope, write_result
from roundtab.api.protocol import CheckpointsRead, Empty, JobsCreate, JobsGet, RequestsCancel
from roundtab.data.files import MemoryFile
from roundtab.errors import InvalidRequest
from roundtab.records.ids import JobId


class Recorder:
    """A wire that notes what is sent and gives one answer."""

    def __init__(self, answer: Envelope) -> None:
        self.answer = answer
        self.sent: list[Envelope] = []

    async def exchange(self, envelope: Envelope) -> Envelope:
        """The answer."""
        self.sent.append(envelope)
        return self.answer


async def test_calls_are_numbered_and_name_their_method() -> None:
    """Each with an id of its own."""
    wire = Recorder(write_result(1, Empty()))
    client = Client(wire)
    for _ in range(2):
        await client.call(RequestsCancel(id="x"))
    sent = [json.loads(each.json) for each in wire.sent]
    assert [(each["id"], each["method"], each["params"]) for each in sent] == [
        (1, "requests.cancel", {"id": "x"}),
        (2, "requests.cancel", {"id": "x"}),
    ]


async def test_files_go_beside_the_json_under_their_paths() -> None:
    """In their order; the progress id goes with the params."""
    wire = Recorder(write_result(1, Empty()))
    files = [MemoryFile("a/b.csv", b"1"), MemoryFile("c.csv", b"2")]
    with pytest.raises(InvalidRequest):
        await Client(wire).call(JobsCreate(spec={}, manifest={}, files=given(files)), files, progress="p")
    params = json.loads(wire.sent[0].json)["params"]
    assert params["progress"] == "p"
    assert params["files"] == [
        {"path": "a/b.csv", "content": {"$file": 0}},
        {"path": "c.csv", "content": {"$file": 1}},
    ]
    assert list(wire.sent[0].files) == files


async def test_an_answer_of_another_form_is_refused() -> None:
    """With the paths of what does not fit; so is one that refers to bytes that did not come."""
    with pytest.raises(InvalidRequest) as caught:
        await Client(Recorder(write_result(1, Empty()))).call(JobsGet(job=JobId("j")))
    assert "$.id" in {each.path for each in caught.value.problems}
    text = '{"jsonrpc": "2.0", "id": 1, "result": {"name": "n", "sha256": "0", "bytes": {"$buffer": 0}}}'
    with pytest.raises(InvalidRequest) as caught:
        await Client(Recorder(Envelope(text))).call(CheckpointsRead(job=JobId("j"), round=1))
    assert [each.path for each in caught.value.problems] == ["$.bytes"]
