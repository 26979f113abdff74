"""Rules of verifying and creating: everything is checked first, all problems are told, and refusals leave nothing."""

from __future__ import annotations

import asyncio
import hashlib
import json
from copy import deepcopy
from typing import Any

from contracts.api_world import CLASSIFIER, Contract, Data, bytes_of, error_of, manifest_of, sample, table

from roundtab.api.client import given
from roundtab.api.protocol import (
    CapabilitiesList,
    JobsCreate,
    JobsGet,
    JobsList,
    JobsStart,
    ManifestsVerify,
    RequestsCancel,
    ValidationInput,
    Verified,
)
from roundtab.data.files import MemoryFile
from roundtab.errors import InvalidData, InvalidRequest, NotFound, RoundtabError, Stopped
from roundtab.records.codec import to_plain
from roundtab.records.jobs import Job


async def verify(contract: Contract, manifest: Any, *files: MemoryFile) -> Verified:
    """The result of checking `files`."""
    return await contract.client.call(ManifestsVerify(manifest=manifest, files=given(files)), files)


async def make(contract: Contract, data: Data, validation: Any = None, **spec: Any) -> Job:
    """Create a job; `spec` replaces members of the usual one."""
    held_out = None if validation is None else ValidationInput(manifest=validation)
    request = JobsCreate(spec=contract.spec(spec), manifest=data.manifest, validation=held_out, files=given(data.files))
    return await contract.client.call(request, data.files)


async def files_that_fit_their_manifest_pass(contract: Contract) -> None:
    """The manifest is the object or the text of its file; files that it does not list do not matter."""
    for data in (table(), sample("wine")):
        for manifest in (data.manifest, json.dumps(data.manifest), "\ufeff" + json.dumps(data.manifest, indent=2)):
            result = await verify(contract, manifest, *data.files, MemoryFile("notes.txt", b"mine"))
            assert (result.ok, result.stage, result.files) == (True, "content", ("train.csv", "validation.csv"))
            assert [each.path for each in result.notes if "does not list" in each.problem] == ["notes.txt"]
            assert result.train
            assert result.validation
            assert (len(result.train.feature_names) > 1, result.train.classes_present > 1) == (True, True)
            assert result.train.classes == result.validation.classes


async def a_file_whose_name_is_in_another_unicode_form_is_that_file(contract: Contract) -> None:
    """Some systems write accents as separate characters; the job is created from it like from any other."""
    data = table(validation=0)
    data.manifest["resources"][0]["path"] = "täglich.csv"
    file = MemoryFile("ta\u0308glich.csv", bytes_of(data.files[0]))
    job = await make(contract, Data(data.manifest, (file,)))
    assert job.dataset
    assert [each.path for each in job.dataset.files] == ["täglich.csv"]


async def one_part_of_the_data_may_be_checked_alone(contract: Contract) -> None:
    """The files of the other one are not needed; where they came along, it is said what they are."""
    data = table()
    for part, own, other, words in (
        ("train", data.files[0], data.files[1], "It is validation data, which is not needed here."),
        ("validation", data.files[1], data.files[0], "It is training data, which is not needed here."),
    ):
        request = ManifestsVerify(manifest=data.manifest, files=given(data.files), part=part)  # type: ignore[arg-type]
        result = await contract.client.call(request, data.files)
        assert (result.ok, result.files) == (True, (own.path,))
        assert [(each.path, each.problem) for each in result.notes if each.path == other.path] == [(other.path, words)]
        assert (result.train is None, result.validation is None) == (part == "validation", part == "train")


async def the_split_of_a_manifest_may_be_ignored(contract: Contract) -> None:
    """Its held-out files are then neither needed nor used, and other ones may be given."""
    whole = table()
    text = json.dumps(whole.manifest)
    data = Data(whole.manifest, whole.files[:1])
    request = JobsCreate(spec=contract.spec(), manifest=text, files=given(data.files), ignore_split=True)
    job = await contract.client.call(request, data.files)
    assert job.validation_dataset is None
    assert job.dataset
    assert [each.path for each in job.dataset.files] == ["train.csv"]
    assert job.dataset.sha256 == hashlib.sha256(text.encode()).hexdigest()


async def held_out_files_may_have_names_of_the_training_data(contract: Contract) -> None:
    """They come with a manifest of their own, and with it their files."""
    data, other = table(validation=0), table(validation=0)
    held_out = ValidationInput(manifest=other.manifest, files=given(other.files, first=1))
    request = JobsCreate(spec=contract.spec(), manifest=data.manifest, files=given(data.files), validation=held_out)
    job = await contract.client.call(request, (*data.files, *other.files))
    assert job.dataset
    assert job.validation_dataset
    (mine,), (theirs,) = job.dataset.files, job.validation_dataset.files
    assert (mine.path, theirs.path) == ("train.csv", "train.csv")
    assert mine.sha256 != theirs.sha256
    await contract.client.call(JobsStart(job=job.id))
    assert (await contract.ended(job.id)).status == "completed"


