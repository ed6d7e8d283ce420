"""What decides which secrets are found, as one hash."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

__all__ = ["TABLE", "rules_identity"]

TABLE = Path(__file__).with_name("formats.toml")
RULES_VERSION = 2  # raise it when the same table finds or covers something else


def rules_identity() -> str:
    """Return the hash of the rules: another one finds other secrets."""
    return blake2b(TABLE.read_bytes() + bytes([RULES_VERSION]), digest_size=8).hexdigest()
