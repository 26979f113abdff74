"""What is written as ONNX is what the onnx package reads and onnxruntime computes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from checkpoints.arrays import TEXT, arrays
from hypothesis import given
from hypothesis import strategies as st

from roundtab.checkpoints import onnx
from roundtab.checkpoints.onnx import save, varint
from roundtab.errors import InvalidData
from roundtab.nn.graphs import perceptron_nodes
from roundtab.records.graphs import FEATURES, STANDARDISED, Node, Value

NAMES = TEXT.filter(bool)
ADD = Node(op="Add", inputs=("x", "w"), output="y")
X, Y = Value(name="x", type="float32", shape=(2,)), Value(name="y", type="float32", shape=(2,))
W = {"w": np.array([1, 2], np.float32)}


def number(data: bytes) -> tuple[int, bytes]:
    """The number that `data` begins with, and the rest; read as protobuf's guide says it."""
    value, shift = 0, 0
    for place, byte in enumerate(data):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, data[place + 1 :]
    raise AssertionError("the number does not end")


def message(data: bytes) -> dict[int, list[Any]]:
    """The values of a message by the numbers of their fields; what is nested stays bytes."""
    found: dict[int, list[Any]] = {}
    while data:
        key, data = number(data)
        if key & 7 == 0:
            value, data = number(data)
        else:
            length, data = (4, data) if key & 7 == 5 else number(data)
            value, data = data[:length], data[length:]
        found.setdefault(key >> 3, []).append(value)
    return found


