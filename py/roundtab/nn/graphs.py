"""The layers of `layers.py` as nodes of an inference graph."""

from __future__ import annotations

from collections.abc import Container

from roundtab.records.graphs import STANDARDISED, Node


def dense_node(x: str, layer: str, output: str) -> Node:
    """The tensor `x` times `<layer>/weight` plus `<layer>/bias`."""
    return Node(op="Gemm", inputs=(x, f"{layer}/weight", f"{layer}/bias"), output=output)


def perceptron_nodes(weights: Container[str], result: str) -> tuple[Node, ...]:
    """From the features to the output layer, whose sums are named `result`; through the hidden one if there is one."""
    if "hidden/weight" not in weights:
        return (dense_node(STANDARDISED, "output", result),)
    return (
        dense_node(STANDARDISED, "hidden", "hidden/sums"),
        Node(op="Relu", inputs=("hidden/sums",), output="hidden/active"),
        dense_node("hidden/active", "output", result),
    )
