"""The data sets that come with the site, in `samples/<id>/`, each with a manifest that marks its validation split."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A data set below `samples/`."""

    id: str
    """Its folder."""
    title: str
    features: int
    classes: int
    """0 where its labels are quantities."""
    rows: int
    validation_rows: int
    bytes: int
    """Size of its files without the manifest."""
    files: tuple[str, ...] = ("train.csv", "validation.csv")
    manifest: str = "datapackage.json"


SAMPLES = (
    Sample(id="digits", title="Digits", features=64, classes=10, rows=1_438, validation_rows=359, bytes=265_236),
    Sample(
        id="wdbc",
        title="Breast cancer, Wisconsin",
        features=30,
        classes=2,
        rows=455,
        validation_rows=114,
        bytes=120_873,
    ),
    Sample(id="wine", title="Wine cultivars", features=13, classes=3, rows=142, validation_rows=36, bytes=11_484),
    Sample(
        id="diabetes",
        title="Diabetes progression",
        features=10,
        classes=0,
        rows=354,
        validation_rows=88,
        bytes=18_551,
    ),
)
"""The first one that fits the capability is chosen unless the person chooses another."""
