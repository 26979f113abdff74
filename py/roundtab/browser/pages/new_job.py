"""What happens in the form for a new job: files are chosen and checked, manifests made of them, the job is created."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import js

from roundtab.api.client import Client, given
from roundtab.api.protocol import JobsCreate, ManifestsMake, ManifestsVerify, RequestsCancel, ValidationInput
from roundtab.browser.ffi import is_missing, js_buffer, spawn
from roundtab.browser.files import BrowserFile, text_file
from roundtab.browser.pages.samples import read_sample
from roundtab.data.importers.sha256sum import looks_like_list
from roundtab.data.manifest import MAX_BYTES
from roundtab.errors import InvalidData, Problem, RoundtabError, Stopped
from roundtab.records import strict_json
from roundtab.records.ids import JobId, new_id
from roundtab.records.values import Json
from roundtab.views.workspace.files import Role
from roundtab.views.workspace.form import chosen_sample, uses_sample, validation_choice
from roundtab.views.workspace.specification import form_problems, form_spec
from roundtab.views.workspace.state import ChosenData, ChosenFile, NewJob, Trouble, WorkspaceState


@dataclass(slots=True)
class _Chosen:
    """The content behind a `ChosenData`."""

    manifest: BrowserFile | None = None
    files: list[BrowserFile] = field(default_factory=list)


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
        self._save = save
        self._chosen: dict[Role, _Chosen] = {"data": _Chosen(), "validation": _Chosen()}
        self._unchecked: dict[Role, bool] = {}
        """What is still to be checked, in this order; True where its manifest is to be made first."""
        self._checking: Role | None = None

    def enter(self, name: str, value: str) -> None:
        """A field was filled in."""
        form = self._get().form
        self._change(values={**form.values, name: value}, trouble=None)

    def choose(self, name: str, files: Sequence[Any]) -> None:
        """Files were chosen in the input `name`, such as `data.manifest`; they are checked once all are there."""
        if self._get().form.busy == "creating":
            return
        role: Role = "validation" if name.startswith("validation") else "data"
        chosen, made = self._chosen[role], getattr(self._get().form, role).made
        if name.endswith(".manifest"):
            chosen.manifest, made = (BrowserFile(files[0]), None) if files else (chosen.manifest, made)
        else:
            added = {each.path: each for each in map(BrowserFile, files)}
            chosen.files = [*(each for each in chosen.files if each.path not in added), *added.values()]
        self._data(role, _shown_all(chosen, made))
        if chosen.manifest and chosen.files:
            self._check_soon(role)

    async def make(self, role: Role) -> None:
        """Make a manifest of the chosen files, and check it as if it had been chosen."""
        if not self._get().form.busy:
            self._check_soon(role, make=True)

    async def download(self, role: Role) -> None:
        """Save the manifest."""
        self._save("datapackage.json", js_buffer((await _text(self._chosen[role].manifest)).encode()))

    def _check_soon(self, role: Role, *, make: bool = False) -> None:
        self._unchecked[role] = make
        if self._checking is None:
            spawn(self._check())
        elif self._checking == role:
            spawn(self.stop())  # what is being checked is no longer what is chosen

    async def stop(self) -> None:
        """Stop the check or the creation that is under way."""
        await self._client.call(RequestsCancel(id=self._get().form.call))

    async def create(self) -> None:
        """Create the job, or show why not."""
        state = self._get()
        if state.form.busy or form_problems(state):
            return
        self._begin("creating")
        if not is_missing(js.navigator.storage):
            spawn(_ask_to_keep())
        try:
            manifest, validation, files = await self._data_for(state)
            request = JobsCreate(spec=form_spec(state), manifest=manifest, validation=validation, files=given(files))
            job = await self._client.call(request, files, self._get().form.call)
        except Stopped:
            pass
        except RoundtabError as error:
            self._change(trouble=Trouble.of(error))
        else:
            self._chosen = {"data": _Chosen(), "validation": _Chosen()}
            self._put(replace(self._get(), form=NewJob()))
            self._opened(job.id)
        finally:
            self._change(busy="", progress=None)

    async def _data_for(self, state: WorkspaceState) -> tuple[Json, ValidationInput | None, list[BrowserFile]]:
        """Manifest, validation manifest and files of the request."""
        sample = chosen_sample(state)
        if uses_sample(state.form) and sample:
            text, files = await read_sample(sample)
        else:
            text, files = await _text(self._chosen["data"].manifest), self._chosen["data"].files
        choice = validation_choice(state.form)
        if choice == "manifest":
            return text, None, files
        manifest = _without_validation(text)
        if choice == "none":
            return manifest, None, files
        other = self._chosen["validation"]
        return manifest, ValidationInput(manifest=await _text(other.manifest)), [*files, *other.files]

    async def _check(self) -> None:
        """Check what was chosen, one set after the other."""
        try:
            while self._unchecked:
                role = next(iter(self._unchecked))
                make = self._unchecked.pop(role)
                self._checking = role
                if not make or await self._make(role):
                    await self._verify(role)
        finally:
            self._checking = None
            self._change(busy="", progress=None)

    async def _make(self, role: Role) -> bool:
        """Make the manifest of one set; whether there is one now. Nothing changes when other files were chosen."""
        self._begin("checking")
        chosen = self._chosen[role]
        shown: ChosenData = getattr(self._get().form, role)
        try:
            checksums = await _text(chosen.manifest) if shown.listing else None
            request = ManifestsMake(files=given(chosen.files), checksums=checksums)
            made = await self._client.call(request, chosen.files, self._get().form.call)
        except Stopped:
            return False
        except RoundtabError as error:
            if role not in self._unchecked:
                self._data(role, replace(shown, verified=None, trouble=Trouble.of(error)))
            return False
        if role in self._unchecked:
            return False
        chosen.manifest = text_file("datapackage.json", made.manifest)
        self._data(role, _shown_all(chosen, made.notes))
        return True

    async def _verify(self, role: Role) -> None:
        """Check one set; the result is dropped when other files were chosen meanwhile."""
        self._begin("checking")
        chosen = self._chosen[role]
        shown = getattr(self._get().form, role)
        try:
            text = await _text(chosen.manifest)
            if looks_like_list(text):
                shown = replace(shown, listing=True, trouble=_LISTING)
            else:
                request = ManifestsVerify(manifest=text, files=given(chosen.files))
                shown = replace(shown, verified=await self._client.call(request, chosen.files, self._get().form.call))
        except Stopped:
            pass
        except RoundtabError as error:
            shown = replace(shown, trouble=Trouble.of(error))
        if role not in self._unchecked:
            self._data(role, shown)

    def _begin(self, busy: str) -> None:
        self._change(busy=busy, call=new_id("call"), progress=None, trouble=None)

    def _data(self, role: Role, data: ChosenData) -> None:
        self._change(**{role: data}, trouble=None)

    def _change(self, **changes: Any) -> None:
        state = self._get()
        self._put(replace(state, form=replace(state.form, **changes)))


async def _ask_to_keep() -> None:
    """Ask the browser not to clear what is stored here. It decides by itself or asks the person."""
    await js.navigator.storage.persist()


_LISTING = Trouble(
    problem="This is a list of checksums, not a manifest.", action="Make a manifest from it and these files."
)


def _shown_all(chosen: _Chosen, made: tuple[Problem, ...] | None) -> ChosenData:
    manifest = _shown(chosen.manifest) if chosen.manifest else None
    return ChosenData(manifest=manifest, files=tuple(_shown(each) for each in chosen.files), made=made)


def _shown(file: BrowserFile) -> ChosenFile:
    return ChosenFile(name=file.path, size=file.size)


async def _text(manifest: BrowserFile | None) -> str:
    """The text of a manifest file. Raises `InvalidData` for one that is too large, gone or no text."""
    if manifest is None:
        raise InvalidData("No manifest is chosen.", "Choose datapackage.json.")
    if manifest.size > MAX_BYTES:
        raise InvalidData(f"{manifest.path} is larger than {MAX_BYTES:,} bytes.", "Choose the manifest of the data.")
    try:
        return (await manifest.read(0, manifest.size)).decode("utf-8")
    except OSError:
        raise InvalidData(f"{manifest.path} was changed or removed since it was chosen.", "Choose it again.") from None
    except UnicodeDecodeError as error:
        problem = f"{manifest.path} is not UTF-8 text (byte {error.start})."
        raise InvalidData(problem, "Save it as UTF-8, then choose it again.") from None


def _without_validation(text: str) -> Json:
    """The manifest without the files that it marks as validation data."""
    manifest = strict_json.parse(text.removeprefix("\ufeff"), max_bytes=MAX_BYTES, what="manifest")
    if isinstance(manifest, dict) and isinstance(manifest.get("resources"), list):
        manifest["resources"] = [
            each
            for each in manifest["resources"]
            if not (isinstance(each, dict) and each.get("fl:split") == "validation")
        ]
    return manifest
