"""A capability says what it is in `capability.toml`, and jobs give it parameters that fit."""

from __future__ import annotations

import pytest

from roundtab.capabilities.definition import check_parameters, name_and_version, read_definition
from roundtab.errors import InvalidData, Problem
from roundtab.records.capabilities import CapabilityInfo, Fit, Inference
from roundtab.records.spec import Parameter

GOOD = '''
name = "echo"
version = "1.2.3"
title = "Echo"
trainer_type = "supervised"
inputs = "table"
work_unit = "samples"
evaluation = "dataset"
requirements = ["autograd"]
[[metrics]]
name = "loss"
direction = "minimize"
[[metrics]]
name = "accuracy"
direction = "maximize"
primary = true
[[parameters]]
name = "width"
type = "integer"
default = 8
min = 1
max = 64
help = "Neurons."
[[parameters]]
name = "rate"
type = "number"
default = 0.5
max = 1.0
[[parameters]]
name = "deep"
type = "boolean"
default = false
[[parameters]]
name = "kind"
type = "choice"
choices = ["relu", "tanh"]
default = "relu"
[fit]
label = "number"
min_features = 2
max_features = 9
[defaults]
learning_rate = 0.2
[[inference]]
format = "npz"
tool = "numpy"
snippet = """
import numpy as np
w = np.load("checkpoint.npz")
"""
[[inference]]
format = "onnx"
tool = "onnxruntime"
snippet = 'run("checkpoint.onnx")'
'''


def info_of(text: str = GOOD) -> CapabilityInfo:
    """The capability that `text` defines."""
    return read_definition(text, "0" * 64)


def problems_of(text: str) -> list[Problem]:
    """Everything that is wrong with `text`."""
    with pytest.raises(InvalidData) as caught:
        info_of(text)
    assert all(each.problem and each.action for each in caught.value.problems)
    return list(caught.value.problems)


def test_a_definition_says_all_that_a_form_needs() -> None:
    """Parameters with their ranges, metrics with the primary one first."""
    info = info_of()
    assert name_and_version(info) == "echo@1.2.3"
    assert info.sha256 == "0" * 64
    assert [metric.name for metric in info.metrics] == ["accuracy", "loss"]
    assert [(each.name, each.type, each.default) for each in info.parameters] == [
        ("width", "integer", 8),
        ("rate", "number", 0.5),
        ("deep", "boolean", False),
        ("kind", "choice", "relu"),
    ]
    assert (info.requirements, info.defaults) == (("autograd",), {"learning_rate": 0.2})
    assert info.inference == (
        Inference(format="npz", tool="numpy", snippet='import numpy as np\nw = np.load("checkpoint.npz")'),
        Inference(format="onnx", tool="onnxruntime", snippet='run("checkpoint.onnx")'),
    )
    assert info.fit == Fit(label="number", min_features=2, max_features=9)


