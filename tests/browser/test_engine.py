"""The engine when things go wrong: killed, fed with garbage, asked to stop, out of space."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from browser import jobs
from browser.conftest import Visits, until_ready
from playwright.async_api import Page, Worker, expect

from roundtab.publish.server import serve

GONE = {"unavailable", "answered"}

WORDS_OF_A_CRASH = "console error: (?s:.*)(fatal error|Stack trace|stack|Traceback)|Pyodide already fatally failed"
"""Pyodide writes at length about its end."""


def engine(page: Page) -> Worker:
    """The engine's worker: the first one that the frame starts."""
    return page.workers[0]


async def exchange(page: Page, text: str) -> dict[str, Any]:
    """The answer to a request of exactly this text."""
    return json.loads(
        await page.evaluate("(json) => roundtab.training.exchange({ json }).then(({ json }) => json)", text)
    )


async def calls_under_way(page: Page, job: str) -> None:
    """Many calls, so that some are still unanswered when the engine ends; `outcomes` has what becomes of them."""
    await page.evaluate(
        """(job) => {
          const outcome = (method, params) => roundtab.training.request(method, params)
            .then(() => "answered", ({ code }) => code);
          window.outcomes = Array.from({ length: 40 }, () => outcome("jobs.state", { job }));
        }""",
        job,
    )


async def outcomes(page: Page) -> set[str]:
    """What became of the calls under way."""
    return set(await page.evaluate("Promise.all(window.outcomes)"))


async def epoch(page: Page) -> int:
    """Of the engine that answers."""
    return (await jobs.call(page, "status"))["epoch"]


async def kill(page: Page) -> None:
    """End the engine's worker, and wait until another engine answers or none will."""
    old, killed = await epoch(page), engine(page)
    await killed.evaluate("self.close()")
    await page.evaluate(
        """async (old) => {
          for (;;) {
            try {
              if ((await roundtab.training.request("status")).epoch > old) return;
            } catch ({ code }) {
              if (code !== "unavailable") return;
            }
          }
        }""",
        old,
    )
    while killed in page.workers:
        await page.evaluate("0")


async def test_a_killed_engine_is_replaced_and_training_goes_on(visits: Visits) -> None:
    """Calls under way are answered, a new engine leads with a higher epoch, no committed round is lost or repeated."""
    page = await visits.ready()
    job = (await jobs.create(page, trainer={"rounds": 120}))["id"]
    await jobs.wait_for(page, job, "job.rounds.done >= 3")
    first, before = await epoch(page), (await jobs.call(page, "jobs.get", job=job))["metrics"]
    killed = engine(page)
    await calls_under_way(page, job)
    await killed.evaluate("self.close()")
    assert await outcomes(page) <= GONE
    await until_ready(page)
    assert await epoch(page) == first + 1
    done = await jobs.ended(page, job)
    assert (done["status"], done["rounds"]["done"]) == ("completed", 120)
    for name in ("train_loss", "val_loss", "val_accuracy"):
        assert done["metrics"][name][: len(before[name])] == before[name]
    assert done["metrics"]["rounds"] == list(range(1, 121))
    assert killed not in page.workers


@contextmanager
def changed(visits: Visits, folder: Path, **scripts: str) -> Iterator[str]:
    """The site with these scripts of workers instead of its own: `trainer="…"`; `{}` stands for what it had."""
    site = shutil.copytree(visits.world.dist, folder / "dist", copy_function=os.link)
    for name, text in scripts.items():
        script = site / "py" / f"{name}.py"
        own = script.read_text(encoding="utf-8")
        script.unlink()  # it is a link to the site's own
        script.write_text(text.replace("{}", own), encoding="utf-8")
    with serve(site) as url:
        visits.allowed.append(url)
        yield url


CRASH = """{}
import js, json
js.addEventListener("crash", create_proxy(lambda _: json.loads("[" * 1_000_000)))
"""
"""Deep JSON ends the Python of a page for good; Roundtab's own parser looks first, so only a saboteur gets there."""


async def crash(worker: Worker) -> None:
    """Have the Python of a worker crash, later and by itself."""
    await worker.evaluate("void setTimeout(() => dispatchEvent(new Event('crash')))")


