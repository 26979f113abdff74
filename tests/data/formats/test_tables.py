"""A CSV file becomes arrays, or every bad cell is named with its row and column."""

from __future__ import annotations

import csv
import hashlib
import io
import time
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtab.clock import SystemClock
from roundtab.data.dataset import Dataset, concatenate
from roundtab.data.files import MemoryFile
from roundtab.data.formats.cells import Classes, Columns
from roundtab.data.formats.faults import MAX_PROBLEMS
from roundtab.data.formats.tables import read_table
from roundtab.data.formats.text import BLOCK, MAX_LINE
from roundtab.data.manifests.resources import Field, Resource
from roundtab.errors import InvalidData
from roundtab.records.ids import Sha256

HEADER = "a,b,y\n"


def resource(types: str = "nni", **changes: Any) -> Resource:
    """A table with the columns a, b, … and the label y; `types` has a letter a column."""
    words = {"n": "number", "i": "integer", "s": "string"}
    names = [*"abcdefgh"[: len(types) - 1], "y"]
    fields = tuple(Field(name=name, type=words[letter]) for name, letter in zip(names, types, strict=True))
    members: dict[str, Any] = {
        "name": "train", "path": "train.csv", "bytes": 0, "sha256": Sha256(hashlib.sha256(b"").hexdigest()),
        "format": "csv", "fields": fields, "label": "y", "classes": ("no", "yes"), "features": tuple(names[:-1]),
    }  # fmt: skip
    return Resource(**members | changes)


async def read(text: str | bytes, table: Resource | None = None) -> Dataset:
    """The dataset in `text`."""
    data = text.encode() if isinstance(text, str) else text
    return await read_table(MemoryFile("train.csv", data), table or resource(), SystemClock())


async def problems_of(text: str | bytes, table: Resource | None = None) -> list[str]:
    """Everything that is wrong with `text`."""
    with pytest.raises(InvalidData) as caught:
        await read(text, table)
    assert {each.path for each in caught.value.problems} == {"train.csv"}
    return [each.problem for each in caught.value.problems]


async def test_rows_become_float32_features_and_int64_labels() -> None:
    """The label column is no feature."""
    dataset = await read(HEADER + "1,2.5,0\n-3e2,.5,1\n")
    assert dataset.features.dtype == np.float32
    assert dataset.features.tolist() == [[1, 2.5], [-300, 0.5]]
    assert dataset.labels.dtype == np.int64
    assert dataset.labels.tolist() == [0, 1]
    assert (dataset.feature_names, dataset.classes, len(dataset)) == (("a", "b"), ("no", "yes"), 2)


@pytest.mark.parametrize("types", ["nnn", "nni"])
async def test_labels_without_classes_are_quantities(types: str) -> None:
    """They are float32, and as bad cells as others where they are no numbers."""
    table = resource(types, classes=None)
    dataset = await read(HEADER + "1,2,-3\n1,2,250\n", table)
    assert dataset.labels.dtype == np.float32
    assert dataset.labels.tolist() == [-3, 250]
    assert dataset.classes == ()
    assert await problems_of(HEADER + "1,2,\n1,2,inf\n1,2,1e39\n", table) == [
        "Row 2: Column 'y': The value is missing.",
        "Row 3: Column 'y': 'inf' is not a number.",
        "Row 4: Column 'y': '1e39' is too large for a 32-bit number.",
    ]


@pytest.mark.parametrize("text", [HEADER + "1,2,0\n", HEADER + "1,2,0", "a,b,y\r\n1,2,0\r\n", '"a",b,y\n"1","2",0\n'])
async def test_line_ends_and_quotes_are_matters_of_taste(text: str) -> None:
    """With or without a last line feed, Windows or Unix, quoted or not."""
    assert (await read(text)).features.tolist() == [[1, 2]]


async def test_quoted_line_breaks_and_commas_belong_to_their_cell() -> None:
    """The row number counts rows, not lines."""
    table = resource("sni", features=("b",))
    assert (await read('a,b,y\n"x,\ny ""z""",1,1\n', table)).features.tolist() == [[1]]
    assert (await problems_of('a,b,y\n"x\n\n",1,1\nx,z,1\n', table)) == ["Row 3: Column 'b': 'z' is not a number."]


