"""Rules of validation: rounds are evaluated on held-out data and compared on it; the job stays as it was."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import math
from collections.abc import Sequence
from typing import Any, Literal

from contracts.api_world import Contract, Data, bytes_of, differences, error_of, manifest_of, sample, table

from roundtab.api.client import given
from roundtab.api.protocol import (
    CheckpointsList,
    JobsCancel,
    JobsCreate,
    JobsDelete,
    JobsRetry,
    JobsStart,
    JobsState,
    JobState,
    JobsValidate,
    ManifestsVerify,
    RequestsCancel,
    ValidationInput,
    ValidationsList,
)
from roundtab.data.files import MemoryFile
from roundtab.errors import Conflict, InvalidData, InvalidRequest, NotFound, RoundtabError, Stopped, TrainingFailed
from roundtab.records.codec import from_plain
from roundtab.records.ids import JobId
from roundtab.records.jobs import Job
from roundtab.records.validations import Validation

MOODY = "moody@1.0.0"
Round = int | Literal["latest"]


async def validate(
    contract: Contract, job: JobId, number: Round = "latest", data: Data | None = None, progress: str | None = None
) -> Validation:
    """Validate a round, on the job's own validation data or on that of `data`."""
    request = JobsValidate(job=job, round=number)
    if data:
        request = dataclasses.replace(request, manifest=data.manifest, files=given(data.files))
    return await contract.client.call(request, data.files if data else (), progress)


async def validations(contract: Contract, **params: Any) -> tuple[Validation, ...]:
    """What is listed."""
    return (await contract.client.call(ValidationsList(**params))).items


async def trained(contract: Contract, total: int = 2, **parameters: str | int) -> Job:
    """A job of the moody model over so many rounds, without validation data, as it ended."""
    overrides = {"capability": MOODY, "parameters": parameters}
    return await contract.trained(overrides, table(validation=0), rounds=total)


def held_out(files: Sequence[MemoryFile] | None = None, name: str = "held-out") -> Data:
    """Files that are all held out, under a manifest that does not mark them so."""
    files = files or [MemoryFile("held-out.csv", bytes_of(table().files[1]))]
    manifest = manifest_of(files, name)
    for resource in manifest["resources"]:
        resource.pop("fl:split")
    return Data(manifest, tuple(files))


def values(validation: Validation) -> dict[str, float]:
    """Metric values by name."""
    return {name: each.value for name, each in validation.metrics.items()}


async def picture(contract: Contract, job: JobId) -> JobState:
    """Everything about a job but the space that is left."""
    state = await contract.client.call(JobsState(job=job))
    storage = dataclasses.replace(state.storage, used=0, quota=0)
    return dataclasses.replace(state, storage=storage)


async def unharmed(contract: Contract, job: JobId, call: Any) -> RoundtabError:
    """Check that a call fails and leaves the job, its log and what is stored as they were; the error."""
    before, stored = await picture(contract, job), await contract.stored()
    error = await error_of(call)
    assert await picture(contract, job) == before
    assert await contract.stored() == stored
    assert error.problem
    assert error.action
    return error


# What a validation says -----------------------------------------------------------------------------------------------


async def a_round_is_worth_later_what_it_was_worth_when_it_was_trained(contract: Contract) -> None:
    """Exactly: the same weights on the same rows with the same statistics; the latest round unless one is named."""
    job = await contract.trained(data=sample("wine"), rounds=3)
    for number, expected in ((1, 1), ("latest", 3)):
        validation = await validate(contract, job.id, number)
        checkpoint = (await contract.client.call(CheckpointsList(job=job.id))).items[expected - 1]
        assert values(validation) == {
            "accuracy": checkpoint.metrics["val_accuracy"],
            "loss": checkpoint.metrics["val_loss"],
        }
        assert (validation.job, validation.round, validation.source) == (job.id, expected, "asked")
        assert (validation.checkpoint_sha256, validation.capability) == (checkpoint.sha256, job.capability)
        assert (validation.dataset, validation.count) == (job.validation_dataset, 36)
        directions = [(name, each.direction) for name, each in validation.metrics.items()]
        assert directions == [("accuracy", "maximize"), ("loss", "minimize")]


async def chosen_data_gives_what_the_job_would_have_had_from_it(contract: Contract) -> None:
    """A job without validation data is worth the same on a file as its twin that had the file from the start."""
    data = sample("wine")
    twin = await contract.trained(data=data, rounds=2)
    alone = Data(data.manifest | {"resources": data.manifest["resources"][:1]}, data.files[:1])
    job = await contract.trained(data=alone, rounds=2)
    validation = await validate(contract, job.id, 1, Data(data.manifest, data.files[1:]))
    assert values(validation) == {name: twin.metrics[f"val_{name}"][0] for name in ("accuracy", "loss")}
    assert validation.dataset == twin.validation_dataset
    assert not [name for name in (await contract.get(job.id)).metrics if name.startswith("val_")]


