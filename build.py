"""Set up and run Roundtab from a clean clone: `python3 build.py build | serve | test | bench`.

This file only makes `.venv` with what the verb needs and hands over to `roundtab.publish`, which does the work.
Standard library only, and old syntax at the top, so that an old Python gets the message and not a traceback.
"""

import sys

if sys.version_info < (3, 11):
    sys.exit(
        "Roundtab needs Python 3.11 or newer, and this is Python %d.%d. "
        "Install a newer Python and run build.py with it, for example: python3.12 build.py serve" % sys.version_info[:2]
    )

import hashlib
import json
import os
import subprocess
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "roundtab-stamp.json"
EXTRAS = {"build": "build", "serve": "build", "test": "test", "bench": "test"}


def fingerprint() -> str:
    """What the environment was made from: the project's own file and the Python that runs it."""
    return hashlib.sha256((ROOT / "pyproject.toml").read_bytes() + sys.version.encode()).hexdigest()


def installed() -> list[str]:
    """Extras that the environment has; none when it is missing or was made from something else."""
    try:
        stamp = json.loads(STAMP.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return stamp["extras"] if stamp["made_from"] == fingerprint() and PYTHON.exists() else []


def prepare(extra: str) -> None:
    """Make `.venv` with the project and this extra, unless it is there already."""
    have = installed()
    if extra in have:
        return
    if not have:
        print("roundtab: making .venv", flush=True)
        venv.EnvBuilder(clear=True, with_pip=True).create(VENV)
    print("roundtab: installing what `" + extra + "` needs into .venv", flush=True)
    pip = [str(PYTHON), "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
    if subprocess.run([*pip, "--editable", f".[{extra}]"], cwd=ROOT).returncode:
        sys.exit(
            "roundtab: installing the Python packages failed; pip's message above says why. "
            "Check the network and pip's settings (a mirror, a proxy), then run the same command again."
        )
    # `test` includes `build`
    STAMP.write_text(json.dumps({"made_from": fingerprint(), "extras": [*have, extra, "build"]}), encoding="utf-8")


def main() -> int:
    """Prepare the environment for the verb and run it there."""
    verb = sys.argv[1] if len(sys.argv) > 1 else "--help"
    prepare(EXTRAS.get(verb, "build"))
    if os.name == "posix":  # become that process, so that whoever stops this one stops it
        os.execv(PYTHON, [str(PYTHON), "-m", "roundtab.publish", *(sys.argv[1:] or ["--help"])])
    try:
        return subprocess.run([str(PYTHON), "-m", "roundtab.publish", *(sys.argv[1:] or ["--help"])]).returncode
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
