"""The program of the workspace page: it holds the state, does what buttons ask for, and follows the events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Literal

import js
from pyodide.ffi import create_proxy

from roundtab.api.client import Client
from roundtab.api.protocol import (
    CheckpointsRead,
    JobsCancel,
    JobsDelete,
    JobsRetry,
    JobsStart,
    ParticipantsAddLocal,
    Request,
)
from roundtab.browser.ffi import js_buffer, spawn
from roundtab.browser.files import BrowserFile
from roundtab.browser.pages import widget
from roundtab.browser.pages.new_job import NewJobForm
from roundtab.browser.pages.reader import Reader
from roundtab.browser.pages.screen import Picture, Screen
from roundtab.browser.pages.validation import ValidationProgram
from roundtab.clock import SystemClock
from roundtab.errors import RoundtabError
from roundtab.records.ids import JobId
from roundtab.views.workspace.connection import connection_status
from roundtab.views.workspace.inference import shown_code
from roundtab.views.workspace.page import page as page_view
from roundtab.views.workspace.page import title
from roundtab.views.workspace.routes import with_route
from roundtab.views.workspace.state import Trouble, WorkspaceState

TICK = 1000
"""Milliseconds between two pictures of a running job without news, for its durations."""

COPIED = 2
"""Seconds for which a button says that it has copied something."""


class Workspace:
    """The page."""

    def __init__(self, page: Any) -> None:
        """`page` is the module site/js/page.js."""
        self._page = page
        self._clock = SystemClock()
        self._client = Client(widget.WidgetWire())
        self._state = with_route(WorkspaceState(), str(js.location.hash))
        self._reader = Reader(self._client, self._clock, lambda: self._state, self._put, self._leave_job)
        self._screen = Screen(page, self._picture, lambda: title(self._state))
        self._form = NewJobForm(self._client, lambda: self._state, self._put, self._open_job, page.download)
        self._validation = ValidationProgram(self._client, lambda: self._state, self._put, page.download)
        self._actions: dict[str, Callable[[dict[str, Any]], Awaitable[None]]] = {
            "jobs.reload": lambda _: self._reader.read_jobs(),
            "jobs.more": lambda _: self._reader.more_jobs(),
            "job.reload": lambda _: self._reader.read_job(),
            "job.start": lambda _: self._do("job.start", JobsStart),
            "job.cancel": lambda _: self._do("job.cancel", JobsCancel),
            "job.retry": lambda _: self._do("job.retry", JobsRetry),
            "job.delete": lambda _: self._delete(),
            "participants.add": lambda _: self._do("participants.add", ParticipantsAddLocal),
            "checkpoint.download": self._download,
            "format.choose": self._choose_format,
            "snippet.copy": lambda _: self._copy("snippet"),
            "metric.choose": self._choose_metric,
            "show.all": self._show_all,
            "state.refresh": lambda _: self._reader.read_job(),
            "state.copy": lambda _: self._copy("state"),
            "form.create": lambda _: self._form.create(),
            "form.stop": lambda _: self._form.stop(),
            "file.check": lambda data: self._form_of(data["role"]).check(data["role"]),
            "file.remove": lambda data: self._form_of(data["role"]).remove(data["role"], data["path"]),
            "manifest.make": lambda data: self._form_of(data["role"]).make(data["role"]),
            "manifest.download": lambda data: self._form_of(data["role"]).download(data["role"]),
            "validation.validate": lambda _: self._validation.validate(),
            "validation.stop": lambda _: self._validation.stop(),
            "validations.compare": lambda _: self._validation.compare(),
            "connection.retry": lambda _: self._reload_page(),
        }

    def start(self) -> None:
        """Draw, listen, connect."""
        self._page.listen(js.document.getElementById("main"), create_proxy(self._did))
        js.addEventListener("hashchange", create_proxy(lambda _: self._went(str(js.location.hash))))
        js.setInterval(create_proxy(self._tick), TICK)
        self._screen.draw()
        js.document.documentElement.dataset.app = "ready"
        widget.subscribe(self._reader.heard)
        widget.watch(self._reader.connected)

    # The state and its picture ----------------------------------------------------------------------------------------

    def _picture(self) -> Picture:
        self._state = replace(self._state, now=self._clock.now())
        rail = connection_status(self._state.connection)
        return Picture(main=page_view(self._state), rail=rail)

    def _put(self, state: WorkspaceState) -> None:
        """A new state. Running jobs, a creation and a validation make the browser ask before the page is left."""
        if state is self._state:
            return
        self._state = state
        running = any(each.status == "running" for each in (state.jobs.items if state.jobs else ()))
        self._page.askBeforeLeaving(running or state.form.busy == "creating" or self._validation.validating)
        self._screen.changed()

    def _change(self, **changes: Any) -> None:
        self._put(replace(self._state, **changes))

    def _change_open(self, job_id: JobId, **changes: Any) -> None:
        """Change the open job, unless another one is open by now."""
        if self._state.open and self._state.open.id == job_id:
            self._change(open=replace(self._state.open, **changes))

    def _tick(self) -> None:
        if self._state.open and self._state.open.job and self._state.open.job.status == "running":
            self._screen.changed()

    # What happens -----------------------------------------------------------------------------------------------------

    def _did(self, said: str, files: Any) -> None:
        """The person did something."""
        event = json.loads(said)
        name = event["name"]
        if event["action"] in self._actions:
            spawn(self._actions[event["action"]](event["data"]))  # type: ignore[arg-type]
        elif name == "state.search" and self._state.open:
            self._change_open(self._state.open.id, search=event["value"])
        elif name:
            form = self._form_of(name)
            if event["value"] is None:
                paths = event["paths"] or [""] * len(files)
                form.choose(name, [BrowserFile(file, path) for file, path in zip(files, paths, strict=True)])
            else:
                form.enter(name, event["value"])

    def _form_of(self, name: str) -> NewJobForm | ValidationProgram:
        """The form that has a field, or a role of files, of this name."""
        return self._validation if name.split(".")[0] in ("validate", "held_out") else self._form

    def _went(self, fragment: str) -> None:
        """The address changed: another part of the page is shown from its top."""
        before = self._state.open
        self._put(with_route(self._state, fragment))
        self._validation.went(before)
        self._screen.draw()
        unread = self._state.open and self._state.open.job is None
        if unread:
            spawn(self._read_new(fragment))
        else:
            self._page.go("job-title" if self._state.open else "page-title")

    async def _read_new(self, fragment: str) -> None:
        """Read the job that was just opened; its title gets the focus as soon as it is there."""
        await self._reader.read_job()
        self._screen.draw()
        if str(js.location.hash) == fragment:
            self._page.go("job-title")

    # Doing ------------------------------------------------------------------------------------------------------------

    def _leave_job(self) -> None:
        js.location.hash = "#/"

    def _open_job(self, job: JobId) -> None:
        """Show a job that was just created, unless the person went elsewhere meanwhile."""
        if self._state.route == "new":
            js.location.hash = f"#/job/{job}"

    async def _busy(self, action: str, job: JobId, work: Callable[[], Awaitable[None]]) -> None:
        """Do `work` while the button of `action` says so; show why it failed."""
        opened = self._state.open
        if opened is None or action in opened.busy:
            return
        self._change_open(job, busy=opened.busy | {action}, trouble=None)
        try:
            await work()
        except RoundtabError as error:
            self._change_open(job, trouble=Trouble.of(error))
        finally:
            if self._state.open:
                self._change_open(job, busy=self._state.open.busy - {action})

    async def _do(self, action: str, request: Callable[..., Request[Any]]) -> None:
        opened = self._state.open
        if opened:

            async def call() -> None:
                await self._client.call(request(job=opened.id))

            await self._busy(action, opened.id, call)

    async def _delete(self) -> None:
        await self._do("job.delete", JobsDelete)

    async def _download(self, data: dict[str, Any]) -> None:
        opened = self._state.open
        if opened:
            number, form = int(data["round"]), data["format"]

            async def read() -> None:
                file = await self._client.call(CheckpointsRead(job=opened.id, round=number, format=form))
                self._page.download(file.name, js_buffer(file.bytes.data))

            await self._busy(f"checkpoint.download {number} {form}", opened.id, read)

    async def _choose_format(self, data: dict[str, Any]) -> None:
        if self._state.open:
            self._change_open(self._state.open.id, format=data["format"])

    async def _choose_metric(self, data: dict[str, Any]) -> None:
        if self._state.open:
            self._change_open(self._state.open.id, metric=data["metric"])

    async def _show_all(self, data: dict[str, Any]) -> None:
        if self._state.open:
            self._change_open(self._state.open.id, whole=self._state.open.whole | {data["list"]})

    async def _copy(self, what: Literal["state", "snippet"]) -> None:
        opened = self._state.open
        text = opened and (opened.state_text if what == "state" else shown_code(opened, self._state.capabilities or ()))
        if opened and text:
            copied = await self._page.copyText(text)
            self._change_open(opened.id, copied=what if copied else "")
            await asyncio.sleep(COPIED)
            self._change_open(opened.id, copied="")

    async def _reload_page(self) -> None:
        js.location.reload()
