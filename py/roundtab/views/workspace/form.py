"""The form for a new job as data: which fields it has for a capability, their defaults and their values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from roundtab.records.capabilities import CapabilityInfo, ParameterInfo
from roundtab.records.fitting import misfits
from roundtab.records.spec import Parameter, TrainerSettings
from roundtab.views.format import metric_title
from roundtab.views.workspace.file_rows import Role
from roundtab.views.workspace.samples import Sample
from roundtab.views.workspace.state import NewJob, WorkspaceState

_GENERAL = TrainerSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One entry of the form."""

    name: str
    """Its key in the values and in the page."""
    path: str
    """Where its value goes in the specification."""
    label: str
    kind: Literal["text", "integer", "number", "choice", "boolean"]
    default: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    """Value and label of each choice."""
    least: float | None = None
    most: float | None = None
    help: str = ""
    placeholder: str = ""
    optional: bool = False
    """Whether it may stay empty: then the specification leaves the value to Roundtab."""


def chosen_capability(state: WorkspaceState) -> CapabilityInfo | None:
    """The capability that the form is for: the chosen one, else the first of the catalogue."""
    catalogue = state.capabilities or ()
    wanted = state.form.values.get("capability")
    return next((each for each in catalogue if f"{each.name}@{each.version}" == wanted), next(iter(catalogue), None))


def name_field(state: WorkspaceState) -> Field:
    """The job's name; with sample data the name of the data set is filled in."""
    sample = chosen_sample(state)
    return Field(
        name="name",
        path="$.spec.name",
        label="Job name",
        kind="text",
        default=sample.title if sample and uses_sample(state.form) else "",
        placeholder="named after the data",
        optional=True,
    )


def parameter_fields(capability: CapabilityInfo) -> list[Field]:
    """One field for each parameter of the model."""
    return [_parameter_field(each) for each in capability.parameters]


def _parameter_field(parameter: ParameterInfo) -> Field:
    return Field(
        name=f"parameters.{parameter.name}",
        path=f"$.spec.parameters.{parameter.name}",
        label=metric_title(parameter.name),
        kind=parameter.type,
        default=_shown(parameter.default),
        choices=tuple((each, each) for each in parameter.choices),
        least=parameter.min,
        most=parameter.max,
        help=parameter.help,
    )


def trainer_fields(capability: CapabilityInfo, values: Mapping[str, str]) -> list[Field]:
    """The settings that everybody looks at."""
    return [
        _trainer("algorithm", "Algorithm", "choice", capability, choices=(("fedavg", "FedAvg"),)),
        _trainer("rounds", "Rounds", "integer", capability, least=1),
        _trainer("local_epochs", "Local epochs", "integer", capability, least=1),
        _trainer("batch_size", "Batch size", "integer", capability, least=1),
        _trainer("learning_rate", "Learning rate", "number", capability, least=0),
        _trainer("optimizer", "Optimizer", "choice", capability, choices=(("sgd", "SGD"), ("adam", "Adam"))),
        *_momentum(capability, values),
        Field(
            name="min_participants",
            path="$.spec.min_participants",
            label="Participants needed",
            kind="integer",
            default="1",
            least=1,
            help="Below this the job waits",
        ),
        _trainer(
            "deadline_s", "Deadline, seconds", "number", capability, least=1, help="Later answers go back to the queue"
        ),
    ]


def more_fields(capability: CapabilityInfo, local_trainers: int | None) -> list[Field]:
    """The settings that most people leave alone."""
    suits = f"{local_trainers} suit this machine" if local_trainers else "as suits this machine"
    return [
        _trainer("seed", "Seed", "integer", capability, least=0, help="The same seed gives the same run"),
        _trainer(
            "items_per_round", "Items a round", "integer", capability, least=1, optional=True, placeholder="one pass"
        ),
        Field(
            name="local_trainers",
            path="$.spec.local_trainers",
            label="Trainers in this tab",
            kind="integer",
            least=0,
            most=16,
            placeholder=suits,
            optional=True,
        ),
    ]


def _trainer(name: str, label: str, kind: Any, capability: CapabilityInfo, **more: Any) -> Field:
    """A field of the trainer settings, with the capability's own default where it has one."""
    default = _shown(capability.defaults.get(name, getattr(_GENERAL, name)))
    return Field(name=name, path=f"$.spec.trainer.{name}", label=label, kind=kind, default=default, **more)


def _shown(default: Parameter | None) -> str:
    """A default as a form shows it."""
    if isinstance(default, bool):
        return str(default).lower()
    return "" if default is None else f"{default:g}" if isinstance(default, float) else str(default)


def _momentum(capability: CapabilityInfo, values: Mapping[str, str]) -> list[Field]:
    if values.get("optimizer", capability.defaults.get("optimizer", _GENERAL.optimizer)) != "sgd":
        return []
    default = capability.defaults.get("optimizer_options", {}).get("momentum", 0)
    path = "$.spec.trainer.optimizer_options.momentum"
    return [Field(name="momentum", path=path, label="Momentum", kind="number", default=f"{default:g}", least=0, most=1)]


def all_fields(state: WorkspaceState) -> list[Field]:
    """Every field of the present form; none before the catalogue was read."""
    capability = chosen_capability(state)
    if capability is None:
        return []
    engine = state.connection.status
    return [
        name_field(state),
        *parameter_fields(capability),
        *trainer_fields(capability, state.form.values),
        *more_fields(capability, engine.local_trainers if engine else None),
    ]


def value_of(field: Field, values: Mapping[str, str]) -> str:
    """What the field shows: what was entered, else its default."""
    return values.get(field.name, field.default)


def uses_sample(form: NewJob) -> bool:
    """Whether the data comes with the site."""
    return form.values.get("data", "sample") == "sample"


def validation_choice(state: WorkspaceState) -> str:
    """Where validation data comes from: `manifest`, `other` or `none`, which is all that some models can have."""
    capability = chosen_capability(state)
    if capability and capability.evaluation != "dataset":
        return "none"
    return state.form.values.get("validation", "manifest")


def fitting_samples(state: WorkspaceState) -> tuple[Sample, ...]:
    """The sample data sets that the chosen capability can be trained on."""
    capability = chosen_capability(state)
    if capability is None:
        return state.samples
    return tuple(
        each for each in state.samples if not any(misfits(capability, features=each.features, classes=each.classes))
    )


def roles_in_use(state: WorkspaceState) -> set[Role]:
    """Which sets of the person's own files the job would be created from."""
    own: set[Role] = set() if uses_sample(state.form) else {"data"}
    return own | {"validation"} if validation_choice(state) == "other" else own


def chosen_sample(state: WorkspaceState) -> Sample | None:
    """The chosen sample data set where it fits the capability, else the first that does.

    So another capability brings another sample, and going back to the first one brings back what was chosen for it.
    """
    wanted, fitting = state.form.values.get("sample"), fitting_samples(state)
    return next((each for each in fitting if each.id == wanted), next(iter(fitting), None))