async def test_an_engine_whose_python_crashes_is_replaced(visits: Visits, tmp_path: Path) -> None:
    """Pyodide does not survive a fatal error, and its worker lives on deaf: that is noticed, too."""
    visits.expected.append(WORDS_OF_A_CRASH)
    with changed(visits, tmp_path, engine=CRASH) as url:
        page = await visits.page(url)
        await until_ready(page)
        job = (await jobs.create(page, trainer={"rounds": 60}))["id"]
        await jobs.wait_for(page, job, "job.rounds.done >= 3")
        first = await epoch(page)
        await crash(engine(page))
        await page.get_by_role("region", name="Connection").get_by_text("Starting").wait_for()
        await until_ready(page)
        assert await epoch(page) == first + 1
        assert (await jobs.ended(page, job))["rounds"]["done"] == 60


@pytest.mark.parametrize("how", ["killed", "crashed"])
async def test_a_trainer_that_dies_leaves_and_the_others_go_on(visits: Visits, tmp_path: Path, how: str) -> None:
    """Its worker's end is noticed at once, not by a deadline; its items are trained by who is left."""
    visits.expected.append(WORDS_OF_A_CRASH)
    with changed(visits, tmp_path, trainer=CRASH) as url:
        page = await visits.page(url)
        await until_ready(page)
        job = (await jobs.create(page, trainer={"rounds": 1000, "deadline_s": 600}, local_trainers=2))["id"]
        await jobs.wait_for(page, job, "job.rounds.done >= 3")
        trainer = page.workers[1]
        await (trainer.evaluate("self.close()") if how == "killed" else crash(trainer))
        left = await jobs.wait_for(page, job, "job.participants.some(({ state }) => state === 'left')")
        assert left["status"] == "running"
        (gone,) = [each for each in left["participants"] if each["state"] == "left"]
        assert gone["problem"] == "The participant is gone."
        await jobs.wait_for(page, job, f"job.rounds.done >= {left['rounds']['done'] + 3}")
        assert trainer not in page.workers
        assert await epoch(page) == 1, "the engine is the same"


async def test_the_workers_of_a_job_serve_the_next_one(visits: Visits) -> None:
    """Python is up in them already, so it starts at once; nothing of the first job is left in the second."""
    page = await visits.ready()
    first = await jobs.ended(page, (await jobs.create(page, trainer={"rounds": 2}, local_trainers=2))["id"])
    workers = set(page.workers)
    assert len(workers) == 3
    second = await jobs.ended(page, (await jobs.create(page, trainer={"rounds": 2}, local_trainers=2))["id"])
    assert set(page.workers) == workers
    assert second["metrics"] == first["metrics"]
    assert [each["state"] for each in second["participants"]] == ["left", "left"]


BROKEN = 'raise RuntimeError("broken on purpose")\n'


DYING = """
from polyscript import xworker
from pyodide.code import run_js

xworker.onmessage = run_js("() => { setTimeout(() => { throw new Error('broken on purpose'); }); }")
"""
"""A script that runs, then fails before its worker says that it lives."""


async def test_an_engine_that_does_not_start_gives_the_reason(visits: Visits, tmp_path: Path) -> None:
    """PyScript settles nothing when a script fails: without the gate's care the page would say «Starting» for ever."""
    visits.expected += ["broken on purpose", "reading 'onmessage'"]
    with changed(visits, tmp_path, engine=BROKEN) as url:
        page = await visits.page(url)
        early = await page.evaluate("roundtab.training.request('status').catch(({ code }) => code)")
        assert early == "engine_failed", "a call made before is answered, too"
        found = await page.evaluate("roundtab.ready.then(({ training }) => training)")
        assert (found["ready"], found["code"]) == (False, "engine_failed")
        assert found["reason"].startswith("The engine did not start: its Python script failed")
        assert "Reload the page" in found["action"]
        await page.get_by_role("region", name="Connection").get_by_text(found["reason"]).wait_for()
        assert (await jobs.refusal(page, "status"))["code"] == "engine_failed"


@pytest.mark.parametrize(("script", "reason"), [(BROKEN, "its Python script failed"), (DYING, "its worker ended")])
async def test_a_job_whose_trainers_do_not_start_fails_with_the_reason(
    visits: Visits, tmp_path: Path, script: str, reason: str
) -> None:
    """It does not wait for ever, and the engine lives."""
    visits.expected += ["broken on purpose", "reading 'onmessage'", "console error: ErrorEvent"]
    with changed(visits, tmp_path, trainer=script) as url:
        page = await visits.page(url)
        await until_ready(page)
        job = (await jobs.create(page))["id"]
        done = await jobs.ended(page, job)
        assert done["status"] == "failed"
        assert done["error"]["problem"].startswith(f"A trainer did not start: {reason}")
        assert (await jobs.call(page, "status"))["ready"] is True


