"""The service: answers the calls of the Training API, one envelope in, one envelope out. It never raises."""

from __future__ import annotations

import logging
from typing import Any

from roundtab.api import catalogue, checkpoints, jobs, manifests, participants, validations
from roundtab.api.access import Caller, check
from roundtab.api.context import Context, Handlers
from roundtab.api.engine import Engine
from roundtab.api.envelope import Envelope, read_call, write_error, write_result
from roundtab.api.progress import Progress
from roundtab.api.protocol import METHODS, Call, Empty, RequestsCancel
from roundtab.errors import InternalError, InvalidRequest, Problem, RoundtabError, UnknownMethod
from roundtab.records.codec import from_plain

log = logging.getLogger(__name__)

HANDLERS: Handlers = {
    **catalogue.HANDLERS,
    **manifests.HANDLERS,
    **jobs.HANDLERS,
    **checkpoints.HANDLERS,
    **participants.HANDLERS,
    **validations.HANDLERS,
}


class Service:
    """Answers calls for one engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._long_calls: dict[tuple[str, str], Progress] = {}

    async def exchange(self, envelope: Envelope, caller: Caller) -> Envelope:
        """The response to a call; every failure is a response too."""
        number: int | str | None = None
        try:
            call = read_call(envelope)
            number = call.id
            check(caller)
            return write_result(number, await self._answer(call, envelope, caller))
        except RoundtabError as error:
            return write_error(number, error)
        except Exception as error:
            log.exception("a call failed")
            problem = f"The call failed inside Roundtab: {type(error).__name__}: {str(error)[:300]}"
            return write_error(number, InternalError(problem, "Try again; report it if it happens again."))

    async def _answer(self, call: Call, envelope: Envelope, caller: Caller) -> Any:
        kind = METHODS.get(call.method)
        if kind is None:
            action = f"This is version 1; its methods are {', '.join(sorted(METHODS))}."
            raise UnknownMethod(f"There is no method {call.method!r}.", action)
        params = dict(call.params)
        progress = Progress(_progress_id(params.pop("progress", None)), self._engine.announcer, self._engine.clock)
        buffers = [memoryview(each) for each in envelope.buffers]
        request = from_plain(kind, params, buffers, "$.params")
        if isinstance(request, RequestsCancel):
            return self._stop(caller, request)
        context = Context(engine=self._engine, caller=caller, progress=progress, files=envelope.files)
        key = (caller.client, progress.id) if progress.id else None
        if key:
            self._long_calls[key] = progress
        try:
            return await HANDLERS[kind](context, request)
        finally:
            if key and self._long_calls.get(key) is progress:
                del self._long_calls[key]

    def _stop(self, caller: Caller, request: RequestsCancel) -> Empty:
        if long_call := self._long_calls.get((caller.client, request.id)):
            long_call.stop()
        return Empty()


def _progress_id(value: Any) -> str | None:
    if value is None or (isinstance(value, str) and 0 < len(value) <= 100):
        return value
    problem = Problem(path="$.params.progress", problem="Expected a text of 1 to 100 characters.", action="Send one.")
    raise InvalidRequest("1 problem in the request.", "Correct it and send it again.", [problem])
