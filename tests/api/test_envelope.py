"""What crosses a port is strict JSON-RPC, and errors come out as they went in."""

from __future__ import annotations

import json

import pytest

from roundtab.api.envelope import Envelope, read_call, read_result, write_call, write_error, write_event, write_result
from roundtab.api.protocol import CheckpointFile, Empty
from roundtab.errors import BY_CODE, InternalError, InvalidRequest, Problem, RoundtabError, error_from_code
from roundtab.records.codec import MOST_PROBLEMS, from_plain
from roundtab.records.spec import Spec
from roundtab.records.values import Blob

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


@pytest.mark.parametrize(
    "fields",
    [{f"m{number:x}": 0 for number in range(100_000)}, {"method" * 800_000: 0}],
    ids=["very_many", "very_long"],
)
def test_a_hostile_call_is_refused_in_few_words(fields: dict[str, int]) -> None:
    """Fields are compared with the known ones before it is known who calls: that must take neither time nor room."""
    text = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "status", **fields})
    with pytest.raises(InvalidRequest, match=f"{len(fields)} problem") as caught:
        read_call(Envelope(text))
    assert 1 <= len(caught.value.problems) <= MOST_PROBLEMS
    assert len(write_error(1, caught.value).json) < 200_000


def test_problems_are_cut_and_hints_are_given_where_few_are_wrong() -> None:
    """The paths show the beginning of a long name."""
    with pytest.raises(InvalidRequest) as caught:
        read_call(Envelope(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "status", "parms": {}, "x" * 1_000: 1})))
    hint, cut = caught.value.problems
    assert (hint.path, hint.action) == ("$.parms", "Did you mean 'params'?")
    assert (cut.path, cut.action) == (f"$.{'x' * 80}…", "Leave it out.")
    with pytest.raises(InvalidRequest) as caught:
        from_plain(Spec, {"capability": "c@1", "parameters": {"x" * 1_000: []}}, path="$.spec")
    assert [each.path for each in caught.value.problems] == [f"$.spec.parameters.{'x' * 80}…"]
