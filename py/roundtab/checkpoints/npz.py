"""Writes `.npz`, numpy's own file of named arrays.

`numpy.load` reads it without pickles. It holds each tensor under its name, and under `__metadata__` a text: a JSON
object with the checkpoint's metadata, so `json.loads(str(file["__metadata__"]))` is that of the `.safetensors` file.
Equal checkpoints give equal bytes: entries are sorted, undated and not compressed, for how small they get would depend
on the version of zlib, and random-looking weights hardly get smaller.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from io import BytesIO
from typing import Any

import numpy as np
import numpy.typing as npt

METADATA = "__metadata__"
_NO_DATE = (1980, 1, 1, 0, 0, 0)
_UNIX = 3


def save(tensors: Mapping[str, npt.NDArray[Any]], metadata: Mapping[str, str]) -> bytes:
    """The file with `tensors` and `metadata` in it."""
    arrays = {name: tensors[name] for name in sorted(tensors)}
    arrays[METADATA] = np.array(json.dumps(metadata, sort_keys=True))
    written = BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy", _NO_DATE)
            entry.create_system = _UNIX
            with archive.open(entry, "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
    return written.getvalue()