async def a_value_that_is_no_number_is_a_result(contract: Contract) -> None:
    """And so is a metric that the model does not declare; it has no direction."""
    job = await trained(contract, evaluation="nan")
    metrics = (await validate(contract, job.id, "latest", held_out())).metrics
    assert list(metrics) == ["error", "undeclared"]
    assert math.isnan(metrics["error"].value)
    assert (metrics["error"].direction, metrics["undeclared"].direction) == ("minimize", None)


async def data_is_named_by_the_content_of_its_files(contract: Contract) -> None:
    """One file by its own sha256, several by that of theirs in order, whatever the manifest and the paths say."""
    job = await trained(contract)
    data = held_out()
    sha256 = hashlib.sha256(bytes_of(data.files[0])).hexdigest()
    renamed = held_out([MemoryFile("other.csv", bytes_of(data.files[0]))], "other-name")
    one, other = await validate(contract, job.id, 1, data), await validate(contract, job.id, 2, renamed)
    assert one.data_sha256 == other.data_sha256 == sha256
    assert one.dataset.sha256 != other.dataset.sha256
    assert [each.dataset.name for each in await validations(contract, dataset_sha256=sha256)] == [
        "held-out",
        "other-name",
    ]
    more = held_out([*data.files, MemoryFile("more.csv", b"a,b,label\n1,2,yes\n")])
    both = await validate(contract, job.id, 1, more)
    digests = [hashlib.sha256(bytes_of(file)).hexdigest() for file in more.files]
    assert both.data_sha256 == hashlib.sha256(f"{digests[0]}\n{digests[1]}\n".encode()).hexdigest()
    assert (both.count, [file.sha256 for file in both.dataset.files]) == (21, digests)


async def of_a_manifest_only_what_is_held_out_is_needed(contract: Contract) -> None:
    """The training data of a manifest with both parts need not come along, neither to check nor to validate."""
    job = await contract.trained()
    data = table()
    only = Data(data.manifest, data.files[1:])
    checked = ManifestsVerify(manifest=only.manifest, files=given(only.files), part="validation")
    assert (await contract.client.call(checked, only.files)).files == ("validation.csv",)
    validation = await validate(contract, job.id, "latest", only)
    assert [file.path for file in validation.dataset.files] == ["validation.csv"]
    spec = contract.spec()
    held = ValidationInput(manifest=only.manifest)
    train = Data(manifest_of(data.files[:1]), data.files[:1])
    files = [*train.files, *only.files]
    made = await contract.client.call(
        JobsCreate(spec=spec, manifest=train.manifest, validation=held, files=given(files)), files
    )
    assert made.validation_dataset == validation.dataset


# What is kept ---------------------------------------------------------------------------------------------------------


async def results_are_kept_told_and_listed(contract: Contract) -> None:
    """In the state of the job, in an event, in the log; nothing else of the job changes, and no data is stored."""
    job = await trained(contract)
    before, stored = await picture(contract, job.id), await contract.stored()
    data = held_out()
    made = await validate(contract, job.id, 1, data)
    after = await picture(contract, job.id)
    assert after.validations == (made,) == await validations(contract, job=job.id)
    assert differences(before.job, after.job) == set()
    assert dataclasses.replace(after, validations=(), logs=before.logs) == before
    (line,) = after.logs[len(before.logs) :]
    assert (line.level, line.message) == ("info", "Round 1 validated on held-out, 20 rows")
    assert line.data == {"data_sha256": made.data_sha256, "error": 999.0, "undeclared": 999.0}
    event = await contract.heard(lambda event: event["name"] == "validation.completed")
    assert from_plain(Validation, event["data"]["validation"]) == made
    grown = {name: count - stored[name] for name, count in (await contract.stored()).items() if count != stored[name]}
    assert grown == {"validations": 1, "logs": 1}


async def rounds_and_jobs_are_listed_by_the_data_that_they_were_measured_on(contract: Contract) -> None:
    """With what each round has from its job's own validation data; oldest first."""
    data = table()
    first, second = await contract.trained(data=data), await contract.trained(data=data)
    await contract.trained()
    other = await validate(contract, first.id, 1, held_out())
    asked = await validate(contract, second.id, 1)
    own = hashlib.sha256(bytes_of(data.files[1])).hexdigest()
    listed = await validations(contract, dataset_sha256=own)
    assert [(each.job, each.round, each.source) for each in listed] == [
        (first.id, 1, "round"),
        (first.id, 2, "round"),
        (second.id, 1, "round"),
        (second.id, 2, "round"),
        (second.id, 1, "asked"),
    ]
    assert listed[4] == asked
    assert (values(listed[2]), listed[2].checkpoint_sha256) == (values(asked), asked.checkpoint_sha256)
    assert list(listed[2].metrics.values()) == list(asked.metrics.values())
    assert [each.data_sha256 for each in await validations(contract, job=first.id)] == [own, own, other.data_sha256]
    assert await validations(contract, job=first.id, dataset_sha256=other.data_sha256) == (other,)
    assert await validations(contract, dataset_sha256="0" * 64) == ()
    assert len(await validations(contract)) >= 8


