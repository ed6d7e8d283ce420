"""A name to its definitions: exact, qualified, or fuzzy."""

from __future__ import annotations

from coderag.index.reader.corpus import Corpus, Member
from coderag.text.tokens import plain_name
from coderag.types import Symbol

__all__ = ["find_symbols"]

MIN_LIKENESS = 70.0  # of 100; below it a name is another name


def find_symbols(corpus: Corpus, name: str, *, k: int, alike: bool = True) -> list[Symbol]:
    """Return definitions by name, the best first; equal ones in order of path and line.

    First those whose whole qualified name ends with `name` (`Session.get`, `pkg::Type`, `get`), exact case before any;
    where there is none and `alike` is set, those whose name is spelled most like it.
    """
    plain = plain_name(name).strip(".")
    symbols = _exact(corpus, plain)
    if not symbols and alike:
        symbols = _alike(corpus, plain, k)
    last = name.replace("::", ".").replace("#", ".")
    symbols.sort(
        key=lambda symbol: (not _ends_with(symbol.qualified_name, last), symbol.repository, symbol.path, symbol.span)
    )
    return symbols[:k]


def _exact(corpus: Corpus, name: str) -> list[Symbol]:
    *scope, last = name.split(".")
    symbols: list[Symbol] = []
    for member, number, _ in corpus.definitions(f"{scope[-1]}.{last}" if scope else last):
        symbol = member.segment.symbol(number, repository=member.repository)
        if _ends_with(plain_name(symbol.qualified_name), name):
            symbols.append(symbol)
    return symbols


def _alike(corpus: Corpus, plain: str, k: int) -> list[Symbol]:
    """Return the definitions whose names are spelled most like a name."""
    from rapidfuzz import fuzz, process

    alike: list[tuple[float, Member, int]] = []
    for member in corpus.members:
        names = member.segment.definition_names()
        lowered = [name.lower() for _, name in names]
        # Without a limit, or definitions of files that are gone would take the places of others.
        for _, likeness, position in process.extract(
            plain, lowered, scorer=fuzz.ratio, limit=None, score_cutoff=MIN_LIKENESS
        ):
            number = names[position][0]
            chunk = member.segment.chunk_of_definition(number)
            if corpus.live_file[member.first_file + int(member.segment.chunk_file[chunk])]:
                alike.append((likeness, member, number))
    alike.sort(key=lambda definition: -definition[0])
    least = alike[:k][-1][0] if alike else 0.0
    symbols = [
        (likeness, member.segment.symbol(number, repository=member.repository))
        for likeness, member, number in alike
        if likeness >= least
    ]
    symbols.sort(key=lambda pair: (-pair[0], pair[1].path, pair[1].span))
    return [symbol for _, symbol in symbols[:k]]


def _ends_with(qualified_name: str, name: str) -> bool:
    plain = qualified_name.replace("::", ".").replace("#", ".")
    return plain == name or plain.endswith(f".{name}")
