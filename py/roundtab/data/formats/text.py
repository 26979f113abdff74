"""The text of a file in blocks of whole lines: UTF-8 without a byte order mark, or words on what it is instead."""

from __future__ import annotations

import codecs
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from roundtab.clock import Clock, Slice
from roundtab.data.files import FileSource
from roundtab.errors import InvalidData, Problem

BLOCK = 2**17
"""Bytes read, decoded and converted in one step: a few milliseconds in a browser."""

MAX_LINE = 2**22
"""Characters."""

MAX_OPEN = 2**20
"""Characters of rows that a quotation mark keeps open; a single cell may have 131,072."""

Progress = Callable[[int], None]
"""Called with the number of bytes that are done. May raise to stop the work."""


async def blocks(source: FileSource, clock: Clock, progress: Progress | None = None) -> AsyncGenerator[str, None]:
    """The text of `source`; each block but the last ends with a line feed.

    Raises `InvalidData` for a byte order mark, for bytes that are not UTF-8 (with the line, and a guess what they are)
    and for NUL characters; `OSError` where the file cannot be read any more.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    pace = Slice(clock)
    rest, line, offset = "", 1, 0
    async with aclosing(source.stream(BLOCK)) as stream:
        async for data in stream:
            if not offset:
                _check_mark(source.path, data)
            offset += len(data)
            try:
                text = rest + decoder.decode(data, offset == source.size)
            except UnicodeDecodeError as error:
                line += rest.count("\n") + error.object.count(b"\n", 0, error.start)
                raise _not_utf8(source.path, line, error) from None
            if "\0" in text:
                line += text.count("\n", 0, text.index("\0"))
                raise refusal(source.path, f"Line {line:,} has a NUL character in it: this is no text file.", _SAVE)
            if progress:
                progress(offset)
            end = text.rfind("\n") + 1
            if end:
                yield text[:end]
                line += text.count("\n")
            rest = text[end:]
            if len(rest) > MAX_LINE:
                raise refusal(source.path, f"Line {line:,} has more than {MAX_LINE:,} characters.", _SAVE)
            await pace.pause()
    if rest:
        yield rest


async def rows(
    source: FileSource, quote: str, clock: Clock, progress: Progress | None = None
) -> AsyncGenerator[tuple[str, bool], None]:
    """The text of `source` in whole rows, and whether there are quotes in them: a quoted cell may have line feeds.

    Raises as `blocks` does, and `InvalidData` for a quotation mark that stays open over more than `MAX_OPEN`
    characters. One that is open at the end of the file is the reader's to tell.
    """
    opened, line, number = "", 1, 1
    async with aclosing(blocks(source, clock, progress)) as given:
        async for block in given:
            text = opened + block if opened else block
            quoted = quote in text
            line += block.count("\n")
            if quoted and text.count(quote) % 2:
                opened = text
                if len(text) > MAX_OPEN:
                    problem = f"In line {number:,} or a later one, a quotation mark is opened and not closed."
                    raise refusal(source.path, problem, "Close it, or double the marks that belong to a cell.")
            else:
                opened, number = "", line
                yield text, quoted
    if opened:
        yield opened, True


_SAVE = "Save the table as CSV, in UTF-8."


def _check_mark(path: str, data: bytes) -> None:
    for mark, name in ((codecs.BOM_UTF16_LE, "UTF-16"), (codecs.BOM_UTF16_BE, "UTF-16")):
        if data.startswith(mark):
            raise refusal(path, f"The file is text in {name}.", "Save it as UTF-8.")
    if data.startswith(codecs.BOM_UTF8):
        raise refusal(path, "The file begins with a byte order mark.", "Save it as UTF-8 without one.")
    if data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0")):
        raise refusal(path, "The file is a spreadsheet or an archive, no text file.", _SAVE)


def _not_utf8(path: str, line: int, error: UnicodeDecodeError) -> InvalidData:
    """What stands there in the encoding that spreadsheets on Windows write, with what is around it."""
    around = error.object[max(0, error.start - 12) : error.start + 12].split(b"\n")
    guess = max(around, key=len).decode("cp1252", "replace").strip()
    problem = f"Line {line:,} is not UTF-8 (byte 0x{error.object[error.start]:02x})."
    return refusal(path, problem, f"Save the file as UTF-8; as Windows-1252 the place reads {guess!r}.")


def refusal(path: str, problem: str, action: str) -> InvalidData:
    """The error for a file that cannot be read for one reason."""
    return InvalidData(
        f"{path} cannot be read.", "See the problem listed.", [Problem(path=path, problem=problem, action=action)]
    )