async def a_retry_clears_the_validations_and_a_deletion_takes_them_along(contract: Contract) -> None:
    """With the checkpoints that they are about."""
    one, other = await trained(contract), await trained(contract)
    for job in (one, other):
        await validate(contract, job.id, 1, held_out())
    await contract.client.call(JobsRetry(job=one.id))
    await contract.ended(one.id, 2)
    assert await validations(contract, job=one.id) == ()
    assert len(await validations(contract, job=other.id)) == 1
    await contract.client.call(JobsDelete(job=other.id))
    assert (await contract.stored())["validations"] == 0
    assert isinstance(await error_of(validations(contract, job=other.id)), NotFound)


async def what_was_cleared_meanwhile_is_not_kept(contract: Contract) -> None:
    """A retry, or a deletion, during the evaluation: the result would be of a checkpoint that is gone."""
    for request, expected in ((JobsRetry, Conflict), (JobsDelete, NotFound)):
        job = await trained(contract, evaluation="slow")
        behind = len(contract.events)
        call = asyncio.ensure_future(error_of(validate(contract, job.id, 1, held_out(), "meanwhile")))
        await contract.heard(lambda event: event["data"].get("what") == "Evaluating round 1", behind=behind)
        await contract.client.call(request(job=job.id))
        error = await call
        assert type(error) is expected
        assert error.action
    assert (await contract.stored())["validations"] == 0


# At any time ----------------------------------------------------------------------------------------------------------


async def a_running_job_is_validated_and_goes_on(contract: Contract) -> None:
    """Its own trainers are left to it; afterwards it can be validated as well."""
    job = await contract.create(data=table(), rounds=10_000, local_epochs=200)
    await contract.client.call(JobsStart(job=job.id))
    await contract.heard(lambda event: event["name"] == "round.completed")
    first = await validate(contract, job.id, 1)
    assert (await contract.get(job.id)).status == "running"
    behind = len(contract.events)
    await contract.heard(lambda event: event["name"] == "round.completed", behind=behind)
    assert len((await contract.get(job.id)).participants) == 1
    await contract.client.call(JobsCancel(job=job.id))
    ended = await contract.ended(job.id)
    again = await validate(contract, job.id, 1)
    latest = await validate(contract, job.id)
    assert (ended.status, values(again), latest.round) == ("cancelled", values(first), ended.rounds.done)
    assert differences(ended, await contract.get(job.id)) == set()


async def a_failed_job_is_validated_up_to_its_last_round(contract: Contract) -> None:
    """It stays failed, with its error."""
    job = await trained(contract, rounds=1, total=4)
    assert (job.status, job.rounds.done) == ("failed", 1)
    validation = await validate(contract, job.id, "latest", held_out())
    assert (validation.round, values(validation)["error"]) == (1, 0.0)
    assert differences(job, await contract.get(job.id)) == set()


async def a_validation_is_stopped_while_the_model_computes(contract: Contract) -> None:
    """Its trainer ends with it; the next one is free to go."""
    job = await trained(contract, evaluation="waits")
    before = await picture(contract, job.id)
    call = asyncio.ensure_future(error_of(validate(contract, job.id, 2, held_out(), "stop")))
    await contract.heard(lambda event: event["data"].get("what") == "Evaluating round 2")
    for _ in range(20):
        await asyncio.sleep(0)
    await contract.client.call(RequestsCancel(id="stop"))
    assert isinstance(await call, Stopped)
    assert await picture(contract, job.id) == before


# Refusals -------------------------------------------------------------------------------------------------------------


async def a_model_without_evaluation_is_refused_before_anything_is_looked_at(contract: Contract) -> None:
    """Neither the manifest nor the files, nor whether there is such a round."""
    job = await contract.trained({"capability": "train-only@1.0.0"}, table(validation=0))
    assert job.status == "completed"
    for number, manifest, files in ((9, "no manifest", ()), ("latest", {}, held_out().files)):
        request = JobsValidate(job=job.id, round=number, manifest=manifest, files=given(files))
        error = await unharmed(contract, job.id, contract.client.call(request, files))
        assert (type(error), error.problem) == (Conflict, "This model declares no evaluation.")


