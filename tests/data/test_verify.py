"""Files are checked against their manifest: names, then sizes, then checksums."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from roundtab.clock import SystemClock
from roundtab.data.files import FileSource, MemoryFile
from roundtab.data.hashing import STEP
from roundtab.data.manifests.manifest import Manifest, parse_manifest
from roundtab.data.verify import Verification, verify
from roundtab.errors import Stopped


def manifest_of(**contents: bytes) -> Manifest:
    """A manifest of files by path; `__` stands for a slash and `_` for a dot."""
    resources = [
        {
            "name": f"r{number}",
            "path": path.replace("__", "/").replace("_", "."),
            "format": "npy",
            "bytes": len(data),
            "hash": f"sha256:{hashlib.sha256(data).hexdigest()}",
        }
        for number, (path, data) in enumerate(contents.items())
    ]
    return parse_manifest({"name": "x", "resources": resources})


async def check(manifest: Manifest, *files: FileSource, **options: Any) -> Verification:
    """The result for `files`."""
    return await verify(manifest, files, SystemClock(), **options)


class BrokenFile(MemoryFile):
    """A file that was changed or removed after it was chosen."""

    async def read(self, offset: int, length: int) -> bytes:
        """Fail, or end early."""
        if self.path == "a.csv":
            raise OSError("gone")
        return b""


async def test_the_right_files_pass_every_stage() -> None:
    """In any order; every path has passed."""
    result = await check(
        manifest_of(a_csv=b"one", d__b_csv=b"two"), MemoryFile("d/b.csv", b"two"), MemoryFile("a.csv", b"one")
    )
    assert result == Verification(stage="checksums", passed=("a.csv", "d/b.csv"))


async def test_all_missing_files_are_named() -> None:
    """Those that are there have passed."""
    result = await check(manifest_of(a_csv=b"1", b_csv=b"2", c_csv=b"3"), MemoryFile("b.csv", b"2"))
    assert result.stage == "names"
    assert [(each.path, each.problem) for each in result.problems] == [
        ("a.csv", "This file is missing."),
        ("c.csv", "This file is missing."),
    ]
    assert result.passed == ("b.csv",)


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ("A.csv", "only upper and lower case differ"),
        ("a (1).csv", "name a copy"),
        ("a(2).csv", "name a copy"),
        ("a - Copy.csv", "name a copy"),
        ("a.csv.txt", "name a copy"),
        ("a.csv.crdownload", "name a copy"),
        ("set/a.csv", "another folder"),
        ("z.csv", "Choose this file too."),
    ],
)
async def test_a_file_under_another_name_is_recognised(chosen: str, words: str) -> None:
    """The action says what the file is called and what it should be."""
    (problem,) = (await check(manifest_of(a_csv=b"data"), MemoryFile(chosen, b"else"))).problems
    assert problem.path == "a.csv"
    assert words in problem.action


async def test_the_right_content_under_a_wrong_name_is_recognised() -> None:
    """Original names are required, and the file that needs one back is named."""
    (problem,) = (
        await check(manifest_of(a_csv=b"data"), MemoryFile("b.csv", b"nope"), MemoryFile("z", b"data"))
    ).problems
    assert "'z' has exactly its content" in problem.action


async def test_a_name_in_another_unicode_form_is_accepted() -> None:
    """Some systems write accents as separate characters; the file is the same."""
    manifest = manifest_of(ä_csv=b"x")
    result = await check(manifest, MemoryFile("a\u0308.csv", b"x"))
    assert (result.problems, result.passed) == ((), ("ä.csv",))
    assert "another Unicode form" in result.notes[0].problem


async def test_a_file_chosen_without_its_folder_is_accepted_where_only_one_is_called_so() -> None:
    """Browsers tell the folder only of files that were chosen with it."""
    result = await check(manifest_of(d__a_csv=b"x", b_csv=b"y"), MemoryFile("a.csv", b"x"), MemoryFile("b.csv", b"y"))
    assert (result.problems, result.passed) == ((), ("d/a.csv", "b.csv"))
    assert [(each.path, "without its folder" in each.problem) for each in result.notes] == [("d/a.csv", True)]


async def test_of_two_files_with_one_name_none_is_guessed() -> None:
    """Only the folder tells them apart."""
    manifest = manifest_of(one__a_csv=b"x", two__a_csv=b"y")
    result = await check(manifest, MemoryFile("a.csv", b"z"))
    assert [each.path for each in result.problems] == ["one/a.csv", "two/a.csv"]
    assert {each.action for each in result.problems} == {
        "2 files of the manifest are called 'a.csv'. Choose the folder that they are in."
    }


async def test_files_that_the_manifest_does_not_list_are_left_alone() -> None:
    """They are not used and not read, which is said; of what systems leave in folders nothing is."""
    others = [BrokenFile(path, b"...") for path in ("README.md", ".DS_Store", "d/Thumbs.db", "desktop.ini")]
    result = await check(manifest_of(a_csv=b"x"), MemoryFile("a.csv", b"x"), *others)
    assert result.problems == ()
    assert result.passed == ("a.csv",)
    assert [each.path for each in result.notes] == ["README.md"]
    assert "does not list" in result.notes[0].problem


async def test_two_files_under_one_path_are_refused() -> None:
    """Nobody should guess which was meant."""
    result = await check(manifest_of(a_csv=b"x"), MemoryFile("a.csv", b"x"), MemoryFile("a.csv", b"y"))
    assert (result.stage, result.problems[0].path) == ("names", "a.csv")


async def test_a_wrong_size_is_found_without_reading() -> None:
    """Both sizes stand in the problem; no file is hashed."""
    manifest = manifest_of(a_csv=b"1234", b_csv=b"12")
    result = await check(manifest, BrokenFile("a.csv", b"12345"), BrokenFile("b.csv", b"12"))
    assert (result.stage, result.passed) == ("sizes", ("b.csv",))
    (problem,) = result.problems
    assert "It has 5 bytes; the manifest says 4 (1 more)." in problem.problem


LINES = b"a,y\n1,0\n2,1\n"


@pytest.mark.parametrize(
    "changed", [LINES.replace(b"\n", b"\r\n"), LINES.replace(b"\n", b"\r\r\n"), LINES.replace(b"\n", b"\r")]
)
async def test_changed_line_ends_are_recognised(changed: bytes) -> None:
    """An editor or Git made them; the numbers are the same, the bytes are not."""
    table = {
        "name": "t", "path": "t.csv", "format": "csv", "bytes": len(LINES),
        "hash": f"sha256:{hashlib.sha256(LINES).hexdigest()}", "schema": {"fields": [{"name": "a", "type": "number"}]},
    }  # fmt: skip
    manifest = parse_manifest({"name": "x", "resources": [table]})
    (problem,) = (await check(manifest, MemoryFile("t.csv", changed))).problems
    assert "Only its line ends differ" in problem.problem
    (problem,) = (await check(manifest, MemoryFile("t.csv", changed + b"3,1\n"))).problems
    assert "line ends" not in problem.problem


async def test_a_wrong_size_in_the_manifest_is_told_from_a_wrong_file() -> None:
    """Where the checksum is right, the file is."""
    resource = {
        "name": "a",
        "path": "a.npy",
        "format": "npy",
        "bytes": 3,
        "hash": f"sha256:{hashlib.sha256(b'four').hexdigest()}",
    }
    manifest = parse_manifest({"name": "x", "resources": [resource]})
    (problem,) = (await check(manifest, MemoryFile("a.npy", b"four"))).problems
    assert "so the size in the manifest is wrong" in problem.problem


async def test_an_empty_file_has_words_of_its_own() -> None:
    """It was cut off; its size is not just another one."""
    (problem,) = (await check(manifest_of(a_csv=b"x"), MemoryFile("a.csv", b""))).problems
    assert problem.problem == "The file is empty; the manifest says 1 bytes."


async def test_a_removed_file_is_told_from_a_changed_one() -> None:
    """Where the browser tells them apart."""

    class Removed(MemoryFile):
        async def read(self, offset: int, length: int) -> bytes:
            raise FileNotFoundError("gone")

    (problem,) = (await check(manifest_of(a_csv=b"x"), Removed("a.csv", b"x"))).problems
    assert problem.problem == "The file was removed or renamed since it was chosen."


async def test_a_wrong_checksum_is_found_and_both_are_named() -> None:
    """The other files are still checked."""
    manifest = manifest_of(a_csv=b"right", b_csv=b"other", c_csv=b"third")
    result = await check(
        manifest, MemoryFile("a.csv", b"wrong"), MemoryFile("b.csv", b"other"), MemoryFile("c.csv", b"3rd__")
    )
    assert [each.path for each in result.problems] == ["a.csv", "c.csv"]
    assert result.passed == ("b.csv",)
    assert manifest.resources[0].sha256 in result.problems[0].problem
    assert hashlib.sha256(b"wrong").hexdigest() in result.problems[0].problem


async def test_swapped_files_are_recognised() -> None:
    """Each is told whose content it has."""
    result = await check(
        manifest_of(a_csv=b"one", b_csv=b"two"), MemoryFile("a.csv", b"two"), MemoryFile("b.csv", b"one")
    )
    assert "content of 'b.csv'" in result.problems[0].action
    assert "content of 'a.csv'" in result.problems[1].action


async def test_a_file_that_changed_since_it_was_chosen_is_a_problem_of_that_file() -> None:
    """Whether reading fails or ends early."""
    result = await check(
        manifest_of(a_csv=b"one", b_csv=b"two"), BrokenFile("a.csv", b"one"), BrokenFile("b.csv", b"two")
    )
    assert [each.action for each in result.problems] == ["Choose it again.", "Choose it again."]


async def test_progress_counts_the_bytes_of_all_files() -> None:
    """Piece by piece, up to the sum."""
    data = bytes(2 * STEP + 1)
    told: list[tuple[int, int, str]] = []
    files = (MemoryFile("a.csv", data), MemoryFile("b.csv", b"x"))
    result = await check(manifest_of(a_csv=data, b_csv=b"x"), *files, progress=lambda *each: told.append(each))
    assert not result.problems
    total = len(data) + 1
    assert [done for done, _, _ in told] == [STEP, 2 * STEP, 2 * STEP + 1, total]
    assert {(of, what) for _, of, what in told} == {
        (total, "Checking checksums: a.csv"), (total, "Checking checksums: b.csv"),
    }  # fmt: skip


async def test_a_check_can_be_stopped_between_two_pieces() -> None:
    """What the progress function raises ends the check."""

    def stop(*_: object) -> None:
        raise Stopped("Stopped.", "Start again.")

    with pytest.raises(Stopped):
        await check(manifest_of(a_csv=b"x"), MemoryFile("a.csv", b"x"), progress=stop)


async def test_hashing_gives_way_between_pieces() -> None:
    """The Training API answers while a large file is checked."""
    breaths: list[int] = []

    class SlowClock(SystemClock):
        def seconds(self) -> float:
            breaths.append(0)
            return float(len(breaths))

        async def breathe(self) -> None:
            breaths.append(1)

    data = bytes(3 * STEP)
    await verify(manifest_of(a_csv=data), [MemoryFile("a.csv", data)], SlowClock())
    assert sum(breaths) == 3


async def test_the_first_of_several_lookalikes_is_named() -> None:
    """Case before copy marks, copy marks before folders."""
    manifest = manifest_of(a_csv=b"content")
    other = b"another content"
    for paths, words in (
        (("x/a.csv", "a (1).csv", "A.csv", "a.CSV"), "'A.csv': only upper and lower case"),
        (("x/a.csv", "a (2).csv", "a (1).csv"), "'a (2).csv', as browsers and systems name"),
        (("y/a.csv", "x/a.csv"), "'y/a.csv', which lies in another folder"),
    ):
        (problem,) = (await check(manifest, *(MemoryFile(path, other) for path in paths))).problems
        assert words in problem.action


async def test_ten_thousand_files_of_one_size_are_each_hashed_once() -> None:
    """To find renamed ones among them; pairs would again be a hundred million."""
    count = 10_000
    contents = {f"right/{n}.npy": f"{n:05}".encode() for n in range(count)}
    resources = [
        {
            "name": f"r{n}",
            "path": path,
            "format": "npy",
            "bytes": 5,
            "hash": f"sha256:{hashlib.sha256(data).hexdigest()}",
        }
        for n, (path, data) in enumerate(contents.items())
    ]
    given = [MemoryFile(f"renamed-{path[6:]}", data) for path, data in contents.items()]
    result = await check(parse_manifest({"name": "many", "resources": resources}), *given)
    assert [each.action for each in result.problems][77] == (
        "'renamed-77.npy' has exactly its content. Rename that file to 'right/77.npy'."
    )
    assert {each.problem for each in result.problems} == {"This file has another name."}


async def test_ten_thousand_missing_files_are_compared_with_ten_thousand_others_in_one_pass() -> None:
    """Each pair would be a hundred million comparisons; the engine must go on answering."""
    count = 10_000
    resources = [
        {"name": f"r{n}", "path": f"right/{n}.npy", "format": "npy", "bytes": 1, "hash": f"sha256:{n + 1:064x}"}
        for n in range(count)
    ]
    manifest = parse_manifest({"name": "many", "resources": resources})
    given = [MemoryFile(f"wrong/{n}.npy", b"xy") for n in range(count)]
    result = await check(manifest, *given)
    assert len(result.problems) == count
    assert "'wrong/77.npy', which lies in another folder" in result.problems[77].action
