"""Rules of making manifests: what is made fits its files, and what cannot be made says everything that is wrong."""

from __future__ import annotations

import asyncio
import hashlib
import json
from typing import Any

from contracts.api_world import Contract, Data, bytes_of, error_of, sample, table

from roundtab.api.client import given
from roundtab.api.protocol import JobsCreate, Made, ManifestsMake, ManifestsVerify, RequestsCancel
from roundtab.data.files import MemoryFile
from roundtab.errors import InvalidData, InvalidRequest, Stopped


async def make(contract: Contract, *files: MemoryFile, progress: str | None = None, **params: Any) -> Made:
    """The manifest of `files`."""
    return await contract.client.call(ManifestsMake(files=given(files), **params), files, progress)


def listing(*files: MemoryFile, algorithm: str = "sha256", **changed: str) -> str:
    """A list of checksums as the tools write it; `changed` are other checksums by the name of a file."""
    lines = []
    for file in files:
        digest = hashlib.new(algorithm, bytes_of(file), usedforsecurity=False).hexdigest()
        lines.append(f"{changed.get(file.path.partition('.')[0], digest)}  {file.path}\n")
    return "".join(lines)


async def a_made_manifest_fits_its_files_and_makes_a_job(contract: Contract) -> None:
    """It is verified with the very same files, and a job is created of both."""
    before = await contract.stored()
    for data in (table(), sample("wine")):
        made = await make(contract, *data.files, name="mine")
        result = await contract.client.call(
            ManifestsVerify(manifest=made.manifest, files=given(data.files)), data.files
        )
        assert (result.ok, result.files) == (True, ("train.csv", "validation.csv"))
        assert await contract.stored() == before
        manifest = json.loads(made.manifest)
        assert made.manifest == json.dumps(manifest, indent=2) + "\n"
        wanted = JobsCreate(spec=contract.spec(), manifest=made.manifest, files=given(data.files))
        job = await contract.client.call(wanted, data.files)
        assert (job.dataset and job.dataset.name) == "mine"
        assert (job.validation_dataset and job.validation_dataset.files[0].path) == "validation.csv"
        await contract.tidy()


async def what_was_assumed_is_told(contract: Contract) -> None:
    """Which column is the label, which files are held out: each with its file and what to do if it is wrong."""
    made = await make(contract, *table().files)
    told = {each.path: each.problem for each in made.notes}
    assert "The label is 'label'" in told["train.csv"]
    assert "validation data" in told["validation.csv"]
    assert "'dataset'" in told["$.name"]
    assert all(each.action for each in made.notes)


async def the_label_can_be_named(contract: Contract) -> None:
    """Whatever the columns are called; a column that is not there is a problem of every table without it."""
    data = table()
    made = json.loads((await make(contract, *data.files, label="a")).manifest)
    assert [each["fl:label"] for each in made["resources"]] == ["a", "a"]
    assert "fl:classes" not in made["resources"][0]
    error = await error_of(make(contract, *data.files, label="A"))
    assert isinstance(error, InvalidData)
    assert [each.path for each in error.problems] == ["train.csv", "validation.csv"]


async def all_files_that_cannot_be_listed_are_told(contract: Contract) -> None:
    """No manifest is made of the others alone."""
    good = table().files[0]
    for files, paths in (
        ((), ["$.files"]),
        ((good, MemoryFile("../a.csv", b"x"), MemoryFile("con.csv", b"x")), ["../a.csv", "con.csv"]),
        ((good, MemoryFile("a.csv", b""), MemoryFile("b.npy", b"")), ["a.csv", "b.npy"]),
        ((good, MemoryFile("a.csv", b"\xff\n"), MemoryFile("b.csv", b"1,2\n3\n")), ["a.csv", "b.csv"]),
    ):
        error = await error_of(make(contract, *files))
        assert isinstance(error, InvalidData)
        assert sorted({each.path for each in error.problems}) == paths
        assert all(each.problem and each.action for each in error.problems)
    assert type(await error_of(make(contract, good, name=""))) is InvalidRequest


async def a_list_of_checksums_confirms_the_files(contract: Contract) -> None:
    """Each that differs or is missing is a problem, one that the list does not have is told; so is a weak list."""
    data = table()
    train, held_out = data.files
    digests = {each.path: f"sha256:{hashlib.sha256(bytes_of(each)).hexdigest()}" for each in data.files}
    for algorithm, words in (("sha256", ""), ("md5", "MD5 checksums: weak"), ("sha1", "SHA-1 checksums: weak")):
        made = await make(contract, *data.files, checksums=listing(*data.files, algorithm=algorithm))
        assert {each["path"]: each["hash"] for each in json.loads(made.manifest)["resources"]} == digests
        assert words in "".join(each.problem for each in made.notes if each.path == "$.checksums")
    extra = await make(contract, *data.files, checksums=listing(train))
    assert "nothing confirms" in next(each.problem for each in extra.notes if each.path == held_out.path)
    for checksums, path in (
        (listing(*data.files, train="0f" * 32), "train.csv"),
        (listing(*data.files, train="0f" * 16), "train.csv"),
        (listing(*data.files, MemoryFile("more.csv", b"x")), "more.csv"),
        ("no list\n", "$.checksums"),
    ):
        error = await error_of(make(contract, *data.files, checksums=checksums))
        assert isinstance(error, InvalidData)
        assert [each.path for each in error.problems] == [path]


async def making_reports_progress_and_can_be_stopped(contract: Contract) -> None:
    """Checksums, then content, in bytes; `requests.cancel` ends it at the next step."""
    data: Data = table(rows=120_000)
    await make(contract, *data.files, progress="mine")
    heard = [event["data"] for event in contract.events if event["name"] == "request.progress"]
    assert {(each["id"], each["unit"]) for each in heard} == {("mine", "bytes")}
    assert all(0 <= each["done"] <= each["total"] for each in heard)
    assert list(dict.fromkeys(each["what"].partition(" ")[0] for each in heard)) == ["Checking", "Reading"]
    making = asyncio.ensure_future(make(contract, *data.files, progress="again"))
    await contract.heard(lambda event: event["name"] == "request.progress" and event["data"]["id"] == "again")
    await contract.client.call(RequestsCancel(id="again"))
    assert type(await error_of(making)) is Stopped


RULES = (
    a_made_manifest_fits_its_files_and_makes_a_job,
    what_was_assumed_is_told,
    the_label_can_be_named,
    all_files_that_cannot_be_listed_are_told,
    a_list_of_checksums_confirms_the_files,
    making_reports_progress_and_can_be_stopped,
)
