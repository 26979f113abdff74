"""The command line makes and checks manifests with the code of the Training API."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import roundtab

pytestmark = pytest.mark.cpython_only(reason="browsers get no command line")

TABLE = "a,b,y\n1,2.5,no\n-3,4,yes\n"


def main(arguments: list[str]) -> int:
    """Run a command; its exit code."""
    from roundtab import cli  # where it is not, this module is collected all the same

    return cli.main(arguments)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two tables, and with what is in folders besides data."""
    data = tmp_path / "wine"
    for path in ("train.csv", "held/test.csv", ".git/x.csv", ".DS_Store", "notes.md"):
        place = data / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(TABLE if place.suffix == ".csv" else "other", encoding="utf-8")
    return data


def sums(place: Path, digest: str = hashlib.sha256(TABLE.encode()).hexdigest()) -> None:
    """Write a list of checksums."""
    place.write_text(f"{digest}  train.csv\n{digest} *held/test.csv\n", encoding="utf-8")


def test_a_folder_is_listed_and_then_verified(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The manifest lies in it and has its name; hidden files are left out, and said to be."""
    assert main(["manifest", "make", str(folder)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert out.splitlines()[:2] == [
        ".DS_Store: It is hidden. It was left out. Nothing is to be done.",
        ".git: It is hidden. It was left out. Nothing is to be done.",
    ]
    assert out.splitlines()[-1] == f"{folder / 'datapackage.json'} lists 2 files."
    manifest = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    assert manifest["name"] == "wine"
    assert {each["path"]: each["fl:split"] for each in manifest["resources"]} == {
        "train.csv": "train", "held/test.csv": "validation",
    }  # fmt: skip
    assert main(["manifest", "verify", str(folder / "datapackage.json")]) == 0
    first, rare, shared, last = capsys.readouterr().out.splitlines()
    assert first.startswith("notes.md: The manifest does not list this file; it is not used.")
    assert rare.startswith("train.csv: There is one row only of the classes")
    assert shared.startswith("held/test.csv: 2 validation rows are in the training data, too.")
    assert last == f"{folder / 'datapackage.json'} fits: names, sizes, checksums and content of 2 files."


def test_a_manifest_that_is_there_is_not_overwritten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It may have been written by hand; making it again gives the same."""
    assert main(["manifest", "make", str(folder)]) == 0
    first = (folder / "datapackage.json").read_bytes()
    assert main(["manifest", "make", str(folder), "--label", "a"]) == 1
    assert "is there already" in capsys.readouterr().out
    assert (folder / "datapackage.json").read_bytes() == first
    assert main(["manifest", "make", str(folder), "--out", str(folder / "other.json")]) == 0
    assert (folder / "other.json").read_bytes() == first


def test_single_files_are_listed_from_the_folder_that_they_share(folder: Path) -> None:
    """Whatever the present folder is; name and label can be given."""
    files = [str(folder / "train.csv"), str(folder / "held/test.csv")]
    assert main(["manifest", "make", *files, "--name", "mine", "--label", "b"]) == 0
    manifest = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
    assert (manifest["name"], [each["path"] for each in manifest["resources"]]) == (
        "mine",
        ["train.csv", "held/test.csv"],
    )
    assert {each["fl:label"] for each in manifest["resources"]} == {"b"}


def test_files_elsewhere_are_verified_with_folder(folder: Path, tmp_path: Path) -> None:
    """The manifest may lie anywhere, and go by its usual name unless it is told."""
    out = tmp_path / "other.json"
    assert main(["manifest", "make", str(folder), "--out", str(out)]) == 0
    assert main(["manifest", "verify", str(out), "--folder", str(folder)]) == 0
    assert main(["manifest", "verify", str(out)]) == 1


def test_problems_are_told_one_a_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where, what, and what to do; the exit code is 1."""
    assert main(["manifest", "make", str(folder)]) == 0
    (folder / "train.csv").write_text(TABLE + "5,6,no\n", encoding="utf-8")
    (folder / "held/test.csv").unlink()
    capsys.readouterr()
    assert main(["manifest", "verify", str(folder / "datapackage.json")]) == 1
    assert "\nheld/test.csv: This file is missing. Choose this file too.\n" in capsys.readouterr().out
    (folder / "train.csv").write_text("a,y\n1\n2\n", encoding="utf-8")
    assert main(["manifest", "make", str(folder), "--out", str(folder / "new.json")]) == 1
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "train.csv: Row 2: The row has 1 cells instead of 2. Correct the file, then try again.",
        "train.csv: Row 3: The row has 1 cells instead of 2. Correct the file, then try again.",
    ]
    assert err == "No manifest was made: 2 problems. Resolve each one.\n"
    assert not (folder / "new.json").exists()


def test_a_list_of_checksums_is_compared(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is no data itself; what is wrong with it begins with its name."""
    listed = folder / "SHA256SUMS"
    sums(listed)
    assert main(["manifest", "make", str(folder), "--checksums", str(listed)]) == 0
    assert "SHA256SUMS" not in capsys.readouterr().out
    (folder / "datapackage.json").unlink()
    sums(listed, hashlib.md5(TABLE.encode(), usedforsecurity=False).hexdigest())
    assert main(["manifest", "make", str(folder), "--checksums", str(listed)]) == 0
    assert f"{listed}: These are MD5 checksums: weak" in capsys.readouterr().out
    (folder / "datapackage.json").unlink()
    sums(listed, "0f" * 32)
    assert main(["manifest", "make", str(folder), "--checksums", str(listed)]) == 1
    assert "train.csv: The content differs" in capsys.readouterr().out
    sums(listed, "x")
    assert main(["manifest", "make", str(folder), "--checksums", str(listed)]) == 1
    assert f"{listed}: Line 1: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["make", "none.csv"], "none.csv: There is no such file."),
        (["make", "wine", "wine/train.csv"], "wine: This is a folder."),
        (["make", "wine/train.csv", "--out", "none/x.json"], "cannot be written"),
        (["make", "wine/train.csv", "--checksums", "none"], "none cannot be read"),
        (["verify", "none.json"], "none.json cannot be read"),
        (["verify", "bytes.json"], "bytes.json is not UTF-8 text (byte 0)."),
        (["verify", "huge.json"], "huge.json is larger than 4,194,304 bytes."),
        (["verify", "wine/train.csv"], "$: It is not JSON"),
        (["verify", "good.json", "--folder", "none"], "none cannot be read"),
    ],
)
def test_whatever_cannot_be_read_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    """Never by a traceback."""
    monkeypatch.chdir(folder.parent)
    Path("bytes.json").write_bytes(b"\xff")
    Path("huge.json").write_bytes(b" " * (4 * 2**20 + 1))
    assert main(["manifest", "make", "wine", "--out", "good.json"]) == 0
    assert main(["manifest", *arguments]) == 1
    assert words in capsys.readouterr().out


@pytest.mark.parametrize("arguments", [[], ["manifest"], ["manifest", "make"], ["manifest", "mend"], ["--nonsense"]])
def test_a_command_that_is_none_ends_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The usage says what there is."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "usage: roundtab" in capsys.readouterr().err


def test_a_terminal_is_shown_how_far_it_is(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On standard error, so that the results can be piped."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["manifest", "make", str(folder)]) == 0
    out, err = capsys.readouterr()
    assert "\r" not in out
    assert "Checking checksums: train.csv, 100 %" in err
    assert err.endswith("\r\033[K")


def test_the_package_is_a_command(folder: Path) -> None:
    """`python -m roundtab`, with exit codes for scripts."""
    command = [sys.executable, "-m", "roundtab", "manifest"]
    path = {"PYTHONPATH": str(Path(roundtab.__file__).parents[1])}
    made = subprocess.run([*command, "make", "."], cwd=folder, env=path, capture_output=True, text=True, check=False)
    assert (made.returncode, made.stderr) == (0, "")
    checked = subprocess.run([*command, "verify"], cwd=folder, env=path, capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")
    assert checked.stdout.splitlines()[-1] == "datapackage.json fits: names, sizes, checksums and content of 2 files."
