"""The chunks of a message in files of translations to the chunks of code that ask for it by its key."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from coderag.files.translations import is_translation
from coderag.index.reader.corpus import Corpus
from coderag.index.storage.arrays.arrays import Array
from coderag.search.retrieval.lexical import Scores
from coderag.search.retrieval.spelled_chunks import spelled_chunks
from coderag.search.retrieval.translations import Use, key_of, row_of, uses_of

__all__ = ["KeyUse", "key_uses"]

MAX_KEYS = 3  # of a message that several files of translations have
MAX_FILES = 8  # that have a key of one part; one in more of them may mean anything
MAX_USES = 8  # of a key


@dataclass(frozen=True, slots=True)
class KeyUse:
    """What a chunk that asks for a message by its key is worth."""

    message: float  # how much of the question the message is, by rarity
    nearness: float  # share of the key's parts that are in the chunk's path


def key_uses(
    corpus: Corpus, run: Collection[str], entries: Mapping[int, float], *, scores: Scores, allowed: Array
) -> dict[int, KeyUse]:
    """Return the chunks that ask for a message by its key, given the entries that have it, and how much of it.

    `run` are the words of the message, in lower case.
    """
    found: dict[int, KeyUse] = {}
    seen: set[tuple[str, ...]] = set()
    for chunk in sorted(entries, key=lambda chunk: (-entries[chunk], chunk)):
        path = corpus.place(chunk)[0]
        uses = tuple(uses_of(_key(corpus, chunk, run), path))
        if not uses or uses[0].key in seen or len(seen) == MAX_KEYS:
            continue
        seen.add(uses[0].key)
        for one, nearness in _asking(corpus, uses, scores=scores, allowed=allowed):
            found.setdefault(one, KeyUse(entries[chunk], nearness))
    return found


def _key(corpus: Corpus, chunk: int, run: Collection[str]) -> tuple[str, ...]:
    """Return the key of the entry of a chunk that has the most of some words; its parents may stand above the chunk."""
    member, local = corpus.member_of(chunk)
    segment = member.segment
    file = int(segment.chunk_file[local])
    most, row, end = 0, 0, 0  # words of the row; the row; where the part of the chunk ends that has it
    for first, _, start, stop in segment.parts(local).tolist():
        held, at = row_of(segment.text(file, start, stop).decode("utf-8", "replace").split("\n"), run)
        if held > most:
            most, row, end = held, first + at, stop
    if not most:
        return ()
    return key_of(segment.text(file, 0, end).decode("utf-8", "replace").split("\n"), row)


def _asking(corpus: Corpus, uses: Sequence[Use], *, scores: Scores, allowed: Array) -> list[tuple[int, float]]:
    """Return the chunks that write a key in the surest way that any does, the nearest first, with how near each is."""

    def is_code(chunk: int) -> bool:
        return not is_translation(corpus.place(chunk)[0])

    for use in uses:
        within = use.around[0] if use.around else ""
        chunks = spelled_chunks(
            corpus, use.words, use.pattern, scores=scores, allowed=allowed, within=within, accept=is_code
        )
        found: dict[int, float] = {}
        files: set[int] = set()
        for chunk, file in chunks:
            near = _nearness(corpus, chunk, use.around or use.key[:-1])
            if not use.around or near == 1:
                found[chunk] = near
                files.add(file)
        if found and not (use.is_single and not use.around and len(files) > MAX_FILES):
            nearest = sorted(found, key=lambda chunk: (-found[chunk], -float(scores.text[chunk]), chunk))
            return [(chunk, found[chunk]) for chunk in islice(nearest, MAX_USES)]
    return []


def _nearness(corpus: Corpus, chunk: int, around: Sequence[str]) -> float:
    """Return the share of some parts of a key that are in a chunk's path or name."""
    if not around:
        return 0.0
    member, local = corpus.member_of(chunk)
    place = f"{corpus.place(chunk)[0]} {member.segment.names[local]}".lower()
    return sum(part.lower() in place for part in around) / len(around)
