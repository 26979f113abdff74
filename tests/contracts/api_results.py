"""Rules of what training leaves: series, state, checkpoints, participants, events."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from io import BytesIO
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from contracts.api_world import Contract, error_of, sample, table

from roundtab.api.protocol import (
    CheckpointsList,
    CheckpointsRead,
    JobsArtifacts,
    JobsCancel,
    JobsSeries,
    JobsStart,
    JobsState,
    ParticipantsAddLocal,
    ParticipantsList,
    Series,
)
from roundtab.capabilities.contract import Data
from roundtab.capabilities.tabular_classifier import model
from roundtab.checkpoints import safetensors
from roundtab.clock import SystemClock
from roundtab.data.files import MemoryFile
from roundtab.data.formats.tables import read_table
from roundtab.data.manifests.manifest import parse_manifest
from roundtab.errors import InvalidRequest, NotFound
from roundtab.records.codec import from_plain
from roundtab.records.events import event_from_plain
from roundtab.records.metrics import AXES
from roundtab.records.rounds import Checkpoint, ExportFormat, Round

FORMATS: tuple[ExportFormat, ...] = ("npz", "onnx")


def columns(series: Series) -> dict[str, list[float | None]]:
    """Lists by key, None where the mask says that a value is missing."""
    shape = (len(series.keys), series.length)
    values = np.frombuffer(series.values.data, "<f8").reshape(shape)
    mask = np.frombuffer(series.mask.data, np.uint8).reshape(shape)
    return {
        key: [float(value) if there else None for value, there in zip(*rows, strict=True)]
        for key, *rows in zip(series.keys, values, mask, strict=True)
    }


async def series_are_those_of_the_record(contract: Contract) -> None:
    """Number by number; the axes come first; keys may be chosen, in any order, and unknown ones are refused."""
    job = await contract.trained(rounds=3, items_per_round=2)
    series = await contract.client.call(JobsSeries(job=job.id))
    assert series.keys[:3] == AXES
    assert columns(series) == {name: job.metrics[name] for name in series.keys}
    assert {name for name, value in job.metrics.items() if isinstance(value, list)} == set(series.keys)
    assert (job.metrics["rounds"], job.metrics["steps"]) == ([1, 2, 3], [2, 4, 6])
    chosen = await contract.client.call(JobsSeries(job=job.id, keys=("val_loss", "rounds")))
    assert columns(chosen) == {"val_loss": job.metrics["val_loss"], "rounds": [1, 2, 3]}
    error = await error_of(contract.client.call(JobsSeries(job=job.id, keys=("rounds", "lost", "val_los"))))
    assert type(error) is InvalidRequest
    assert [each.path for each in error.problems] == ["$.params.keys[1]", "$.params.keys[2]"]
    assert "val_loss" in error.problems[1].action


async def a_job_without_rounds_has_empty_series(contract: Contract) -> None:
    """The axes are there from the start."""
    job = await contract.create()
    series = await contract.client.call(JobsSeries(job=job.id))
    assert (series.keys, series.length) == (AXES, 0)
    assert (bytes(series.values.data), bytes(series.mask.data)) == (b"", b"")


async def metrics_are_complete(contract: Contract) -> None:
    """One value a round for training and validation, plain accuracy as that of validation, and the scalars."""
    job = await contract.trained(rounds=4)
    for name in ("train_loss", "train_accuracy", "val_loss", "val_accuracy", "accuracy", "learning_rate", *AXES):
        assert len(job.metrics[name]) == 4
    assert job.metrics["accuracy"] == job.metrics["val_accuracy"]
    assert job.metrics["learning_rate"] == [0.1] * 4
    assert job.metrics["epochs"] == [1.0, 2.0, 3.0, 4.0]
    assert job.metrics["examples"] == job.work.done == 240
    assert job.metrics["latest_train_loss"] == job.metrics["train_loss"][-1]
    assert job.metrics["best_train_loss"] == min(job.metrics["train_loss"])
    assert job.metrics["eval_loss"] == job.metrics["val_loss"][-1]


async def without_validation_data_there_are_no_validation_values(contract: Contract) -> None:
    """Training values alone."""
    job = await contract.trained(data=table(validation=0))
    assert job.status == "completed"
    assert not [name for name in job.metrics if name.startswith("val_") or name in ("accuracy", "eval_loss")]


async def the_state_is_everything_the_api_knows(contract: Contract) -> None:
    """Each part as its own method gives it."""
    job = await contract.trained()
    state = await contract.client.call(JobsState(job=job.id))
    assert state.job == await contract.get(job.id)
    assert state.logs == await contract.log(job.id)
    assert state.checkpoints == (await contract.client.call(CheckpointsList(job=job.id))).items
    assert state.participants == (await contract.client.call(ParticipantsList(job=job.id))).items
    assert [each.round for each in state.rounds] == [each.round for each in state.checkpoints] == [1, 2]
    assert state.queue is not None
    assert (state.queue.pass_, state.queue.position, state.queue.returned) == (1, 4, ())
    assert (state.validations, state.errors) == ((), ())
    assert state.storage.used <= state.storage.quota
    queued = await contract.client.call(JobsState(job=(await contract.create()).id))
    assert (queued.queue, queued.rounds, queued.checkpoints, queued.participants) == (None, (), (), ())


async def artifacts_name_every_checkpoint_with_its_checksum(contract: Contract) -> None:
    """Beside the checksums of what the job was made from."""
    job = await contract.trained()
    artifacts = (await contract.client.call(JobsArtifacts(job=job.id))).artifacts
    assert artifacts == job.artifacts
    checkpoints = (await contract.client.call(CheckpointsList(job=job.id))).items
    assert artifacts["checkpoints"] == [
        {"round": each.round, "name": each.name, "sha256": each.sha256, "bytes": each.bytes} for each in checkpoints
    ]
    assert [each.name for each in checkpoints] == [f"{job.id}-round-{number}.safetensors" for number in (1, 2)]


async def a_checkpoint_is_the_file_that_its_record_describes(contract: Contract) -> None:
    """Size, checksum, and what the file says of itself; each round is another file."""
    job = await contract.trained()
    files = set()
    for checkpoint in (await contract.client.call(CheckpointsList(job=job.id))).items:
        file = await contract.client.call(CheckpointsRead(job=job.id, round=checkpoint.round))
        data = bytes(file.bytes.data)
        files.add(data)
        assert (file.name, file.sha256, len(data)) == (checkpoint.name, checkpoint.sha256, checkpoint.bytes)
        assert hashlib.sha256(data).hexdigest() == checkpoint.sha256
        tensors, metadata = safetensors.load(data)
        assert {array.dtype for array in tensors.values()} == {np.dtype(np.float32)}
        assert {"inputs/mean", "inputs/scale", "output/weight", "output/bias"} <= tensors.keys()
        assert job.dataset is not None
        assert (metadata["job"], metadata["round"]) == (job.id, str(checkpoint.round))
        assert metadata["capability_sha256"] == job.capability.sha256
        assert metadata["manifest_sha256"] == job.dataset.sha256
        assert checkpoint.metrics["val_accuracy"] == job.metrics["val_accuracy"][checkpoint.round - 1]
    assert len(files) == 2


async def a_checkpoint_can_be_had_in_other_formats(contract: Contract) -> None:
    """The same tensors and metadata for numpy, without pickles, and the model for ONNX; the job stays as it is.

    Name and checksum are those of the file that is given. What the files compute is tested with their own tools.
    """
    job = await contract.trained()
    stored = await contract.client.call(CheckpointsRead(job=job.id, round=2, format="safetensors"))
    tensors, metadata = safetensors.load(stored.bytes.data)
    files = {}
    for form in FORMATS:
        file = await contract.client.call(CheckpointsRead(job=job.id, round=2, format=form))
        files[form] = bytes(file.bytes.data)
        assert file.name == f"{job.id}-round-2.{form}"
        assert file.sha256 == hashlib.sha256(files[form]).hexdigest()
    with np.load(BytesIO(files["npz"]), allow_pickle=False) as arrays:
        assert json.loads(str(arrays["__metadata__"])) == metadata
        assert {*arrays} == {*tensors, "__metadata__"}
        assert all(np.array_equal(arrays[name], tensors[name]) for name in tensors)
    assert all(array.tobytes() in files["onnx"] for array in tensors.values())
    assert all(text.encode() in files["onnx"] for text in metadata.values())
    assert await contract.get(job.id) == job


async def a_round_that_is_not_there_is_not_there_in_any_format(contract: Contract) -> None:
    """No trainer is started for it."""
    job = await contract.create()
    for form in FORMATS:
        error = await error_of(contract.client.call(CheckpointsRead(job=job.id, round=1, format=form)))
        assert isinstance(error, NotFound)
        assert "round 1" in error.problem


async def accuracy(tensors: Mapping[str, npt.NDArray[Any]], manifest: Any, file: MemoryFile) -> float:
    """The accuracy of a checkpoint on a file, with Roundtab's own code."""
    (resource,) = [each for each in parse_manifest(manifest).resources if each.path == file.path]
    rows = await read_table(file, resource, SystemClock())
    features = (rows.features - tensors["inputs/mean"]) / tensors["inputs/scale"]
    weights = {name: array for name, array in tensors.items() if not name.startswith("inputs/")}
    steps = model.evaluate(weights, Data(features=features, labels=rows.labels))
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return float(end.value[0]["accuracy"])


