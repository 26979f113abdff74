"""Messages survive the way; what is none is refused in words."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundtab.errors import InvalidData, InvalidRequest
from roundtab.records.ids import Sha256
from roundtab.records.jobs import CapabilityRef
from roundtab.records.values import Blob
from roundtab.training import messages as m
from roundtab.training.transport import Message

leases = st.text(min_size=1, max_size=20)
numbers = st.integers(-(2**53) + 1, 2**53 - 1)
floats = st.floats(allow_nan=False)
blobs = st.binary(max_size=50).map(Blob)
metrics = st.dictionaries(st.text(max_size=10), floats, max_size=3)
parameters = st.dictionaries(st.text(max_size=10), st.booleans() | numbers | st.text(max_size=5), max_size=3)
capabilities = st.builds(
    CapabilityRef, name=st.text(max_size=10), version=st.just("1.0.0"), sha256=st.just(Sha256("0" * 64))
)
hypers = st.builds(
    m.Hyper, local_epochs=numbers, batch_size=numbers, learning_rate=floats, optimizer=leases, optimizer_options=metrics
)
said = st.one_of(
    st.builds(
        m.InitTask,
        lease=leases,
        capability=capabilities,
        parameters=parameters,
        shape=st.builds(m.Shape, features=numbers, classes=numbers),
        seed=numbers,
    ),
    st.builds(
        m.TrainTask,
        lease=leases,
        capability=capabilities,
        parameters=parameters,
        settings=hypers,
        seed=numbers,
        round=numbers,
        items=st.lists(st.text(max_size=8), max_size=4).map(tuple),
        weights=blobs,
        inputs=blobs,
        rows=blobs,
    ),
    st.builds(m.EvaluateTask, lease=leases, capability=capabilities, weights=blobs, inputs=blobs, rows=blobs),
    st.builds(
        m.ExportTask, lease=leases, capability=capabilities, format=st.sampled_from(["npz", "onnx"]), checkpoint=blobs
    ),
    st.builds(m.StopTask, lease=leases),
    st.builds(m.Collect, lease=leases),
    st.builds(m.Ready),
    st.builds(m.Progress, lease=leases, done=numbers),
    st.builds(m.Trained, lease=leases, round=numbers, count=numbers, metrics=metrics),
    st.builds(m.Update, lease=leases, weights=blobs),
    st.builds(m.Evaluated, lease=leases, count=numbers, metrics=metrics),
    st.builds(m.Exported, lease=leases, file=blobs),
    st.builds(m.Failed, lease=leases, problem=st.text(), action=st.text()),
)


@given(said)
def test_every_message_comes_out_as_it_went_in(message: Any) -> None:
    """Orders and reports, with the bytes beside them."""
    assert m.decode(m.encode(message)) == message


def test_values_that_are_no_numbers_are_values_too() -> None:
    """A loss may be NaN or infinite; the JSON stays strict."""
    report = m.Trained(lease="a", round=1, count=1, metrics={"loss": math.nan, "up": math.inf, "down": -math.inf})
    encoded = m.encode(report)
    assert '"NaN"' in encoded.text
    came = m.decode(encoded)
    assert isinstance(came, m.Trained)
    assert math.isnan(came.metrics["loss"])
    assert (came.metrics["up"], came.metrics["down"]) == (math.inf, -math.inf)


json_like = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@given(st.text(max_size=60) | json_like.map(repr) | json_like.map(lambda value: json.dumps(value)))
def test_garbage_is_refused(text: str) -> None:
    """By an error of ours, never by another one."""
    with pytest.raises((InvalidRequest, InvalidData)):
        m.decode(Message(text))


@given(said, st.data())
def test_a_message_with_something_wrong_in_it_is_refused_or_read(message: Any, data: st.DataObject) -> None:
    """Whatever one of its members is replaced by, and however many bytes are missing."""
    encoded = m.encode(message)
    plain = json.loads(encoded.text)
    plain[data.draw(st.sampled_from(sorted(plain)))] = data.draw(json_like)
    buffers = encoded.buffers[: data.draw(st.integers(0, len(encoded.buffers)))]
    try:
        m.decode(Message(json.dumps(plain), buffers))
    except (InvalidRequest, InvalidData) as error:
        assert error.problem  # noqa: PT017 - it may also be read
        assert error.action  # noqa: PT017


def test_a_message_of_another_kind_says_what_to_do() -> None:
    """It comes from another version."""
    with pytest.raises(InvalidRequest, match="no known kind") as refused:
        m.decode(Message('{"kind": "dance"}'))
    assert "same version" in refused.value.action


def test_a_round_of_a_million_items_fits_into_a_message() -> None:
    """It is the most that a job may ask for."""
    assert len('"9999:999999", ') * 1_000_000 < m.MAX_MESSAGE


def test_arrays_are_packed_with_names_types_and_shapes() -> None:
    """And come out read-only, for nothing may change what others still use."""
    arrays = {"w": np.arange(6, dtype=np.float32).reshape(2, 3), "labels": np.array([1, 2], np.int64)}
    came = m.unpack(m.pack(arrays))
    for name, array in arrays.items():
        np.testing.assert_array_equal(came[name], array)
        assert came[name].dtype == array.dtype
        assert not came[name].flags.writeable


@given(st.binary(max_size=200))
def test_bytes_that_are_no_arrays_are_refused(data: bytes) -> None:
    """By an error of ours."""
    with pytest.raises(InvalidData):
        m.unpack(Blob(data))