async def test_a_job_started_without_a_connection_fails_with_the_reason(visits: Visits) -> None:
    """PyScript would wait for ever for the trainer's script; once the line is back, a retry trains."""
    visits.expected += ["ERR_INTERNET_DISCONNECTED", "Failed to fetch"]
    page = await visits.ready()
    job = (await jobs.create(page, start=False, trainer={"rounds": 2}))["id"]
    await page.context.set_offline(True)
    await jobs.call(page, "jobs.start", job=job)
    failed = await jobs.ended(page, job)
    assert failed["error"]["problem"] == "A trainer did not start: the server of this page does not answer."
    assert "retry the job" in failed["error"]["action"]
    await page.context.set_offline(False)
    await jobs.call(page, "jobs.retry", job=job)
    await jobs.wait_for(page, job, "job.status === 'completed' && job.attempt === 2")


async def test_an_engine_that_dies_again_and_again_is_given_up(visits: Visits) -> None:
    """The page says so and what to do; calls are refused with the same words."""
    page = await visits.ready()
    for _ in range(3):
        await kill(page)
    found = await jobs.refusal(page, "status")
    assert found["code"] == "engine_failed"
    assert "again and again" in found["problem"]
    assert "Reload the page" in found["action"]
    await page.get_by_role("region", name="Connection").get_by_text(found["action"]).wait_for()
    await page.reload()
    await until_ready(page)


async def test_where_one_tab_gives_up_another_one_leads(visits: Visits) -> None:
    """A tab without an engine keeps nobody from having one, and works through the other's."""
    first = await visits.ready()
    second = await visits.ready(first.context)
    job = (await jobs.create(first, start=False, trainer={"rounds": 2}))["id"]
    for _ in range(3):
        await kill(first)
    await until_ready(second)
    await until_ready(first)
    assert (len(first.workers), len(second.workers)) == (0, 1)
    await jobs.call(first, "jobs.start", job=job)
    assert (await jobs.ended(first, job))["status"] == "completed"


STATUS = '{"jsonrpc": "2.0", "id": 1, "method": "status", "params": {}}'
GARBAGE = {
    "deep": ('{"jsonrpc":"2.0","id":1,"method":"status","params":' + '{"a":' * 100_000 + "1" + "}" * 100_001),
    "deep_list": "[" * 100_000 + "]" * 100_000,
    "never_closed": "[" * 100_000,
    "huge": '{"jsonrpc":"2.0","id":1,"method":"status","params":{"a":"' + "x" * 6_000_000 + '"}}',
    "empty": "",
    "not_json": "status",
    "number": "7",
    "null": "null",
    "batch": f"[{STATUS}]",
    "duplicate": '{"jsonrpc":"2.0","id":1,"method":"status","method":"jobs.list","params":{}}',
    "half_a_character": '{"jsonrpc":"2.0","id":1,"method":"\\ud800","params":{}}',
    "raw_half_a_character": '{"jsonrpc":"2.0","id":1,"method":"\ud800","params":{}}',
    "nul": '{"jsonrpc":"2.0","id":1,"method":"\\u0000","params":{}}',
    "not_a_number": '{"jsonrpc":"2.0","id":1,"method":"status","params":{"a":NaN}}',
    "large_number": '{"jsonrpc":"2.0","id":' + "9" * 10_000 + ',"method":"status","params":{}}',
    "unknown_method": '{"jsonrpc":"2.0","id":1,"method":"jobs.steal","params":{}}',
    "unknown_field": '{"jsonrpc":"2.0","id":1,"method":"jobs.get","params":{"job":"x","more":1}}',
    "missing_field": '{"jsonrpc":"2.0","id":1,"method":"jobs.get","params":{}}',
    "wrong_type": '{"jsonrpc":"2.0","id":1,"method":"jobs.get","params":{"job":[1]}}',
}


async def test_whatever_a_host_sends_gets_an_error(visits: Visits) -> None:
    """Over the raw port: code, problem and action; and the engine answers afterwards, the same one all the time."""
    page = await visits.ready()
    number, worker = await epoch(page), engine(page)
    for name, text in GARBAGE.items():
        sent = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
        answer = await exchange(page, sent)
        assert "result" not in answer, name
        data = answer["error"]["data"]
        assert data["problem"].strip(), name
        assert data["action"].strip(), name
        assert data["code"] in ("invalid_request", "unknown_method"), (name, data)
        assert "result" in await exchange(page, STATUS), name
    assert (await exchange(page, GARBAGE["unknown_field"]))["error"]["data"]["problems"][0]["path"] == "$.params.more"
    assert (await exchange(page, GARBAGE["missing_field"]))["error"]["data"]["problems"][0]["path"] == "$.params.job"
    assert (await exchange(page, GARBAGE["wrong_type"]))["error"]["data"]["problems"][0]["path"] == "$.params.job"
    assert (await epoch(page), engine(page)) == (number, worker)


