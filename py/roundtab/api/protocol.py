"""Every method of the Training API with its typed request and response: the one place where the protocol is defined.

A request record knows its method name and the type of its response, so `await client.call(JobsGet(job=…))` is typed
and a service finds everything it has to check in `METHODS`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar

from roundtab.errors import Problem
from roundtab.records.capabilities import CapabilityInfo
from roundtab.records.ids import JobId
from roundtab.records.jobs import Job, JobItem, Participant, Status
from roundtab.records.rounds import Checkpoint, LogEntry, QueueState, Round
from roundtab.records.values import Blob, FileRef, Json, Limits

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


# What several methods speak of ----------------------------------------------------------------------------------------


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


# Status and capabilities ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineStatus:
    """What the engine says of itself."""

    version: int
    ready: bool
    epoch: int
    """Which engine this is; a new one has a higher number."""
    site: Site
    backends: tuple[str, ...]
    local_trainers: int
    """Trainers that a job starts in this tab by default."""
    storage: Storage


@dataclass(frozen=True, slots=True, kw_only=True)
class GetStatus(Request[EngineStatus], method="status", response=EngineStatus):
    """Is the engine there, for whom, with what storage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """The catalogue."""

    items: tuple[CapabilityInfo, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CapabilitiesList(Request[Capabilities], method="capabilities.list", response=Capabilities):
    """What can be trained."""


# Manifests ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """The result of checking files against a manifest."""

    ok: bool
    stage: Literal["parse", "structure", "names", "sizes", "checksums", "content"]
    """The last stage that ran; the ones after it wait until it passes."""
    problems: tuple[Problem, ...]
    files: tuple[str, ...]
    """Paths that passed every stage so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ManifestsVerify(Request[Verified], method="manifests.verify", response=Verified):
    """Check a manifest and its files. Nothing is created."""

    manifest: Manifest
    files: Files = ()


# Jobs -----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidationInput:
    """Held-out data under a manifest of its own."""

    manifest: Manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsCreate(Request[Job], method="jobs.create", response=Job):
    """Make a queued job, or raise all problems and make nothing."""

    spec: Json
    manifest: Manifest
    validation: ValidationInput | None = None
    files: Files = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsStart(Request[Job], method="jobs.start", response=Job):
    """Start a queued job."""

    job: JobId


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsCancel(Request[Job], method="jobs.cancel", response=Job):
    """Cancel a queued job at once, ask a running one to end."""

    job: JobId


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsRetry(Request[Job], method="jobs.retry", response=Job):
    """Start a finished job again: metrics, artifacts and checkpoints are cleared, logs are kept."""

    job: JobId


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsDelete(Request[Empty], method="jobs.delete", response=Empty):
    """Delete a job that is finished or was never started, with everything that belongs to it."""

    job: JobId


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsGet(Request[Job], method="jobs.get", response=Job):
    """The record of a job."""

    job: JobId


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPage:
    """A page of jobs. Later pages pass the `as_of` of the first, so that pages neither repeat nor skip."""

    items: tuple[JobItem, ...]
    page: int
    page_size: int
    total: int
    as_of: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsList(Request[JobPage], method="jobs.list", response=JobPage):
    """The jobs of a project, newest first unless sorted otherwise."""

    org: str = "local"
    workspace: str = "default"
    project: str = "default"
    search: Annotated[str, Limits(0, 200)] = ""
    """Literal text, in any case, in name, id, status, model, dataset, trainer type or backend."""
    status: Status | None = None
    backend: str | None = None
    trainer_type: str | None = None
    sort: Literal["created_at", "-created_at", "name", "-name", "status", "-status"] = "-created_at"
    as_of: str | None = None
    page: Annotated[int, Limits(1, 1_000_000)] = 1
    page_size: Annotated[int, Limits(1, 100)] = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPage:
    """Log entries in order."""

    items: tuple[LogEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsLogs(Request[LogPage], method="jobs.logs", response=LogPage):
    """Log entries with a `seq` above `after`, oldest first; without `after` the newest ones."""

    job: JobId
    after: int | None = None
    limit: Annotated[int, Limits(1, 10_000)] = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Metric series as numbers.

    `values` is float64, little-endian, one row of `length` numbers a key; `mask` is one byte a number, 0 where the
    value is missing (NaN with mask 1 is a value).
    """

    keys: tuple[str, ...]
    length: int
    values: Blob
    mask: Blob


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsSeries(Request[Series], method="jobs.series", response=Series):
    """Series by committed round; without `keys` all of them, the axes `rounds`, `steps`, `epochs` first."""

    job: JobId
    keys: Annotated[tuple[str, ...], Limits(1, 1_000)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobState:
    """Everything the API knows about a job."""

    job: Job
    queue: QueueState | None
    participants: tuple[Participant, ...]
    rounds: tuple[Round, ...]
    checkpoints: tuple[Checkpoint, ...]
    validations: tuple[Json, ...]
    logs: tuple[LogEntry, ...]
    storage: Storage
    errors: tuple[Json, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsState(Request[JobState], method="jobs.state", response=JobState):
    """Everything the API knows about a job, in one answer."""

    job: JobId


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifacts:
    """What a job produced and what it was made from."""

    artifacts: dict[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsArtifacts(Request[Artifacts], method="jobs.artifacts", response=Artifacts):
    """Checkpoints and the checksums of data and capability."""

    job: JobId


# Checkpoints and participants -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointPage:
    """Checkpoints, oldest first."""

    items: tuple[Checkpoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointsList(Request[CheckpointPage], method="checkpoints.list", response=CheckpointPage):
    """The stored checkpoints of a job."""

    job: JobId


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointFile:
    """A checkpoint as a file."""

    name: str
    sha256: str
    bytes: Blob


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointsRead(Request[CheckpointFile], method="checkpoints.read", response=CheckpointFile):
    """The file of a checkpoint."""

    job: JobId
    round: Annotated[int, Limits(0)]
    format: Literal["safetensors"] = "safetensors"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParticipantPage:
    """Participants in the order of joining."""

    items: tuple[Participant, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParticipantsList(Request[ParticipantPage], method="participants.list", response=ParticipantPage):
    """Who trains, or has trained, for a job."""

    job: JobId


@dataclass(frozen=True, slots=True, kw_only=True)
class ParticipantsAddLocal(Request[Participant], method="participants.add_local", response=Participant):
    """Start one more trainer in the coordinator's own tab; it takes part from the next round."""

    job: JobId


# Requests themselves --------------------------------------------------------------------------------------------------


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