async def test_the_dialect_of_the_manifest_is_followed() -> None:
    """Delimiter, quotation mark, no header."""
    table = resource(delimiter=";", quote="'", header=False)
    assert (await read("'1';2;0\n3;4;1\n", table)).features.tolist() == [[1, 2], [3, 4]]
    assert (await problems_of("1;x;0\n", table)) == ["Row 1: Column 'b': 'x' is not a number."]


async def test_only_the_named_features_are_read() -> None:
    """In the order in which they are named; other columns may hold anything."""
    dataset = await read("a,b,c,y\n1,text,3,0\n", resource("nsni", features=("c", "a")))
    assert dataset.features.tolist() == [[3, 1]]
    assert dataset.feature_names == ("c", "a")


@pytest.mark.parametrize(
    ("types", "classes", "cells", "labels"),
    [
        ("nns", ("no", "yes"), ["yes", "no"], [1, 0]),
        ("nni", ("no", "yes"), ["1", "0"], [1, 0]),
        ("nni", ("3", "7"), ["7", "3"], [1, 0]),
        ("nni", ("0", "1"), ["1", "0"], [1, 0]),
        ("nns", ("1", "0"), ["1", "0"], [0, 1]),
    ],
)
async def test_labels_are_names_of_classes_or_their_numbers(
    types: str, classes: tuple[str, ...], cells: list[str], labels: list[int]
) -> None:
    """A number stands for a class only where the column is of integers and no class is called by a number."""
    text = HEADER + "".join(f"1,2,{cell}\n" for cell in cells)
    assert (await read(text, resource(types, classes=classes))).labels.tolist() == labels


def test_class_numbers_follow_the_order_of_the_manifest() -> None:
    """The same number means the same class in every file and checkpoint."""
    assert Classes(["b", "a"], integer=False).numbers == {"b": 0, "a": 1}
    assert Classes(["b", "a"], integer=True).numbers == {"0": 0, "1": 1}


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("1,2", "has 2 cells instead of 3"),
        ("1,2,0,9", "has 4 cells instead of 3"),
        ("", "The row is empty."),
        (",2,0", "Column 'a': The value is missing."),
        (" ,2,0", "Column 'a': The value is missing."),
        ("1,abc,0", "Column 'b': 'abc' is not a number."),
        ('1,"2,5",0', "Write a point, not a comma."),
        ("1,NaN,0", "'NaN' is not a number."),
        ("1,inf,0", "'inf' is not a number."),
        ("1,-Infinity,0", "is not a number."),
        ("1,1e400,0", "too large for a 32-bit number"),
        ("1,1e39,0", "too large for a 32-bit number"),
        ("1,1_000,0", "'1_000' is not a number."),
        ("1,١,0", "'١' is not a number."),
        ("1,0x10,0", "is not a number."),
        ("1,2,", "Column 'y': The label is missing; the classes are '0', '1'."),
        ("1,2,2", "Column 'y': '2' is no class; the classes are '0', '1'."),
        ("1,2,yes", "Column 'y': 'yes' is no class"),
        ("1,2,0.0", "Column 'y': '0.0' is no class"),
    ],
)
async def test_each_kind_of_bad_cell_is_named_with_row_and_column(row: str, words: str) -> None:
    """The header is row 1, as a spreadsheet shows it, so the first row of numbers is row 2."""
    (problem,) = await problems_of(f"{HEADER}1,2,0\n{row}\n3,4,1\n")
    assert problem.startswith("Row 3: ")
    assert words in problem


async def test_missing_values_of_the_manifest_are_missing() -> None:
    """Also where they look like numbers."""
    table = resource(missing_values=("", "NA", "-999"))
    assert await problems_of(HEADER + "NA,-999,0\n", table) == [
        "Row 2: Column 'a': The value is missing.",
        "Row 2: Column 'b': The value is missing.",
    ]


