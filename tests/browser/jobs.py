"""Jobs as the tests make them: through the page's own JavaScript surface, on a sample of the site."""

from __future__ import annotations

import base64
from typing import Any

from playwright.async_api import Page

_CREATE = """async ([root, sample, spec, start]) => {
  const read = async (name) => (await fetch(`${root}samples/${sample}/${name}`));
  const file = async (name) => new File([await (await read(name)).blob()], name);
  const files = [await file("train.csv"), await file("validation.csv")];
  const manifest = await (await read("datapackage.json")).text();
  const job = await roundtab.training.request("jobs.create", { spec, manifest }, { files });
  return start ? roundtab.training.request("jobs.start", { job: job.id }) : job;
}"""

_WAIT = """([id, condition]) => new Promise((resolve, reject) => {
  const holds = new Function("job", `return ${condition}`);
  let looking = false, again = false;
  const look = async () => {
    if (looking) { again = true; return; }
    looking = true;
    do {
      again = false;
      try {
        const job = await roundtab.training.request("jobs.get", { job: id });
        if (holds(job)) { end(); resolve(job); return; }
      } catch (error) {
        if (!["leader_changed", "unavailable"].includes(error.code)) { end(); reject(error); return; }
      }
    } while (again);
    looking = false;
  };
  const end = roundtab.training.subscribe(look);
  look();
})"""

CLASSIFIER = "tabular-classifier@1.0.0"


async def call(page: Page, method: str, **params: Any) -> Any:
    """A call through `roundtab.training.request`. Buffers come back as nothing; use `download` for files."""
    return await page.evaluate("([method, params]) => roundtab.training.request(method, params)", [method, params])


async def refusal(page: Page, method: str, **params: Any) -> dict[str, Any]:
    """The error of a call that is refused: code, problem, action, problems."""
    return await page.evaluate(
        """([method, params]) => roundtab.training.request(method, params).then(
          () => { throw new Error("the call was not refused"); },
          ({ code, problem, action, problems }) => ({ code, problem, action, problems }))""",
        [method, params],
    )


async def create(
    page: Page, sample: str = "wine", *, start: bool = True, root: str = "", **spec: Any
) -> dict[str, Any]:
    """A job on a sample, started unless told otherwise. `root` is the site's address where the page is another's."""
    spec = {"capability": CLASSIFIER, "name": "Test job"} | spec
    return await page.evaluate(_CREATE, [root, sample, spec, start])


async def wait_for(page: Page, job: str, condition: str) -> dict[str, Any]:
    """The record once `condition`, a JavaScript expression over `job`, holds; looked at after each event."""
    return await page.evaluate(_WAIT, [job, condition])


async def ended(page: Page, job: str) -> dict[str, Any]:
    """The record once the job has ended and its participants have left: nothing changes it by itself from then on."""
    condition = "job.completed_at !== null && job.participants.every(({ state }) => state === 'left')"
    return await wait_for(page, job, condition)


async def checkpoint(page: Page, job: str, number: int) -> bytes:
    """The bytes of a checkpoint."""
    encoded = await page.evaluate(
        """async ([job, round]) => {
          const file = await roundtab.training.request("checkpoints.read", { job, round });
          let text = "";
          for (const byte of new Uint8Array(file.bytes)) text += String.fromCharCode(byte);
          return btoa(text);
        }""",
        [job, number],
    )
    return base64.b64decode(encoded)
