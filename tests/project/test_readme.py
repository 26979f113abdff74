"""The README shows only what works."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from roundtab.publish.paths import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")

pytestmark = pytest.mark.cpython_only(reason="reads the repository and runs a subprocess")


def test_every_linked_file_exists() -> None:
    """Links and pictures that lead into the repository lead somewhere."""
    targets = re.findall(r"\]\((?!https?://)([^)]+)\)", README)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_the_python_example_runs() -> None:
    """Copied as it stands and run in the repository, it prints the accuracies of 20 rounds."""
    example = next(code for code in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "asyncio.run" in code)
    done = subprocess.run(
        [sys.executable, "-c", example], cwd=ROOT, capture_output=True, encoding="utf-8", timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    accuracies = [float(each) for each in re.findall(r"\d\.\d+", done.stdout)]
    assert len(accuracies) == 20
    assert max(accuracies) >= 0.96
