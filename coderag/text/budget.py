"""Text to about how much of a language model's context it takes."""

from __future__ import annotations

__all__ = ["CHARACTERS_PER_TOKEN", "tokens_of"]

CHARACTERS_PER_TOKEN = 4  # of code and DDL, by the tokenizers of common language models


def tokens_of(text: str) -> int:
    """Return about how many tokens a text has."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)
