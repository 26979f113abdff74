"""The participant's side: orders, leases, progress, stopping."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from training.world import GRAPH, MODEL, World, nothing_left

from roundtab.capabilities.catalogue import Catalogue
from roundtab.checkpoints import safetensors
from roundtab.clock import SystemClock
from roundtab.errors import ParticipantLost
from roundtab.records.ids import Sha256
from roundtab.records.jobs import CapabilityRef
from roundtab.records.rounds import ExportFormat
from roundtab.records.values import Blob
from roundtab.training.messages import (
    Collect,
    Evaluated,
    EvaluateTask,
    Exported,
    ExportTask,
    Failed,
    Hyper,
    InitTask,
    Order,
    Progress,
    Ready,
    Report,
    Shape,
    StopTask,
    Trained,
    TrainTask,
    Update,
    decode,
    encode,
    pack,
    unpack,
)
from roundtab.training.participant import Participant, standardised
from roundtab.training.transport import MemoryTransport, Message, memory_pair

FEATURES = np.array([[1, 10, 5], [2, 20, 5], [3, 30, 5], [4, 40, 5]], np.float32)
LABELS = np.array([0, 0, 1, 1], np.int64)


class Desk:
    """The coordinator's end of the channel to one participant."""

    def __init__(self, channel: MemoryTransport, capability: CapabilityRef) -> None:
        self.channel = channel
        self.capability = capability

    async def say(self, order: Order) -> None:
        """Give an order."""
        await self.channel.send(encode(order))

    async def hear(self) -> Report:
        """The next report."""
        async with asyncio.timeout(5):
            return decode(await self.channel.receive())  # type: ignore[return-value]

    async def ask(self, order: Order) -> Report:
        """The report that answers an order; progress is passed over."""
        await self.say(order)
        while isinstance(report := await self.hear(), Progress):
            pass
        return report

    def init(self, lease: str = "i", seed: int = 1) -> InitTask:
        """Make weights."""
        shape = Shape(features=3, classes=2, label_mean=0.0, label_scale=1.0)
        return InitTask(lease=lease, capability=self.capability, parameters={}, shape=shape, seed=seed)

    def train(self, lease: str = "t", *, round_number: int = 1, items: tuple[str, ...] = ("0:0",)) -> TrainTask:
        """Train on all four rows."""
        return TrainTask(
            lease=lease,
            capability=self.capability,
            parameters={},
            settings=Hyper(local_epochs=1, batch_size=2, learning_rate=0.1, optimizer="sgd"),
            seed=1,
            round=round_number,
            items=items,
            weights=pack({"w": np.zeros((3, 2), np.float32)}),
            inputs=pack({"mean": np.zeros(3, np.float32), "scale": np.ones(3, np.float32)}),
            rows=pack({"features": FEATURES, "labels": LABELS}),
        )

    def evaluate(self, lease: str = "e") -> EvaluateTask:
        """Evaluate on the same rows."""
        task = self.train()
        return EvaluateTask(
            lease=lease, capability=self.capability, weights=task.weights, inputs=task.inputs, rows=task.rows
        )

    def export(self, wanted: ExportFormat, lease: str = "x") -> ExportTask:
        """Write a checkpoint in another format."""
        tensors = {"w": np.ones((3, 2), np.float32), "inputs/mean": FEATURES[0], "inputs/scale": FEATURES[1]}
        checkpoint = Blob(safetensors.save(tensors, {"round": "7"}))
        return ExportTask(lease=lease, capability=self.capability, format=wanted, checkpoint=checkpoint)


@asynccontextmanager
async def desk(folder: Path, model: str = MODEL) -> AsyncIterator[Desk]:
    """A participant that serves, and has said that it is ready."""
    World(folder, model)
    catalogue = Catalogue.of_folders(folder)
    sha256 = Sha256(catalogue.info("small@1.0.0").sha256)
    async with nothing_left():
        ours, theirs = memory_pair()
        serving = asyncio.ensure_future(Participant(theirs, catalogue, SystemClock()).serve())
        made = Desk(ours, CapabilityRef(name="small", version="1.0.0", sha256=sha256))
        assert await made.hear() == Ready()
        yield made
        ours.close()
        await serving


async def test_starting_weights_come_from_the_seed(tmp_path: Path) -> None:
    """The same seed, the same weights; they are not kept for a later collect."""
    async with desk(tmp_path) as at:
        answers = [await at.ask(at.init(str(n), seed)) for n, seed in enumerate((1, 1, 2))]
        one, same, other = (unpack(each.weights)["w"].tobytes() for each in answers)  # type: ignore[union-attr]
        assert one == same != other
        assert isinstance(await at.ask(Collect(lease="2")), Failed)


