"""Every error says what is wrong and what to do, and survives a wire."""

from __future__ import annotations

import pytest

from roundtab import errors
from roundtab.errors import BY_CODE, InternalError, InvalidData, Problem, RoundtabError, error_from_code


def test_every_error_has_a_code_of_its_own() -> None:
    """Callers program against codes, so two classes may not share one."""
    classes = [
        each
        for each in vars(errors).values()
        if isinstance(each, type) and issubclass(each, RoundtabError) and each is not RoundtabError
    ]
    assert {BY_CODE[each.code] for each in classes} == set(classes)


def test_an_error_class_without_a_code_cannot_be_made() -> None:
    """A forgotten code is found when the class is written, not when a caller meets it."""
    with pytest.raises(TypeError, match="needs a code"):
        type("Nameless", (RoundtabError,), {"code": ""})


@pytest.mark.parametrize("code", sorted(BY_CODE))
def test_an_error_comes_back_from_its_code(code: str) -> None:
    """A client raises the class that the service raised, with everything it said."""
    problem = Problem(path="$.a", problem="It is wrong.", action="Correct it.")
    error = error_from_code(code, "No.", "Do it.", [problem])
    assert type(error) is BY_CODE[code]
    assert (error.problem, error.action, error.problems) == ("No.", "Do it.", (problem,))


def test_a_code_of_a_newer_version_is_an_internal_error() -> None:
    """An old client still shows the words of an error that it does not know."""
    error = error_from_code("of_tomorrow", "Something new.", "Update.")
    assert type(error) is InternalError
    assert error.problem == "Something new."


def test_the_text_of_an_error_has_problem_action_and_every_single_problem() -> None:
    """What a log or a traceback shows is enough to act on."""
    error = InvalidData("Bad.", "Fix it.", [Problem(path="$.x", problem="Too long.", action="Cut it.")])
    assert str(error) == "Bad. Fix it.\n  $.x: Too long. Cut it."
