"""The protocol is complete: each method is a record with a response, and the whole list is the design's."""

from __future__ import annotations

import dataclasses
from typing import get_type_hints

import pytest

from roundtab.api.protocol import METHODS, VERSION

EXPECTED = """
status capabilities.list manifests.verify manifests.make jobs.create jobs.start jobs.cancel jobs.retry jobs.delete
jobs.get jobs.list jobs.logs jobs.series jobs.state jobs.artifacts checkpoints.list checkpoints.read participants.list
participants.add_local requests.cancel jobs.validate validations.list
"""


def test_the_methods_are_those_of_version_1() -> None:
    """A method that is added or renamed is a change of the protocol."""
    assert (VERSION, sorted(METHODS)) == (1, sorted(EXPECTED.split()))


@pytest.mark.parametrize("method", METHODS)
def test_each_method_is_a_record_with_a_response(method: str) -> None:
    """Frozen, by keyword only, documented, and typed so that it can be read from JSON."""
    kind = METHODS[method]
    assert kind.method == method
    assert kind.__doc__
    assert not kind.__doc__.startswith(f"{kind.__name__}(")
    assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert dataclasses.is_dataclass(kind.response)
    assert len(get_type_hints(kind.response)) >= len(dataclasses.fields(kind.response))
    assert all(field.kw_only for field in dataclasses.fields(kind))
