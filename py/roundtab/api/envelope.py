"""What crosses a port: JSON-RPC 2.0 text, and beside it buffers and files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roundtab.api.protocol import Call
from roundtab.data.files import FileSource
from roundtab.errors import InvalidData, InvalidRequest, Problem, RoundtabError, error_from_code
from roundtab.records import strict_json
from roundtab.records.codec import from_plain, to_plain

MAX_CALL = 5 * 2**20
"""Bytes of a request's JSON: a manifest of 4 MiB fits."""

_RPC_CODES = {"invalid_request": -32602, "unknown_method": -32601, "internal": -32603}


@dataclass(frozen=True, slots=True)
class Envelope:
    """A message of the Training API; the JSON refers to its buffers and files by number."""

    json: str
    buffers: Sequence[bytes | memoryview] = ()
    files: Sequence[FileSource] = ()


def read_call(envelope: Envelope) -> Call:
    """The call in an envelope. Raises `InvalidRequest` for anything else, deep or huge JSON included."""
    try:
        plain = strict_json.parse(envelope.json, max_bytes=MAX_CALL, what="request")
    except InvalidData as error:
        raise InvalidRequest(error.problem, error.action, error.problems) from None
    return from_plain(Call, plain)


def write_call(number: int, method: str, params: Any, files: Sequence[FileSource] = ()) -> Envelope:
    """A request."""
    text = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}, allow_nan=False)
    return Envelope(text, (), files)


def write_result(number: int | str, result: Any) -> Envelope:
    """The answer to a call; `result` is a record."""
    buffers: list[bytes | memoryview] = []
    plain = to_plain(result, buffers)
    return Envelope(json.dumps({"jsonrpc": "2.0", "id": number, "result": plain}, allow_nan=False), buffers)


def write_error(number: int | str | None, error: RoundtabError) -> Envelope:
    """The answer to a call that failed."""
    data = {
        "code": error.code,
        "problem": error.problem,
        "action": error.action,
        "problems": [to_plain(each) for each in error.problems],
    }
    message = {"code": _RPC_CODES.get(error.code, -32000), "message": f"{error.problem} {error.action}", "data": data}
    return Envelope(json.dumps({"jsonrpc": "2.0", "id": number, "error": message}, allow_nan=False))


def write_event(event: Mapping[str, Any]) -> Envelope:
    """A notification to subscribers."""
    return Envelope(json.dumps({"jsonrpc": "2.0", "method": "event", "params": event}, allow_nan=False))


def read_result(envelope: Envelope) -> Any:
    """The plain result of a response. Raises the error that the response carries."""
    plain = json.loads(envelope.json)
    if "error" in plain:
        data = plain["error"]["data"]
        problems = [from_plain(Problem, each) for each in data["problems"]]
        raise error_from_code(data["code"], data["problem"], data["action"], problems)
    return plain["result"]