def test_parameters_requirements_and_defaults_may_be_left_out() -> None:
    """A model without settings is a model too."""
    head = GOOD[: GOOD.index("[[parameters]]")].replace('requirements = ["autograd"]\n', "")
    info = info_of(head)
    assert (info.parameters, info.requirements, info.defaults, info.inference) == ((), (), {}, ())
    assert info.fit.label == "class"


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ('name = "echo"', 'name = "Echo Model"', "$.name"),
        ('name = "echo"\n', "", "$.name"),
        ('"1.2.3"', '"1.2"', "$.version"),
        ('"supervised"', '"unsupervised"', "$.trainer_type"),
        ('evaluation = "dataset"', 'evaluation = "data"', "$.evaluation"),
        ('title = "Echo"', 'title = "Echo"\ncolour = "red"', "$.colour"),
        ("primary = true\n", "", "$.metrics"),
        ('direction = "minimize"', 'direction = "minimize"\nprimary = true', "$.metrics"),
        ('direction = "minimize"', 'direction = "down"', "$.metrics[1].direction"),
        ('name = "loss"', 'name = "accuracy"', "$.metrics"),
        ('name = "width"', 'name = "rate"', "$.parameters"),
        ('name = "width"', 'name = "no name"', "$.parameters"),
        ('type = "integer"', 'type = "int"', "$.parameters[0].type"),
        ("default = 8", "default = 65", "$.parameters.width.default"),
        ("default = 8", "default = 8.5", "$.parameters.width.default"),
        ("default = false", "default = 0", "$.parameters.deep.default"),
        ('default = "relu"', 'default = "elu"', "$.parameters.kind.default"),
        ('choices = ["relu", "tanh"]\n', "", "$.parameters.kind"),
        ('label = "number"', 'label = "quantity"', "$.fit.label"),
        ('label = "number"', 'label = "number"\nrows = 3', "$.fit.rows"),
        ("min_features = 2", "min_features = 0", "$.fit.min_features"),
        ("min_features = 2", "min_features = 10", "$.fit.min_features"),
        ("max_features = 9", "min_classes = 4\nmax_classes = 3", "$.fit.min_classes"),
        ("max_features = 9", "max_classes = 1", "$.fit.max_classes"),
        ("learning_rate = 0.2", "learning_rat = 0.2", "$.defaults.learning_rat"),
        ("learning_rate = 0.2", "learning_rate = -1.0", "$.defaults.learning_rate"),
        ('format = "npz"', 'format = "h5"', "$.inference[0].format"),
        ('tool = "numpy"\n', "", "$.inference[0].tool"),
        ('format = "npz"', 'format = "onnx"', "$.inference[1].format"),
        ("import numpy as np\n", "import numpy as np\n" * 8, "$.inference[0].snippet"),
        ('run("checkpoint.onnx")', 'run("model.onnx")', "$.inference[1].snippet"),
    ],
)
def test_each_fault_of_a_definition_is_named_with_its_path(old: str, new: str, path: str) -> None:
    """It is found when the catalogue is made, not when somebody trains."""
    assert old in GOOD
    assert path in [each.path for each in problems_of(GOOD.replace(old, new, 1))]


def test_all_faults_of_a_definition_are_reported_at_once() -> None:
    """Types first, then what the types do not say."""
    text = GOOD.replace('"echo"', '"E"').replace('"1.2.3"', '"x"').replace("default = 8", "default = 0")
    assert [each.path for each in problems_of(text)] == ["$.name", "$.version", "$.parameters.width.default"]


@pytest.mark.parametrize("text", ["", "name = ", "metrics = 3"])
def test_what_is_no_definition_is_refused(text: str) -> None:
    """Text that is not TOML, or of something else."""
    with pytest.raises(InvalidData):
        info_of(text)


def test_defaults_fill_what_a_job_does_not_give() -> None:
    """The record of a job shows every parameter, in the order of the definition."""
    values = check_parameters(info_of(), {"rate": 1, "width": 64})
    assert values == {"width": 64, "rate": 1.0, "deep": False, "kind": "relu"}
    assert list(values) == ["width", "rate", "deep", "kind"]
    assert type(values["rate"]) is float


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("width", 0, "not between 1 and 64"),
        ("width", 65, "not between 1 and 64"),
        ("width", 8.0, "not a whole number"),
        ("width", True, "not a whole number"),
        ("width", "8", "not a whole number"),
        ("rate", 1.5, "not between -inf and 1"),
        ("rate", float("nan"), "not between"),
        ("rate", float("-inf"), "not between"),
        ("rate", "half", "not a number"),
        ("deep", 1, "neither true nor false"),
        ("kind", "elu", "not one of the choices"),
        ("kind", True, "not one of the choices"),
        ("depth", 1, "echo has no parameter 'depth'"),
    ],
)
def test_each_parameter_that_does_not_fit_is_named_with_its_path(name: str, value: Parameter, words: str) -> None:
    """The path is that in the specification of the job."""
    with pytest.raises(InvalidData) as caught:
        check_parameters(info_of(), {name: value})
    (problem,) = caught.value.problems
    assert problem.path == f"$.spec.parameters.{name}"
    assert words in problem.problem


def test_all_parameters_that_do_not_fit_are_named_at_once() -> None:
    """A misspelt one with the name that was probably meant."""
    with pytest.raises(InvalidData) as caught:
        check_parameters(info_of(), {"widht": 3, "rate": 7.0, "kind": "x"})
    assert [each.path.rpartition(".")[2] for each in caught.value.problems] == ["widht", "rate", "kind"]
    assert caught.value.problems[0].action == "Did you mean 'width'?"
