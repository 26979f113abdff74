"""The `jobs.*` methods."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roundtab.api.context import Context, Handlers
from roundtab.api.job_list import page_of_jobs
from roundtab.api.protocol import (
    Artifacts,
    Empty,
    JobPage,
    JobsArtifacts,
    JobsCancel,
    JobsCreate,
    JobsDelete,
    JobsGet,
    JobsList,
    JobsLogs,
    JobsRetry,
    JobsSeries,
    JobsStart,
    JobsState,
    JobState,
    LogPage,
    Series,
    ValidationInput,
)
from roundtab.capabilities.catalogue import Catalogue
from roundtab.data.files import FileSource
from roundtab.data.manifests.manifest import parse_manifest
from roundtab.errors import InvalidRequest, Problem
from roundtab.records.codec import from_plain, to_plain
from roundtab.records.jobs import Job
from roundtab.records.metrics import job_metrics, series
from roundtab.records.rounds import Checkpoint, Round
from roundtab.records.spec import Spec
from roundtab.records.values import Blob, Json
from roundtab.training.admission import Application, admit
from roundtab.training.portions import Handed, only


async def create(context: Context, request: JobsCreate) -> Job:
    """Check everything, copy the data, make a queued job; or make nothing."""
    engine = context.engine
    files, manifest = context.given(request.files), parse_manifest(request.manifest)
    application = Application(
        spec=from_plain(Spec, _with_defaults(request.spec, engine.catalogue), path="$.spec"),
        data=Handed(manifest=only("train", manifest) if request.ignore_split else manifest, files=files),
        validation=_held_out(context, request.validation, files) if request.validation else None,
        created_by=context.caller.site.origin,
    )
    job = await admit(
        application,
        engine.archive,
        engine.catalogue,
        engine.clock,
        context.progress.tell,
        backend=engine.backend,
        local_trainers=engine.trainers.default_count,
    )
    return await _whole(context, job)


def _held_out(context: Context, given: ValidationInput, files: list[FileSource]) -> Handed:
    """Held-out data under a manifest of its own, and with files of its own where it has some."""
    own = context.given(given.files)
    return Handed(manifest=parse_manifest(given.manifest), files=own or files)


async def start(context: Context, request: JobsStart) -> Job:
    """Start a queued job."""
    return await _whole(context, await context.engine.runs.start(request.job))


async def cancel(context: Context, request: JobsCancel) -> Job:
    """Cancel a queued job at once, ask a running one to end."""
    return await _whole(context, await context.engine.runs.cancel(request.job))


async def retry(context: Context, request: JobsRetry) -> Job:
    """Start a finished job again."""
    return await _whole(context, await context.engine.runs.retry(request.job))


async def delete(context: Context, request: JobsDelete) -> Empty:
    """Delete a job and all that belongs to it."""
    await context.engine.runs.delete(request.job)
    return Empty()


async def get(context: Context, request: JobsGet) -> Job:
    """The record with metrics and artifacts."""
    return await _whole(context, context.engine.archive.job(request.job))


async def list_jobs(context: Context, request: JobsList) -> JobPage:
    """A page of a project's jobs."""
    archive = context.engine.archive
    return page_of_jobs([archive.item(job) for job in archive.jobs()], request, context.engine.clock.now())


async def logs(context: Context, request: JobsLogs) -> LogPage:
    """Log entries."""
    context.engine.archive.job(request.job)
    return LogPage(items=tuple(await context.engine.archive.logs(request.job, request.after, request.limit)))


async def read_series(context: Context, request: JobsSeries) -> Series:
    """Series as numbers; a long one never passes through JSON."""
    context.engine.archive.job(request.job)
    rounds = await context.engine.archive.history.rounds(request.job)
    columns = series(rounds)
    keys = request.keys or tuple(columns)
    unknown = [(index, key) for index, key in enumerate(keys) if key not in columns]
    if unknown:
        action = f"This job has {', '.join(columns)}."
        problems = [
            Problem(path=f"$.params.keys[{index}]", problem=f"There is no series {key[:80]!r}.", action=action)
            for index, key in unknown
        ]
        raise InvalidRequest("The job has no such series.", action, problems)
    values = np.array([[np.nan if value is None else value for value in columns[key]] for key in keys], dtype="<f8")
    mask = np.array([[value is not None for value in columns[key]] for key in keys], dtype=np.uint8)
    return Series(keys=keys, length=len(rounds), values=Blob(values.tobytes()), mask=Blob(mask.tobytes()))


async def state(context: Context, request: JobsState) -> JobState:
    """Everything the API knows about a job."""
    engine = context.engine
    job = await _whole(context, engine.archive.job(request.job))
    return JobState(
        job=job,
        queue=await engine.archive.history.queue(job.id),
        participants=engine.runs.participants(job.id),
        rounds=tuple(await _rounds(context, job)),
        checkpoints=tuple(await _checkpoints(context, job)),
        validations=tuple(await engine.archive.validations.of(job.id)),
        logs=tuple(await engine.archive.logs(job.id, None, 1_000)),
        storage=await context.storage(),
        errors=(to_plain(job.error),) if job.error else (),
    )


async def artifacts(context: Context, request: JobsArtifacts) -> Artifacts:
    """What the job produced and what it was made from."""
    return Artifacts(artifacts=(await get(context, JobsGet(job=request.job))).artifacts)


def _with_defaults(spec: Json, catalogue: Catalogue) -> Json:
    """The specification with the trainer settings that suit its capability, where it names none of its own."""
    if not isinstance(spec, dict) or not isinstance(spec.get("capability"), str):
        return spec  # reading it says what is wrong
    trainer = spec.get("trainer", {})
    if not isinstance(trainer, dict):
        return spec
    defaults = dict(catalogue.info(spec["capability"]).defaults)
    if "optimizer" in trainer:
        defaults.pop("optimizer_options", None)  # they belong to the capability's own choice
    return {**spec, "trainer": {**defaults, **trainer}}


async def _whole(context: Context, job: Job) -> Job:
    """The record as callers see it: with its metrics and artifacts, as of the same committed round."""
    return replace(
        job,
        participants=context.engine.runs.participants(job.id),
        metrics=job_metrics(await _rounds(context, job)),
        artifacts=_artifacts(job, await _checkpoints(context, job)),
    )


async def _rounds(context: Context, job: Job) -> list[Round]:
    """The rounds that this record counts: another one may be committed while they are read."""
    return [each for each in await context.engine.archive.history.rounds(job.id) if each.round <= job.rounds.done]


async def _checkpoints(context: Context, job: Job) -> list[Checkpoint]:
    """The checkpoints of those rounds."""
    return [each for each in await context.engine.archive.history.checkpoints(job.id) if each.round <= job.rounds.done]


def _artifacts(job: Job, checkpoints: list[Checkpoint]) -> dict[str, Json]:
    return {
        "capability_sha256": job.capability.sha256,
        "data_sha256": {file.path: file.sha256 for file in job.dataset.files} if job.dataset else {},
        "validation_sha256": {f.path: f.sha256 for f in job.validation_dataset.files} if job.validation_dataset else {},
        "checkpoints": [
            {"round": each.round, "name": each.name, "sha256": each.sha256, "bytes": each.bytes} for each in checkpoints
        ],
    }


HANDLERS: Handlers = {
    JobsCreate: create,
    JobsStart: start,
    JobsCancel: cancel,
    JobsRetry: retry,
    JobsDelete: delete,
    JobsGet: get,
    JobsList: list_jobs,
    JobsLogs: logs,
    JobsSeries: read_series,
    JobsState: state,
    JobsArtifacts: artifacts,
}
