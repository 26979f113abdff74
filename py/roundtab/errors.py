"""Every error that Roundtab raises, as a tree.

RoundtabError
├── InvalidRequest      a call that does not fit the protocol
│   └── UnknownMethod
├── InvalidData         files, manifests, records or settings with problems in them
├── AccessDenied        a site without the grant that a call needs
├── NotFound            no such job, checkpoint, participant or capability
├── Conflict            the state of a job does not allow the call
├── Unavailable         the engine cannot serve at the moment
│   └── LeaderChanged   another tab took over while the call was under way
├── Stopped             somebody asked to stop the work
├── StorageFailed       the browser did not store what had to be stored
│   ├── StorageFull
│   └── StaleLeader     another engine leads now; this one may write nothing
├── TrainingFailed      a model or a participant could not do its task
│   └── ParticipantLost
└── InternalError       a fault of Roundtab itself

Each error says the problem first and then the action to take. `problems` lists the single faults of an input, each
with the JSON path or the file it belongs to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One fault of an input: where it is, what is wrong, what to do about it."""

    path: str
    """A JSON path such as `$.spec.trainer.rounds`, or the path of a file."""
    problem: str
    action: str


class RoundtabError(Exception):
    """The root. `problem` says what is wrong, `action` what to do; both are sentences for people."""

    code: ClassVar[str]
    """A stable word for programs; part of the Training API."""

    def __init_subclass__(cls) -> None:
        """Refuse an error class without a code: the code is what callers program against."""
        super().__init_subclass__()
        if not getattr(cls, "code", ""):
            raise TypeError(f"{cls.__name__} needs a code")

    def __init__(self, problem: str, action: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(problem, action, tuple(problems))
        self.problem = problem
        self.action = action
        self.problems = tuple(problems)

    def __str__(self) -> str:
        """Problem and action, then the single problems, one a line."""
        lines = [f"{self.problem} {self.action}"]
        lines += [f"  {each.path}: {each.problem} {each.action}" for each in self.problems]
        return "\n".join(lines)


class InvalidRequest(RoundtabError):
    """A call that does not fit the protocol: not JSON, unknown fields, wrong types."""

    code = "invalid_request"


class UnknownMethod(InvalidRequest):
    """A call of a method that this version of the Training API does not have."""

    code = "unknown_method"


class InvalidData(RoundtabError):
    """Files, manifests, settings or checkpoints that do not pass their checks."""

    code = "invalid_data"


class AccessDenied(RoundtabError):
    """The calling site lacks the grant for this call."""

    code = "access_denied"


class NotFound(RoundtabError):
    """What the call names does not exist (any more)."""

    code = "not_found"


class Conflict(RoundtabError):
    """The state of the job does not allow this; nothing was changed."""

    code = "conflict"


class Unavailable(RoundtabError):
    """The engine cannot serve the call now."""

    code = "unavailable"


class LeaderChanged(Unavailable):
    """The tab that led went away while the call was under way."""

    code = "leader_changed"


class Stopped(RoundtabError):
    """The work was stopped on request."""

    code = "stopped"


class StorageFailed(RoundtabError):
    """Nothing of what should be stored was stored."""

    code = "storage_failed"


class StorageFull(StorageFailed):
    """The quota of the browser is used up."""

    code = "storage_full"


class StaleLeader(StorageFailed):
    """Another engine leads by now, so this one's write was refused."""

    code = "stale_leader"


class TrainingFailed(RoundtabError):
    """A model or a participant could not do its task."""

    code = "training_failed"


class ParticipantLost(TrainingFailed):
    """The participant went away or gave no answer."""

    code = "participant_lost"


class InternalError(RoundtabError):
    """A fault of Roundtab itself."""

    code = "internal"

    @classmethod
    def of(cls, error: Exception, action: str) -> InternalError:
        """What an exception that should not have happened says to people."""
        return cls(f"{type(error).__name__}: {str(error)[:500]}", action)


def _tree(root: type[RoundtabError]) -> dict[str, type[RoundtabError]]:
    found = {root.code: root} if root is not RoundtabError else {}
    for child in root.__subclasses__():
        found |= _tree(child)
    return found


RoundtabError.code = "error"
BY_CODE = _tree(RoundtabError)
"""Error classes by code, so that a client raises what the service raised."""


def error_from_code(code: str, problem: str, action: str, problems: Sequence[Problem] = ()) -> RoundtabError:
    """Rebuild an error that crossed a wire. Codes of a newer version become `InternalError`."""
    return BY_CODE.get(code, InternalError)(problem, action, problems)
