"""The rules are written in modules that are no test modules; their asserts shall say as much."""

from __future__ import annotations

import pytest

SUITES = ("api_creation", "api_lifecycle", "api_lists", "api_requests", "api_results", "api_world")
pytest.register_assert_rewrite(*(f"contracts.{name}" for name in (*SUITES, "store_suite", "transport_suite")))
