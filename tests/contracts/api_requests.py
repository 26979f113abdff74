"""Rules of single requests: what does not fit the protocol is refused in words and hurts nobody."""

from __future__ import annotations

import json
from typing import Any

from contracts.api_world import CLASSIFIER, Contract, error_of, table

from roundtab.api.protocol import (
    METHODS,
    CapabilitiesList,
    CheckpointsRead,
    GetStatus,
    JobsGet,
    RequestsCancel,
)
from roundtab.errors import NotFound
from roundtab.records.ids import JobId


def call(method: Any = "status", params: Any = None, **more: Any) -> str:
    """The text of a request; a value of None leaves its member out."""
    members = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params, **more}
    return json.dumps({key: value for key, value in members.items() if value is not None})


async def still_answers(contract: Contract) -> None:
    """Whatever came, the next call is answered."""
    assert (await contract.client.call(GetStatus())).ready


async def the_status_says_what_is_there(contract: Contract) -> None:
    """Version, caller, backends and storage."""
    status = await contract.client.call(GetStatus())
    assert (status.version, status.ready) == (1, True)
    assert status.epoch >= 1
    assert "training" in status.site.grants
    assert status.backends in (("browser",), ("local",))
    assert 1 <= status.local_trainers <= 2
    assert 0 <= status.storage.used <= status.storage.quota


async def the_catalogue_says_what_can_be_trained(contract: Contract) -> None:
    """With everything that a form for a new job needs."""
    items = (await contract.client.call(CapabilitiesList())).items
    (found,) = [each for each in items if f"{each.name}@{each.version}" == CLASSIFIER]
    assert len(found.sha256) == 64
    assert (found.trainer_type, found.inputs, found.work_unit) == ("supervised", "table", "samples")
    assert (found.metrics[0].name, found.metrics[0].direction) == ("accuracy", "maximize")
    assert {each.name for each in found.parameters} == {"hidden_units", "weight_decay"}
    assert all(each.help for each in found.parameters)
    assert {each.format for each in found.inference} == {"safetensors", "npz", "onnx"}
    assert all(each.tool and f"checkpoint.{each.format}" in each.snippet for each in found.inference)


async def what_is_no_json_is_refused(contract: Contract) -> None:
    """With the place of the fault."""
    for text in ("", "status", "{", '{"jsonrpc": "2.0",}', "\ufeff{}", call() + call()):
        data = await contract.refusal(text)
        assert (data["code"], data["rpc"]) == ("invalid_request", -32602)
        assert "line 1" in data["problems"][0]["problem"]
    await still_answers(contract)


async def json_that_parties_read_differently_is_refused(contract: Contract) -> None:
    """A key that stands twice, NaN, huge numbers, half a character."""
    for text, words in {
        '{"jsonrpc": "2.0", "id": 1, "method": "status", "method": "jobs.list"}': "'method' stands twice",
        '{"jsonrpc": "2.0", "id": 1, "method": "jobs.logs", "params": {"job": "a", "job": "b"}}': "'job' stands twice",
        call("jobs.logs", {"job": "a", "limit": float("nan")}): "NaN is not JSON",
        call("jobs.logs", {"job": "a", "limit": float("-inf")}): "-Infinity is not JSON",
        call("jobs.logs", {"job": "a", "after": 2**53}): "beyond 9007199254740991",
        '{"jsonrpc": "2.0", "id": 1e999, "method": "status"}': "too large",
        call("jobs.list", {"search": "\ud800"}): "half of a Unicode character pair",
    }.items():
        data = await contract.refusal(text)
        assert (data["code"], [each["path"] for each in data["problems"]]) == ("invalid_request", ["$"])
        assert words in data["problems"][0]["problem"]
    await still_answers(contract)


async def deep_json_is_refused(contract: Contract) -> None:
    """It would end an interpreter in a browser for good; a manifest's text is parsed as carefully."""
    deep = "[" * 10_000 + "]" * 10_000
    objects = '{"a":' * 10_000 + "1" + "}" * 10_000
    for text in (
        deep,
        objects,
        f'{{"jsonrpc": "2.0", "id": 1, "method": "jobs.create", "params": {{"spec": {deep}}}}}',
    ):
        data = await contract.refusal(text)
        assert data["code"] == "invalid_request"
        assert "deeper than 64" in data["problems"][0]["problem"]
    refused = await contract.exchange(call("manifests.verify", {"manifest": deep}))
    assert "deeper than 64" in refused["result"]["problems"][0]["problem"]
    await still_answers(contract)