async def verifying_tells_all_problems_of_the_first_stage_that_has_any(contract: Contract) -> None:
    """Structure, then names, sizes, checksums; nothing is created."""
    data = table()
    train, held_out = data.files
    longer = MemoryFile(train.path, bytes_of(train) + b"1,2,no\n")
    changed = MemoryFile(train.path, bytes_of(train).replace(b"yes", b"nay"))
    wrong = deepcopy(data.manifest)
    del wrong["resources"][0]["bytes"], wrong["resources"][1]["hash"]
    before = await contract.stored()
    for manifest, files, stage, paths in (
        ("{", data.files, "structure", ["$"]),
        (wrong, data.files, "structure", ["$.resources[0].bytes", "$.resources[1].hash"]),
        (data.manifest, (), "names", ["train.csv", "validation.csv"]),
        (data.manifest, (train, train), "names", ["train.csv", "validation.csv"]),
        (data.manifest, (longer, held_out), "sizes", ["train.csv"]),
        (data.manifest, (changed, held_out), "checksums", ["train.csv"]),
    ):
        result = await verify(contract, manifest, *files)
        assert (result.ok, result.stage) == (False, stage)
        assert [each.path for each in result.problems] == paths
        assert all(each.problem and each.action for each in result.problems)
    for manifest in (7, None, [], {}):
        result = await verify(contract, manifest, *data.files)
        assert (result.ok, result.stage) == (False, "structure")
        assert result.problems[0].path.startswith("$")
    assert await contract.stored() == before


async def a_created_job_is_queued_with_every_default(contract: Contract) -> None:
    """What was not asked for is shown too: the capability's own settings, then the general ones."""
    data = table()
    files = data.files
    spec = {"capability": CLASSIFIER}
    job = await contract.client.call(JobsCreate(spec=spec, manifest=data.manifest, files=given(files)), files)
    assert (job.org, job.workspace, job.project) == ("local", "default", "default")
    assert (job.name, job.tags, job.model) == (None, (), "Tabular classifier")
    assert (job.status, job.phase, job.attempt) == ("queued", None, 1)
    assert (job.started_at, job.completed_at, job.cancel_requested_at, job.error) == (None, None, None, None)
    assert (job.trainer_type, job.algorithm) == ("supervised", "fedavg")
    assert (job.metric.name, job.metric.direction) == ("accuracy", "maximize")
    assert to_plain(job.config) == {
        "capability": CLASSIFIER,
        "name": None,
        "org": "local",
        "workspace": "default",
        "project": "default",
        "tags": [],
        "model": "Tabular classifier",
        "parameters": {"hidden_units": 64, "weight_decay": 0.005},
        "placement": "shared",
        "trainer": {
            "algorithm": "fedavg",
            "rounds": 20,
            "local_epochs": 1,
            "batch_size": 32,
            "items_per_round": None,
            "learning_rate": 0.1,
            "optimizer": "sgd",
            "optimizer_options": {"momentum": 0.9},
            "seed": 1,
            "deadline_s": 60.0,
        },
        "min_participants": 1,
        "local_trainers": job.config.local_trainers,
    }
    assert 1 <= (job.config.local_trainers or 0) <= 2
    assert (job.work.done, job.work.total, job.work.unit) == (0, 20 * 60, "samples")
    assert (job.rounds.done, job.rounds.total) == (0, 20)
    assert (job.metrics, job.artifacts["checkpoints"], job.participants) == ({}, [], ())
    assert await contract.client.call(JobsGet(job=job.id)) == job
    contract.project = "default"  # for tidying up


async def another_optimizer_gets_none_of_the_capabilitys_options(contract: Contract) -> None:
    """The momentum that a capability proposes for its SGD means nothing to Adam."""
    job = await contract.create({"trainer": {"optimizer": "adam"}}, table())
    assert job.config.trainer.optimizer_options == {}


