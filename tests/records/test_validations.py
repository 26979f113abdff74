"""What names held-out data, what a round is worth by itself, and which value is best."""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace

import pytest
from records.test_records import ACCURACY, JOB, LOSS, committed

from roundtab.records.codec import from_plain, to_plain
from roundtab.records.ids import Sha256
from roundtab.records.jobs import DatasetRef, FileEntry
from roundtab.records.rounds import Checkpoint, Round
from roundtab.records.validations import (
    Direction,
    Measured,
    Validation,
    best_value,
    data_sha256,
    measured,
    round_validations,
)

HELD_OUT = DatasetRef(
    name="held-out",
    sha256=Sha256("2" * 64),
    files=(FileEntry(path="a.csv", bytes=1, sha256=Sha256("3" * 64)),),
    rows=7,
)


def saved(row: Round) -> Checkpoint:
    """The checkpoint of a round."""
    return Checkpoint(
        job=JOB.id,
        round=row.round,
        name="c",
        bytes=1,
        sha256=Sha256(f"{row.round:064d}"),
        metrics=row.metrics,
        created_at=row.committed_at,
    )


def test_one_file_is_named_by_its_own_sha256() -> None:
    """Whatever it is called: what `sha256sum` says of it is what stands in the table."""
    (file,) = HELD_OUT.files
    assert data_sha256([file]) == data_sha256([replace(file, path="b.csv", bytes=2)]) == "3" * 64


def test_several_files_are_named_by_theirs_in_order() -> None:
    """Other files, more files or another order are other data."""
    one, two = (FileEntry(path=each, bytes=1, sha256=Sha256(each * 64)) for each in "ab")
    assert data_sha256([one, two]) == hashlib.sha256(f"{'a' * 64}\n{'b' * 64}\n".encode()).hexdigest()
    assert len({data_sha256(files) for files in ([one], [two], [one, two], [two, one], [one, one])}) == 5


def test_values_stand_in_the_order_of_the_model_with_their_directions() -> None:
    """Missing ones are left out; NaN is a value; what is not declared comes last and has no direction."""
    found = measured({"other": 1.0, "loss": math.nan, "accuracy": 0.5, "absent": None}, (ACCURACY, LOSS))
    assert [(name, each.direction) for name, each in found.items()] == [
        ("accuracy", "maximize"),
        ("loss", "minimize"),
        ("other", None),
    ]
    assert math.isnan(found["loss"].value)


def test_a_round_is_worth_its_validation_values() -> None:
    """Those of training are not among them; a job without validation data has none; a round without them neither."""
    rows = [committed(1, train_loss=1.0, val_loss=2.0, val_accuracy=0.5), committed(2, train_loss=1.0)]
    job = replace(JOB, validation_dataset=HELD_OUT)
    (only,) = round_validations(job, rows, [saved(each) for each in rows], (ACCURACY, LOSS))
    assert (only.round, only.source, only.count, only.data_sha256) == (1, "round", 7, "3" * 64)
    assert {name: each.value for name, each in only.metrics.items()} == {"accuracy": 0.5, "loss": 2.0}
    assert only.checkpoint_sha256 == saved(rows[0]).sha256
    assert from_plain(Validation, to_plain(only)) == only
    assert round_validations(JOB, rows, [saved(each) for each in rows], (ACCURACY, LOSS)) == []
    assert round_validations(job, rows, [], (ACCURACY, LOSS)) == []


@pytest.mark.parametrize(
    ("values", "direction", "best"),
    [
        ([0.5, 0.7, 0.6], "maximize", 0.7),
        ([0.5, 0.7, 0.6], "minimize", 0.5),
        ([math.nan, 0.7], "minimize", 0.7),
        ([math.nan], "minimize", None),
        ([], "minimize", None),
        ([0.5], None, None),
    ],
)
def test_the_direction_decides_which_value_is_best(
    values: list[float], direction: Direction | None, best: float | None
) -> None:
    """NaN never is, and without a direction none is."""
    assert best_value([Measured(value=each, direction=direction) for each in values]) == best


def test_values_whose_directions_differ_are_not_compared() -> None:
    """Two models may mean different things by one name."""
    assert best_value([Measured(value=1.0, direction="maximize"), Measured(value=2.0, direction="minimize")]) is None
