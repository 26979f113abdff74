from __future__ import annotations

import json

import pytest

from roundtab.publish import wheels
from roundtab.publish.commands import BuildFailed

pytestmark = pytest.mark.cpython_only(reason="builds the site: files, sockets and processes")

LOCK = {
    "info": {"python": "3.14.0"},
    "packages": {
        "numpy": {"name": "numpy", "version": "2.4.3", "file_name": "numpy.whl", "depends": []},
        "scipy": {"name": "scipy", "version": "1.18.0", "file_name": "scipy.whl", "depends": ["numpy"]},
    },
}


def test_the_lock_file_of_the_site_names_only_what_the_site_has() -> None:
    """What is not vendored must not look installable: a run never asks another host."""
    pruned = json.loads(wheels.pruned_lock(LOCK, [LOCK["packages"]["numpy"], *wheels.FROM_PYPI]))
    assert sorted(pruned["packages"]) == ["autograd", "numpy", "pyodide-http"]
    assert pruned["info"] == LOCK["info"]


def test_packages_from_pypi_get_whole_entries() -> None:
    """Pyodide and micropip read these keys of every entry."""
    pruned = json.loads(wheels.pruned_lock(LOCK, [LOCK["packages"]["numpy"], *wheels.FROM_PYPI]))
    assert pruned["packages"]["autograd"].keys() >= {
        "name", "version", "file_name", "sha256", "imports", "depends", "install_dir", "package_type",
    }  # fmt: skip


def test_a_package_without_what_it_depends_on_is_refused() -> None:
    """Better a failed build than a failed import in the browser."""
    with pytest.raises(BuildFailed, match="autograd needs numpy"):
        wheels.pruned_lock(LOCK, list(wheels.FROM_PYPI))


def test_a_package_that_pyodide_does_not_have_is_named() -> None:
    """An upgrade of Pyodide that drops a package says so before anything is downloaded."""
    with pytest.raises(BuildFailed, match="no package numpy"):
        wheels.wheels({"packages": {}})