async def test_integer_columns_hold_whole_numbers() -> None:
    """A schema that says integer is taken at its word."""
    assert await problems_of(HEADER + "1.5,2,0\n", resource("ini")) == [
        "Row 2: Column 'a': '1.5' is not a whole number."
    ]


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("a,c,y", "Column 2 is called 'c'; the schema says 'b'."),
        ("b,a,y", "Column 1 is called 'b'"),
        ("a,b", "The header has 2 columns; the schema has 3."),
        ("a,b,y,z", "The header has 4 columns"),
        ("a;b;y", "delimiter seems not to be ','"),
        ("1,2,0", "Column 1 is called '1'"),
        ("", "no header"),
    ],
)
async def test_the_header_must_be_that_of_the_schema(header: str, words: str) -> None:
    """With other columns, no row means anything, so rows are not looked at."""
    found = await problems_of(f"{header}\n1,2,0\n")
    assert any(words in problem for problem in found)
    assert all(problem.startswith("Row 1: ") for problem in found)


async def test_at_most_twenty_problems_are_listed_and_the_others_counted() -> None:
    """A wrong file does not fill the screen."""
    found = await problems_of(HEADER + "x,2,0\n" * 700)
    assert len(found) == MAX_PROBLEMS + 1
    assert found[MAX_PROBLEMS] == "680 more problems follow."


async def test_problems_far_apart_are_all_found() -> None:
    """Rows are converted in chunks; each chunk is looked at."""
    rows = ["1,2,0\n"] * 1_000
    rows[0] = rows[511] = rows[999] = "1,?,0\n"
    assert [each.split(":")[0] for each in await problems_of(HEADER + "".join(rows))] == [
        "Row 2",
        "Row 513",
        "Row 1,001",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no header"),
        (HEADER, "There are no rows."),
        ("\ufeff" + HEADER + "1,2,0\n", "byte order mark"),
        (HEADER.encode() + b"1,\xe4,0\n", "Line 2 is not UTF-8 (byte 0xe4)."),
        (HEADER.encode() + b"1,2,\xc3", "Line 2 is not UTF-8 (byte 0xc3)."),
        ("a,b,y\n1,2,0\n".encode("utf-16"), "text in UTF-16"),
        (HEADER + '1,"2,0\n3,4,1\n', "Row 2: A quotation mark is opened and never closed."),
        (HEADER + "1,2,0\r3,4,1\r", "Row 2: A line ends with a carriage return alone"),
        (HEADER + f"1,2,0\n{'9' * 140_000},2,0\n", "Row 3: A cell has more than 131,072 characters"),
        (HEADER + '1,2,0\n1,"2"x,0\n', "Row 3: The row cannot be read"),
    ],
)
async def test_a_file_that_is_no_table_is_refused_in_words(text: str | bytes, words: str) -> None:
    """With the place where the reader knows it."""
    (problem,) = await problems_of(text)
    assert words in problem


async def test_what_never_ends_is_refused_before_it_fills_the_memory() -> None:
    """A line, or a quoted cell."""
    assert await problems_of(HEADER + '1,"2,0\n' + "3,4,1\n" * 300_000) == [
        "In line 1 or a later one, a quotation mark is opened and not closed."
    ]
    assert await problems_of(HEADER + "1,2,0\n" + "9" * (MAX_LINE + BLOCK)) == [
        f"Line 3 has more than {MAX_LINE:,} characters."
    ]


