"""What happens in the validation panel: files are chosen and checked, a round is validated, other jobs are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from roundtab.api.client import Client, given
from roundtab.api.protocol import JobsValidate, ValidationsList
from roundtab.browser.files import BrowserFile
from roundtab.browser.pages.chosen_files import ChosenFiles, manifest_text
from roundtab.errors import RoundtabError, Stopped
from roundtab.records.ids import JobId
from roundtab.records.validations import Validation
from roundtab.views.workspace.file_rows import Role
from roundtab.views.workspace.state import OpenJob, Trouble, ValidateForm, WorkspaceState
from roundtab.views.workspace.validate_form import chosen_round, uses_own, why_never, why_not
from roundtab.views.workspace.validation import grouped


class ValidationProgram:
    """The panel's program. `get` and `put` reach the page's state; what is chosen belongs to one job.

    `save` saves bytes as a file of that name.
    """

    def __init__(
        self,
        client: Client,
        get: Callable[[], WorkspaceState],
        put: Callable[[WorkspaceState], None],
        save: Callable[[str, Any], None],
    ) -> None:
        self._client = client
        self._get = get
        self._put = put
        self._save = save
        self._files: dict[JobId, ChosenFiles] = {}
        """Those of the open job alone."""
        self._away: dict[JobId, ValidateForm] = {}
        """Forms of jobs that were left while a round of them was being validated."""

    @property
    def validating(self) -> bool:
        """Whether a round of some job is being validated."""
        opened = self._get().open
        forms = (*self._away.values(), *([opened.validate] if opened else ()))
        return any(form.busy == "validating" for form in forms)

    def went(self, before: OpenJob | None) -> None:
        """Another part of the page is shown; `before` is the job that was open."""
        opened = self._get().open
        if before and before.validate.busy and (opened is None or opened.id != before.id):
            self._away[before.id] = before.validate
        if opened and (form := self._away.pop(opened.id, None)):
            self._change_open(opened.id, validate=form)

    def enter(self, name: str, value: str) -> None:
        """A field was filled in."""
        if opened := self._get().open:
            values = {**opened.validate.values, name: value}
            self._change(opened.id, values=values, done=None)

    def choose(self, name: str, files: Sequence[BrowserFile]) -> None:
        """Files were chosen in the input `name`."""
        if opened := self._get().open:
            self._of(opened.id).choose(name, files)

    async def remove(self, role: Role, path: str) -> None:
        """Take a chosen file out again."""
        if opened := self._get().open:
            self._of(opened.id).remove(role, path)

    async def check(self, role: Role) -> None:
        """Check the chosen files, after that was stopped."""
        if opened := self._get().open:
            self._of(opened.id).check_again(role)

    async def make(self, role: Role) -> None:
        """Make a manifest of the chosen files."""
        if opened := self._get().open:
            await self._of(opened.id).make(role)

    async def download(self, role: Role) -> None:
        """Save the manifest."""
        if opened := self._get().open:
            await self._of(opened.id).download(role)

    async def stop(self) -> None:
        """Stop the check or the validation that is under way."""
        if opened := self._get().open:
            await self._of(opened.id).stop()

    async def validate(self) -> None:
        """Validate the chosen round on the chosen data, or show why not."""
        state, opened = self._get(), self._get().open
        if opened is None or opened.job is None or why_never(opened, opened.job, state.capabilities or ()):
            return
        if why_not(state, opened, opened.job):
            return
        job, form, files = opened.id, opened.validate, self._of(opened.id)
        request = JobsValidate(job=job, round=chosen_round(form, opened))
        call = files.begin("validating")
        self._change(job, done=None)
        try:
            sent: list[BrowserFile] = []
            if not uses_own(form, opened.job):
                sent = files["held_out"].files
                text = await manifest_text(files["held_out"].manifest)
                request = replace(request, manifest=text, files=given(sent))
            self._change(job, done=await self._client.call(request, sent, call))
        except Stopped:
            pass
        except RoundtabError as error:
            self._change(job, trouble=Trouble.of(error))
        finally:
            self._change(job, busy="", progress=None)

    async def compare(self) -> None:
        """Read what other jobs are worth on the data that the table has."""
        state, opened = self._get(), self._get().open
        if opened is None or opened.job is None:
            return
        job = opened.id
        self._change_open(job, busy=opened.busy | {"validations.compare"}, trouble=None)
        try:
            found: list[Validation] = []
            for group in grouped(opened, opened.job, state.capabilities or ()):
                found += (await self._client.call(ValidationsList(dataset_sha256=group.sha256))).items
            self._change_open(job, others=tuple(found))
        except RoundtabError as error:
            self._change_open(job, trouble=Trouble.of(error))
        finally:
            now = self._get().open
            self._change_open(job, busy=(now.busy if now else frozenset()) - {"validations.compare"})

    def _of(self, job: JobId) -> ChosenFiles:
        """The files chosen for the open job; those chosen for another one before it are forgotten."""
        if job not in self._files:
            get, change = partial(self._form, job), partial(self._change, job)
            self._files = {
                job: ChosenFiles(self._client, ("held_out",), get, change, lambda _: "validation", self._save)
            }
        return self._files[job]

    def _form(self, job: JobId) -> ValidateForm:
        opened = self._get().open
        return opened.validate if opened and opened.id == job else self._away.get(job, ValidateForm())

    def _change(self, job: JobId, **changes: Any) -> None:
        """Change the form; a result is not of files that are chosen after it."""
        if "held_out" in changes:
            changes["done"] = None
        form = replace(self._form(job), **changes)
        if job in self._away:
            self._away[job] = form
        self._change_open(job, validate=form)

    def _change_open(self, job: JobId, **changes: Any) -> None:
        """Change the open job, unless another one is open by now."""
        state = self._get()
        if state.open and state.open.id == job:
            self._put(replace(state, open=replace(state.open, **changes)))
