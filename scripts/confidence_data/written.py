"""Chunks to questions that stand in them: string literals word for word, and names that several definitions have."""

from __future__ import annotations

import random
import re
from collections import defaultdict

import numpy as np

from coderag.evaluate.sampling import sample
from coderag.index.reader.corpus import Corpus
from coderag.types import Kind
from scripts.ranking_data.records import Judged, Target

__all__ = ["ask_shared_names", "ask_strings"]

LITERAL = re.compile(r"""(["'])([^"'\n\\]{16,100})\1""")
WORD = re.compile(r"[^\W\d_]{2,}")
MIN_WORDS = 3  # of a literal that somebody would look for
LOOKED_AT = 30  # chunks for each string wanted
MAX_PLACES = 5  # that hold a literal; one with more says nothing about where
LABELS = ("test", "example", "generated", "vendored", "legacy")  # of files that nobody asks for
DEFINITIONS = (Kind.FUNCTION, Kind.METHOD, Kind.CLASS, Kind.INTERFACE, Kind.STRUCT, Kind.TYPE)
MIN_NAME, MAX_SAME = 4, 8


def ask_strings(corpus: Corpus, *, most: int, seed: int) -> list[Judged]:
    """Return string literals of code as questions; every chunk that holds one answers it, whatever sort of file."""
    code = np.flatnonzero(_plain(corpus) & ~corpus.documents[corpus.chunk_file]).tolist()
    literals = {
        text
        for number in sample(code, LOOKED_AT * most, seed=seed)
        for found in LITERAL.finditer(corpus.chunk(number).text)
        if len(WORD.findall(text := found[2].strip())) >= MIN_WORDS
    }
    chosen = sample(sorted(literals), 2 * most, seed=seed)
    places: defaultdict[str, list[Target]] = defaultdict(list)
    for number in range(len(corpus)):
        chunk = corpus.chunk(number)
        for text in chosen:
            if text in chunk.text:
                places[text].append(Target(chunk.path, chunk.span.start_line, chunk.span.end_line))
    found = [Judged(text, "string", tuple(where)) for text, where in places.items() if len(where) <= MAX_PLACES]
    return sample(sorted(found, key=lambda one: one.text), most, seed=seed)


def ask_shared_names(corpus: Corpus, *, most: int, seed: int) -> list[Judged]:
    """Return bare names that several definitions have, of which a random one is wanted."""
    chosen = random.Random(seed)
    numbers = np.flatnonzero(_plain(corpus) & corpus.of_kinds(DEFINITIONS))
    named: defaultdict[str, list[int]] = defaultdict(list)
    for number, (name, _) in zip(numbers.tolist(), corpus.names(numbers), strict=True):
        named[name].append(number)
    shared = [
        (name, same) for name, same in sorted(named.items()) if 1 < len(same) <= MAX_SAME and len(name) >= MIN_NAME
    ]
    found: list[Judged] = []
    for name, same in sample(shared, most, seed=seed):
        chunk = corpus.chunk(chosen.choice(same))
        found.append(Judged(name, "name", (Target(chunk.path, chunk.span.start_line, chunk.span.end_line),)))
    return found


def _plain(corpus: Corpus) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    wanted = np.ones(len(corpus), dtype=bool)
    for label in LABELS:
        wanted &= ~corpus.with_label(label)[corpus.chunk_file]
    return wanted