async def test_a_result_waits_until_it_is_collected_and_is_given_once(tmp_path: Path) -> None:
    """The report names round, count and metrics; the weights come when asked for."""
    async with desk(tmp_path) as at:
        report = await at.ask(at.train("a", round_number=3))
        assert isinstance(report, Trained)
        assert (report.lease, report.round, report.count) == ("a", 3, 4)
        update = await at.ask(Collect(lease="a"))
        assert isinstance(update, Update)
        assert unpack(update.weights)["w"].shape == (3, 2)
        again = await at.ask(Collect(lease="a"))
        assert isinstance(again, Failed)
        assert (again.lease, again.problem) == ("a", "There is no such update.")


@pytest.mark.parametrize("after", ["another lease", "a stop", "another task"])
async def test_what_was_not_collected_in_time_is_gone(tmp_path: Path, after: str) -> None:
    """Nothing is kept between tasks, and no update is given to a lease that it does not belong to."""
    async with desk(tmp_path) as at:
        await at.ask(at.train("a"))
        if after == "a stop":
            await at.say(StopTask(lease="a"))
        if after == "another task":
            await at.ask(at.evaluate("b"))
        assert isinstance(await at.ask(Collect(lease="z" if after == "another lease" else "a")), Failed)


async def test_a_stop_of_another_lease_changes_nothing(tmp_path: Path) -> None:
    """It may arrive late."""
    async with desk(tmp_path) as at:
        await at.ask(at.train("a"))
        await at.say(StopTask(lease="old"))
        assert isinstance(await at.ask(Collect(lease="a")), Update)


ENDLESS = (
    MODEL + "\ndef train(weights, data, settings, rng):\n    n = 0\n    while True:\n        n += 1\n        yield n\n"
)


async def test_a_model_that_yields_shows_progress_and_can_be_stopped(tmp_path: Path) -> None:
    """Progress comes every tenth of a second; after a stop the participant is free for the next task."""
    async with desk(tmp_path, ENDLESS) as at:
        await at.say(at.train("a"))
        first, second = await at.hear(), await at.hear()
        assert isinstance(first, Progress)
        assert isinstance(second, Progress)
        assert (first.lease, second.lease) == ("a", "a")
        assert 0 < first.done < second.done
        await at.say(StopTask(lease="a"))
        report = await at.ask(at.evaluate("b"))
        assert isinstance(report, Evaluated)
        assert report.lease == "b"


async def test_a_new_task_replaces_the_old_one(tmp_path: Path) -> None:
    """The coordinator has taken it back, else it would not send another."""
    async with desk(tmp_path, ENDLESS) as at:
        await at.say(at.train("a"))
        await at.hear()
        report = await at.ask(at.evaluate("b"))
        assert isinstance(report, Evaluated)


async def test_a_participant_that_is_at_work_ends_when_the_channel_closes(tmp_path: Path) -> None:
    """In the middle of a model's call, and no task is left behind."""
    async with desk(tmp_path, ENDLESS) as at:
        await at.say(at.train("a"))
        await at.hear()


@pytest.mark.parametrize("style", ["function", "generator"])
async def test_models_are_functions_or_generators(tmp_path: Path, style: str) -> None:
    """Both give the same answers."""
    line = "    return {'w': weights['w'] + 1}, {'loss': 0.5}, len(data)\n"
    model = (
        f"{MODEL}\ndef train(weights, data, settings, rng):\n{'    yield 1' if style == 'generator' else ''}\n{line}"
    )
    async with desk(tmp_path, model) as at:
        report = await at.ask(at.train("a"))
        assert isinstance(report, Trained)
        assert (report.count, report.metrics) == (4, {"loss": 0.5})
        update = await at.ask(Collect(lease="a"))
        assert isinstance(update, Update)
        assert unpack(update.weights)["w"].tolist() == [[1, 1]] * 3


async def test_random_numbers_come_from_the_seed_the_round_and_the_items(tmp_path: Path) -> None:
    """So a task that is given again to anybody gives the same bits, and no other task does."""
    noise = "def train(weights, data, settings, rng):\n    return {'w': rng.random(3).astype('f4')}, {}, len(data)"
    async with desk(tmp_path, f"{MODEL}\n{noise}\n") as at:
        drawn = []
        tasks = [
            at.train(),
            at.train(),
            at.train(round_number=2),
            at.train(items=("0:1",)),
            at.train(items=("0:0", "0:1")),
        ]
        for task in tasks:
            await at.ask(task)
            update = await at.ask(Collect(lease=task.lease))
            assert isinstance(update, Update)
            drawn.append(unpack(update.weights)["w"].tobytes())
        assert drawn[0] == drawn[1]
        assert len(set(drawn)) == 4


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("raise ValueError('boom')", "The model's code failed: ValueError: boom"),
        ("raise MemoryError", "The model's code failed: MemoryError: "),
        ("raise StopIteration", "The model's code failed: RuntimeError: "),
        ("import sys; sys.exit(3)", "The model's code failed: SystemExit: 3"),
        ("return 1", "The model's code failed: TypeError: "),
        ("return weights, {'loss': 'high'}, 4", "The model's code failed: ValueError: "),
        ("return weights, {}, float('nan')", "The model's code failed: ValueError: "),
        ("return {'w': 'text'}, {}, 4", "This is not a checkpoint that can be read. The tensor 'w'"),
        ("weights['w'][0] = 1; return weights, {}, 4", "The model's code failed: ValueError: assignment destination"),
        ("yield 'soon'", "The model's code failed: "),
    ],
)
async def test_whatever_a_model_does_the_participant_reports_it_and_serves_on(
    tmp_path: Path, body: str, problem: str
) -> None:
    """In words, under the lease of the task."""
    async with desk(tmp_path, f"{MODEL}\ndef train(weights, data, settings, rng):\n    {body}\n") as at:
        report = await at.ask(at.train("a"))
        assert isinstance(report, Failed)
        assert report.lease == "a"
        assert report.problem.startswith(problem)
        assert isinstance(await at.ask(at.evaluate("b")), Evaluated)


