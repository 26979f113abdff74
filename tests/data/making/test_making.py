"""A manifest that was made fits its files and can be read; what cannot be made says why."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from roundtab.clock import SystemClock
from roundtab.data.dataset import Dataset, concatenate
from roundtab.data.files import FileSource, MemoryFile
from roundtab.data.formats.faults import MAX_PROBLEMS
from roundtab.data.formats.reading import read_data
from roundtab.data.importers.listing import Listed
from roundtab.data.making.draft import Draft
from roundtab.data.making.making import NOTED, Made, make_manifest
from roundtab.data.manifests.manifest import MAX_RESOURCES, parse_manifest
from roundtab.data.manifests.schema import MAX_COLUMNS
from roundtab.data.verify import verify
from roundtab.errors import InvalidData, Problem, Stopped

ROWS = "1,2.5,no\n-3,4,yes\n5,6,no\n"


async def make(*files: FileSource, **options: Any) -> Made:
    """The manifest of `files`."""
    return await make_manifest(files, SystemClock(), **options)


async def resources(*files: FileSource, **options: Any) -> list[dict[str, Any]]:
    """Its resources."""
    found: list[dict[str, Any]] = json.loads((await make(*files, **options)).text)["resources"]
    return found


async def resource(text: str | bytes, path: str = "a.csv", **options: Any) -> dict[str, Any]:
    """The resource of a single file."""
    data = text.encode() if isinstance(text, str) else text
    return (await resources(MemoryFile(path, data), **options))[0]


async def problems(*files: FileSource, **options: Any) -> tuple[Problem, ...]:
    """Why no manifest is made of `files`."""
    with pytest.raises(InvalidData) as caught:
        await make(*files, **options)
    return caught.value.problems


async def faults(text: str | bytes, **options: Any) -> list[str]:
    """Why no manifest is made of a table."""
    data = text.encode() if isinstance(text, str) else text
    found = await problems(MemoryFile("a.csv", data), **options)
    assert {each.path for each in found} == {"a.csv"}
    return [each.problem for each in found]


async def notes(*texts: str, **options: Any) -> str:
    """Everything that is told of tables."""
    files = [MemoryFile(f"{name}.csv", text.encode()) for name, text in zip("abc", texts, strict=False)]
    return "\n".join(f"{each.path}: {each.problem} {each.action}" for each in (await make(*files, **options)).notes)


async def readable(made: Made, *files: MemoryFile) -> Dataset:
    """Check that a manifest keeps its promise; the tables in it together."""
    manifest = parse_manifest(made.text)
    checked = await verify(manifest, files, SystemClock())
    assert (checked.problems, checked.stage) == ((), "checksums")
    sources = {each.path: each for each in files}
    return concatenate([await read_data(sources[each.path], each, SystemClock()) for each in manifest.resources])


async def test_the_manifest_says_what_a_table_is() -> None:
    """Name, path, format, size, checksum, dialect, columns with their types, rows, label and classes."""
    data = ("a,b,y\n" + ROWS).encode()
    made = await make(MemoryFile("data/Träin.csv", data), name="mine")
    assert json.loads(made.text) == {
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": "mine",
        "resources": [
            {
                "name": "data-train",
                "path": "data/Träin.csv",
                "type": "table",
                "format": "csv",
                "mediatype": "text/csv",
                "encoding": "utf-8",
                "bytes": len(data),
                "hash": f"sha256:{hashlib.sha256(data).hexdigest()}",
                "fl:split": "train",
                "fl:rows": 3,
                "schema": {
                    "fields": [
                        {"name": "a", "type": "integer"},
                        {"name": "b", "type": "number"},
                        {"name": "y", "type": "string"},
                    ]
                },
                "fl:label": "y",
                "fl:classes": ["no", "yes"],
            }
        ],
    }
    assert "Träin" in made.text


async def test_files_without_numbers_have_format_size_and_checksum() -> None:
    """Nothing of their content is told. Beside data that can be trained on they are left out, and said to be."""
    image, table = MemoryFile("x.png", b"\x89PNG"), MemoryFile("a.TSV", b"a\tb\n1\t2\n1\t2\n")
    found = await resources(image, MemoryFile("p.JPG", b"x"))
    assert found[0] == {
        "name": "x",
        "path": "x.png",
        "format": "png",
        "mediatype": "image/png",
        "bytes": 4,
        "hash": f"sha256:{hashlib.sha256(image._data).hexdigest()}",
        "fl:split": "train",
    }
    assert [each["format"] for each in found] == ["png", "jpeg"]
    made = await make(image, table)
    assert [each["path"] for each in json.loads(made.text)["resources"]] == ["a.TSV"]
    assert "dialect" not in json.loads(made.text)["resources"][0]
    assert [each.problem for each in made.notes if each.path == "x.png"] == [
        "A model is not trained on a file in the format 'png'; it was left out."
    ]


@pytest.mark.parametrize(
    ("path", "delimiter", "dialect"),
    [
        ("a.csv", ",", None),
        ("a.csv", ";", {"delimiter": ";"}),
        ("a.csv", "\t", {"delimiter": "\t"}),
        ("a.tsv", "\t", None),
        ("a.tsv", "|", {"delimiter": "|"}),
    ],
)
async def test_the_delimiter_is_told_from_the_text(path: str, delimiter: str, dialect: Any) -> None:
    """It is written down where the format stands for another one."""
    file = MemoryFile(path, ("a,b,y\n" + ROWS).replace(",", delimiter).encode())
    made = await make(file)
    assert json.loads(made.text)["resources"][0].get("dialect") == dialect
    data = await readable(made, file)
    assert data.features.tolist() == [[1, 2.5], [-3, 4], [5, 6]]
    assert (dialect is not None) == any("divided by" in each.problem for each in made.notes)


async def test_a_table_without_header_gets_names_for_its_columns() -> None:
    """Its first row is data, for it has numbers in it; that is told."""
    file = MemoryFile("a.csv", ROWS.encode())
    made = await make(file)
    (found,) = json.loads(made.text)["resources"]
    assert (found["dialect"], found["fl:rows"], found["fl:label"]) == ({"header": False}, 3, "column_3")
    assert (await readable(made, file)).feature_names == ("column_1", "column_2")
    assert "a.csv: Its first row has numbers in it" in await notes(ROWS)


async def test_types_come_from_all_rows_of_all_files() -> None:
    """One fraction in the last row of the last file makes the column one of numbers everywhere."""
    rows = "1,1,no\n1,2,yes\n" * 3_000
    first, last = MemoryFile("a.csv", f"a,b,y\n{rows}".encode()), MemoryFile("b.csv", f"a,b,y\n{rows}1.5,1,no".encode())
    made = await make(first, last)
    types = [[each["type"] for each in found["schema"]["fields"]] for found in json.loads(made.text)["resources"]]
    assert types == [["number", "integer", "string"]] * 2
    assert len(await readable(made, first, last)) == 12_001


@pytest.mark.parametrize(
    ("values", "classes"),
    [
        ("no yes no", ["no", "yes"]),
        ("2 10 2 10", ["2", "10"]),
        ("0 1 2 0 1 2", ["0", "1", "2"]),
        ("10 20 30", None),
        ("1.0 2.0 1.0 2.0", None),
        (" ".join(str(each) for each in range(50)) * 2, None),
        (" ".join(str(each % 50) for each in range(100)), [str(each) for each in range(50)]),
        (" ".join(str(each % 51) for each in range(102)), None),
        ("1 a 1", ["1", "a"]),
    ],
)
async def test_texts_and_few_whole_numbers_are_classes(values: str, classes: list[str] | None) -> None:
    """At most 50 that stand there twice on average; others are quantities. Numbers are in the order of numbers."""
    found = await resource("a,y\n" + "".join(f"1,{each}\n" for each in values.split()))
    assert found.get("fl:classes") == classes


@pytest.mark.parametrize(
    ("header", "label"),
    [("a,b", "b"), ("y,b", "y"), ("a,Target,b", "Target"), ("class,label,b", "label"), ("yy,labels,b", "b")],
)
async def test_the_label_is_told_from_its_name_else_it_is_the_last_column(header: str, label: str) -> None:
    """label, target, class, y, in any case; what was assumed is told."""
    rows = (",".join("12345"[: header.count(",") + 1]) + "\n") * 2
    assert (await resource(f"{header}\n{rows}"))["fl:label"] == label
    assert f"The label is {label!r}" in await notes(f"{header}\n{rows}")


async def test_columns_that_nothing_can_be_predicted_from_are_left_out_and_told() -> None:
    """Texts, missing values, numbers beyond 32 bits: each with its first place."""
    text = 'id,a,b,c,d,y\nx,1,,1,"1,5",0\nz,2,NA,1e39,2,1\nx,3,?,1,3,0\nx,3,4,1,3,1\n'
    file = MemoryFile("a.csv", text.encode())
    made = await make(file)
    (found,) = json.loads(made.text)["resources"]
    assert found["fl:features"] == ["a"]
    assert found["schema"]["missingValues"] == ["", "?", "NA"]
    assert [each["type"] for each in found["schema"]["fields"]] == [
        "string", "integer", "integer", "number", "string", "integer",
    ]  # fmt: skip
    assert (await readable(made, file)).features.tolist() == [[1], [2], [3], [3]]
    told = await notes(text)
    for words in (
        "Column 'id' holds texts, as 'x' in row 2 of a.csv.",
        "Column 'b' has missing values, as '' in row 2 of a.csv.",
        "Column 'c' has numbers too large for 32 bits, as '1e39' in row 3 of a.csv.",
        "Column 'd' holds texts, as '1,5' in row 2 of a.csv (write a point, not a comma).",
    ):
        assert words in told


async def test_classes_with_spaces_around_them_are_texts() -> None:
    """They are found again in the cells as they stand there."""
    file = MemoryFile("a.csv", b"a,y\n1, 0\n2, 1\n3, 0\n4, 1\n")
    made = await make(file)
    assert json.loads(made.text)["resources"][0]["schema"]["fields"][1]["type"] == "string"
    assert (await readable(made, file)).classes == (" 0", " 1")


async def test_classes_that_look_alike_are_told() -> None:
    """Who wrote the table may have meant one."""
    assert "'Yes' and 'yes '; they are taken as two classes" in await notes("a,y\n1,Yes\n2,yes \n3,no\n")
    assert "'01' and '1'" in await notes("a,y\n1,1\n2,01\n3,1\n4,01\n")
    assert "two classes" not in await notes("a,y\n1,yes\n2,no\n")
    assert "a single class" in await notes("a,y\n1,yes\n2,yes\n")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"a,y\n1,\xe4\n", ["Line 2 is not UTF-8 (byte 0xe4)."]),
        ("\ufeffa,y\n1,0\n", ["The file begins with a byte order mark."]),
        ("a,y\n", ["There are no rows."]),
        ("a,,a\n1,2,3\n", ["Row 1: Column 2 has no name.", "Row 1: The column 'a' stands there twice."]),
        ("\na,y\n1,2\n", ["Row 1: The row is empty."]),
        ("a,y\n1,0\n1\n\n1,2,3\n", [
            "Row 3: The row has 1 cells instead of 2.", "Row 4: The row is empty.",
            "Row 5: The row has 3 cells instead of 2.",
        ]),
        ('a,y\n1,"0\n', ["Row 2: A quotation mark is opened and never closed."]),
        ('"a,y\n1,0\n', ["Row 1: A quotation mark is opened and never closed."]),
        ("a,y\r1,0\r", ["Row 1: A line ends with a carriage return alone; end lines with a line feed."]),
        ("a,y\n1,0\n2,\n", ["Row 3: The label 'y' is missing."]),
        ("a,y\n1,0\n2,NA\n", ["Row 3: The label 'y' is missing."]),
        ("a,y\n1,0\n2,0\n3,0\n4,?\n", ["Row 5: The label 'y' is missing."]),
        ("a,y\n1,1.5\n2,1e39\n", ["Row 3: The label 'y': '1e39' is too large for a 32-bit number."]),
        ("y\n1\n", ["There is no column of numbers to predict from."]),
        ("a,y\nx,1\n", [
            "There is no column of numbers to predict from: Column 'a' holds texts, as 'x' in row 2 of a.csv.",
        ]),
        ("a,y\n" + "".join(f"1,t{each}\n" for each in range(1_001)), [
            "The label 'y' has more than 1,000 different texts; they cannot be classes.",
        ]),
        ("," * MAX_COLUMNS, [f"Row 1: There are more than {MAX_COLUMNS:,} columns."]),
    ],
)  # fmt: skip
async def test_a_table_that_cannot_be_described_says_why(text: str | bytes, found: list[str]) -> None:
    """With the row as a spreadsheet shows it, and what to do."""
    assert await faults(text) == found


async def test_many_faults_of_a_file_are_counted() -> None:
    """The first twenty are told."""
    found = await faults("a,y\n" + "1\n" * 100)
    assert len(found) == MAX_PROBLEMS + 1
    assert found[-1] == "80 more problems follow."


async def test_a_label_that_is_not_there_names_those_that_are() -> None:
    """Ten of them at most."""
    assert await faults("a,y\n1,2\n", label="z") == ["Row 1: There is no column 'z'; there are 'a', 'y'."]
    many = ",".join(f"c{each}" for each in range(12))
    assert (await faults(f"{many}\n{many}\n", label="z"))[0].endswith("'c9', ….")


async def test_tables_with_other_columns_are_no_dataset() -> None:
    """The first difference is told."""
    first = MemoryFile("a.csv", ("a,b,y\n" + ROWS).encode())
    for header, words in (
        ("a,c,y\n", "Its column 2 is called 'c'; that of a.csv is called 'b'."),
        ("", "Its column 1 is called 'column_1'; that of a.csv is called 'a'."),
    ):
        (found,) = await problems(first, MemoryFile("b.csv", (header + ROWS).encode()))
        assert (found.path, found.problem) == ("b.csv", words)
    (found,) = await problems(first, MemoryFile("b.csv", b"a,y\n1,2\n"))
    assert found.problem == "It has 2 columns; a.csv has 3."


async def test_what_is_no_data_is_left_out_and_told() -> None:
    """Hidden files, those of systems, the manifest itself, and files of no known format."""
    out = [".DS_Store", "x/.git/a.csv", "Thumbs.db", "x/desktop.ini", "datapackage.json", "README.md", "LICENSE"]
    made = await make(*(MemoryFile(path, b"x") for path in out), MemoryFile("a.png", b"x"))
    assert [each["path"] for each in json.loads(made.text)["resources"]] == ["a.png"]
    assert {each.path for each in made.notes} >= set(out)
    (only,) = await problems(*(MemoryFile(path, b"x") for path in out))
    assert only.problem == "There are no data files."


async def test_the_rules_for_paths_are_kept_before_anything_is_read() -> None:
    """All problems of all paths; a name in another Unicode form is written in the composed one."""

    class Unread(MemoryFile):
        async def read(self, offset: int, length: int) -> bytes:
            raise AssertionError

    paths = ["/a.csv", "a//b.csv", "b.csv", "B.csv", "c.csv", "c.csv", "d.png", "d.png/e.csv"]
    found = await problems(*(Unread(path, b"x") for path in paths))
    assert [each.path for each in found] == ["/a.csv", "a//b.csv", "B.csv", "c.csv", "d.png/e.csv"]
    assert (await resources(MemoryFile("a\u0308.png", b"x")))[0]["path"] == "ä.png"
    many = await problems(*(Unread(f"{each}.png", b"x") for each in range(MAX_RESOURCES + 1)))
    assert many[0].problem == "There are more than 10,000 files."


async def test_a_file_that_changed_meanwhile_is_told() -> None:
    """Whether reading fails or ends early, for its checksum or for its content."""

    class Failing(MemoryFile):
        """Reading fails after so many times."""

        times = 0

        async def read(self, offset: int, length: int) -> bytes:
            self.times -= 1
            if self.times < 0:
                raise OSError("gone")
            return await super().read(offset, length)

    class Shorter(MemoryFile):
        async def read(self, offset: int, length: int) -> bytes:
            return b""

    later = Failing("a.csv", b"a,y\n1,0\n")
    later.times = 1
    for file in (Failing("a.csv", b"a,y\n1,0\n"), Shorter("a.csv", b"x"), later):
        (found,) = await problems(file)
        assert (found.path, found.action) == ("a.csv", "Choose it again.")


async def test_held_out_files_are_marked_where_others_are_left() -> None:
    """Each is told; alone they are training data, which is told as well."""
    table = b"a,y\n1,0\n2,1\n"
    files = [MemoryFile(path, table) for path in ("wine-train.csv", "wine_test.csv", "held-out/1.csv", "latest.csv")]
    made = await make(*files)
    splits = {each["path"]: each["fl:split"] for each in json.loads(made.text)["resources"]}
    assert [*splits.values()] == ["train", "validation", "validation", "train"]
    assert [each.path for each in made.notes if "validation data" in each.problem] == [
        "wine_test.csv",
        "held-out/1.csv",
    ]
    alone = await make(files[1])
    assert json.loads(alone.text)["resources"][0]["fl:split"] == "train"
    assert "no other file is left to train on" in "".join(each.problem for each in alone.notes)


async def test_the_data_is_called_after_its_folder_unless_it_is_told() -> None:
    """Else `dataset`, which is told to be changed."""
    first, second = MemoryFile("wine/a.png", b"x"), MemoryFile("wine/x/b.png", b"y")
    assert json.loads((await make(first, second)).text)["name"] == "wine"
    assert json.loads((await make(first, second, name="Mine")).text)["name"] == "Mine"
    made = await make(first, MemoryFile("a.png", b"x"))
    assert json.loads(made.text)["name"] == "dataset"
    assert "$.name" in {each.path for each in made.notes}


async def test_the_same_note_is_told_of_a_few_files_and_counted() -> None:
    """A folder of ten thousand pictures gives no list of ten thousand lines."""
    files = [MemoryFile(f"{each}.txt", b"x") for each in range(100)]
    found = [each for each in (await make(*files, MemoryFile("a.png", b"x"))).notes if "ending" in each.problem]
    assert len(found) == NOTED + 1
    assert found[-1].problem.startswith("95 more: Its ending")


async def test_ten_thousand_files_make_a_manifest() -> None:
    """With names of their own, in one pass."""
    found = await resources(*(MemoryFile(f"{each}/a.png", b"x") for each in range(5_000)),
                            *(MemoryFile(f"ä{each}/a.png", b"x") for each in range(5_000)))  # fmt: skip
    assert len({each["name"] for each in found}) == MAX_RESOURCES


async def test_a_manifest_that_would_be_too_large_is_refused() -> None:
    """So what is made can be read again."""
    header = ",".join("x" * 100 + str(each) for each in range(2_000))
    row = ",".join("1" * 2_000)
    files = [MemoryFile(f"{each}.csv", f"{header}\n{row}\n".encode()) for each in range(20)]
    with pytest.raises(InvalidData, match="The manifest cannot be read"):
        await make(*files)


async def test_a_list_must_fit_whatever_checksum_it_has() -> None:
    """Of files too that the manifest leaves out; swapped contents are recognised."""
    files = {
        each.path: each for each in (MemoryFile("a.png", b"a"), MemoryFile("b.png", b"b"), MemoryFile("R.md", b"r"))
    }

    def listed(**contents: bytes) -> list[Listed]:
        """A list in which each file has another kind of checksum."""
        return [
            Listed(path=path, algorithm=kind, digest=hashlib.new(kind, data).hexdigest(), line=line)
            for line, (kind, path, data) in enumerate(
                zip(("sha512", "sha384", "md5"), files, contents.values(), strict=True), 1
            )
        ]

    made = await make(*files.values(), listed=listed(a=b"a", b=b"b", c=b"r"))
    kinds = [each.problem for each in made.notes if each.path == "$.checksums"]
    assert [each.partition(".")[0] for each in kinds] == [
        "1 checksums are MD5: weak, for other content can be made that has the same",
        "1 checksums are SHA-384",
        "1 checksums are SHA-512",
    ]
    (found,) = await problems(*files.values(), listed=listed(a=b"a", b=b"b", c=b"changed"))
    assert found.path == "R.md"
    same = [
        Listed(path=path, algorithm="sha256", digest=hashlib.sha256(data).hexdigest(), line=1)
        for path, data in (("a.png", b"b"), ("b.png", b"a"))
    ]
    found, _ = await problems(files["a.png"], files["b.png"], listed=same)
    assert "This is the content of 'b.png'." in found.action


async def test_a_list_may_name_files_in_folders_that_browsers_do_not_tell() -> None:
    """Where the name is there once on both sides, which is told; else nobody guesses."""

    def listed(*paths: str) -> list[Listed]:
        digest = hashlib.sha256(b"x").hexdigest()
        return [Listed(path=path, algorithm="sha256", digest=digest, line=1) for path in paths]

    a, b = MemoryFile("a.png", b"x"), MemoryFile("x/b.png", b"x")
    made = await make(a, b, listed=listed("y/a.png", "b.png", "README.md", ".gitignore"))
    told = {each.path: each.problem for each in made.notes if "list of checksums" in each.problem}
    assert told.keys() == {"a.png", "x/b.png", "README.md", ".gitignore"}
    found = await problems(a, listed=listed("y/a.png", "z/a.png", "c.csv"))
    assert [each.path for each in found] == ["y/a.png", "z/a.png", "c.csv"]
    (only,) = await problems(a, MemoryFile("z/a.png", b"x"), listed=listed("y/a.png"))
    assert only.path == "y/a.png"


async def test_progress_is_told_in_bytes_and_may_stop_the_work() -> None:
    """Each step up to the size of its files."""
    told: list[tuple[int, int, str]] = []
    file = MemoryFile("a.csv", ("a,b,y\n" + ROWS).encode())
    md5 = Listed(path="a.csv", algorithm="md5", digest=hashlib.md5(file._data).hexdigest(), line=1)
    await make(file, listed=[md5], progress=lambda *each: told.append(each))
    assert told == [
        (file.size, file.size, "Checking checksums: a.csv"),
        (file.size, file.size, "Checking MD5 checksums: a.csv"),
        (file.size, file.size, "Reading a.csv"),
    ]

    def stop(done: int, total: int, what: str) -> None:
        if what.startswith("Reading"):
            raise Stopped("Stopped.", "Start again.")

    with pytest.raises(Stopped):
        await make(file, progress=stop)


def test_a_wide_table_is_looked_at_a_few_rows_at_a_time() -> None:
    """No step may hold up the Training API."""
    assert Draft("a.csv", ["a", "b"], None).step == 256
    assert Draft("a.csv", [f"c{each}" for each in range(4_096)], None).step == 4


WHOLE = st.integers(-5, 5).map(str)
FRACTION = st.floats(allow_nan=True, allow_infinity=True).map(repr)
ODD = ["", " ", "NA", "no", "1_0", "١", " 7\t", "1e39", "+.5", "-", "a;b", '"', "x\ny", "1\x0b", "ä"]
KINDS = [WHOLE, FRACTION | WHOLE, st.sampled_from(["no", "yes"]), st.sampled_from(ODD) | WHOLE]


@st.composite
def wild_tables(draw: st.DrawFn) -> list[MemoryFile]:
    """Tables as nobody should write them: any cells, any dialect, with and without header."""
    delimiter, quoted, end = draw(st.sampled_from(",;\t|")), draw(st.booleans()), draw(st.sampled_from(["\n", "\r\n"]))
    columns = st.tuples(*draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=4)))

    def line(cells: Sequence[str]) -> str:
        marked = ['"' + each.replace('"', '""') + '"' if quoted or delimiter in each else each for each in cells]
        return delimiter.join(marked) + end

    files = []
    for path in draw(st.sampled_from([["a.csv"], ["train.csv", "test.tsv"]])):
        rows = draw(st.lists(columns, max_size=6))
        header = line("abcd"[: len(rows[0])]) if rows and draw(st.booleans()) else ""
        files.append(MemoryFile(path, (header + "".join(line(row) for row in rows)).encode()))
    return files


async def attempt(*files: MemoryFile) -> tuple[Problem, ...]:
    """Make a manifest and use it; or the problems that kept it from being made."""
    try:
        made = await make(*files)
    except InvalidData as error:
        return error.problems
    await readable(made, *files)
    return ()


@given(wild_tables())
def test_what_is_made_of_anything_can_be_used(files: list[MemoryFile]) -> None:
    """Either all problems are told, each at its file, or the manifest fits its files and its tables can be read."""
    refused = asyncio.run(attempt(*files))
    event("refused" if refused else "made")
    assert {each.path for each in refused} <= {each.path for each in files}
    assert all(each.problem and each.action for each in refused)


NUMBER = st.one_of(
    st.integers(-(10**6), 10**6).map(str), st.floats(-(2.0**100), 2.0**100, allow_subnormal=False).map(repr)
)


@given(
    st.lists(st.tuples(NUMBER, NUMBER, st.sampled_from(["no", "yes"])), min_size=1, max_size=20),
    st.sampled_from(",;\t|"),
)
def test_a_manifest_is_made_of_every_table_of_numbers(rows: list[tuple[str, str, str]], delimiter: str) -> None:
    """With the labels as they stand there."""
    text = "".join(delimiter.join(row) + "\n" for row in [("a", "b", "y"), *rows])
    file = MemoryFile("a.csv", text.encode())

    async def read() -> Dataset:
        return await readable(await make(file), file)

    data = asyncio.run(read())
    assert data.features.shape == (len(rows), 2)
    assert [data.classes[each] for each in data.labels] == [row[2] for row in rows]
