"""Lists of checksums are read as their tools write them; every line that is none is told with its number."""

from __future__ import annotations

import hashlib
import subprocess
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtab.clock import Slice, SystemClock
from roundtab.data.importers.listing import LIST, Listed
from roundtab.data.importers.sha256sum import (
    MAX_BYTES,
    MAX_ENTRIES,
    MAX_LINE,
    MAX_LINES,
    MAX_PROBLEMS,
    read_checksums,
)
from roundtab.data.manifests.mistaken import is_list
from roundtab.errors import InvalidData

T = TypeVar("T")
DIGEST = hashlib.sha256(b"x").hexdigest()


async def read(text: str) -> tuple[Listed, ...]:
    """The entries."""
    return await read_checksums(text, Slice(SystemClock()))


async def faults(text: str) -> list[str]:
    """Why a list is refused."""
    with pytest.raises(InvalidData) as caught:
        await read(text)
    assert {each.path for each in caught.value.problems} == {LIST}
    assert all(each.action for each in caught.value.problems)
    return [each.problem for each in caught.value.problems]


@pytest.mark.parametrize(
    ("line", "path"),
    [
        (f"{DIGEST}  a.csv", "a.csv"),
        (f"{DIGEST} *a.csv", "a.csv"),
        (f"{DIGEST} a.csv", "a.csv"),
        (f"{DIGEST}\ta.csv", "a.csv"),
        (f"{DIGEST.upper()}  ./x/a b.csv", "x/a b.csv"),
        (f"{DIGEST}  a.csv\r", "a.csv"),
        (f"\ufeff{DIGEST}  a.csv", "a.csv"),
        (f"{DIGEST}  a\u0308.csv", "ä.csv"),
        (f"SHA256 (x/a.csv) = {DIGEST}", "x/a.csv"),
        (f"SHA256 (a (1) = b.csv) = {DIGEST}\r", "a (1) = b.csv"),
        (f"SHA-256 (./a.csv) = {DIGEST.upper()}", "a.csv"),
        (f"{DIGEST}  SHA256 (a.csv) = b", "SHA256 (a.csv) = b"),
    ],
)
async def test_each_way_to_write_a_line_is_read(line: str, path: str) -> None:
    """Text and binary form, BSD form, Windows line ends, capital digits, names in another Unicode form."""
    for text in (line, line + "\n", f"\n# made by hand\n \n{line}\n\n".replace("\ufeff", "")):
        (entry,) = await read(text)
        assert (entry.path, entry.algorithm, entry.digest) == (path, "sha256", DIGEST)
    assert entry.line == 4
    assert is_list(line)


@pytest.mark.parametrize("kind", ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"])
async def test_the_number_of_digits_says_which_checksum_it_is(kind: str) -> None:
    """And a tag must agree with it."""
    digest = hashlib.new(kind, b"x").hexdigest()
    (entry,) = await read(f"{digest}  a.csv")
    assert entry == Listed(path="a.csv", algorithm=kind, digest=digest, line=1)
    assert (await read(f"{kind.upper()} (a.csv) = {digest}"))[0] == entry


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (f"{DIGEST[:-1]}  a.csv", "A checksum has 64 digits (sha256), or 32, 40, 56, 96 or 128; this has 63."),
        (f"{DIGEST}", "There is a checksum and no name of a file."),
        (f"{DIGEST}  ", "There is a checksum and no name of a file."),
        (f"SHA256 () = {DIGEST}", "There is a checksum and no name of a file."),
        (f"{DIGEST}  -", "It names no file: - is what was piped in."),
        ("a.csv  " + DIGEST, f"'a.csv  {DIGEST[:53]}' is no checksum and name."),
        ("<!doctype html>", "'<!doctype html>' is no checksum and name."),
        (f"MD5 (a.csv) = {DIGEST}", "It says MD5, but the number of its digits is that of SHA-256."),
        (f"BLAKE2b (a.csv) = {DIGEST * 2}", "The checksum 'BLAKE2b' is not supported."),
        ("0" * 64 + "  a.csv", "This is a placeholder, not a checksum."),
        (f"{DIGEST}  ../a.csv", "The part '..' leaves or repeats the folder."),
        (f"{DIGEST}  /a.csv", "The path is absolute."),
        (f"{DIGEST}  x\\a.csv", "The part 'x\\\\a.csv' has one of \\ : * ? \" < > | in it."),
        (f"\\{DIGEST}  a\\nb.csv", "The part 'a\\nb.csv' has an invisible control character in it."),
        (f"\\{DIGEST}  a\\tb.csv", "The name is escaped in an unknown way."),
        (f"\\{DIGEST}  a\\", "The name is escaped in an unknown way."),
        (f"{DIGEST}  {'x' * MAX_LINE}", "The line has more than 8,192 characters."),
    ],
)
async def test_a_line_that_cannot_be_used_is_told_with_its_number(line: str, fault: str) -> None:
    """None is skipped, however good the others are."""
    assert await faults(f"{DIGEST}  b.csv\n{line}\n") == [f"Line 2: {fault}"]


