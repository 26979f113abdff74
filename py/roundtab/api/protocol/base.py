"""What every method is made of: the request record and its register, the call, and what several methods speak of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar

from roundtab.records.values import FileRef, Json, Limits

VERSION = 1

R = TypeVar("R")


METHODS: dict[str, type[Request[Any]]] = {}
"""Request records by method name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Generic[R]):
    """A call; `R` is the type of its response."""

    method: ClassVar[str]
    response: ClassVar[Any]

    def __init_subclass__(cls, *, method: str = "", response: Any = None) -> None:
        """Register the record; `slots` makes a class twice, and the second one, without arguments, replaces it."""
        if method:
            cls.method, cls.response = method, response
        METHODS[cls.method] = cls


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenFile:
    """A chosen file under the path that the manifest has for it."""

    path: Annotated[str, Limits(1, 1_024)]
    content: FileRef


Files = Annotated[tuple[GivenFile, ...], Limits(0, 10_000)]


Manifest = Json
"""A manifest as an object, or the text of its file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Who calls: an origin and what it was granted."""

    origin: str
    grants: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """Bytes used and available in this browser, and whether the browser promised to keep them."""

    used: int
    quota: int
    persisted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Empty:
    """A response that says no more than that it was done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestsCancel(Request[Empty], method="requests.cancel", response=Empty):
    """Stop the long call made with this `progress` id. An unknown id is ignored: the call may just have ended."""

    id: Annotated[str, Limits(1, 100)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A JSON-RPC 2.0 request as it arrives. `params` may carry `progress`, an id for progress events."""

    jsonrpc: Literal["2.0"]
    id: int | Annotated[str, Limits(1, 100)]
    method: Annotated[str, Limits(1, 100)]
    params: dict[str, Json] = field(default_factory=dict)