async def a_round_that_is_not_there_is_refused(contract: Contract) -> None:
    """Before data is looked at; and a job without any checkpoint says when there will be one."""
    job = await contract.trained()
    broken = JobsValidate(job=job.id, round=3, manifest="broken")
    for call in (validate(contract, job.id, 0), validate(contract, job.id, 3), contract.client.call(broken)):
        assert isinstance(await unharmed(contract, job.id, call), NotFound)
    for status in ("queued", "running", "cancelled"):
        job = await contract.in_status(status)
        error = await unharmed(contract, job.id, validate(contract, job.id, 1))
        assert isinstance(error, Conflict)
        assert "checkpoint yet" in error.problem or "ended before its first round" in error.problem
    for number in (-1, 1.5, "first", True, None):
        await contract.refused("jobs.validate", {"job": job.id, "round": number}, "invalid_request", "$.params.round")


async def without_data_there_is_nothing_to_validate_on(contract: Contract) -> None:
    """A job without validation data needs some to be chosen; files are not taken without their manifest."""
    job = await trained(contract)
    error = await unharmed(contract, job.id, validate(contract, job.id))
    assert (type(error), error.action) == (Conflict, "Choose a manifest and its held-out files.")
    data = held_out()
    request = JobsValidate(job=job.id, files=given(data.files))
    error = await unharmed(contract, job.id, contract.client.call(request, data.files))
    assert type(error) is InvalidRequest
    assert [each.path for each in error.problems] == ["$.params.manifest"]


async def wrong_data_is_refused_as_at_creation(contract: Contract) -> None:
    """Structure, names, sizes, checksums, content, form: each problem with its place, and both numbers."""
    job = await contract.trained()
    (file,) = held_out().files
    changed = MemoryFile(file.path, bytes_of(file)[:-2] + b"!\n")
    no_number = MemoryFile(file.path, b"a,b,label\n1,zwei,yes\n")
    narrow, many, renamed = held_out(), held_out(), held_out()
    narrow.manifest["resources"][0]["fl:features"] = ["a"]
    many.manifest["resources"][0]["fl:classes"] = ["no", "yes", "maybe"]
    renamed.manifest["resources"][0]["fl:features"] = ["b", "a"]
    cases = [
        (Data({"name": "x"}, (file,)), "$.resources", ""),
        (Data(held_out([file]).manifest, ()), file.path, "missing"),
        (Data(held_out([file]).manifest, (MemoryFile(file.path, b"a"),)), file.path, "1 bytes"),
        (Data(held_out([file]).manifest, (changed,)), file.path, "content differs"),
        (held_out([no_number]), file.path, "zwei"),
        (narrow, "$.manifest", "It has 1 feature, the training data has 2"),
        (renamed, "$.manifest", "in the training data it is"),
        (many, "$.manifest", "It has 3 classes, the training data has 2."),
    ]
    for data, path, words in cases:
        error = await unharmed(contract, job.id, validate(contract, job.id, 1, data))
        assert type(error) is InvalidData
        assert [each.path for each in error.problems] == [path], error
        assert words in error.problems[0].problem
        assert "Nothing has been created" not in error.problem
    assert (await validate(contract, job.id, 1, held_out([file]))).count == 20


async def a_model_that_fails_gives_its_error_and_leaves_the_job(contract: Contract) -> None:
    """In words, as a call that failed; the next validation of another job works."""
    job = await trained(contract, evaluation="raises")
    error = await unharmed(contract, job.id, validate(contract, job.id, 1, held_out()))
    assert isinstance(error, TrainingFailed)
    assert error.problem == "The model's code failed: ValueError: the moon is full"
    assert (await contract.get(job.id)).status == "completed"


RULES = (
    a_round_is_worth_later_what_it_was_worth_when_it_was_trained,
    chosen_data_gives_what_the_job_would_have_had_from_it,
    a_value_that_is_no_number_is_a_result,
    data_is_named_by_the_content_of_its_files,
    of_a_manifest_only_what_is_held_out_is_needed,
    results_are_kept_told_and_listed,
    rounds_and_jobs_are_listed_by_the_data_that_they_were_measured_on,
    a_retry_clears_the_validations_and_a_deletion_takes_them_along,
    what_was_cleared_meanwhile_is_not_kept,
    a_running_job_is_validated_and_goes_on,
    a_failed_job_is_validated_up_to_its_last_round,
    a_validation_is_stopped_while_the_model_computes,
    a_model_without_evaluation_is_refused_before_anything_is_looked_at,
    a_round_that_is_not_there_is_refused,
    without_data_there_is_nothing_to_validate_on,
    wrong_data_is_refused_as_at_creation,
    a_model_that_fails_gives_its_error_and_leaves_the_job,
)
