"""`capability.toml`: what a capability says of itself, read with all problems, and the check of its parameters."""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from roundtab.errors import InvalidData, InvalidRequest, Problem
from roundtab.records.capabilities import CapabilityInfo, Fit, ParameterInfo
from roundtab.records.codec import from_plain
from roundtab.records.spec import Parameter, TrainerSettings

_NAME = re.compile(r"[a-z][a-z0-9-]{0,63}")
_VERSION = re.compile(r"\d+\.\d+\.\d+")
_PARAMETER = re.compile(r"[a-z][a-z0-9_]{0,63}")
MOST_LINES = 8
"""Of a snippet."""
_OPTIONAL: dict[str, Any] = {"parameters": [], "requirements": [], "defaults": {}, "inference": []}


def read_definition(text: str, sha256: str) -> CapabilityInfo:
    """The capability whose `capability.toml` is `text` and whose checksum is `sha256`.

    Raises `InvalidData` with all problems, each with its path in the file.
    """
    try:
        members = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidData(f"A capability.toml is not TOML: {error}.", "Correct the text there.") from None
    problems: list[Problem] = []
    plain = _OPTIONAL | members | {"sha256": sha256}
    if "metrics" in members:
        plain["metrics"] = _metrics(members["metrics"], problems)
    info: CapabilityInfo | None = None
    try:
        info = from_plain(CapabilityInfo, plain)
    except InvalidRequest as error:
        problems += error.problems
    if info is not None:
        problems += _definition_problems(info)
    if info is None or problems:
        name = members.get("name")
        raise InvalidData(f"The capability {name!r} is not defined rightly.", "Correct its capability.toml.", problems)
    return replace(info, inference=tuple(replace(each, snippet=each.snippet.strip()) for each in info.inference))


def _metrics(entries: Any, problems: list[Problem]) -> Any:
    """The metrics with the primary one first, without the mark that says so."""
    if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
        return entries
    primary = [each for each in entries if each.get("primary") is True]
    if len(primary) != 1:
        problem = f"{len(primary)} metrics are marked as primary."
        problems.append(Problem(path="$.metrics", problem=problem, action="Mark exactly one with primary = true."))
    ordered = primary + [each for each in entries if each.get("primary") is not True]
    return [{key: value for key, value in each.items() if key != "primary"} for each in ordered]


def _definition_problems(info: CapabilityInfo) -> list[Problem]:
    """What the types of the fields do not say."""
    problems: list[Problem] = []

    def note(path: str, problem: str, action: str) -> None:
        problems.append(Problem(path=path, problem=problem, action=action))

    if not _NAME.fullmatch(info.name):
        note("$.name", f"{info.name[:60]!r} is not a name.", "Use lower-case letters, digits and dashes.")
    if not _VERSION.fullmatch(info.version):
        note("$.version", f"{info.version[:60]!r} is not a version.", "Write three numbers, such as 1.0.0.")
    for path, named in (("$.metrics", info.metrics), ("$.parameters", info.parameters)):
        names = [each.name for each in named]
        for name in sorted({name for name in names if names.count(name) > 1 or not _PARAMETER.fullmatch(name)}):
            note(path, f"{name[:60]!r} stands twice or is not a name.", "Use each once; letters, digits, underscores.")
    for parameter in info.parameters:
        path = f"$.parameters.{parameter.name}"
        if (parameter.type == "choice") != bool(parameter.choices):
            note(path, "A parameter has choices exactly if its type is choice.", "Correct type or choices.")
        elif fault := _parameter_fault(parameter, parameter.default):
            note(f"{path}.default", *fault)
    problems += _fit_problems(info.fit)
    problems += _inference_problems(info)
    try:
        from_plain(TrainerSettings, info.defaults, path="$.defaults")
    except InvalidRequest as error:
        problems.extend(error.problems)
    return problems


def _fit_problems(fit: Fit) -> Iterator[Problem]:
    """Ranges that no data can be in."""
    for noun, least, most in (
        ("features", fit.min_features, fit.max_features),
        ("classes", fit.min_classes, fit.max_classes),
    ):
        if least > most:
            problem = f"min_{noun} is {least:,} and max_{noun} is {most:,}: no data fits."
            yield Problem(path=f"$.fit.min_{noun}", problem=problem, action="Let the least be at most the most.")


def _inference_problems(info: CapabilityInfo) -> Iterator[Problem]:
    """What is wrong with the snippets."""
    seen: set[str] = set()
    for place, each in enumerate(info.inference):
        path, file = f"$.inference[{place}]", f"checkpoint.{each.format}"
        if each.format in seen:
            yield Problem(path=f"{path}.format", problem=f"{each.format} stands twice.", action="Use each once.")
        seen.add(each.format)
        if len(each.snippet.strip().splitlines()) > MOST_LINES:
            action = f"Use {MOST_LINES} lines at the most: they read the file and predict, nothing else."
            yield Problem(
                path=f"{path}.snippet", problem="The snippet is too long to be read at a glance.", action=action
            )
        if file not in each.snippet:
            action = f"Read {file!r}, which is what people save the download as."
            yield Problem(path=f"{path}.snippet", problem="The snippet does not read the checkpoint.", action=action)


def check_parameters(info: CapabilityInfo, parameters: Mapping[str, Parameter]) -> dict[str, Parameter]:
    """`parameters` of a job for this capability, completed with the defaults, in the order of the definition.

    Raises `InvalidData` with all problems: unknown names, wrong types, values out of range.
    """
    known = {parameter.name: parameter for parameter in info.parameters}
    problems: list[Problem] = []
    for name in parameters:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            action = f"Did you mean {near[0]!r}?" if near else "Leave it out."
            problem = f"{info.name} has no parameter {name[:60]!r}."
            problems.append(Problem(path=f"$.spec.parameters.{name[:80]}", problem=problem, action=action))
    values: dict[str, Parameter] = {}
    for name, parameter in known.items():
        value = parameters.get(name, parameter.default)
        if fault := _parameter_fault(parameter, value):
            problems.append(Problem(path=f"$.spec.parameters.{name}", problem=fault[0], action=fault[1]))
        values[name] = float(value) if parameter.type == "number" and type(value) is int else value
    if problems:
        raise InvalidData(f"The parameters do not fit {info.name}.", "Correct each problem listed.", problems)
    return values


def _parameter_fault(parameter: ParameterInfo, value: Parameter) -> tuple[str, str] | None:
    """What is wrong with `value` and what to do, if anything."""
    if parameter.type == "choice":
        if value in parameter.choices and isinstance(value, str):
            return None
        return f"{value!r} is not one of the choices.", f"Choose one of {', '.join(parameter.choices)}."
    if parameter.type == "boolean":
        return None if isinstance(value, bool) else ("This is neither true nor false.", "Give true or false.")
    words = "a whole number" if parameter.type == "integer" else "a number"
    if isinstance(value, bool | str) or (parameter.type == "integer" and not isinstance(value, int)):
        return f"{value!r} is not {words}.", f"Give {words}."
    least = -math.inf if parameter.min is None else parameter.min
    most = math.inf if parameter.max is None else parameter.max
    if not least <= value <= most or not math.isfinite(value):
        return f"{value:g} is not between {least:g} and {most:g}.", "Give a number in this range."
    return None


def name_and_version(info: CapabilityInfo) -> str:
    """`name@version`, what a job names its capability by."""
    return f"{info.name}@{info.version}"
