"""Inference as a graph: the operators that turn rows of features into predictions, for exports to other tools."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

FEATURES = "features"
"""The tensor that goes in: float32 [rows, features], as they are in the data."""
STANDARDISED = "features/standardised"
"""What a model's graph begins with: the features as the model was trained on them. The framework puts it there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One operator of ONNX, opset 17 (https://onnx.ai/onnx/operators/)."""

    op: str
    """Its name: `Gemm`, `Relu`."""
    inputs: tuple[str, ...]
    """Tensors by name: `STANDARDISED`, weights, outputs of earlier nodes."""
    output: str
    """The name of its result, which no other tensor has."""
    attributes: dict[str, int | float | tuple[int, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A tensor that goes into a graph or comes out of it, with a first dimension of any number of rows."""

    name: str
    type: Literal["float32", "int64"]
    shape: tuple[int, ...] = ()
    """Of one row; a single number has ()."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """What a model computes from `STANDARDISED` and its weights."""

    nodes: tuple[Node, ...]
    """Each behind those whose outputs it takes."""
    outputs: tuple[Value, ...]