async def huge_json_is_refused(contract: Contract) -> None:
    """Before it is parsed; so are huge texts in fields that are small by nature."""
    data = await contract.refusal(call("jobs.list", {"search": "x" * 6 * 2**20}))
    assert (data["code"], "larger than" in data["problems"][0]["problem"]) == ("invalid_request", True)
    for name in ("search", "x" * 1_000_000):
        problems = await contract.refused(
            "jobs.list", {name: "x" * 1_000_000}, "invalid_request", f"$.params.{name[:80]}" + "…" * (len(name) > 80)
        )
        assert len(json.dumps(problems)) < 1_000
    await still_answers(contract)


async def what_is_no_request_is_refused(contract: Contract) -> None:
    """Each member has its type; there are no batches and no notifications."""
    for text, path in {
        "[]": "$",
        "null": "$",
        '"status"': "$",
        f"[{call()}]": "$",
        call(jsonrpc="1.0"): "$.jsonrpc",
        call(jsonrpc=2.0): "$.jsonrpc",
        '{"id": 1, "method": "status"}': "$.jsonrpc",
        '{"jsonrpc": "2.0", "method": "status"}': "$.id",
        '{"jsonrpc": "2.0", "id": null, "method": "status"}': "$.id",
        call(id=1.5): "$.id",
        call(id=""): "$.id",
        call(id="x" * 101): "$.id",
        '{"jsonrpc": "2.0", "id": 1}': "$.method",
        call(7): "$.method",
        call("x" * 101): "$.method",
        call(params=[1]): "$.params",
        call(params="text"): "$.params",
        call(parms={}): "$.parms",
    }.items():
        data = await contract.refusal(text)
        assert (data["code"], [each["path"] for each in data["problems"]]) == ("invalid_request", [path]), text
    await still_answers(contract)


async def an_answer_bears_the_id_of_its_request(contract: Contract) -> None:
    """A number or a text, in results as in errors; params may be left out where none is needed."""
    for number in (0, -1, 2**53 - 1, "a", "x" * 100):
        for method in ("status", "nothing"):
            answer = await contract.exchange(call(method, id=number))
            assert (answer["jsonrpc"], answer["id"]) == ("2.0", number)
            assert ("result" in answer) == (method == "status")


async def an_unknown_method_is_refused_with_the_known_ones(contract: Contract) -> None:
    """Names are exact."""
    for method in ("jobs.gett", "JOBS.GET", "jobs", "__init__", " status"):
        data = await contract.refusal(call(method))
        assert (data["code"], data["rpc"]) == ("unknown_method", -32601)
        assert all(known in data["action"] for known in METHODS)


async def unknown_fields_are_refused_with_the_near_one(contract: Contract) -> None:
    """A misspelt field must not be ignored in silence."""
    (problem,) = await contract.refused("jobs.list", {"page_sise": 3}, "invalid_request", "$.params.page_sise")
    assert "'page_size'" in problem["action"]
    (problem,) = await contract.refused("status", {"verbose": True}, "invalid_request", "$.params.verbose")
    assert problem["action"] == "Leave it out."
    data = table()
    wrong = {"capability": CLASSIFIER, "trainer": {"round": 5}, "tag": []}
    params = {"spec": wrong, "manifest": data.manifest}
    problems = await contract.refused("jobs.create", params, "invalid_request", "$.spec.tag", "$.spec.trainer.round")
    assert {"Did you mean 'tags'?", "Did you mean 'rounds'?"} == {each["action"] for each in problems}


async def missing_fields_are_refused(contract: Contract) -> None:
    """All of them at once, for every method that needs some."""
    required = {"jobs.create": ["spec", "manifest"], "manifests.verify": ["manifest"], "requests.cancel": ["id"]}
    required["checkpoints.read"] = ["job", "round"]
    required["manifests.make"] = ["files"]
    for method in METHODS:
        if method not in ("status", "capabilities.list", "jobs.list", "validations.list"):
            paths = [f"$.params.{name}" for name in required.get(method, ["job"])]
            await contract.refused(method, {}, "invalid_request", *paths)


