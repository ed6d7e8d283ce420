"""A name to the definitions that carry it: exact, qualified, or spelled much like it."""

from __future__ import annotations

import numpy as np

from coderag.index.reader.corpus import Corpus, Member
from coderag.index.storage.arrays.keys import symbol_hash
from coderag.text.tokens import plain_name
from coderag.types import Symbol

__all__ = ["find_symbols"]

MIN_LIKENESS = 70.0  # of 100; below it a name is another name


def find_symbols(corpus: Corpus, name: str, *, k: int, alike: bool = True) -> list[Symbol]:
    """Return definitions by name, the best first; equal ones in order of path and line.

    First those whose whole qualified name ends with `name` (`Session.get`, `pkg::Type`, `get`), exact case before any;
    where there is none and `alike` is set, those whose name is spelled most like it.
    """
    wanted = plain_name(name).strip(".")
    symbols = _exact(corpus, wanted)
    if not symbols and alike:
        symbols = _alike(corpus, wanted, k)
    last = name.replace("::", ".").replace("#", ".")
    symbols.sort(
        key=lambda symbol: (not _ends_with(symbol.qualified_name, last), symbol.repository, symbol.path, symbol.span)
    )
    return symbols[:k]


def _exact(corpus: Corpus, wanted: str) -> list[Symbol]:
    *scope, last = wanted.split(".")
    key = f"{scope[-1]}.{last}" if scope else last
    hashes = np.array([symbol_hash(key)], dtype=np.uint64)
    symbols: list[Symbol] = []
    for member in corpus.members:
        position = int(member.segment.symbol_postings.find(hashes)[0])
        if position < 0:
            continue
        for number in member.segment.symbol_postings.of(position)[0].tolist():
            chunk = member.segment.chunk_of_definition(number)
            if not corpus.live_file[member.first_file + int(member.segment.chunk_file[chunk])]:
                continue
            symbol = member.segment.symbol(number, repository=member.repository)
            if _ends_with(plain_name(symbol.qualified_name), wanted):
                symbols.append(symbol)
    return symbols


def _alike(corpus: Corpus, wanted: str, k: int) -> list[Symbol]:
    """Return the definitions whose names are spelled most like the one wanted."""
    from rapidfuzz import fuzz, process

    alike: list[tuple[float, Member, int]] = []
    for member in corpus.members:
        names = member.segment.definition_names()
        lowered = [name.lower() for _, name in names]
        # All that are like it, or definitions of files that count no longer would take the places of others.
        for _, likeness, position in process.extract(
            wanted, lowered, scorer=fuzz.ratio, limit=None, score_cutoff=MIN_LIKENESS
        ):
            number = names[position][0]
            chunk = member.segment.chunk_of_definition(number)
            if corpus.live_file[member.first_file + int(member.segment.chunk_file[chunk])]:
                alike.append((likeness, member, number))
    alike.sort(key=lambda one: -one[0])
    least = alike[:k][-1][0] if alike else 0.0
    found = [
        (likeness, member.segment.symbol(number, repository=member.repository))
        for likeness, member, number in alike
        if likeness >= least
    ]
    found.sort(key=lambda one: (-one[0], one[1].path, one[1].span))
    return [symbol for _, symbol in found[:k]]


def _ends_with(qualified_name: str, wanted: str) -> bool:
    plain = qualified_name.replace("::", ".").replace("#", ".")
    return plain == wanted or plain.endswith(f".{wanted}")