async def a_downloaded_checkpoint_gives_the_accuracy_of_its_round(contract: Contract) -> None:
    """On the validation data, computed outside of the engine; the `safetensors` package reads the same tensors."""
    data = sample("wine")
    job = await contract.trained(data=data, rounds=3)
    for number in (1, 3):
        file = await contract.client.call(CheckpointsRead(job=job.id, round=number))
        tensors, _ = safetensors.load(file.bytes.data)
        assert await accuracy(tensors, data.manifest, data.files[1]) == job.metrics["val_accuracy"][number - 1]
        if sys.platform != "emscripten":
            read = pytest.importorskip("safetensors.numpy").load(bytes(file.bytes.data))
            assert read.keys() == tensors.keys()
            assert all(np.array_equal(read[name], tensors[name]) for name in read)
            assert await accuracy(read, data.manifest, data.files[1]) == job.metrics["val_accuracy"][number - 1]


async def the_digits_are_learned(contract: Contract) -> None:
    """With the settings that the capability proposes, within 20 rounds."""
    options = {"momentum": 0.9}
    settings = {"rounds": 20, "batch_size": 32, "optimizer_options": options}
    job = await contract.trained({"local_trainers": 2}, sample("digits"), **settings)
    assert max(job.metrics["val_accuracy"]) >= 0.96


