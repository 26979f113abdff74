"""The whole digits job, from Start to Completed: examples per second in the browser, against one CPython process."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

from _tab import CREATE, tabs

import roundtab
from roundtab.api.client import given
from roundtab.api.local import local_client, local_engine
from roundtab.api.protocol import JobsCreate, JobsStart
from roundtab.capabilities.catalogue import Catalogue
from roundtab.data.files import MemoryFile
from roundtab.publish.bench import Bench
from roundtab.publish.commands import say
from roundtab.publish.paths import PACKAGE, SITE

SPEC = {"capability": "tabular-classifier@1.0.0", "local_trainers": 2, "trainer": {"rounds": 100}}
COMPLETED = """async (id) => {
  const read = () => roundtab.training.request("jobs.get", { job: id });
  const ended = new Promise((resolve) => roundtab.training.subscribe(async (event) => {
    if (event.name === "job.updated" && event.data.item?.id === id && event.data.item.completed_at) resolve();
  }));
  if (!(await read()).completed_at) await ended;
  const job = await read();
  const { items } = await roundtab.training.request("jobs.logs", { job: id, limit: 10000 });
  const first = items.find((entry) => entry.message === "Round 1 committed").timestamp;
  const seconds = (since) => (Date.parse(job.completed_at) - Date.parse(since)) / 1000;
  const perRound = job.work.done / job.rounds.total;
  return { whole: job.work.done / seconds(job.started_at), rounds: (job.work.done - perRound) / seconds(first) };
}"""


def run(bench: Bench) -> None:
    """Two trainers in both; the browser's figure with the start of its workers, and from the first round on."""
    with tabs(bench) as browser, ThreadPoolExecutor(1) as beside:  # Playwright has an event loop in this thread
        page = browser.ready()
        figures: list[dict[str, float]] = []

        def measure() -> float:
            figures.append(page.evaluate(COMPLETED, page.evaluate(CREATE, SPEC)))
            return figures[-1]["whole"]

        bench.compare(
            "digits, 100 rounds, from Start to Completed",
            unit="ex/s",
            ours=measure,
            reference=lambda: beside.submit(asyncio.run, _on_cpython()).result(),
            reference_name=f"one CPython process, roundtab {roundtab.__version__}",
            better="higher",
        )
        rounds = ", ".join(f"{each['rounds']:,.0f}" for each in figures[1:])
        say(f"training: from the first round on: {rounds} examples/s")


async def _on_cpython() -> float:
    engine = local_engine(Catalogue.of_folders(PACKAGE / "capabilities"))
    await engine.open()
    client = local_client(engine)
    folder = SITE / "samples" / "digits"
    files = [MemoryFile(name, (folder / name).read_bytes()) for name in ("train.csv", "validation.csv")]
    manifest = (folder / "datapackage.json").read_text(encoding="utf-8")
    job = await client.call(JobsCreate(spec=SPEC, manifest=manifest, files=given(files)), files)
    started = time.perf_counter()
    await client.call(JobsStart(job=job.id))
    await engine.runs.wait(job.id)
    return job.work.total / (time.perf_counter() - started)
