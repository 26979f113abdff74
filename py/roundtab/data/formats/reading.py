"""Reads a data file of any format that can be trained on."""

from __future__ import annotations

from roundtab.clock import Clock
from roundtab.data.dataset import Dataset
from roundtab.data.files import FileSource
from roundtab.data.formats.arrays import read_array_file
from roundtab.data.formats.tables import read_table
from roundtab.data.formats.text import Progress, refusal
from roundtab.data.manifests.resources import Resource

MAX_BYTES = 2**30
"""Of one file; what is larger does not fit an engine of 4 GiB together with its copies on the way."""


async def read_data(source: FileSource, resource: Resource, clock: Clock, progress: Progress | None = None) -> Dataset:
    """The rows of `source`. Raises `InvalidData` with every problem in words, `OSError` where it cannot be read."""
    if source.size > MAX_BYTES:
        problem = f"It has {source.size:,} bytes; at most {MAX_BYTES:,} fit into the memory of a tab."
        raise refusal(source.path, problem, "Split the data, or leave columns out that are not needed.")
    if resource.format in ("npy", "npz"):
        return await read_array_file(source, resource, clock, progress)
    return await read_table(source, resource, clock, progress)
