"""A fresh world for every test of a run."""

from __future__ import annotations

from pathlib import Path

import pytest
from training.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A folder, a database and a table of its own."""
    return World(tmp_path)