async def values_of_a_wrong_type_are_refused(contract: Contract) -> None:
    """A number in a text is none, true is no number, 1.0 is no whole number; several problems come together."""
    wrong: dict[str, Any] = {
        "page": "1",
        "page_size": True,
        "search": None,
        "status": "runing",
        "sort": "created",
        "org": {},
        "as_of": 1,
    }
    await contract.refused("jobs.list", wrong, "invalid_request", *(f"$.params.{name}" for name in wrong))
    await contract.refused("jobs.logs", {"job": "j", "after": 1.0}, "invalid_request", "$.params.after")
    await contract.refused("jobs.get", {"job": ["j"]}, "invalid_request", "$.params.job")
    await contract.refused("jobs.series", {"job": "j", "keys": "loss"}, "invalid_request", "$.params.keys")
    await contract.refused("jobs.series", {"job": "j", "keys": ["a", 1]}, "invalid_request", "$.params.keys[1]")
    await contract.refused(
        "checkpoints.read", {"job": "j", "round": 1, "format": "h5"}, "invalid_request", "$.params.format"
    )
    await contract.refused("status", {"progress": 7}, "invalid_request", "$.params.progress")
    await contract.refused("status", {"progress": ""}, "invalid_request", "$.params.progress")


async def values_out_of_range_are_refused(contract: Contract) -> None:
    """With the range."""
    for method, params, name in (
        ("jobs.list", {"page": 0}, "page"),
        ("jobs.list", {"page_size": 101}, "page_size"),
        ("jobs.list", {"search": "x" * 201}, "search"),
        ("jobs.logs", {"job": "j", "limit": 0}, "limit"),
        ("jobs.logs", {"job": "j", "limit": 10_001}, "limit"),
        ("jobs.series", {"job": "j", "keys": []}, "keys"),
        ("checkpoints.read", {"job": "j", "round": -1}, "round"),
        ("requests.cancel", {"id": ""}, "id"),
    ):
        (problem,) = await contract.refused(method, params, "invalid_request", f"$.params.{name}")
        assert problem["problem"].startswith("Must be ")


async def files_that_did_not_come_along_are_refused(contract: Contract) -> None:
    """A reference is a number of a file beside the JSON, and nothing else."""
    data = table()

    def params(*contents: Any) -> dict[str, Any]:
        return {"manifest": data.manifest, "files": [{"path": "train.csv", "content": each} for each in contents]}

    at = "$.params.files[{}].content".format
    for wrong in ({"$file": -1}, {"$file": "0"}, {"$file": True}, {"$buffer": 0}, {"$file": 0, "more": 1}, 0, None):
        await contract.refused("manifests.verify", params(wrong), "invalid_request", at(0), files=data.files)
    there, beyond = {"$file": 1}, {"$file": 2}
    for method in ("manifests.verify", "jobs.create"):
        more = {"spec": contract.spec()} if method == "jobs.create" else {}
        named = params(there, beyond, {"$file": 99}) | more
        problems = await contract.refused(method, named, "invalid_request", at(1), at(2), files=data.files)
        assert problems[0]["problem"] == "There is no file 2."
    await contract.refused("jobs.get", {"job": {"$buffer": 0}}, "invalid_request", "$.params.job")


async def what_does_not_exist_is_not_found(contract: Contract) -> None:
    """For every method that names a job; and for a round that was not committed."""
    about_jobs = [method for method, kind in METHODS.items() if "job" in kind.__dataclass_fields__]
    assert len(about_jobs) == 15
    for method in about_jobs:
        for job in ("job-0000000000000000", "", "../" * 50, "x" * 100_000):
            params = {"job": job, "round": 1} if method == "checkpoints.read" else {"job": job}
            data = await contract.refusal(call(method, params))
            assert (data["code"], len(data["problem"]) < 200) == ("not_found", True), (method, data)
    job = await contract.create()
    for number in (0, 1, 2**53 - 1):
        error = await error_of(contract.client.call(CheckpointsRead(job=job.id, round=number)))
        assert isinstance(error, NotFound)
    assert isinstance(await error_of(contract.client.call(JobsGet(job=JobId("job-1")))), NotFound)


async def stopping_a_call_that_is_not_there_is_no_error(contract: Contract) -> None:
    """It may just have ended."""
    await contract.client.call(RequestsCancel(id="nothing"))


RULES = (
    the_status_says_what_is_there,
    the_catalogue_says_what_can_be_trained,
    what_is_no_json_is_refused,
    json_that_parties_read_differently_is_refused,
    deep_json_is_refused,
    huge_json_is_refused,
    what_is_no_request_is_refused,
    an_answer_bears_the_id_of_its_request,
    an_unknown_method_is_refused_with_the_known_ones,
    unknown_fields_are_refused_with_the_near_one,
    missing_fields_are_refused,
    values_of_a_wrong_type_are_refused,
    values_out_of_range_are_refused,
    files_that_did_not_come_along_are_refused,
    what_does_not_exist_is_not_found,
    stopping_a_call_that_is_not_there_is_no_error,
)