async def a_created_job_says_what_it_was_made_from(contract: Contract) -> None:
    """Datasets with the checksums of manifest and files, capability with that of its code, and who created it."""
    data = table(name="mine")
    job = await contract.create({"name": "Ours", "tags": ["a", "b"], "model": "Mine"}, data)
    assert (job.name, job.tags, job.model) == ("Ours", ("a", "b"), "Mine")
    assert job.dataset is not None
    assert job.validation_dataset is not None
    assert (job.dataset.name, job.dataset.rows, job.validation_dataset.rows) == ("mine", 60, 20)
    listed = {each["path"]: each["hash"].removeprefix("sha256:") for each in data.manifest["resources"]}
    assert {each.path: each.sha256 for each in job.dataset.files + job.validation_dataset.files} == listed
    assert [each.bytes for each in job.dataset.files] == [data.files[0].size]
    assert job.artifacts["data_sha256"] == {"train.csv": listed["train.csv"]}
    assert job.artifacts["validation_sha256"] == {"validation.csv": listed["validation.csv"]}
    assert job.created_by
    (info,) = [
        each for each in (await contract.client.call(CapabilitiesList())).items if each.name == job.capability.name
    ]
    assert job.capability.sha256 == job.artifacts["capability_sha256"] == info.sha256
    assert await contract.get(job.id) == job


async def validation_data_may_have_a_manifest_of_its_own(contract: Contract) -> None:
    """Its files come along with the others."""
    data = table()
    train, held_out = (manifest_of([file]) for file in data.files)
    job = await make(contract, Data(train, data.files), held_out)
    assert job.validation_dataset is not None
    assert [each.path for each in job.validation_dataset.files] == ["validation.csv"]


async def a_job_needs_no_validation_data(contract: Contract) -> None:
    """Then it has none."""
    job = await contract.create(data=table(validation=0))
    assert (job.validation_dataset, job.artifacts["validation_sha256"]) == (None, {})


REFUSED_SPECS: tuple[tuple[dict[str, Any], type[RoundtabError], list[str]], ...] = (
    (
        {"trainer": {"rounds": 0}, "tags": 1, "placement": "local"},
        InvalidRequest,
        ["$.spec.placement", "$.spec.tags", "$.spec.trainer.rounds"],
    ),
    ({"trainer": {"learning_rate": "NaN"}}, InvalidRequest, ["$.spec.trainer.learning_rate"]),
    ({"trainer": {"deadline_s": "Infinity"}}, InvalidRequest, ["$.spec.trainer.deadline_s"]),
    ({"name": "x" * 201, "tags": ["x"] * 51}, InvalidRequest, ["$.spec.name", "$.spec.tags"]),
    ({"capability": "tabular-clasifier@1.0.0"}, NotFound, []),
    (
        {"parameters": {"hiden_units": 3, "weight_decay": "NaN"}},
        InvalidData,
        ["$.spec.parameters.hiden_units", "$.spec.parameters.weight_decay"],
    ),
    ({"parameters": {"hidden_units": 2.5}}, InvalidData, ["$.spec.parameters.hidden_units"]),
    (
        {"trainer": {"optimizer_options": {"momentum": 1.5}}},
        InvalidData,
        ["$.spec.trainer.optimizer_options.momentum"],
    ),
)
"""What may be wrong with a specification, and at which paths that is told."""


async def a_job_whose_specification_is_refused_leaves_nothing(contract: Contract) -> None:
    """No job and no byte of its files; each problem has its path, and a name that is nearly right its hint."""
    before, data = await contract.stored(), table()
    for spec, kind, paths in REFUSED_SPECS:
        error = await error_of(make(contract, data, **spec))
        assert (type(error), sorted(each.path for each in error.problems)) == (kind, paths)
        assert await contract.stored() == before
    assert "tabular-classifier@1.0.0" in (await error_of(make(contract, data, capability="tabular@1.0.0"))).action
    assert (await contract.client.call(JobsList(project=contract.project))).total == 0


def refused_data() -> list[tuple[str, Data, Any, list[str]]]:
    """What may be wrong with data, stage by stage: the stage, manifest and files, validation, paths of the problems."""
    good = table()
    train, held_out = good.files

    def changed(old: bytes, new: bytes, file: MemoryFile = train) -> MemoryFile:
        """A file with other content."""
        return MemoryFile(file.path, bytes_of(file).replace(old, new, 1))

    def listed(*files: MemoryFile) -> Data:
        """Files with a manifest that fits them."""
        return Data(manifest_of(files), files)

    def resource(number: int, **members: Any) -> Data:
        """The good data with other members of one resource."""
        manifest = deepcopy(good.manifest)
        manifest["resources"][number] |= {name.replace("fl_", "fl:"): value for name, value in members.items()}
        return Data(manifest, good.files)

    other_columns = listed(train, changed(b"a,b", b"c,b", held_out))
    other_columns.manifest["resources"][1]["schema"]["fields"][0]["name"] = "c"
    return [
        ("parse", Data("{", good.files), None, ["$"]),  # type: ignore[arg-type]
        ("structure", resource(0, hash="md5:0"), None, ["$.resources[0].hash"]),
        ("structure", good, {"name": 1}, ["$.name", "$.resources"]),
        ("parts", resource(0, fl_split="validation"), None, ["$.manifest.resources"]),
        ("parts", good, manifest_of([held_out]), ["$.validation"]),
        ("names", Data(good.manifest, ()), None, ["train.csv", "validation.csv"]),
        ("names", listed(train), manifest_of([held_out]), ["validation.csv"]),
        ("sizes", Data(good.manifest, (changed(b"yes", b"ye"), held_out)), None, ["train.csv"]),
        ("checksums", Data(good.manifest, (changed(b"yes", b"nay"), held_out)), None, ["train.csv"]),
        ("content", listed(changed(b"yes", b"yess"), held_out), None, ["train.csv"]),
        ("content", listed(train, changed(b"a,b", b"a,c", held_out)), None, ["validation.csv"]),
        ("fit", resource(1, fl_classes=["no", "yes", "maybe"]), None, ["$.validation"]),
        ("fit", other_columns, None, ["$.validation"]),
    ]


