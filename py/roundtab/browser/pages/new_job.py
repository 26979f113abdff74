"""What happens in the form for a new job: files are chosen and checked, manifests made of them, the job is created."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import js

from roundtab.api.client import Client, given
from roundtab.api.protocol import JobsCreate, ValidationInput
from roundtab.browser.ffi import is_missing, spawn
from roundtab.browser.files import BrowserFile
from roundtab.browser.pages.chosen_files import ChosenFiles, Part, manifest_text
from roundtab.browser.pages.samples import read_sample
from roundtab.errors import RoundtabError, Stopped
from roundtab.records.ids import JobId
from roundtab.views.workspace.file_rows import Role
from roundtab.views.workspace.form import chosen_sample, roles_in_use, uses_sample, validation_choice
from roundtab.views.workspace.specification import form_problems, form_spec
from roundtab.views.workspace.state import NewJob, Trouble, WorkspaceState


class NewJobForm:
    """The form's program. `get` and `put` reach the page's state; `opened` is called with a new job.

    `save` saves bytes as a file of that name.
    """

    def __init__(
        self,
        client: Client,
        get: Callable[[], WorkspaceState],
        put: Callable[[WorkspaceState], None],
        opened: Callable[[JobId], None],
        save: Callable[[str, Any], None],
    ) -> None:
        self._client = client
        self._get = get
        self._put = put
        self._opened = opened
        self._chosen = ChosenFiles(client, ("data", "validation"), lambda: get().form, self._change, self._part, save)

    def enter(self, name: str, value: str) -> None:
        """A field was filled in. Another part of the data may be needed by then."""
        form, before, used = self._get().form, self._part("data"), roles_in_use(self._get())
        self._change(values={**form.values, name: value}, trouble=None)
        needed = roles_in_use(self._get())
        for role in used - needed:
            self._chosen.leave_alone(role)
        for role in needed:
            if role not in used or (role == "data" and self._part("data") != before):
                self._chosen.check_again(role)

    def choose(self, name: str, files: Sequence[BrowserFile]) -> None:
        """Files were chosen in the input `name`, such as `data.manifest`."""
        self._chosen.choose(name, files)

    async def remove(self, role: Role, path: str) -> None:
        """Take a chosen file out again."""
        self._chosen.remove(role, path)

    async def check(self, role: Role) -> None:
        """Check the chosen files, after that was stopped."""
        self._chosen.check_again(role)

    async def make(self, role: Role) -> None:
        """Make a manifest of the chosen files."""
        await self._chosen.make(role)

    async def download(self, role: Role) -> None:
        """Save the manifest."""
        await self._chosen.download(role)

    async def stop(self) -> None:
        """Stop the check or the creation that is under way."""
        await self._chosen.stop()

    async def create(self) -> None:
        """Create the job, or show why not."""
        state = self._get()
        if state.form.busy or form_problems(state):
            return
        self._chosen.begin("creating")
        if not is_missing(js.navigator.storage):
            spawn(_ask_to_keep())
        try:
            request, files = await self._request(state)
            job = await self._client.call(request, files, self._get().form.call)
        except Stopped:
            pass
        except RoundtabError as error:
            self._change(trouble=Trouble.of(error))
        else:
            self._put(replace(self._get(), form=NewJob()))
            self._opened(job.id)
        finally:
            self._change(busy="", progress=None)

    async def _request(self, state: WorkspaceState) -> tuple[JobsCreate, list[BrowserFile]]:
        """What the form asks for, and the files that go with it."""
        sample = chosen_sample(state)
        if uses_sample(state.form) and sample:
            text, files = await read_sample(sample)
        else:
            text, files = await manifest_text(self._chosen["data"].manifest), self._chosen["data"].files
        choice, held_out, other = validation_choice(state), None, self._chosen["validation"]
        if choice == "other":
            own = given(other.files, first=len(files))
            held_out = ValidationInput(manifest=await manifest_text(other.manifest), files=own)
        request = JobsCreate(
            spec=form_spec(state),
            manifest=text,
            validation=held_out,
            ignore_split=choice != "manifest",
            files=given(files),
        )
        return request, [*files, *(other.files if held_out else ())]

    def _part(self, role: Role) -> Part:
        """The part of a manifest that is needed."""
        if role == "validation":
            return "validation"
        return None if validation_choice(self._get()) == "manifest" else "train"

    def _change(self, **changes: Any) -> None:
        state = self._get()
        self._put(replace(state, form=replace(state.form, **changes)))


async def _ask_to_keep() -> None:
    """Ask the browser not to clear what is stored here. It decides by itself or asks the person."""
    await js.navigator.storage.persist()
