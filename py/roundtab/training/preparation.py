"""Preparation: a job's own copy of its data becomes the plan of a run."""

from __future__ import annotations

from roundtab.capabilities.catalogue import Catalogue
from roundtab.checkpoints.archive import Archive, Part
from roundtab.clock import Clock
from roundtab.data.dataset import Dataset, concatenate
from roundtab.data.formats.reading import read_data
from roundtab.data.manifests.manifest import parse_manifest
from roundtab.errors import NotFound
from roundtab.records.capabilities import CapabilityInfo
from roundtab.records.jobs import DatasetRef, Job
from roundtab.training.messages import pack
from roundtab.training.plan import Plan, statistics


async def check_copy(job: Job, archive: Archive, catalogue: Catalogue) -> None:
    """Raise `NotFound` when the job could not be started: a file copy is gone, or the capability is another one now."""
    same_capability(job, catalogue)
    for dataset in (job.dataset, job.validation_dataset):
        for file in dataset.files if dataset else ():
            await archive.copies.open(file.sha256, file.path)


def same_capability(job: Job, catalogue: Catalogue) -> CapabilityInfo:
    """The capability of a job. Raises `NotFound` where the catalogue has another code under its name, or none."""
    info = catalogue.info(f"{job.capability.name}@{job.capability.version}")
    if info.sha256 != job.capability.sha256:
        raise NotFound(
            f"{job.capability.name}@{job.capability.version} has changed since the job was created.",
            "Create the job again, so that it is clear which code trains it.",
        )
    return info


async def prepare(job: Job, archive: Archive, clock: Clock) -> Plan:
    """Read the data copy and take the statistics of its features."""
    assert job.dataset is not None
    data = await read_copy(job, job.dataset, "train", archive, clock)
    held_out = None
    if job.validation_dataset:
        held_out = await read_copy(job, job.validation_dataset, "validation", archive, clock)
    mean, scale = statistics(data.features)
    return Plan(
        job=job,
        data=data,
        validation_rows=pack({"features": held_out.features, "labels": held_out.labels}) if held_out else None,
        mean=mean,
        scale=scale,
    )


async def read_copy(job: Job, dataset: DatasetRef, part: Part, archive: Archive, clock: Clock) -> Dataset:
    """One part of a job's own copy. Raises `NotFound` when it is gone."""
    text = await archive.manifest(job.id, part)
    if text is None:
        raise NotFound(f"The manifest of job {job.id} is gone.", "Create the job again from the original files.")
    resources = {resource.path: resource for resource in parse_manifest(text).resources}
    return concatenate(
        [
            await read_data(await archive.copies.open(file.sha256, file.path), resources[file.path], clock)
            for file in dataset.files
        ]
    )
