"""Identifiers: minted here, sorted by the time of minting."""

from __future__ import annotations

import secrets
import time
from typing import NewType

JobId = NewType("JobId", str)
ParticipantId = NewType("ParticipantId", str)
Sha256 = NewType("Sha256", str)
"""64 lower-case hexadecimal digits."""

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no letters that look like digits."""


def new_id(prefix: str) -> str:
    """A new identifier: `prefix-`, nine characters of time (ms), seven random ones (35 bits)."""
    return f"{prefix}-{_base32(time.time_ns() // 1_000_000, 9)}{_base32(secrets.randbits(35), 7)}"


def _base32(number: int, length: int) -> str:
    digits = ""
    for _ in range(length):
        number, digit = divmod(number, 32)
        digits = _ALPHABET[digit] + digits
    return digits
