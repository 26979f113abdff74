"""What every way to the Training API keeps to: in one process, or through page, frame and worker of a browser.

A rule is a coroutine that takes a `Contract`. Run each with a new one, and `Contract.tidy` behind it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from contracts import (
    api_bad_inputs,
    api_creation,
    api_lifecycle,
    api_lists,
    api_manifests,
    api_requests,
    api_results,
    api_validations,
)
from contracts.api_world import Contract

Rule = Callable[[Contract], Awaitable[None]]

MODULES = (
    api_requests,
    api_manifests,
    api_bad_inputs,
    api_creation,
    api_lifecycle,
    api_lists,
    api_results,
    api_validations,
)
RULES: tuple[Rule, ...] = tuple(rule for module in MODULES for rule in module.RULES)
