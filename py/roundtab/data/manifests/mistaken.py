"""What a text that should be a manifest seems to be instead, to say so in words."""

from __future__ import annotations

import re

_SEEMS = (
    (r"\s*\Z", "The file is empty. Choose datapackage.json."),
    (r"version https://git-lfs", "This is a pointer of Git LFS, not the file. Fetch it with «git lfs pull»."),
    (r"\s*<(!doctype|html|\?xml|!--)", "This is a web page or XML. Choose datapackage.json, or save it again."),
    (r"PK\x03\x04", "This is an archive. Unpack it, then choose datapackage.json."),
    (r"(---\s|[\w-]+:\s)", "This is YAML. Write the manifest as JSON."),
    (r"[^\n{}\[\]]+[,;\t][^\n{}\[\]]*\r?\n", "This is a table, not its manifest. Choose it as a data file."),
    (r"\s*[{\[].*'[\w-]+'\s*:", "JSON writes texts in double quotes, not in single ones."),
    (r"(?s).*(^|\s)(//|/\*)", "JSON has no comments. Remove them."),
    (r"(?s).*,\s*[}\]]", "JSON has no comma after the last entry. Remove it."),
)
"""Pattern at the start, and the action to take; the first one that fits counts."""
MAX_LOOK = 10_000
"""Characters that are looked at."""


_LISTED = re.compile(
    r"\\?[0-9a-f]{32,128}[ \t]+\*?\S|[a-z0-9/-]{3,12} ?\(.{1,1024}\) ?= ?[0-9a-f]{32,128}\s*$", re.IGNORECASE
)
"""A line as `sha256sum` writes it, or as BSD does."""


def is_list(text: str) -> bool:
    """Whether one of the first lines of a text is that of a list of checksums, whatever the others are."""
    return any(_LISTED.match(line) for line in text[:MAX_LOOK].removeprefix("\ufeff").split("\n"))


def what_it_seems(text: str) -> str | None:
    """The action to take, as far as the beginning of `text` tells what it is."""
    if is_list(text):
        return "This is a list of checksums. Make a manifest from it and the files."
    beginning = text[:MAX_LOOK]
    return next((action for pattern, action in _SEEMS if re.match(pattern, beginning, re.IGNORECASE)), None)
