"""The widget in a frame: who gets in, and what they get."""

from __future__ import annotations

from browser.axe import violations
from browser.conftest import Visits, World
from browser.jobs import checkpoint, ended, refusal
from playwright.async_api import Page, expect

from roundtab.checkpoints import safetensors


async def standing(page: Page) -> dict[str, object]:
    """What `roundtab.ready` says of training."""
    return await page.evaluate("roundtab.ready.then((found) => found.training)")


async def test_a_registered_site_trains_through_the_widget(visits: Visits, world: World) -> None:
    """It creates, runs and downloads a job, with storage of its own: the site itself does not see that job."""
    context = await visits.context()
    page = await visits.page(world.registered, context)
    assert (await standing(page))["ready"] is True
    text = await page.request.get(world.site + "samples/wine/datapackage.json")
    assert text.ok
    job = await page.evaluate(
        """async ([manifest, files]) => {
          const given = Object.entries(files).map(([name, text]) => new File([text], name));
          const spec = { capability: "tabular-classifier@1.0.0", trainer: { rounds: 3 } };
          const job = await roundtab.training.request("jobs.create", { spec, manifest }, { files: given });
          return roundtab.training.request("jobs.start", { job: job.id });
        }""",
        [
            await text.text(),
            {
                name: await (await page.request.get(f"{world.site}samples/wine/{name}")).text()
                for name in ("train.csv", "validation.csv")
            },
        ],
    )
    done = await ended(page, job["id"])
    assert (done["status"], done["created_by"]) == ("completed", world.registered[:-1])
    tensors, metadata = safetensors.load(await checkpoint(page, job["id"], 3))
    assert metadata["job"] == job["id"]
    assert tensors["inputs/mean"].shape == (13,)
    own = await visits.ready(context)
    assert (await own.evaluate("roundtab.training.request('jobs.list')"))["total"] == 0


async def test_an_unregistered_site_gets_nothing_but_the_reason(visits: Visits, world: World) -> None:
    """Every request is refused with the reason and the action, and nothing of Python is loaded."""
    context = await visits.context()
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    page = await visits.page(world.unregistered, context)
    found = await standing(page)
    assert (found["ready"], found["code"]) == (False, "not_registered")
    assert world.unregistered[:-1] in str(found["reason"])
    assert "site register" in str(found["action"])
    refused = await refusal(page, "status")
    assert (refused["code"], refused["action"]) == ("not_registered", found["action"])
    answer = await page.evaluate("roundtab.training.exchange({ json: 'no JSON' })")
    assert "not_registered" in answer["json"]
    assert not [url for url in asked if "runtime" in url]


async def test_the_gate_tells_ports_apart(visits: Visits, world: World) -> None:
    """A page on another port of the site's own host shares the browser's storage, so only the gate keeps it out."""
    page = await visits.page(world.second_port)
    assert (await standing(page))["code"] == "not_registered"


async def test_a_site_without_the_grant_may_not_train(visits: Visits, world: World) -> None:
    """Being registered for recordings opens nothing else."""
    page = await visits.page(world.no_training)
    assert (await standing(page))["code"] == "no_grant"
    assert (await refusal(page, "jobs.list"))["code"] == "no_grant"


async def test_axe_finds_nothing_in_the_frame(visits: Visits, world: World) -> None:
    """Shown by its host page, with training and without, in both colour schemes."""
    for host, words in ((world.registered, "Training API ready"), (world.unregistered, "site register")):
        page = await visits.page(host, await visits.context(color_scheme="light"))
        await page.evaluate("document.querySelector('roundtab-widget').hidden = false")
        await expect(page.frame_locator("roundtab-widget iframe").get_by_text(words)).to_be_visible()
        for scheme in ("light", "dark"):
            await page.emulate_media(color_scheme=scheme)
            assert await violations(page.frames[1]) == []
