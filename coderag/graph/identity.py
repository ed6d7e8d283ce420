"""What the graph of the same files depends on: the code that makes it and its rules, apart from the index."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from pathlib import Path

__all__ = ["GRAPH_VERSION", "IDENTITY_BYTES", "graph_identity"]

GRAPH_VERSION = (
    7  # raise it when the same links of files give another graph; changed tables of rules count by themselves
)
RULES = ("rules.toml", "standard.toml")
IDENTITY_BYTES = 8


def graph_identity() -> bytes:
    """Return the identity of what makes graphs: a graph of another one is made again, of links that are stored."""
    return _identity(GRAPH_VERSION)


@cache  # nobody changes what is installed while it runs
def _identity(version: int) -> bytes:
    known = blake2b(str(version).encode(), digest_size=IDENTITY_BYTES)
    folder = Path(__file__).with_name("resolve")
    for name in RULES:
        known.update(b"\0" + (folder / name).read_bytes())
    return known.digest()
