"""Writes `.onnx`, the file format of ONNX models: a graph of operators with its weights in one file.

The file is the protobuf message `ModelProto` of https://github.com/onnx/onnx/blob/main/onnx/onnx.proto; the numbers of
fields and types below are from there. IR version 8 and operator set 17 are read by every runtime since 2022, newer ones
not. In protobuf each field is a key (its number and how it is written) and a value: a number in base 128, four bytes of
a float, or a length and so many bytes (https://protobuf.dev/programming-guides/encoding/).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt

from roundtab.errors import InvalidData
from roundtab.records.graphs import Node, Value

IR_VERSION, OPSET = 8, 17
LIMIT = 2**31 - 1
"""Bytes of a protobuf message at the most."""
ROWS = "rows"
"""The name of the first dimension of everything that goes in and comes out."""

_TYPES = {
    "float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10,
    "float64": 11, "uint32": 12, "uint64": 13, "complex64": 14,
}  # fmt: skip
"""`TensorProto.DataType` by the names that numpy has for them."""
_FLOAT, _INT, _INTS = 1, 2, 7
"""`AttributeProto.AttributeType`."""

Pieces: TypeAlias = list[bytes | memoryview]
"""A message in pieces, so that weights are copied once, into the finished file."""


def save(
    nodes: Sequence[Node],
    inputs: Sequence[Value],
    outputs: Sequence[Value],
    tensors: Mapping[str, npt.NDArray[Any]],
    metadata: Mapping[str, str],
) -> bytes:
    """The file with a graph of `nodes`, those of `tensors` that they take, and `metadata` for `metadata_props`.

    Raises `InvalidData` where a node takes what is not there or names its output like another tensor, where an output
    is missing, and where the file would be larger than 2 GiB.
    """
    _check(nodes, inputs, outputs, tensors)
    used = dict.fromkeys(name for node in nodes for name in node.inputs if name in tensors)
    graph = [
        *_each(1, map(_node, nodes)),
        *_text(2, "roundtab"),
        *_each(5, (_tensor(name, tensors[name]) for name in used)),
        *_each(11, map(_value, inputs)),
        *_each(12, map(_value, outputs)),
    ]
    model = [
        *_number(1, IR_VERSION),
        *_text(2, "roundtab"),
        *_nested(7, graph),
        *_nested(8, [*_text(1, ""), *_number(2, OPSET)]),
        *_each(14, ([*_text(1, key), *_text(2, value)] for key, value in metadata.items())),
    ]
    if (size := sum(map(len, model))) > LIMIT:
        _refuse(f"It would have {size:,} bytes, and the format ends at 2 GiB.", "Use another format for this model.")
    return b"".join(model)


def _check(
    nodes: Sequence[Node], inputs: Sequence[Value], outputs: Sequence[Value], tensors: Mapping[str, npt.NDArray[Any]]
) -> None:
    """What would make a file that no runtime takes, in words for the author of the graph."""
    known = {*tensors, *(value.name for value in inputs)}
    for node in nodes:
        for name in node.inputs:
            if name not in known:
                _refuse(
                    f"The node {node.op} takes {name!r}, which is neither a weight nor the output of a node before."
                )
        if node.output in known:
            _refuse(f"The node {node.op} names its output {node.output!r}, and there is such a tensor already.")
        known.add(node.output)
    for value in outputs:
        if value.name not in {node.output for node in nodes}:
            _refuse(f"No node has the output {value.name!r}.")


def _node(node: Node) -> Pieces:
    """`NodeProto`."""
    return [
        *(piece for name in node.inputs for piece in _text(1, name)),
        *_text(2, node.output),
        *_text(3, node.output),
        *_text(4, node.op),
        *_each(5, (_attribute(name, value) for name, value in node.attributes.items())),
    ]


def _attribute(name: str, value: int | float | tuple[int, ...]) -> Pieces:
    """`AttributeProto`."""
    if isinstance(value, float):
        return [*_text(1, name), _key(2, 5) + np.array(value, "<f4").tobytes(), *_number(20, _FLOAT)]
    if isinstance(value, int):
        return [*_text(1, name), *_number(3, value), *_number(20, _INT)]
    return [*_text(1, name), *(piece for each in value for piece in _number(8, each)), *_number(20, _INTS)]


def _tensor(name: str, array: npt.NDArray[Any]) -> Pieces:
    """`TensorProto`; what it holds is a view of the array where that lies in memory as the format wants it."""
    flat = np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(-1)
    return [
        *(piece for length in array.shape for piece in _number(1, length)),
        *_number(2, _TYPES[array.dtype.name]),
        *_text(8, name),
        *_nested(9, [flat.view(np.uint8).data]),
    ]


def _value(value: Value) -> Pieces:
    """`ValueInfoProto`: name, type and shape, whose first dimension has a name instead of a length."""
    dimensions = [_text(2, ROWS), *(_number(1, length) for length in value.shape)]
    tensor = [*_number(1, _TYPES[value.type]), *_nested(2, list(_each(1, dimensions)))]
    return [*_text(1, value.name), *_nested(2, _nested(1, tensor))]


def _number(field: int, value: int) -> Pieces:
    return [_key(field, 0) + varint(value)]


def _text(field: int, value: str) -> Pieces:
    return _nested(field, [value.encode()])


def _nested(field: int, pieces: Pieces) -> Pieces:
    """A message, or bytes, inside another message."""
    return [_key(field, 2) + varint(sum(map(len, pieces))), *pieces]


def _each(field: int, messages: Iterable[Pieces]) -> Pieces:
    """Entries of a repeated field."""
    return [piece for message in messages for piece in _nested(field, message)]


def _key(field: int, wire_type: int) -> bytes:
    return varint(field << 3 | wire_type)


def varint(value: int) -> bytes:
    """A number in base 128, lowest digits first, the last of them below 128; a negative one as 64 bits."""
    value &= 2**64 - 1
    digits = bytearray()
    while value > 127:
        digits.append(value & 127 | 128)
        value >>= 7
    digits.append(value)
    return bytes(digits)


def _refuse(problem: str, action: str = "Correct the graph() of the capability's model.py.") -> NoReturn:
    raise InvalidData(f"This model cannot be written as ONNX. {problem}", action)