async def test_a_file_stands_there_once() -> None:
    """Whether with the same checksum or with another."""
    other = hashlib.sha256(b"y").hexdigest()
    assert await faults(f"{DIGEST}  a.csv\n{DIGEST} *./a.csv\n{other}  a.csv\n") == [
        "Line 2: 'a.csv' stands in line 1 already.",
        "Line 3: 'a.csv' stands in line 1 already, with another checksum.",
    ]


async def test_what_is_no_list_at_all_is_refused() -> None:
    """Empty, too large, too many lines, too many entries."""
    assert await faults("\n# nothing\n") == ["There are no checksums in it."]
    assert await faults("x" * (MAX_BYTES + 1)) == ["It is larger than 4,194,304 bytes."]
    assert await faults("ä" * (MAX_BYTES // 2 + 1)) == ["It is larger than 4,194,304 bytes."]
    assert await faults("\n" * (MAX_LINES + 1)) == ["It has more than 50,000 lines."]
    many = "".join(f"{DIGEST}  {each}.csv\n" for each in range(MAX_ENTRIES + 1))
    assert await faults(many) == ["It has more than 10,000 entries."]
    assert len(await read(many[: many.rindex("\n", 0, -1)])) == MAX_ENTRIES


async def test_many_bad_lines_are_counted() -> None:
    """The first twenty are told."""
    found = await faults("bad\n" * 100)
    assert len(found) == MAX_PROBLEMS + 1
    assert found[-1] == "80 more problems follow."


@pytest.mark.parametrize("text", ["", "{}", '{"name": "wine"}', "name: wine\n", "a,b,y\n1,2,3\n", f"x\n{DIGEST}\n"])
def test_another_text_does_not_look_like_a_list(text: str) -> None:
    """None of its lines has a checksum and a path."""
    assert not is_list(text)


@pytest.mark.parametrize(
    "text", [f"x\n{DIGEST}  a.csv", f"{DIGEST}  /home/me/a.csv\n", f"# mine\n{DIGEST} *a b.csv\r\n"]
)
def test_a_list_with_lines_that_are_wrong_is_one(text: str) -> None:
    """So that its faults are told by their line numbers."""
    assert is_list(text)


@pytest.mark.cpython_only(reason="runs sha256sum")
@pytest.mark.parametrize("options", [[], ["--binary"], ["--tag"]], ids=["text", "binary", "bsd"])
def test_what_sha256sum_writes_is_read(tmp_path: Path, options: list[str]) -> None:
    """With the names that it escapes, which no manifest can have: that is told."""
    for name, words in (("./b c.csv", ""), ("back\\slash", "has one of"), ("line\nfeed", "control character")):
        (tmp_path / name).write_bytes(b"x")
        command = ["sha256sum", *options, name]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        if words:
            assert words in drive(faults(done.stdout))[0]
        else:
            (entry,) = drive(read(done.stdout))
            assert entry == Listed(path="b c.csv", algorithm="sha256", digest=DIGEST, line=1)


def drive(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run what never has to wait: the text is short."""
    try:
        while True:
            coroutine.send(None)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


PART = st.sampled_from(
    [DIGEST, DIGEST[:32], "\\", " ", "  ", " *", "a.csv", "(", ") = ", "SHA256 (", "\n", "\r", "#", "é", "\x00"]
)


@given(st.lists(PART, max_size=30).map("".join) | st.text(max_size=100))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing makes the reading itself fail; what is read keeps the rules."""
    try:
        entries = drive(read(text))
    except InvalidData:
        return
    assert entries
    assert len({each.path for each in entries}) == len(entries)


async def test_reading_gives_way_in_short_steps() -> None:
    """Between two breaths a few milliseconds pass, however hard the lines are to read."""

    class WatchedClock(SystemClock):
        breaths = 0

        async def breathe(self) -> None:
            self.breaths += 1

    clock = WatchedClock()
    since = time.perf_counter()
    hard = f"{') = ' * 2_000}\n{'(' * 8_000}\n{'f' * 8_000}\n{' ' * 7_000}x\n" * 160
    with pytest.raises(InvalidData):
        await read_checksums(hard[:MAX_BYTES], Slice(clock))
    assert clock.breaths >= (time.perf_counter() - since) / 0.1
