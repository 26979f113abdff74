"""The files that a person chose in a form, and their check: each set is checked once it is whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from roundtab.api.client import Client, given
from roundtab.api.protocol import ManifestsMake, ManifestsVerify, RequestsCancel
from roundtab.browser.ffi import js_buffer, spawn
from roundtab.browser.files import BrowserFile, text_file
from roundtab.data.manifests.manifest import MAX_BYTES
from roundtab.data.manifests.mistaken import is_list
from roundtab.errors import InvalidData, Problem, RoundtabError, Stopped
from roundtab.records.ids import new_id
from roundtab.views.workspace.file_rows import Role
from roundtab.views.workspace.state import ChosenData, ChosenFile, Form, Trouble

MANIFEST = "datapackage.json"

Part = Literal["train", "validation"] | None
"""Of a manifest; None is all of it."""


@dataclass(slots=True)
class Chosen:
    """The content behind a `ChosenData`."""

    manifest: BrowserFile | None = None
    files: list[BrowserFile] = field(default_factory=list)
    version: int = 0
    """Rises with every change, so that the result of a check is known to be of what is chosen now."""


class Change(Protocol):
    """Replaces fields of a form's state."""

    def __call__(self, **changes: Any) -> None:
        """The fields with their new values."""
        ...


class ChosenFiles:
    """The sets of files of one form, by role; the form's state has a `ChosenData` of that name for each."""

    def __init__(
        self,
        client: Client,
        roles: Sequence[Role],
        get: Callable[[], Form],
        change: Change,
        part: Callable[[Role], Part],
        save: Callable[[str, Any], None],
    ) -> None:
        """`part` tells which part of a manifest is wanted of a role; `save` saves bytes as a file of that name."""
        self._client = client
        self._get = get
        self._change = change
        self._part = part
        self._save = save
        self._chosen: dict[Role, Chosen] = {role: Chosen() for role in roles}
        self._unchecked: dict[Role, bool] = {}
        """What is still to be checked, in this order; True where its manifest is to be made first."""
        self._checking: Role | None = None

    def __getitem__(self, role: Role) -> Chosen:
        return self._chosen[role]

    def choose(self, name: str, files: Sequence[BrowserFile]) -> None:
        """Files were chosen in the input `name`, such as `data.manifest`; they are checked once all are there.

        A `datapackage.json` among data files is their manifest. Chosen files replace those of the same name.
        """
        role = next(role for role in self._chosen if name.startswith(f"{role}."))
        if not files or self._get().busy not in ("", "checking"):
            return
        chosen, made = self._of(role), self._shown(role).made
        added = {each.path: each for each in _in_folders(files, chosen.files)}
        manifest = files[0] if name.endswith(".manifest") else added.pop(MANIFEST, None)
        if manifest:
            chosen.manifest, made = manifest, None
        if not name.endswith(".manifest"):
            chosen.files = [*(each for each in chosen.files if each.path not in added), *added.values()]
        self._changed(role, made)

    def remove(self, role: Role, path: str) -> None:
        """Take a chosen file out again; no path is that of the manifest."""
        if self._get().busy not in ("", "checking"):
            return
        chosen, made = self._of(role), self._shown(role).made
        if path:
            chosen.files = [each for each in chosen.files if each.path != path]
        else:
            chosen.manifest, made = None, None
        self._changed(role, made)

    def check_again(self, role: Role) -> None:
        """Something else is wanted of the chosen files, or their check was stopped."""
        shown, chosen = self._shown(role), self._of(role)
        if shown != ChosenData():
            chosen.version += 1
            self._show(role, replace(shown, verified=None, trouble=None))
            if chosen.manifest and chosen.files:
                self._check_soon(role)

    def leave_alone(self, role: Role) -> None:
        """The chosen files are not needed now, so their check can end."""
        self._unchecked.pop(role, None)
        if self._checking == role:
            spawn(self.stop())

    def _of(self, role: Role) -> Chosen:
        """What is chosen; nothing where the form was emptied meanwhile."""
        if self._shown(role) == ChosenData():
            self._chosen[role] = Chosen(version=self._chosen[role].version + 1)
        return self._chosen[role]

    def _changed(self, role: Role, made: tuple[Problem, ...] | None) -> None:
        chosen = self._chosen[role]
        chosen.version += 1
        self._show(role, replace(_data_of(chosen, made), outdated=made is not None))
        if chosen.manifest and chosen.files:
            self._check_soon(role)
        elif self._checking == role:
            self._unchecked.pop(role, None)
            spawn(self.stop())

    async def make(self, role: Role) -> None:
        """Make a manifest of the chosen files, and check it as if it had been chosen."""
        if not self._get().busy:
            self._check_soon(role, make=True)

    async def download(self, role: Role) -> None:
        """Save the manifest."""
        self._save(MANIFEST, js_buffer((await manifest_text(self._chosen[role].manifest)).encode()))

    def begin(self, busy: str) -> str:
        """Note that a call begins; its id."""
        call = new_id("call")
        self._change(busy=busy, call=call, progress=None, trouble=None)
        return call

    async def stop(self) -> None:
        """Stop the call that is under way."""
        await self._client.call(RequestsCancel(id=self._get().call))

    def _check_soon(self, role: Role, *, make: bool = False) -> None:
        self._unchecked[role] = make
        if self._checking is None:
            spawn(self._check())
        elif self._checking == role:
            spawn(self.stop())  # what is being checked is no longer what is chosen

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
        call = self.begin("checking")
        chosen, shown = self._chosen[role], self._shown(role)
        version = chosen.version
        try:
            checksums = await manifest_text(chosen.manifest) if shown.listing else None
            request = ManifestsMake(files=given(chosen.files), checksums=checksums)
            made = await self._client.call(request, chosen.files, call)
        except Stopped:
            return False
        except RoundtabError as error:
            if chosen.version == version:
                self._show(role, replace(shown, verified=None, trouble=Trouble.of(error)))
            return False
        if chosen.version != version:
            return False
        chosen.manifest = text_file(MANIFEST, made.manifest)
        self._show(role, _data_of(chosen, made.notes))
        return True

    async def _verify(self, role: Role) -> None:
        """Check one set; the result is dropped when other files were chosen meanwhile."""
        call = self.begin("checking")
        chosen, shown = self._chosen[role], self._shown(role)
        version = chosen.version
        try:
            text = await manifest_text(chosen.manifest)
            if is_list(text):
                shown = replace(shown, listing=True, trouble=_LISTING)
            else:
                request = ManifestsVerify(manifest=text, files=given(chosen.files), part=self._part(role))
                verified = await self._client.call(request, chosen.files, call)
                shown = replace(shown, verified=verified)
        except Stopped:
            pass
        except RoundtabError as error:
            shown = replace(shown, trouble=Trouble.of(error))
        if chosen.version == version:
            self._show(role, shown)

    def _shown(self, role: Role) -> ChosenData:
        shown: ChosenData = getattr(self._get(), role)
        return shown

    def _show(self, role: Role, data: ChosenData) -> None:
        self._change(**{role: data}, trouble=None)


_LISTING = Trouble(
    problem="This is a list of checksums, not a manifest.", action="Make a manifest from it and these files."
)


def _in_folders(added: Sequence[BrowserFile], chosen: Sequence[BrowserFile]) -> list[BrowserFile]:
    """The added files; one that was chosen by itself takes the place of the only one of its name in some folder."""
    names = Counter(each.path.rsplit("/", 1)[-1] for each in chosen)
    folders = {base: each.path for each in chosen if names[base := each.path.rsplit("/", 1)[-1]] == 1}
    return [BrowserFile(each.file, folders.get(each.path, each.path)) for each in added]


def _data_of(chosen: Chosen, made: tuple[Problem, ...] | None) -> ChosenData:
    manifest = _file_of(chosen.manifest) if chosen.manifest else None
    return ChosenData(manifest=manifest, files=tuple(map(_file_of, chosen.files)), made=made)


def _file_of(file: BrowserFile) -> ChosenFile:
    return ChosenFile(name=file.path, size=file.size)


async def manifest_text(manifest: BrowserFile | None) -> str:
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
