"""`jobs.validate` and `validations.list`."""

from __future__ import annotations

from roundtab.api.context import Context, Handlers
from roundtab.api.protocol import JobsValidate, ValidationList, ValidationsList
from roundtab.clock import Slice
from roundtab.errors import InvalidRequest, NotFound, Problem
from roundtab.records.jobs import Job, Metric
from roundtab.records.validations import Validation, data_sha256, round_validations
from roundtab.training.preparation import same_capability
from roundtab.training.validation import Given, Validator


async def validate(context: Context, request: JobsValidate) -> Validation:
    """Evaluate a round on held-out data and keep the result; nothing else changes."""
    engine = context.engine
    if request.manifest is None and request.files:
        action = "Send their manifest as well, or no files to use the job's own validation data."
        problem = Problem(path="$.params.manifest", problem="There are files, but no manifest.", action=action)
        raise InvalidRequest("The files have no manifest.", action, [problem])
    given = None
    if request.manifest is not None:
        given = Given(manifest=request.manifest, files=context.given(request.files))
    validator = Validator(engine.archive, engine.catalogue, engine.errands, engine.clock)
    return await validator.validate(request.job, request.round, given, context.progress)


async def list_validations(context: Context, request: ValidationsList) -> ValidationList:
    """All of them, or those of a job or on certain data, oldest first."""
    archive = context.engine.archive
    jobs = archive.jobs() if request.job is None else [archive.job(request.job)]
    found: list[Validation] = []
    pause = Slice(context.engine.clock)
    for job in jobs:
        found += await _of(context, job, request.dataset_sha256)
        await pause.pause()
    return ValidationList(items=tuple(sorted(found, key=lambda each: each.created_at)))


async def _of(context: Context, job: Job, wanted: str | None) -> list[Validation]:
    """A job's validations on the data that is wanted. Rounds are only read where they are on it."""
    archive = context.engine.archive
    found = [each for each in await archive.validations.of(job.id) if wanted in (None, each.data_sha256)]
    own = job.validation_dataset
    if own and wanted in (None, data_sha256(own.files)):
        rounds = await archive.history.rounds(job.id)
        checkpoints = await archive.history.checkpoints(job.id)
        found += round_validations(job, rounds, checkpoints, _declared(context, job))
    return found


def _declared(context: Context, job: Job) -> tuple[Metric, ...]:
    """The metrics of the job's model; the one that decides alone where the catalogue no longer has it."""
    try:
        return same_capability(job, context.engine.catalogue).metrics
    except NotFound:
        return (job.metric,)


HANDLERS: Handlers = {JobsValidate: validate, ValidationsList: list_validations}