async def two_participants_share_the_work(contract: Contract) -> None:
    """Each trained some of the items; together they trained all."""
    job = await contract.trained({"local_trainers": 2}, rounds=4)
    participants = (await contract.client.call(ParticipantsList(job=job.id))).items
    assert [each.number for each in participants] == [1, 2]
    assert len({each.id for each in participants}) == 2
    assert all(each.items_done > 0 and each.examples_done > 0 for each in participants)
    assert sum(each.items_done for each in participants) == job.metrics["steps"][-1]
    assert sum(each.examples_done for each in participants) == job.work.done
    assert {(each.refusals, each.problem, each.items_now) for each in participants} == {(0, None, 0)}


async def a_job_waits_for_participants_and_goes_on_when_they_come(contract: Contract) -> None:
    """It is not failed by their absence; a local trainer that is added does the work."""
    job = await contract.in_status("running")
    assert (job.phase, job.phase_reason) == ("waiting_for_participants", "0 of 1")
    added = await contract.client.call(ParticipantsAddLocal(job=job.id))
    assert (added.number, added.state) == (1, "starting")
    ended = await contract.ended(job.id)
    assert ended.status == "completed"
    (participant,) = (await contract.client.call(ParticipantsList(job=job.id))).items
    assert (participant.id, participant.examples_done) == (added.id, ended.work.done)


async def a_trainer_added_in_mid_run_takes_part(contract: Contract) -> None:
    """From a round after the one under way."""
    job = await contract.create(rounds=10_000)
    await contract.client.call(JobsStart(job=job.id))
    await contract.heard(lambda event: event["name"] == "round.completed")
    added = await contract.client.call(ParticipantsAddLocal(job=job.id))

    def did_some(event: dict[str, Any]) -> bool:
        record = event["data"]["participant"] if event["name"] == "participant.updated" else {}
        return record.get("id") == added.id and record["items_done"] > 0

    await contract.heard(did_some)
    await contract.client.call(JobsCancel(job=job.id))
    ended = await contract.ended(job.id)
    assert ended.status == "cancelled"
    assert [each.number for each in ended.participants] == [1, 2]
    assert ended.rounds.done == len(ended.artifacts["checkpoints"])  # what was committed stays


async def events_are_numbered_without_gaps(contract: Contract) -> None:
    """Within an epoch; so a subscriber that misses one notices."""
    await contract.trained()
    heard = [(event["epoch"], event["seq"]) for event in contract.events]
    assert len({epoch for epoch, _ in heard}) == 1
    assert [seq for _, seq in heard] == list(range(heard[0][1], heard[0][1] + len(heard)))


async def a_run_tells_of_everything_that_it_does(contract: Contract) -> None:
    """Rounds and checkpoints as their methods give them, participants from their coming to their going."""
    job = await contract.trained()
    state = await contract.client.call(JobsState(job=job.id))

    def data(name: str) -> list[dict[str, Any]]:
        return [event["data"] for event in contract.events if event["name"] == name]

    assert tuple(from_plain(Round, each["round"]) for each in data("round.completed")) == state.rounds
    assert tuple(from_plain(Checkpoint, each["checkpoint"]) for each in data("checkpoint.saved")) == state.checkpoints
    await contract.heard(lambda event: event["data"].get("participant", {}).get("state") == "left")
    states = list(dict.fromkeys(each["participant"]["state"] for each in data("participant.updated")))
    assert states[:3] == ["starting", "ready", "training"]
    assert states[-1] == "left"
    assert {"reported", "evaluating"} <= set(states)
    assert all(event_from_plain(event) is not None for event in contract.events)


RULES = (
    series_are_those_of_the_record,
    a_job_without_rounds_has_empty_series,
    metrics_are_complete,
    without_validation_data_there_are_no_validation_values,
    the_state_is_everything_the_api_knows,
    artifacts_name_every_checkpoint_with_its_checksum,
    a_checkpoint_is_the_file_that_its_record_describes,
    a_checkpoint_can_be_had_in_other_formats,
    a_round_that_is_not_there_is_not_there_in_any_format,
    a_downloaded_checkpoint_gives_the_accuracy_of_its_round,
    the_digits_are_learned,
    two_participants_share_the_work,
    a_job_waits_for_participants_and_goes_on_when_they_come,
    a_trainer_added_in_mid_run_takes_part,
    events_are_numbered_without_gaps,
    a_run_tells_of_everything_that_it_does,
)