async def test_text_that_is_not_utf8_is_located_across_pieces() -> None:
    """A character may lie on the edge of two pieces, whole or broken."""
    table = resource("sni", features=("b",))
    head = (HEADER + "x,1,0\n" * (BLOCK // 6 - 2)).encode()
    head += b"x" * (BLOCK - len(head) - 1)
    assert len(await read(head + "ä,1,0\n".encode(), table)) == BLOCK // 6 - 1
    (problem,) = await problems_of(head + b"\xc3x,1,0\n", table)
    assert problem == f"Line {BLOCK // 6:,} is not UTF-8 (byte 0xc3)."


async def test_the_row_count_must_be_that_of_the_manifest() -> None:
    """A cut-off file with a right checksum is a wrong manifest."""
    assert (await read(HEADER + "1,2,0\n", resource(rows=1))).features.shape == (1, 2)
    assert await problems_of(HEADER + "1,2,0\n", resource(rows=2)) == ["There is 1 row; the manifest says 2."]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (resource(format="jsonl"), "format 'jsonl'"),
        (resource(label=None, classes=None), "which column to predict"),
        (resource("nns", classes=None), "neither a number nor a class"),
        (resource(features=()), "no column to predict from"),
        (resource("nsi"), "column 'b' is not of numbers"),
    ],
)
async def test_a_resource_that_no_model_can_use_is_refused_before_reading(table: Resource, words: str) -> None:
    """The reason names what the manifest would have to say."""
    with pytest.raises(InvalidData) as caught:
        Columns(table)
    assert words in caught.value.problems[0].problem


CELLS = st.floats(-(2.0**120), 2.0**120, width=32) | st.integers(-(10**6), 10**6)


@given(st.lists(st.tuples(CELLS, CELLS, st.sampled_from([0, 1])), min_size=1, max_size=600))
def test_whatever_numbers_a_table_holds_are_read_exactly(rows: list[tuple[float, float, int]]) -> None:
    """As float32, the nearest to what is written."""
    text = io.StringIO()
    csv.writer(text).writerows([("a", "b", "y"), *rows])
    dataset = drive(read(text.getvalue()))
    assert dataset.features.tolist() == np.array([row[:2] for row in rows], np.float32).tolist()
    assert dataset.labels.tolist() == [row[2] for row in rows]


@given(st.binary(max_size=60) | st.text(alphabet='01,"\n\r.e-;xä\ufeff', max_size=60).map(str.encode))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    """No content, however odd, makes the reading itself fail."""
    with suppress(InvalidData):
        assert len(drive(read(HEADER.encode() + body))) >= 1


def drive(coroutine: Any) -> Dataset:
    """Run a reading that never has to wait: its file is in memory and its slices are short."""
    try:
        while True:
            coroutine.send(None)
    except StopIteration as end:
        result: Dataset = end.value
        return result


async def test_reading_gives_way_in_short_steps() -> None:
    """Between two breaths at most a few milliseconds pass, whatever is wrong with the rows."""

    class WatchedClock(SystemClock):
        longest = 0.0
        last = time.perf_counter()

        async def breathe(self) -> None:
            self.longest = max(self.longest, time.perf_counter() - self.last)
            await super().breathe()
            self.last = time.perf_counter()

    clock = WatchedClock()
    for cell in ("1.25", "1_0"):
        data = (HEADER + f"1.5,{cell},1\n" * 40_000).encode()
        clock.last = time.perf_counter()
        try:
            await read_table(MemoryFile("train.csv", data), resource(), clock)
        except InvalidData:
            assert cell == "1_0"
    assert clock.longest < 0.5, "generous: the machine may be busy"


def dataset_of(rows: int, **changes: Any) -> Dataset:
    """A small dataset."""
    members: dict[str, Any] = {
        "features": np.full((rows, 1), rows, np.float32),
        "labels": np.full(rows, 1, np.int64),
        "feature_names": ("a",),
        "classes": ("no", "yes"),
    }
    return Dataset(**members | changes)


def test_several_files_make_one_dataset_in_their_order() -> None:
    """A single one is not copied."""
    both = concatenate([dataset_of(1), dataset_of(2)])
    assert both.features.tolist() == [[1], [2], [2]]
    assert len(both) == 3
    one = dataset_of(2)
    assert concatenate([one]) is one


@pytest.mark.parametrize("change", [{"feature_names": ("b",)}, {"classes": ("yes", "no")}])
def test_files_with_other_columns_or_classes_do_not_go_together(change: dict[str, Any]) -> None:
    """A class number must mean one class."""
    with pytest.raises(InvalidData, match="differ in their"):
        concatenate([dataset_of(1), dataset_of(1, **change)])


def test_no_files_make_no_dataset() -> None:
    """There is nothing to say about their columns."""
    with pytest.raises(InvalidData, match="no data files"):
        concatenate([])
