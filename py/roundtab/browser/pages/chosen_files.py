"""The files that a person chose in a form, and their check: each set is checked once it is whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from roundtab.api.client import Client, given
from roundtab.api.protocol import ManifestsVerify, RequestsCancel
from roundtab.browser.ffi import spawn
from roundtab.browser.files import BrowserFile
from roundtab.data.manifest import MAX_BYTES
from roundtab.errors import InvalidData, RoundtabError, Stopped
from roundtab.records.ids import new_id
from roundtab.views.workspace.files import Role
from roundtab.views.workspace.state import ChosenData, ChosenFile, Form, Trouble


@dataclass(slots=True)
class Chosen:
    """The content behind a `ChosenData`."""

    manifest: BrowserFile | None = None
    files: list[BrowserFile] = field(default_factory=list)


class Change(Protocol):
    """Replaces fields of a form's state."""

    def __call__(self, **changes: Any) -> None:
        """The fields with their new values."""
        ...


class ChosenFiles:
    """The sets of files of one form, by role; the form's state has a `ChosenData` of that name for each."""

    def __init__(self, client: Client, roles: Sequence[Role], get: Callable[[], Form], change: Change) -> None:
        self._client = client
        self._get = get
        self._change = change
        self._chosen: dict[Role, Chosen] = {role: Chosen() for role in roles}
        self._unchecked: dict[Role, None] = {}
        """What is still to be checked, in this order."""
        self._checking: Role | None = None

    def __getitem__(self, role: Role) -> Chosen:
        return self._chosen[role]

    def choose(self, name: str, files: Sequence[Any]) -> None:
        """Files were chosen in the input `name`, such as `data.manifest`; they are checked once all are there."""
        if self._get().busy not in ("", "checking"):
            return
        role = next(role for role in self._chosen if name.startswith(f"{role}."))
        if getattr(self._get(), role) == ChosenData():
            self._chosen[role] = Chosen()  # the form was emptied meanwhile
        chosen = self._chosen[role]
        if name.endswith(".manifest"):
            chosen.manifest = BrowserFile(files[0]) if files else chosen.manifest
        else:
            added = {each.path: each for each in map(BrowserFile, files)}
            chosen.files = [*(each for each in chosen.files if each.path not in added), *added.values()]
        shown = tuple(_shown(each) for each in chosen.files)
        manifest = _shown(chosen.manifest) if chosen.manifest else None
        self._data(role, ChosenData(manifest=manifest, files=shown))
        if not (chosen.manifest and chosen.files):
            return
        self._unchecked[role] = None
        if self._checking is None:
            spawn(self._check())
        elif self._checking == role:
            spawn(self.stop())  # what is being checked is no longer what is chosen

    def begin(self, busy: str) -> str:
        """Note that a call begins; its id."""
        call = new_id("call")
        self._change(busy=busy, call=call, progress=None, trouble=None)
        return call

    async def stop(self) -> None:
        """Stop the call that is under way."""
        await self._client.call(RequestsCancel(id=self._get().call))

    async def _check(self) -> None:
        """Check what was chosen, one set after the other."""
        try:
            while self._unchecked:
                role = next(iter(self._unchecked))
                del self._unchecked[role]
                self._checking = role
                await self._verify(role)
        finally:
            self._checking = None
            self._change(busy="", progress=None)

    async def _verify(self, role: Role) -> None:
        """Check one set; the result is dropped when other files were chosen meanwhile."""
        call = self.begin("checking")
        chosen = self._chosen[role]
        shown = getattr(self._get(), role)
        try:
            text = await manifest_text(chosen.manifest)
            request = ManifestsVerify(manifest=text, files=given(chosen.files), held_out=role != "data")
            shown = replace(shown, verified=await self._client.call(request, chosen.files, call))
        except Stopped:
            pass
        except RoundtabError as error:
            shown = replace(shown, trouble=Trouble.of(error))
        if role not in self._unchecked:
            self._data(role, shown)

    def _data(self, role: Role, data: ChosenData) -> None:
        self._change(**{role: data}, trouble=None)


def _shown(file: BrowserFile) -> ChosenFile:
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
