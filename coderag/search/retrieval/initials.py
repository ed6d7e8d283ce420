"""Initials to the names of definitions that have them: "DLQ" to DeadLetterQueue and dead_letter_queue."""

from __future__ import annotations

from coderag.index.reader.corpus import Corpus
from coderag.text.tokens import split_identifier

__all__ = ["names_of_initials"]


def names_of_initials(corpus: Corpus, initials: str) -> list[str]:
    """Return the names of definitions whose words begin with these letters, in alphabetical order, each once."""
    wanted = initials.lower()
    found = set()
    for member in corpus.members:
        for number, name in member.segment.definition_names():
            last = name.rsplit(".", 1)[-1]
            if last.lstrip("_")[:1].lower() != wanted[:1] or last in found or _initials_of(last) != wanted:
                continue
            chunk = member.segment.chunk_of_definition(number)
            if corpus.live_file[member.first_file + int(member.segment.chunk_file[chunk])]:
                found.add(last)
    return sorted(found)


def _initials_of(name: str) -> str:
    return "".join(piece[0] for piece in split_identifier(name)).lower()
