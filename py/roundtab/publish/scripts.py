"""The JavaScript of the site, bundled by esbuild."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from roundtab.publish import npm
from roundtab.publish.paths import SITE, shown

CLASSIC = "iife"
MODULE = "esm"
BUNDLES = {
    # a classic script: for a module, a host page of another origin would need CORS headers from our server
    "js/widget.js": ("widget.js", CLASSIC),
    "js/gate.js": ("widget/gate.js", MODULE),
    "js/page.js": ("assets/js/page.js", MODULE),
    "js/charts.js": ("assets/js/charts.js", MODULE),
    "js/idb.js": ("assets/js/idb.js", MODULE),
}
"""Source below site/ → file of the site and its kind."""


def sources() -> list[Path]:
    """Every file that a bundle may be made from."""
    return sorted((SITE / "js").rglob("*.js"))


def bundles() -> Iterator[tuple[str, bytes]]:
    """Yield each bundle's place in the site and its text; sources that are not there are left out."""
    with tempfile.TemporaryDirectory() as folder:
        for source, (place, kind) in BUNDLES.items():
            if not (SITE / source).is_file():
                continue
            made = Path(folder, place)
            npm.node(
                "esbuild/bin/esbuild",
                SITE / source,
                "--bundle",
                "--minify",
                "--target=es2022",
                "--legal-comments=none",  # licences.txt has them all
                "--log-level=warning",
                f"--format={kind}",
                f"--outfile={made}",
                doing=f"Bundling {shown(SITE / source)}",
                action="Correct the script and build again.",
            )
            yield place, made.read_bytes()
