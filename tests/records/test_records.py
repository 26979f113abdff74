"""What the records say about a job: its list form, its best round, its series, its events."""

from __future__ import annotations

import json
import math

import pytest

from roundtab.errors import InvalidRequest
from roundtab.records.codec import from_plain, to_plain
from roundtab.records.events import JobUpdated, RequestProgress, RoundCompleted, event_to_plain
from roundtab.records.ids import JobId, ParticipantId, Sha256
from roundtab.records.jobs import CapabilityRef, DatasetRef, Job, JobItem, Metric, Participant, Rounds, Work, job_item
from roundtab.records.metrics import job_metrics, metric_names, series
from roundtab.records.rounds import QueueState, Round, best_round
from roundtab.records.spec import Spec

ACCURACY = Metric(name="accuracy", direction="maximize")
LOSS = Metric(name="loss", direction="minimize")
JOB = Job(
    id=JobId("job-1"),
    org="local",
    workspace="default",
    project="default",
    backend="local",
    trainer_type="supervised",
    algorithm="fedavg",
    capability=CapabilityRef(name="c", version="1.0.0", sha256=Sha256("0" * 64)),
    model="C",
    config=Spec(capability="c@1.0.0", parameters={"width": 3, "rate": 0.5, "deep": True, "kind": "x"}),
    dataset=DatasetRef(name="digits", sha256=Sha256("1" * 64)),
    status="running",
    metric=ACCURACY,
    work=Work(done=0, total=10, unit="samples"),
    rounds=Rounds(done=0, total=2),
    participants=(
        Participant(id=ParticipantId("p-1"), name="One", number=1, state="training"),
        Participant(id=ParticipantId("p-2"), name="Two", number=2, state="left"),
    ),
    created_at="2026-11-30T09:41:14.123Z",
)


def committed(number: int, **metrics: float | None) -> Round:
    """A round with these metrics."""
    return Round(
        round=number, steps=number * 5, epochs=float(number), examples=100, metrics=metrics, committed_at=JOB.created_at
    )


def test_a_job_record_comes_back_from_json_the_same() -> None:
    """Stores and wires keep every field and the type of every parameter."""
    assert from_plain(Job, json.loads(json.dumps(to_plain(JOB), allow_nan=False))) == JOB


def test_a_spec_needs_only_its_capability_and_shows_every_default() -> None:
    """What a job was trained with can be read from its record alone."""
    plain = to_plain(from_plain(Spec, {"capability": "c@1.0.0"}))
    assert plain["trainer"]["rounds"] == 20
    assert plain["trainer"]["optimizer_options"] == {}
    assert plain["placement"] == "shared"


@pytest.mark.parametrize(
    ("trainer", "path"),
    [
        ({"rounds": 0}, "$.trainer.rounds"),
        ({"learning_rate": "NaN"}, "$.trainer.learning_rate"),
        ({"learning_rate": 0}, "$.trainer.learning_rate"),
        ({"optimizer": "sdg"}, "$.trainer.optimizer"),
        ({"seed": 2**32}, "$.trainer.seed"),
        ({"optimizer_options": {"momentum": "fast"}}, "$.trainer.optimizer_options.momentum"),
    ],
)
def test_trainer_settings_out_of_range_are_refused(trainer: dict[str, object], path: str) -> None:
    """A job that cannot train is refused when it is made."""
    with pytest.raises(InvalidRequest) as caught:
        from_plain(Spec, {"capability": "c@1.0.0", "trainer": trainer})
    assert [each.path for each in caught.value.problems] == [path]


def test_the_list_form_counts_connected_participants_and_names_datasets() -> None:
    """It is small: no metrics, config or artifacts."""
    item = job_item(JOB, {"val_accuracy": 0.5})
    assert (item.participants, item.dataset, item.validation_dataset) == (1, "digits", None)
    assert item.latest == {"val_accuracy": 0.5}
    assert not {"metrics", "config", "artifacts"} & set(to_plain(item))
    assert from_plain(JobItem, to_plain(item)) == item


def test_the_best_round_follows_the_direction_of_the_metric() -> None:
    """The largest accuracy, the smallest loss; the earliest of equals."""
    rounds = [
        committed(1, val_accuracy=0.5, val_loss=2.0),
        committed(2, val_accuracy=0.9, val_loss=1.0),
        committed(3, val_accuracy=0.9, val_loss=0.5),
    ]
    assert best_round(rounds, ACCURACY) == 2
    assert best_round(rounds, LOSS) == 3


def test_training_values_alone_mark_no_round_as_best() -> None:
    """Without validation data nobody knows which round is best."""
    assert best_round([committed(1, train_accuracy=0.5)], ACCURACY) is None
    assert best_round([], ACCURACY) is None


def test_missing_values_and_nan_are_never_best() -> None:
    """They compare with nothing; infinities do."""
    rounds = [committed(1, val_loss=math.nan), committed(2, val_loss=None), committed(3, val_loss=math.inf)]
    assert best_round(rounds, LOSS) == 3
    assert best_round(rounds[:2], LOSS) is None


def test_series_have_one_entry_a_round_on_three_axes() -> None:
    """A value that a round lacks is None, so all series have one length."""
    columns = series([committed(1, train_loss=2.0), committed(2, train_loss=math.nan, val_accuracy=0.5)])
    assert (columns["rounds"], columns["steps"], columns["epochs"]) == ([1, 2], [5, 10], [1.0, 2.0])
    assert columns["val_accuracy"] == columns["accuracy"] == [None, 0.5]
    assert repr(columns["train_loss"]) == "[2.0, nan]"


def test_metrics_keep_the_order_in_which_they_first_appear() -> None:
    """Tables and charts list them in one order."""
    assert metric_names([committed(1, b=1.0, a=1.0), committed(2, c=1.0, a=1.0)]) == ["b", "a", "c"]


def test_the_scalars_of_a_run_come_from_its_rounds() -> None:
    """NaN may be the latest loss and is never the best one; missing values are neither."""
    rounds = [
        committed(1, train_loss=2.0, val_loss=3.0),
        committed(2, train_loss=1.0, val_loss=2.5),
        committed(3, train_loss=math.nan, val_loss=None),
    ]
    metrics = job_metrics(rounds)
    assert metrics["examples"] == 300
    assert metrics["best_train_loss"] == 1.0
    assert math.isnan(metrics["latest_train_loss"])
    assert metrics["eval_loss"] == 2.5
    assert job_metrics([]) == {}


def test_events_carry_epoch_and_number() -> None:
    """A listener sees by a gap that it missed something."""
    event = RoundCompleted(job=JOB.id, round=committed(1, val_loss=math.inf))
    plain = event_to_plain(event, epoch=3, seq=7)
    assert (plain["name"], plain["epoch"], plain["seq"]) == ("round.completed", 3, 7)
    assert plain["data"]["round"]["metrics"] == {"val_loss": "Infinity"}
    assert event_to_plain(JobUpdated(job=JOB.id, item=None), 1, 1)["data"] == {"job": "job-1", "item": None}
    progress = RequestProgress(id="p", done=1, total=2, unit="bytes", what="Checking")
    assert event_to_plain(progress, 1, 2)["name"] == "request.progress"


def test_a_queue_state_says_pass_on_the_wire() -> None:
    """The word of the design, not Python's."""
    state = QueueState(seed=1, pass_=2, position=3, returned=("1:4",))
    assert to_plain(state) == {"seed": 1, "pass": 2, "position": 3, "returned": ["1:4"]}
    assert from_plain(QueueState, to_plain(state)) == state
