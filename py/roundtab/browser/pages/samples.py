"""The data sets that come with the site, as files."""

from __future__ import annotations

import js
from pyodide.ffi import JsException

from roundtab.browser.ffi import js_list
from roundtab.browser.files import BrowserFile
from roundtab.errors import Unavailable
from roundtab.views.workspace.samples import Sample


async def read_sample(sample: Sample) -> tuple[str, list[BrowserFile]]:
    """The text of the manifest, and the files. Raises `Unavailable`."""
    manifest = await _fetch(sample, sample.manifest)
    files = [
        BrowserFile(js.File.new(js_list([await (await _fetch(sample, name)).blob()]), name)) for name in sample.files
    ]
    return str(await manifest.text()), files


async def _fetch(sample: Sample, name: str):  # type: ignore[no-untyped-def]
    try:
        response = await js.fetch(f"samples/{sample.id}/{name}")
    except JsException:
        problem = f"The sample file {name} could not be read: the server does not answer."
        raise Unavailable(problem, "Try again.") from None
    if not response.ok:
        problem = f"The sample file {name} could not be read: the server answered {response.status}."
        raise Unavailable(problem, "Reload the page, or use your own files.")
    return response
