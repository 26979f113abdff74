"""Admission: everything that is checked before a job exists, and its data copied.

The checks go from cheap to dear, and a stage that finds problems reports all of them before the next one starts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from roundtab.capabilities.catalogue import Catalogue
from roundtab.capabilities.definition import check_parameters
from roundtab.checkpoints.archive import Archive, Part
from roundtab.checkpoints.copies import FILE_CHUNK
from roundtab.clock import Clock
from roundtab.data.manifests.resources import Resource
from roundtab.errors import Problem
from roundtab.nn.optimizers import make_optimizer
from roundtab.records.capabilities import CapabilityInfo
from roundtab.records.fitting import training_faults
from roundtab.records.ids import JobId, Sha256, new_id
from roundtab.records.jobs import CapabilityRef, Job, Rounds, Work
from roundtab.records.spec import Spec
from roundtab.training.plan import work_total
from roundtab.training.portions import Handed, Intake, Portion, Tell, only, unlike


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """What a coordinator hands in."""

    spec: Spec
    data: Handed
    validation: Handed | None
    created_by: str | None


async def admit(
    application: Application,
    archive: Archive,
    catalogue: Catalogue,
    clock: Clock,
    tell: Tell,
    *,
    backend: Literal["browser", "local"],
    local_trainers: int,
) -> Job:
    """A queued job whose data is copied; or `InvalidData` with all problems of a stage, and nothing is kept."""
    spec = application.spec
    info = catalogue.info(spec.capability)
    parameters = check_parameters(info, spec.parameters)
    make_optimizer(spec.trainer.optimizer, spec.trainer.learning_rate, spec.trainer.optimizer_options)
    intake = Intake(clock=clock, tell=tell, spared="Nothing has been created.")
    portions = await intake.read(await _verified(application, info, intake))
    _check_fit(portions, info, intake)
    if spec.local_trainers is None:
        spec = replace(spec, local_trainers=local_trainers)
    train, held_out = portions[0], portions[1] if len(portions) > 1 else None
    trainer = spec.trainer
    total = work_total(len(train.data.labels), trainer.batch_size, trainer.rounds, trainer.items_per_round)
    job = Job(
        id=JobId(new_id("job")),
        org=spec.org,
        workspace=spec.workspace,
        project=spec.project,
        name=spec.name,
        tags=spec.tags,
        created_by=application.created_by,
        backend=backend,
        trainer_type=info.trainer_type,
        algorithm=trainer.algorithm,
        capability=CapabilityRef(name=info.name, version=info.version, sha256=Sha256(info.sha256)),
        model=spec.model or info.title,
        config=replace(spec, parameters=parameters, model=spec.model or info.title),
        dataset=train.reference,
        validation_dataset=held_out.reference if held_out else None,
        status="queued",
        metric=info.metrics[0],
        work=Work(done=0, total=total, unit=info.work_unit),
        rounds=Rounds(done=0, total=trainer.rounds),
        created_at=clock.now(),
    )
    await _keep(job, portions, archive, intake)
    return archive.job(job.id)


async def _verified(
    application: Application, info: CapabilityInfo, intake: Intake
) -> dict[Part, tuple[Handed, Sequence[Resource]]]:
    """The parts of the data whose files passed names, sizes and checksums; the training data first."""
    data, validation = application.data, application.validation
    train, held_out = data.manifest.part("train"), data.manifest.part("validation")
    problems = []
    if not train:
        problems.append(
            Problem(
                path="$.manifest.resources",
                problem="No resource is training data.",
                action="Leave fl:split out, or set it to train, for at least one resource.",
            )
        )
    if held_out and validation:
        problems.append(
            Problem(
                path="$.validation",
                problem="Validation data is given twice: the manifest marks some of its own files as validation.",
                action="Leave this one out, or take fl:split out of the manifest.",
            )
        )
    if (held_out or validation) and info.evaluation != "dataset":
        problems.append(
            Problem(
                path="$.validation",
                problem="This model declares no evaluation.",
                action="Create the job without validation data.",
            )
        )
    intake.refuse("data", problems)
    parts: dict[Part, tuple[Handed, Sequence[Resource]]] = {"train": (data, train)}
    if held_out:
        parts["validation"] = data, held_out
    elif validation:
        validation = replace(validation, manifest=only("validation", validation.manifest))
        parts["validation"] = validation, validation.manifest.resources
    await intake.verify(data, *([validation] if validation else []))
    return parts


def _check_fit(portions: Sequence[Portion], info: CapabilityInfo, intake: Intake) -> None:
    """Refuse data that the model cannot be trained on, or held-out data of another form than the training data."""
    train = portions[0].data
    problems = [
        Problem(path="$.manifest", problem=problem, action=action)
        for problem, action in training_faults(train.form, info)
    ]
    for held_out in portions[1:]:
        problems += unlike(held_out.data, train.feature_names, train.classes, "$.validation")
    intake.refuse("data", problems)


async def _keep(job: Job, portions: Sequence[Portion], archive: Archive, intake: Intake) -> None:
    """Copy the files that are not there yet, then write the job; after a failure none of it stays."""
    entries = {resource.sha256: (resource, file) for portion in portions for resource, file in portion.files}
    total, done = sum(resource.bytes for resource, _ in entries.values()), 0
    try:
        with archive.copies.arriving(set(entries)):
            for sha256, (resource, file) in entries.items():
                known = await archive.copies.has(sha256)
                for offset in range(0, 0 if known else file.size, FILE_CHUNK):
                    intake.tell(done + offset, total, "bytes", f"Copying {resource.path}")
                    try:
                        piece = await file.read(offset, FILE_CHUNK)
                    except OSError as error:
                        raise intake.unreadable(resource, error) from None
                    await archive.copies.keep(sha256, offset, piece)
                done += resource.bytes
            await archive.create(job, {portion.part: portion.manifest.text for portion in portions})
    except BaseException:
        await archive.sweep()
        raise
