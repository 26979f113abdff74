"""How a checksum may be spelled in a manifest, and what is wrong with one that is not."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass

EMPTY = hashlib.sha256(b"").hexdigest()
"""The sha256 of nothing."""

WEAK = {"md5": 32, "sha1": 40}
"""Algorithms for which two files with the same checksum can be made, and their hexadecimal digits."""
_LENGTHS = {32: "MD5", 40: "SHA-1", 56: "SHA-224", 64: "sha256", 96: "SHA-384", 128: "SHA-512"}
_MAKE = "Make a manifest from the files: it gets their sha256."


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was made of a checksum: a `digest` of 64 digits, with a `note` on an odd spelling; or a `problem`."""

    digest: str = ""
    note: str = ""
    problem: str = ""
    action: str = ""


def read_sha256(value: str) -> Reading:
    """The sha256 in `value`: `sha256:` and 64 hexadecimal digits, or another spelling of the same.

    Accepted with a note: `SHA256:` and `sha-256:`, 64 digits alone, and base64 as in the integrity attribute of HTML
    (`sha256-…`). Another algorithm is refused: a file that nobody checked is no data to train on.
    """
    algorithm, digits = _parts(value)
    name = algorithm.lower().replace("-", "")
    if name not in ("", "sha256"):
        return Reading(**_other_algorithm(algorithm, name))
    digest = digits.lower() if re.fullmatch(r"[0-9a-fA-F]+", digits) else _base64(digits)
    if digest is None:
        return Reading(problem=f"{value[:80]!r} is not a checksum.", action=_MAKE)
    if len(digest) != 64:
        known = _LENGTHS.get(len(digest))
        what = f"; that is the length of {known}" if known else ""
        return Reading(problem=f"A sha256 has 64 hexadecimal digits, this has {len(digest)}{what}.", action=_MAKE)
    if len(set(digest)) == 1:
        return Reading(problem="This is a placeholder, not the checksum of the file.", action=_MAKE)
    if not algorithm:
        return Reading(digest=digest, note="It does not say which checksum it is; 64 digits are taken for sha256.")
    usual = value.startswith("sha256:") and len(digits) == 64
    return Reading(
        digest=digest, note="" if usual else "It is read as sha256; the usual spelling is sha256:<64 digits>."
    )


def _parts(value: str) -> tuple[str, str]:
    """Algorithm and digits of `algorithm:digits` and of `sha256-base64`."""
    algorithm, colon, digits = value.rpartition(":")
    if not colon and (match := re.fullmatch(r"(sha\d+|md5)-(.+)", value, re.IGNORECASE)):
        return match[1], match[2]
    return algorithm, digits


def _base64(digits: str) -> str | None:
    """Base64 of as many bytes as a sha256 has, as hexadecimal digits."""
    return base64.b64decode(digits).hex() if re.fullmatch(r"[A-Za-z0-9+/]{43}=", digits) else None


def _other_algorithm(algorithm: str, name: str) -> dict[str, str]:
    if name in WEAK:
        weak = f"{name.upper()} is too weak a checksum: a changed file can have the same one."
        return {"problem": weak, "action": _MAKE}
    return {"problem": f"The checksum {algorithm[:40]!r} is not supported.", "action": _MAKE}
