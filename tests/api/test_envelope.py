"""What crosses a port is strict JSON-RPC, and errors come out as they went in."""

from __future__ import annotations

import json

import pytest

from roundtab.api.envelope import Envelope, read_call, read_result, write_call, write_error, write_event, write_result
from roundtab.api.protocol import CheckpointFile, Empty
from roundtab.errors import BY_CODE, InternalError, InvalidRequest, Problem, RoundtabError, error_from_code
from roundtab.records.codec import Blob, from_plain

PROBLEMS = (Problem(path="$.a", problem="It is wrong.", action="Correct it."),)


def test_a_written_call_is_read_again() -> None:
    """Number, method and params; the files stay beside the text."""
    envelope = write_call(7, "jobs.get", {"job": "ä 🙂"})
    call = read_call(envelope)
    assert (call.id, call.method, call.params) == (7, "jobs.get", {"job": "ä 🙂"})


@pytest.mark.parametrize("code", sorted(BY_CODE))
def test_every_error_comes_out_as_it_went_in(code: str) -> None:
    """Class, problem, action and the single problems."""
    sent = error_from_code(code, "It broke.", "Mend it.", PROBLEMS)
    with pytest.raises(RoundtabError) as caught:
        read_result(write_error(1, sent))
    assert type(caught.value) is type(sent)
    assert (caught.value.problem, caught.value.action, caught.value.problems) == ("It broke.", "Mend it.", PROBLEMS)


def test_an_error_of_a_newer_version_is_an_internal_one() -> None:
    """Its words are kept."""
    text = write_error(1, InternalError("New.", "Update.")).json.replace('"internal"', '"from_the_future"')
    with pytest.raises(InternalError, match="New"):
        read_result(Envelope(text))


def test_errors_have_the_codes_of_json_rpc_where_it_has_some() -> None:
    """Others are of the range that it leaves to servers."""
    codes = {code: json.loads(write_error(1, kind("P.", "A.")).json)["error"]["code"] for code, kind in BY_CODE.items()}
    assert (codes["invalid_request"], codes["unknown_method"], codes["internal"]) == (-32602, -32601, -32603)
    assert {
        number for code, number in codes.items() if code not in ("invalid_request", "unknown_method", "internal")
    } == {-32000}


def test_bytes_travel_beside_the_json() -> None:
    """A result refers to them by number."""
    envelope = write_result("x", CheckpointFile(name="n", sha256="0", bytes=Blob(b"abc")))
    assert json.loads(envelope.json)["result"]["bytes"] == {"$buffer": 0}
    buffers = [memoryview(each) for each in envelope.buffers]
    assert bytes(from_plain(CheckpointFile, read_result(envelope), buffers).bytes.data) == b"abc"


def test_the_json_is_strict() -> None:
    """NaN never gets out as a bare word."""
    with pytest.raises(ValueError, match="Out of range"):
        write_event({"value": float("nan")})
    assert json.loads(write_result(1, Empty()).json) == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_call_that_is_too_large_is_refused_before_it_is_parsed() -> None:
    """A manifest of 4 MiB fits; twice as much does not."""
    assert read_call(write_call(1, "m", {"manifest": "x" * 4 * 2**20})).method == "m"
    with pytest.raises(InvalidRequest) as caught:
        read_call(Envelope("[" * 8 * 2**20))
    assert "larger than" in caught.value.problems[0].problem
