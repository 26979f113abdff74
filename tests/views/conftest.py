"""Pictures to render: records that are easy to vary, and a reader that finds elements in the HTML."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from typing import Any

import pytest

from roundtab.api.protocol import EngineStatus, JobPage, JobState, Site, Storage
from roundtab.records.capabilities import CapabilityInfo, Fit, Inference, ParameterInfo
from roundtab.records.ids import JobId, ParticipantId, Sha256
from roundtab.records.jobs import (
    CapabilityRef,
    DatasetRef,
    FileEntry,
    Job,
    JobItem,
    Metric,
    Participant,
    Rounds,
    Work,
    job_item,
)
from roundtab.records.rounds import Checkpoint, LogEntry, QueueState, Round
from roundtab.records.spec import Spec
from roundtab.records.validations import Measured, Validation
from roundtab.views.html import VOID, Node, text
from roundtab.views.workspace.api_state import pretty
from roundtab.views.workspace.state import Connection, OpenJob, WorkspaceState

SHA = Sha256("0123456789abcdef" * 4)
ID = JobId("job-01KB8M3Q7V0000AA")


def moment(second: int) -> str:
    """A time of day, so many seconds after ten."""
    return f"2026-11-30T10:{second // 60:02d}:{second % 60:02d}.000Z"


class Make:
    """Makes records; keyword arguments replace fields."""

    hostile = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>&lt;"
    now = moment(1800)

    @staticmethod
    def capability(**changes: Any) -> CapabilityInfo:
        """A classifier with one parameter of each kind."""
        made = CapabilityInfo(
            name="tabular-classifier",
            version="1.0.0",
            sha256=SHA,
            title="Tabular classifier",
            trainer_type="supervised",
            inputs="table",
            metrics=(
                Metric(name="accuracy", direction="maximize"),
                Metric(name="loss", direction="minimize"),
            ),
            work_unit="samples",
            evaluation="dataset",
            parameters=(
                ParameterInfo(name="hidden_units", type="integer", default=32, min=0, max=1024, help="0 leaves it out"),
                ParameterInfo(name="weight_decay", type="number", default=0.002, min=0, max=1),
                ParameterInfo(name="bias", type="boolean", default=True),
                ParameterInfo(name="activation", type="choice", default="relu", choices=("relu", "tanh")),
            ),
            inference=(
                Inference(format="onnx", tool="onnxruntime", snippet='run("checkpoint.onnx")'),
                Inference(format="npz", tool="numpy", snippet='import numpy as np\nw = np.load("checkpoint.npz")'),
                Inference(format="safetensors", tool="numpy and safetensors", snippet='load("checkpoint.safetensors")'),
            ),
            requirements=(),
            defaults={"learning_rate": 0.3, "optimizer_options": {"momentum": 0.9}},
        )
        return replace(made, **changes)

    @staticmethod
    def regressor() -> CapabilityInfo:
        """One that predicts quantities."""
        return Make.capability(
            name="tabular-regressor",
            title="Tabular regressor",
            fit=Fit(label="number"),
            metrics=(Metric(name="rmse", direction="minimize"), Metric(name="mae", direction="minimize")),
        )

    @staticmethod
    def engine(**changes: Any) -> EngineStatus:
        """An engine that is ready."""
        made = EngineStatus(
            version=1,
            ready=True,
            epoch=1,
            site=Site(origin="http://localhost:8000", grants=("training", "recordings")),
            backends=("browser",),
            local_trainers=2,
            storage=Storage(used=41_200_000, quota=2_100_000_000, persisted=True),
        )
        return replace(made, **changes)

    @staticmethod
    def job(done: int = 4, total: int = 20, **changes: Any) -> Job:
        """A running job."""
        made = Job(
            id=ID,
            org="local",
            workspace="default",
            project="default",
            name="Digits",
            backend="browser",
            trainer_type="supervised",
            algorithm="fedavg",
            capability=CapabilityRef(name="tabular-classifier", version="1.0.0", sha256=SHA),
            model="Tabular classifier",
            config=Spec(capability="tabular-classifier@1.0.0", local_trainers=2, min_participants=2),
            dataset=DatasetRef(name="digits", sha256=SHA, rows=1_438),
            status="running",
            phase="training",
            metric=Metric(name="accuracy", direction="maximize"),
            work=Work(done=1_438 * done, total=1_438 * total, unit="samples"),
            rounds=Rounds(done=done, total=total),
            created_at=moment(0),
            started_at=moment(10),
        )
        return replace(made, **changes)

    @staticmethod
    def item(latest: dict[str, float | None] | None = None, **changes: Any) -> JobItem:
        """The same job in a list."""
        return job_item(Make.job(**changes), {"val_accuracy": 0.9638} if latest is None else latest)

    @staticmethod
    def rounds(count: int, *, validation: bool = True, **changes: float | None) -> tuple[Round, ...]:
        """So many rounds, ten seconds each; `changes` replace metrics of the last one."""
        made = []
        for number in range(1, count + 1):
            metrics: dict[str, float | None] = {
                "train_loss": 1 / number,
                "train_accuracy": 1 - 0.2 / number,
                "learning_rate": 0.3,
            }
            if validation:
                metrics |= {"val_loss": 1.1 / number, "val_accuracy": 1 - 0.25 / number}
            if number == count:
                metrics |= changes
            made.append(
                Round(
                    round=number,
                    steps=45 * number,
                    epochs=float(number),
                    examples=1_438,
                    metrics=metrics,
                    committed_at=moment(10 + 10 * number),
                )
            )
        return tuple(made)

    @staticmethod
    def checkpoints(rounds: tuple[Round, ...]) -> tuple[Checkpoint, ...]:
        """The checkpoint of each round."""
        return tuple(
            Checkpoint(
                job=ID,
                round=each.round,
                name=f"digits-{each.round}.safetensors",
                bytes=10_412,
                sha256=SHA,
                metrics=each.metrics,
                created_at=each.committed_at,
            )
            for each in rounds
        )

    @staticmethod
    def held_out(**changes: Any) -> DatasetRef:
        """Validation data of one file."""
        files = (FileEntry(path="validation.csv", bytes=1, sha256=Sha256("a" * 64)),)
        return replace(DatasetRef(name="digits", sha256=SHA, files=files, rows=359), **changes)

    @staticmethod
    def validation(number: int = 4, accuracy: float = 0.9, loss: float = 0.3, **changes: Any) -> Validation:
        """A round on a file that was chosen."""
        made = Validation(
            id=f"validation-{number}",
            job=ID,
            round=number,
            checkpoint_sha256=SHA,
            capability=CapabilityRef(name="tabular-classifier", version="1.0.0", sha256=SHA),
            dataset=Make.held_out(name="room-7", rows=120),
            data_sha256=Sha256("b" * 64),
            metrics={
                "accuracy": Measured(value=accuracy, direction="maximize"),
                "loss": Measured(value=loss, direction="minimize"),
            },
            count=120,
            source="asked",
            created_at=moment(100 + number),
        )
        return replace(made, **changes)

    @staticmethod
    def participant(number: int = 1, **changes: Any) -> Participant:
        """A participant that trains."""
        made = Participant(
            id=ParticipantId(f"p-{number}"),
            name=f"This tab, trainer {number}",
            number=number,
            state="training",
            items_now=15,
            examples_done=7_191,
            last_seen_at=Make.now,
        )
        return replace(made, **changes)

    @staticmethod
    def log(seq: int, **changes: Any) -> LogEntry:
        """A log entry."""
        made = LogEntry(seq=seq, attempt=1, timestamp=moment(seq), level="info", message=f"Message {seq}")
        return replace(made, **changes)

    @staticmethod
    def opened(job: Job | None = None, **changes: Any) -> OpenJob:
        """The job on the page, with rounds and checkpoints as it says."""
        job = job or Make.job()
        rounds = changes.get("rounds", Make.rounds(job.rounds.done))
        made = OpenJob(
            id=job.id,
            job=job,
            rounds=rounds,
            checkpoints=Make.checkpoints(rounds),
            participants=(Make.participant(1), Make.participant(2)),
            logs=(Make.log(1), Make.log(2, data={"round": 1, "val_loss": math.nan})),
            state_text=pretty(Make.job_state(job)),
            state_as_of=Make.now,
        )
        return replace(made, **changes)

    @staticmethod
    def job_state(job: Job, **changes: Any) -> JobState:
        """What the API knows about the job."""
        made = JobState(
            job=job,
            queue=QueueState(seed=1, pass_=2, position=3),
            participants=(),
            rounds=Make.rounds(1, val_loss=math.nan),
            checkpoints=(),
            validations=(),
            logs=(),
            storage=Make.engine().storage,
            errors=(),
        )
        return replace(made, **changes)

    @staticmethod
    def jobs(*items: JobItem, total: int | None = None) -> JobPage:
        """A page of the job list."""
        return JobPage(
            items=items, page=1, page_size=100, total=len(items) if total is None else total, as_of=moment(0)
        )

    @staticmethod
    def state(**changes: Any) -> WorkspaceState:
        """A workspace that is ready, with one job in its list."""
        made = WorkspaceState(
            now=Make.now,
            connection=Connection(phase="ready", status=Make.engine()),
            capabilities=(Make.capability(),),
            jobs=Make.jobs(Make.item()),
        )
        return replace(made, **changes)

    @staticmethod
    def job_page(job: Job | None = None, **changes: Any) -> WorkspaceState:
        """The workspace with a job open."""
        return Make.state(route="job", open=Make.opened(job, **changes))


@dataclass
class Found:
    """An element of the document, with the text in it."""

    tag: str
    attributes: dict[str, str]
    parts: list[str] = field(default_factory=list)

    @property
    def words(self) -> str:
        """Its text, with single spaces."""
        return " ".join("".join(self.parts).split())

    def __getitem__(self, name: str) -> str:
        return self.attributes[name]


class Document(HTMLParser):
    """HTML text as a browser would read it; refuses end tags that do not match."""

    def __init__(self, content: Node | str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[Found] = []
        self._open: list[Found] = []
        self._text: list[str] = []
        self.feed(content if isinstance(content, str) and content.lstrip().startswith("<") else text(content))
        self.close()
        assert not self._open, f"<{self._open[-1].tag}> is not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the element."""
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"<{tag}> has an attribute twice: {names}"
        found = Found(tag, {name: value or "" for name, value in attrs})
        self.elements.append(found)
        if tag not in VOID:
            self._open.append(found)

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost element, which must be this one."""
        assert self._open, f"</{tag}> closes nothing"
        assert self._open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        """Give the text to every element around it."""
        self._text.append(data)
        for each in self._open:
            each.parts.append(data)

    @property
    def words(self) -> str:
        """All text, with single spaces."""
        return " ".join("".join(self._text).split())

    def all(self, tag: str | None = None, **attributes: str) -> list[Found]:
        """The elements with this tag and these attributes; `_` in a name stands for `-`."""
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return [
            each
            for each in self.elements
            if tag in (None, each.tag) and all(each.attributes.get(name) == value for name, value in wanted.items())
        ]

    def one(self, tag: str | None = None, **attributes: str) -> Found:
        """The only such element."""
        found = self.all(tag, **attributes)
        assert len(found) == 1, f"{len(found)} elements <{tag}> with {attributes}"
        return found[0]


@pytest.fixture
def make() -> type[Make]:
    """Make records."""
    return Make


@pytest.fixture
def read() -> type[Document]:
    """Read rendered HTML."""
    return Document