async def test_code_with_another_checksum_does_not_run(tmp_path: Path) -> None:
    """The job names exactly one state of the code."""
    async with desk(tmp_path) as at:
        at.capability = CapabilityRef(name="small", version="1.0.0", sha256=Sha256("0" * 64))
        report = await at.ask(at.init())
        assert isinstance(report, Failed)
        assert "not the one that the job names" in report.problem


@pytest.mark.parametrize("text", ["", "[]", '{"kind": "dance"}', '{"kind": "stop"}', '{"kind": "stop", "lease": "a"'])
async def test_an_order_that_is_none_ends_the_participation(tmp_path: Path, text: str) -> None:
    """The coordinator hears at once that nobody is there, not after the deadline."""
    async with desk(tmp_path) as at:
        await at.channel.send(Message(text))
        with pytest.raises(ParticipantLost):
            await at.hear()


async def test_a_checkpoint_is_written_in_the_format_that_is_asked_for(tmp_path: Path) -> None:
    """With its metadata; ONNX begins with the standardisation of the inputs."""
    async with desk(tmp_path, MODEL + GRAPH) as at:
        npz, onnx = await at.ask(at.export("npz", "a")), await at.ask(at.export("onnx", "b"))
        assert isinstance(npz, Exported)
        assert isinstance(onnx, Exported)
        assert (npz.lease, onnx.lease) == ("a", "b")
        with np.load(BytesIO(npz.file.data)) as arrays:
            assert arrays["w"].tolist() == [[1, 1]] * 3
            assert json.loads(str(arrays["__metadata__"])) == {"round": "7"}
        data = bytes(onnx.file.data)
        order = [data.index(word) for word in (b"Sub", b"Div", b"MatMul", FEATURES[0].tobytes())]
        assert order == sorted(order)


async def test_tensors_are_written_without_the_code_of_the_model(tmp_path: Path) -> None:
    """It may be another one by now; what runs the model's code is refused then."""
    async with desk(tmp_path, MODEL + GRAPH) as at:
        at.capability = CapabilityRef(name="small", version="1.0.0", sha256=Sha256("0" * 64))
        assert isinstance(await at.ask(at.export("npz")), Exported)
        report = await at.ask(at.export("onnx"))
        assert isinstance(report, Failed)
        assert "not the one that the job names" in report.problem


@pytest.mark.parametrize(
    ("graph", "problem"),
    [
        (GRAPH.replace('"w")', '"v")'), "This model cannot be written as ONNX. The node MatMul takes 'v'"),
        ("def graph(weights):\n    raise ValueError('boom')\n", "The model's code failed: ValueError: boom"),
        ("def graph(weights):\n    return None\n", "The model's code failed: AttributeError: "),
        ("def graph(weights):\n    return weights['inputs/mean']\n", "The model's code failed: KeyError: "),
    ],
)
async def test_a_graph_that_does_not_fit_is_reported(tmp_path: Path, graph: str, problem: str) -> None:
    """In words for the model's author. It is given the model's own tensors, not those of the framework."""
    async with desk(tmp_path, MODEL + graph) as at:
        report = await at.ask(at.export("onnx"))
        assert isinstance(report, Failed)
        assert report.problem.startswith(problem)
        assert isinstance(await at.ask(at.evaluate("b")), Evaluated)


def test_rows_are_standardised_with_the_statistics_of_the_task() -> None:
    """(x - mean) / scale, float32, labels as they are."""
    mean, scale = FEATURES.mean(axis=0), np.array([2, 10, 1], np.float32)
    data = standardised(pack({"features": FEATURES, "labels": LABELS}), pack({"mean": mean, "scale": scale}))
    assert data.features.dtype == np.float32
    np.testing.assert_array_equal(data.features, (FEATURES - mean) / scale)
    np.testing.assert_array_equal(data.labels, LABELS)
    assert len(data) == 4