async def a_job_whose_data_is_refused_leaves_nothing(contract: Contract) -> None:
    """Whatever stage found the problems: no job, no byte of its files, and each problem with its path and action."""
    before = await contract.stored()
    for stage, data, validation, paths in refused_data():
        error = await error_of(make(contract, data, validation))
        assert (stage, type(error), sorted(each.path for each in error.problems)) == (stage, InvalidData, paths)
        assert all(each.problem and each.action for each in error.problems)
        assert await contract.stored() == before, stage
    assert (await contract.client.call(JobsList(project=contract.project))).total == 0


async def a_long_call_reports_its_progress(contract: Contract) -> None:
    """Under the id that the caller gave: each step from where it stands to its total, in bytes."""
    data = table()
    files = data.files
    request = JobsCreate(spec=contract.spec(), manifest=data.manifest, files=given(files))
    await contract.client.call(request, files, progress="mine")
    heard = [event["data"] for event in contract.events if event["name"] == "request.progress"]
    assert {each["id"] for each in heard} == {"mine"}
    assert all(0 <= each["done"] <= each["total"] for each in heard)
    steps = list(dict.fromkeys(each["what"].partition(":")[0].partition(" ")[0] for each in heard))
    assert steps == ["Checking", "Reading", "Copying"]
    assert {each["unit"] for each in heard} == {"bytes"}
    assert [each["what"] for each in heard if each["done"] == each["total"]] == [
        "Checking checksums: validation.csv",
        "Reading validation.csv",
    ]
    contract.events.clear()
    await contract.client.call(ManifestsVerify(manifest=data.manifest, files=given(files)), files, progress="again")
    assert contract.events[-1]["data"]["done"] == contract.events[-1]["data"]["total"] == sum(f.size for f in files)


async def a_call_without_a_progress_id_reports_none(contract: Contract) -> None:
    """Nobody could tell whose it is."""
    await contract.create()
    assert not [event for event in contract.events if event["name"] == "request.progress"]


async def a_stopped_call_keeps_nothing(contract: Contract) -> None:
    """`requests.cancel` ends a creation at its next step; the files that were copied by then go again."""
    data = table(rows=120_000)
    before = await contract.stored()
    request = JobsCreate(spec=contract.spec(), manifest=data.manifest, files=given(data.files))
    creating = asyncio.ensure_future(contract.client.call(request, data.files, progress="long"))
    await contract.heard(lambda event: event["name"] == "request.progress" and event["data"]["id"] == "long")
    await contract.client.call(RequestsCancel(id="other"))
    await asyncio.sleep(0)
    assert not creating.done()
    await contract.client.call(RequestsCancel(id="long"))
    assert type(await error_of(creating)) is Stopped
    assert await contract.stored() == before
    assert (await contract.client.call(JobsList(project=contract.project))).total == 0
    await contract.create(data=data)  # nothing of the stop is left in the way


RULES = (
    files_that_fit_their_manifest_pass,
    a_file_whose_name_is_in_another_unicode_form_is_that_file,
    one_part_of_the_data_may_be_checked_alone,
    the_split_of_a_manifest_may_be_ignored,
    held_out_files_may_have_names_of_the_training_data,
    verifying_tells_all_problems_of_the_first_stage_that_has_any,
    a_created_job_is_queued_with_every_default,
    another_optimizer_gets_none_of_the_capabilitys_options,
    a_created_job_says_what_it_was_made_from,
    validation_data_may_have_a_manifest_of_its_own,
    a_job_needs_no_validation_data,
    a_job_whose_specification_is_refused_leaves_nothing,
    a_job_whose_data_is_refused_leaves_nothing,
    a_long_call_reports_its_progress,
    a_call_without_a_progress_id_reports_none,
    a_stopped_call_keeps_nothing,
)