def identity(tensors: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """A file that has all of `tensors` in it."""
    nodes = [Node(op="Identity", inputs=(name,), output=f"output number {place}") for place, name in enumerate(tensors)]
    return save(nodes, [], [], tensors, {})


@given(st.integers(-(2**63), 2**63 - 1))
def test_a_number_comes_back_from_its_bytes(value: int) -> None:
    """Negative ones as 64 bits, as protobuf's int64 has them."""
    assert number(varint(value) + b"rest") == (value % 2**64, b"rest")


@pytest.mark.parametrize(
    ("value", "written"),
    [(0, b"\0"), (1, b"\1"), (127, b"\x7f"), (128, b"\x80\1"), (150, b"\x96\1"), (-2, b"\xfe" + b"\xff" * 8 + b"\1")],
)
def test_numbers_are_written_as_the_guide_of_protobuf_has_them(value: int, written: bytes) -> None:
    """150 and -2 are its own examples."""
    assert varint(value) == written


@given(st.dictionaries(NAMES, arrays(), max_size=4))
def test_tensors_keep_name_shape_type_and_every_bit(tensors: dict[str, npt.NDArray[Any]]) -> None:
    """However they lie in memory: little-endian, the last index fastest."""
    graph = message(message(identity(tensors))[7][0])
    written = [message(each) for each in graph.get(5, [])]
    assert [each[8][0].decode() for each in written] == list(tensors)
    for each, array in zip(written, tensors.values(), strict=True):
        assert tuple(each.get(1, [])) == array.shape
        assert each[9][0] == array.astype(array.dtype.newbyteorder("<")).tobytes()


@pytest.mark.cpython_only(reason="reads with the onnx package, which is compiled")
@given(st.dictionaries(NAMES, arrays(), max_size=4))
def test_the_onnx_package_reads_the_same_tensors(tensors: dict[str, npt.NDArray[Any]]) -> None:
    """Every type that a checkpoint may have."""
    package = pytest.importorskip("onnx")
    read = package.load_from_string(identity(tensors)).graph.initializer
    for each, (name, array) in zip(read, tensors.items(), strict=True):
        found = package.numpy_helper.to_array(each)
        assert (each.name, found.dtype, found.shape) == (name, array.dtype, array.shape)
        assert found.tobytes() == array.tobytes()


def test_the_file_says_what_it_is_and_what_it_needs() -> None:
    """Versions that old runtimes read, the shape of what goes in and comes out, and the metadata."""
    model = message(save([ADD], [X], [Y], W, {"round": "3", "name": "«é»"}))
    assert (model[1], model[2]) == ([8], [b"roundtab"])
    assert [message(each) for each in model[8]] == [{1: [b""], 2: [17]}]
    properties = [message(each) for each in model[14]]
    assert {each[1][0].decode(): each[2][0].decode() for each in properties} == {"round": "3", "name": "«é»"}
    graph = message(model[7][0])
    assert [message(each)[1] for each in (*graph[11], *graph[12])] == [[b"x"], [b"y"]]
    (node,) = map(message, graph[1])
    assert (node[1], node[2], node[4]) == ([b"x", b"w"], [b"y"], [b"Add"])


def test_only_tensors_that_a_node_takes_are_written_and_each_once() -> None:
    """A checkpoint holds more than inference needs."""
    again = Node(op="Add", inputs=("y", "w"), output="z")
    file = save([ADD, again], [X], [Y], {**W, "server/velocity": np.zeros(9, np.float32)}, {})
    assert [message(each)[8] for each in message(message(file)[7][0])[5]] == [[b"w"]]
    assert file == save([ADD, again], [X], [Y], W, {})


@pytest.mark.cpython_only(reason="reads with the onnx package, which is compiled")
def test_attributes_are_numbers_floats_and_lists() -> None:
    """Negative ones too."""
    package = pytest.importorskip("onnx")
    nodes = [
        Node(op="LeakyRelu", inputs=("x",), output="a", attributes={"alpha": 0.125}),
        Node(op="Transpose", inputs=("a",), output="b", attributes={"perm": (1, 0)}),
        Node(op="Softmax", inputs=("b",), output="y", attributes={"axis": -1}),
    ]
    read = package.load_from_string(save(nodes, [X], [Y], {}, {}))
    package.checker.check_model(read)
    found = {each.name: package.helper.get_attribute_value(each) for node in read.graph.node for each in node.attribute}
    assert found == {"alpha": 0.125, "perm": [1, 0], "axis": -1}


@pytest.mark.cpython_only(reason="computes with onnxruntime, which is compiled")
@pytest.mark.parametrize("hidden", [0, 1, 7])
@pytest.mark.parametrize("rows", [0, 1, 5])
def test_a_runtime_computes_what_numpy_does(hidden: int, rows: int) -> None:
    """A perceptron, for any number of rows; the checker finds nothing in the file."""
    package, runtime = pytest.importorskip("onnx"), pytest.importorskip("onnxruntime")
    rng = np.random.default_rng([hidden, rows])
    shapes = {"hidden/weight": (4, hidden), "hidden/bias": (hidden,)} if hidden else {}
    shapes |= {"output/weight": (hidden or 4, 3), "output/bias": (3,)}
    weights = {name: rng.standard_normal(shape, np.float32) for name, shape in shapes.items()}
    nodes = (Node(op="Identity", inputs=(FEATURES,), output=STANDARDISED), *perceptron_nodes(weights, "sums"))
    inputs = [Value(name=FEATURES, type="float32", shape=(4,))]
    file = save(nodes, inputs, [Value(name="sums", type="float32", shape=(3,))], weights, {})
    package.checker.check_model(file, full_check=True)
    x = rng.standard_normal((rows, 4), np.float32)
    (sums,) = runtime.InferenceSession(file).run(None, {FEATURES: x})
    if hidden:
        x = np.maximum(x @ weights["hidden/weight"] + weights["hidden/bias"], 0)
    np.testing.assert_allclose(sums, x @ weights["output/weight"] + weights["output/bias"], atol=1e-5)


@pytest.mark.parametrize(
    ("nodes", "outputs", "words"),
    [
        ([Node(op="Add", inputs=("x", "v"), output="y")], [Y], "Add takes 'v'"),
        ([Node(op="Add", inputs=("x", "y"), output="y")], [Y], "Add takes 'y'"),
        ([ADD, Node(op="Relu", inputs=("x",), output="w")], [Y], "Relu names its output 'w'"),
        ([ADD, ADD], [Y], "Add names its output 'y'"),
        ([ADD], [Value(name="z", type="float32")], "No node has the output 'z'"),
        ([], [X], "No node has the output 'x'"),
    ],
)
def test_a_graph_that_no_runtime_would_take_is_refused(nodes: list[Node], outputs: list[Value], words: str) -> None:
    """The author of the model hears what is wrong, not its user."""
    with pytest.raises(InvalidData) as caught:
        save(nodes, [X], outputs, W, {})
    assert words in caught.value.problem
    assert "graph()" in caught.value.action


def test_a_file_that_protobuf_cannot_hold_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """To the byte, and what to do instead is said."""
    size = len(save([ADD], [X], [Y], W, {}))
    monkeypatch.setattr(onnx, "LIMIT", size)
    save([ADD], [X], [Y], W, {})
    monkeypatch.setattr(onnx, "LIMIT", size - 1)
    with pytest.raises(InvalidData) as caught:
        save([ADD], [X], [Y], W, {})
    assert "2 GiB" in caught.value.problem
    assert "another format" in caught.value.action
