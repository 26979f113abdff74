"""Runs pytest over the core's tests, in a worker, and hands over what became of each."""

import json
import sys

import js
import pytest
from polyscript import xworker
from pyodide.ffi import create_proxy

sys.path.insert(0, ".")


class Outcomes:
    """A plugin that notes the outcome of every test, and the words of those that did not pass."""

    def __init__(self):
        self.found = {}

    def pytest_runtest_logstart(self, nodeid):
        js.console.debug(nodeid)  # so that a run which never ends tells where it is

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            words = "" if report.outcome == "passed" else str(report.longrepr)[-3000:]
            self.found[report.nodeid] = [report.outcome, words]

    def pytest_collectreport(self, report):
        if report.failed:
            self.found[report.nodeid] = ["failed", str(report.longrepr)[-3000:]]


outcomes = Outcomes()
pytest.main(["tests", "-q", "--tb=short", "-p", "no:cacheprovider"], plugins=[outcomes])
xworker.onmessage = create_proxy(lambda _: xworker.postMessage(json.dumps(outcomes.found)))
