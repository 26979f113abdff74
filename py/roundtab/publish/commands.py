"""Running other programs for the builder, quietly, and saying what went wrong when one fails."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from roundtab.errors import RoundtabError


class BuildFailed(RoundtabError):
    """The site could not be built."""

    code = "build_failed"


def say(message: str) -> None:
    """Print one line of progress at once."""
    print(f"roundtab: {message}", flush=True)


def run(
    command: Sequence[str | Path], *, doing: str, action: str, cwd: Path | None = None, seconds: float = 600
) -> str:
    """Run a command and return what it printed.

    `doing` completes «… failed» and `action` says what to do then; both stand in the BuildFailed that is raised when
    the command is missing, fails or takes longer than `seconds`.
    """
    try:
        done = subprocess.run(
            [str(word) for word in command],
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=seconds,
        )
    except FileNotFoundError:
        raise BuildFailed(f"{doing} failed: there is no command {command[0]}.", action) from None
    except subprocess.TimeoutExpired:
        raise BuildFailed(f"{doing} failed: it took longer than {seconds:.0f} seconds.", action) from None
    if done.returncode:
        said = "\n".join((done.stderr or done.stdout).strip().splitlines()[-15:])
        raise BuildFailed(f"{doing} failed:\n{said}\n", action)
    return done.stdout
