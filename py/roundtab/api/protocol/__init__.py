"""Every method of the Training API with its typed request and response: the one place where the protocol is defined.

A request record knows its method name and the type of its response, so `await client.call(JobsGet(job=…))` is typed
and a service finds everything it has to check in `METHODS`.
"""

from roundtab.api.protocol.base import (
    METHODS,
    VERSION,
    Call,
    Empty,
    Files,
    GivenFile,
    Manifest,
    Request,
    RequestsCancel,
    Site,
    Storage,
)
from roundtab.api.protocol.checkpoints import CheckpointFile, CheckpointPage, CheckpointsList, CheckpointsRead
from roundtab.api.protocol.engine import Capabilities, CapabilitiesList, EngineStatus, GetStatus
from roundtab.api.protocol.jobs import (
    JobPage,
    JobsCancel,
    JobsCreate,
    JobsDelete,
    JobsGet,
    JobsList,
    JobsRetry,
    JobsStart,
    ValidationInput,
)
from roundtab.api.protocol.manifests import Made, ManifestsMake, ManifestsVerify, Verified
from roundtab.api.protocol.participants import ParticipantPage, ParticipantsAddLocal, ParticipantsList
from roundtab.api.protocol.results import (
    Artifacts,
    JobsArtifacts,
    JobsLogs,
    JobsSeries,
    JobsState,
    JobState,
    LogPage,
    Series,
)
from roundtab.api.protocol.validations import JobsValidate, ValidationList, ValidationsList

__all__ = [
    "METHODS",
    "VERSION",
    "Artifacts",
    "Call",
    "Capabilities",
    "CapabilitiesList",
    "CheckpointFile",
    "CheckpointPage",
    "CheckpointsList",
    "CheckpointsRead",
    "Empty",
    "EngineStatus",
    "Files",
    "GetStatus",
    "GivenFile",
    "JobPage",
    "JobState",
    "JobsArtifacts",
    "JobsCancel",
    "JobsCreate",
    "JobsDelete",
    "JobsGet",
    "JobsList",
    "JobsLogs",
    "JobsRetry",
    "JobsSeries",
    "JobsStart",
    "JobsState",
    "JobsValidate",
    "LogPage",
    "Made",
    "Manifest",
    "ManifestsMake",
    "ManifestsVerify",
    "ParticipantPage",
    "ParticipantsAddLocal",
    "ParticipantsList",
    "Request",
    "RequestsCancel",
    "Series",
    "Site",
    "Storage",
    "ValidationInput",
    "ValidationList",
    "ValidationsList",
    "Verified",
]
