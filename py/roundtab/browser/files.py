"""Chosen files of the browser as `FileSource`s."""

from __future__ import annotations

from typing import Any

import js
from pyodide.ffi import JsException

from roundtab.browser.ffi import error_name, js_list, py_bytes


class BrowserFile:
    """A JavaScript File. Unless given, its path is `webkitRelativePath` below the picked folder, or its name."""

    def __init__(self, file: Any, path: str = "") -> None:
        self.file = file
        self.path = path or str(file.webkitRelativePath).partition("/")[2] or str(file.name)
        self.size = int(file.size)

    async def read(self, offset: int, length: int) -> bytes:
        """Bytes of the file. Raises `OSError` when it was changed, `FileNotFoundError` when it was removed."""
        try:
            return py_bytes(await self.file.slice(offset, offset + length).arrayBuffer())
        except JsException as error:
            kind = FileNotFoundError if error_name(error) == "NotFoundError" else OSError
            raise kind(f"{self.path}: {error_name(error)}") from None


def text_file(name: str, text: str) -> BrowserFile:
    """A file with this text, like one that a person chose."""
    return BrowserFile(js.File.new(js_list([text]), name))
