"""What every way of finding secrets returns."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SecretSpan"]


@dataclass(frozen=True, slots=True)
class SecretSpan:
    """A secret in a file: what it is, and which bytes."""

    kind: str
    spans: tuple[tuple[int, int], ...]  # start and end of each piece, in order
