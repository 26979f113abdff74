"""Registers list everything that they are registers of: errors by code, events by name, handlers by request."""

from __future__ import annotations

import ast
import inspect
from dataclasses import is_dataclass
from typing import get_args

from roundtab import errors
from roundtab.api.protocol import METHODS, Request, RequestsCancel
from roundtab.api.service import HANDLERS
from roundtab.errors import BY_CODE, RoundtabError
from roundtab.records import events
from roundtab.training import messages


def descendants(root: type) -> list[type]:
    """All classes below `root`."""
    return [each for child in root.__subclasses__() for each in (child, *descendants(child))]


def test_every_error_class_has_a_code_of_its_own() -> None:
    """Callers program against codes; an inherited one would name two things."""
    ours = [each for each in descendants(RoundtabError) if each.__module__ == "roundtab.errors"]
    assert all("code" in vars(each) for each in ours)
    assert sorted(BY_CODE) == sorted(each.code for each in ours)
    assert len(set(BY_CODE.values())) == len(ours)


def test_the_tree_in_the_docstring_names_every_error_class() -> None:
    """It is where people look first."""
    assert errors.__doc__ is not None
    named = {word for word in errors.__doc__.split() if word in vars(errors)}
    assert {each.__name__ for each in descendants(RoundtabError) if each.__module__ == "roundtab.errors"} <= named


def test_every_event_can_travel() -> None:
    """It is in the union, and found by its name when it arrives."""
    defined = {each for each in vars(events).values() if inspect.isclass(each) and "tag" in vars(each)}
    assert set(get_args(events.Event)) == defined
    assert set(events._KINDS.values()) == defined
    assert {tag: kind.tag for tag, kind in events._KINDS.items()} == {tag: tag for tag in events._KINDS}


def test_every_message_of_training_can_be_read() -> None:
    """Orders and reports, found by their kind."""
    sent = {*get_args(messages.Order), *get_args(messages.Report)}
    assert set(messages._KINDS.values()) == sent
    assert all(each.__dataclass_fields__["kind"].default == kind for kind, each in messages._KINDS.items())


def test_every_request_has_a_handler() -> None:
    """And every handler a request. A cancel of requests is the service's own affair."""
    requests = set(METHODS.values()) - {Request}
    assert set(HANDLERS) | {RequestsCancel} == requests
    assert all(is_dataclass(each) and each.response for each in requests)


def test_methods_are_named_after_their_records() -> None:
    """`jobs.list` is JobsList, so that one finds the other."""
    for method, kind in METHODS.items():
        if kind is not Request and "." in method:
            assert kind.__name__.lower() == method.replace(".", "").replace("_", "")


def test_modules_say_what_they_are_for() -> None:
    """The docstring comes first in every module that this test can reach."""
    for module in (errors, events, messages):
        assert ast.get_docstring(ast.parse(inspect.getsource(module)))
