"""Chosen files of the browser as `FileSource`s."""

from __future__ import annotations

from typing import Any

import js
from pyodide.code import run_js
from pyodide.ffi import JsException

from roundtab.browser.ffi import error_name, is_missing, js_list, py_bytes
from roundtab.data.files import Stream, in_pieces


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
            raise _unreadable(self.path, error) from None

    def stream(self, piece: int) -> Stream:
        """All bytes in order."""
        return self._ahead(piece) if _reads_ahead else in_pieces(self, piece)

    async def _ahead(self, piece: int) -> Stream:
        """The browser reads on while a piece is looked at, and always into the same buffer."""
        reader, buffer, done = _reader(self.file), js.ArrayBuffer.new(piece), 0
        try:
            while done < self.size:
                found = await reader.read(js.Uint8Array.new(buffer))
                data = b"" if is_missing(found.value) else found.value.to_bytes()
                if not data:
                    raise OSError(f"{self.path} is shorter than it was")
                buffer = found.value.buffer  # the last piece does not fill it, and comes with `done`
                done += len(data)
                yield data
        except JsException as error:
            await self.read(done, 1)  # a stream does not tell a removed file from a changed one; this does
            raise _unreadable(self.path, error) from None
        finally:
            reader.cancel()


_reader = run_js(
    """
    (file) => {
      const reader = file.stream().getReader({ mode: "byob" });
      const cancel = () => reader.cancel().catch(() => {}); // nobody waits for it
      return { read: (view) => reader.read(view, { min: view.byteLength }), cancel };
    }
    """
)
"""Reads a file in order into buffers that it is given, each full before the next."""

_reads_ahead: bool = run_js(
    """
    (() => {
      try {
        new Blob(["x"]).stream().getReader({ mode: "byob" }).cancel();
        return true;
      } catch {
        return false;
      }
    })()
    """
)


def _unreadable(path: str, error: JsException) -> OSError:
    kind = FileNotFoundError if error_name(error) == "NotFoundError" else OSError
    return kind(f"{path}: {error_name(error)}")


def text_file(name: str, text: str) -> BrowserFile:
    """A file with this text, like one that a person chose."""
    return BrowserFile(js.File.new(js_list([text]), name))