NO_ENVELOPES = (
    "{ json: 7 }",
    "{ json: null }",
    "{ json: { toString: 1 } }",
    "{}",
    "{ json: status, files: [{}] }",
    "{ json: status, files: ['train.csv'] }",
    "{ json: status, files: [null] }",
    "{ json: status, files: 7 }",
    "{ json: status, buffers: [new MessageChannel().port1] }",
    "{ json: status, buffers: 7 }",
)


async def test_what_is_no_envelope_is_refused(visits: Visits) -> None:
    """Text, ArrayBuffers and Files cross the port; anything else is an error, at once or in the answer."""
    page = await visits.ready()
    for envelope in NO_ENVELOPES:
        outcome = await page.evaluate(
            f"""(status) => roundtab.training.exchange({envelope}).then(
              ({{ json }}) => JSON.parse(json).error?.data.code ?? "answered", () => "not sent")""",
            STATUS,
        )
        assert outcome in ("invalid_request", "not sent"), envelope
        assert (await jobs.call(page, "status"))["ready"] is True


async def test_cancel_reaches_trainers_that_are_busy(visits: Visits) -> None:
    """Within a second, though every trainer computes without pause; the exact figure is a matter of the benchmarks."""
    page = await visits.ready()
    job = (await jobs.create(page, "digits", trainer={"rounds": 1000}))["id"]
    await jobs.wait_for(page, job, "job.rounds.done >= 2")
    took = await page.evaluate(
        """async (job) => {
          const started = performance.now();
          const cancelled = new Promise((resolve) => roundtab.training.subscribe(({ name, data }) => {
            if (name === "job.updated" && data.item?.id === job && data.item.status === "cancelled") resolve();
          }));
          await roundtab.training.request("jobs.cancel", { job });
          await cancelled;
          return performance.now() - started;
        }""",
        job,
    )
    assert took < 1000
    assert (await jobs.call(page, "jobs.get", job=job))["status"] == "cancelled"


async def test_full_storage_fails_the_job_and_nothing_else(visits: Visits) -> None:
    """The error says what to do; earlier rounds are kept whole; deleting a job makes room for the next."""
    page = await visits.page("licences.txt")
    devtools = await page.context.new_cdp_session(page)
    origin = {"origin": visits.world.site[:-1]}
    # from the start, since Chromium trusts for half a minute what it last heard of free space
    await devtools.send("Storage.overrideQuotaForOrigin", origin | {"quotaSize": 700_000})
    await page.goto(visits.world.site)
    await until_ready(page)
    job = (await jobs.create(page, "digits", trainer={"rounds": 500}))["id"]
    done = await jobs.ended(page, job)
    assert (done["status"], done["error"]["code"]) == ("failed", "storage_full")
    assert done["error"]["problem"] == "The storage of this browser is full."
    assert "Delete jobs" in done["error"]["action"]
    kept = done["rounds"]["done"]
    assert 3 <= kept < 500
    rounds = (await jobs.call(page, "checkpoints.list", job=job))["items"]
    assert [each["round"] for each in rounds] == list(range(1, kept + 1))
    assert len(await jobs.checkpoint(page, job, kept)) == rounds[-1]["bytes"]
    await jobs.call(page, "jobs.delete", job=job)
    again = await jobs.create(page, trainer={"rounds": 2})
    assert (await jobs.ended(page, again["id"]))["status"] == "completed"


async def test_cleared_site_data_is_noticed_and_the_page_begins_anew(visits: Visits) -> None:
    """In mid-training, by the browser's own menu: no job stands there as running for ever, and a new one trains."""
    page = await visits.ready()
    job = await jobs.create(page, trainer={"rounds": 2000})
    await jobs.wait_for(page, job["id"], "job.rounds.done > 0")
    devtools = await page.context.new_cdp_session(page)
    origin = {"origin": visits.world.site[:-1], "storageTypes": "indexeddb"}
    await devtools.send("Storage.clearDataForOrigin", origin)
    await expect(page.get_by_text("No jobs yet.")).to_be_visible()
    again = await jobs.create(page, trainer={"rounds": 2})
    assert (await jobs.ended(page, again["id"]))["status"] == "completed"
