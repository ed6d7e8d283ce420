"""Plain text to chunks: by size, by structure, by sentence and by meaning; each chunk is `text[start:end]`."""

from __future__ import annotations

from coderag.chunkers.meaning import chunk_by_meaning
from coderag.chunkers.records import TextChunk
from coderag.chunkers.sections import chunk_by_section
from coderag.chunkers.sentences import chunk_by_sentence
from coderag.chunkers.size import chunk_by_characters, chunk_by_tokens

__all__ = [
    "TextChunk",
    "chunk_by_characters",
    "chunk_by_meaning",
    "chunk_by_section",
    "chunk_by_sentence",
    "chunk_by_tokens",
]
