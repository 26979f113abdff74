"""Everything that the workspace page shows. The page's program replaces parts of it; the views only read it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from roundtab.api.protocol import EngineStatus, JobPage, Verified
from roundtab.errors import Problem, RoundtabError
from roundtab.records.capabilities import CapabilityInfo
from roundtab.records.events import Event, RequestProgress
from roundtab.records.ids import JobId
from roundtab.records.jobs import Job, Participant
from roundtab.records.rounds import Checkpoint, FileFormat, LogEntry, Round
from roundtab.records.validations import Validation
from roundtab.views.workspace.samples import SAMPLES, Sample


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """A refused or failed call, as the page shows it: the problem, then the action."""

    problem: str
    action: str
    problems: tuple[Problem, ...] = ()

    @classmethod
    def of(cls, error: RoundtabError) -> Trouble:
        """What `error` says."""
        return cls(problem=error.problem, action=error.action, problems=error.problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection:
    """The way to the Training API."""

    phase: Literal["starting", "ready", "unavailable"] = "starting"
    step: str = "Loading Python, step 2 of 4"
    """What is under way while `starting`."""
    reason: str = ""
    action: str = ""
    """Why it is `unavailable`, and what to do."""
    status: EngineStatus | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenFile:
    """A file that the person chose. Its content stays with the page's program."""

    name: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenData:
    """A manifest with its files, and what the check found."""

    manifest: ChosenFile | None = None
    files: tuple[ChosenFile, ...] = ()
    verified: Verified | None = None
    """None until the check of exactly these files has ended."""
    trouble: Trouble | None = None
    """Why there could be no check."""
    listing: bool = False
    """Whether the chosen manifest is a list of checksums, from which one can be made."""
    made: tuple[Problem, ...] | None = None
    """What was assumed in the manifest where it was made on this page; None where it was chosen."""
    outdated: bool = False
    """Whether other files were chosen since it was made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What every form with files is: what was entered, and the call that it is busy with."""

    values: dict[str, str] = field(default_factory=dict)
    """What the person entered, by field name; a field that is not here has its default."""
    busy: Literal["", "checking", "creating", "validating"] = ""
    call: str = ""
    """The id of the call that it is busy with."""
    progress: RequestProgress | None = None
    """How far that is."""
    trouble: Trouble | None = None
    """Why the last attempt was refused; cleared by the next change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob(Form):
    """The form for a new job."""

    data: ChosenData = ChosenData()
    validation: ChosenData = ChosenData()


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidateForm(Form):
    """The form that validates a round of the open job."""

    held_out: ChosenData = ChosenData()
    done: Validation | None = None
    """The result of the last attempt; cleared by the next change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenJob:
    """The job on the page. `job` is None until it was read."""

    id: JobId
    job: Job | None = None
    rounds: tuple[Round, ...] = ()
    checkpoints: tuple[Checkpoint, ...] = ()
    """Oldest first."""
    participants: tuple[Participant, ...] = ()
    logs: tuple[LogEntry, ...] = ()
    """Oldest first."""
    validations: tuple[Validation, ...] = ()
    """Those that were asked for, oldest first."""
    others: tuple[Validation, ...] | None = None
    """Of other jobs on the same data; None until the person asks for them."""
    validate: ValidateForm = ValidateForm()
    metric: str | None = None
    """The metric of the chart; None is the one that decides."""
    state_text: str | None = None
    """The API state as JSON text (`api_state.pretty`); None until it was read."""
    state_as_of: str | None = None
    search: str = ""
    """What to look for in the API state."""
    format: FileFormat = "safetensors"
    """What checkpoints are downloaded as."""
    copied: Literal["", "state", "snippet"] = ""
    """What was just copied: the API state, or the code that opens a checkpoint."""
    whole: frozenset[Literal["checkpoints", "log", "validations"]] = frozenset()
    """Lists that are shown to their end."""
    busy: frozenset[str] = frozenset()
    """Actions under way: `job.start`, `checkpoint.download 14 onnx`."""
    trouble: Trouble | None = None
    """Why the job could not be read, or the last action was refused."""
    reading: int | None = None
    """The number of the reading that is under way (`live.reading`)."""
    heard: tuple[Event, ...] = ()
    """Events of this job since that reading began: its answer may be older than they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceState:
    """The whole page."""

    now: str | None = None
    """The time of this picture (RFC 3339), for durations; None before the page's program runs."""
    route: Literal["jobs", "new", "job"] = "jobs"
    connection: Connection = Connection()
    capabilities: tuple[CapabilityInfo, ...] | None = None
    """None until the catalogue was read."""
    samples: tuple[Sample, ...] = SAMPLES
    jobs: JobPage | None = None
    """None until the jobs were read. Later pages are appended to `items`."""
    jobs_trouble: Trouble | None = None
    form: NewJob = NewJob()
    open: OpenJob | None = None
    """The selected job; None unless the route is `job`."""
