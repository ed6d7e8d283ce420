"""SQL to the database that it is about, where a schema has several."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from coderag.sql.check.findings import Code, Finding, Severity, finding
from coderag.sql.check.known_tables import KnownTables
from coderag.sql.records import Name
from coderag.sql.statements.dialect import Dialect
from coderag.sql.statements.lexemes import SKIPPED

__all__ = ["ambiguous", "candidates"]

SHOWN = 3  # databases in a message
WORDS = re.compile(r'"([^"\n]+)"|`([^`\n]+)`|\[([^\[\]\n]+)\]|([^\W\d][\w$#]*)')


def candidates(text: str, names: Sequence[Name], known: KnownTables, dialect: Dialect | None) -> list[str]:
    """Return the databases that have most of the tables that a text names, and of these most of the columns.

    Of several that are equal, those of a given dialect; in alphabetical order.
    """
    votes: Counter[str] = Counter()
    for name in names:
        votes.update({table.name.database for table in known.matching(name)})
    if len(votes) < 2:
        return list(votes)
    words = {next(filter(None, found)).casefold() for found in WORDS.findall(SKIPPED.sub(" ", text))}
    ranked = {database: (count, _columns(database, names, words, known)) for database, count in votes.items()}
    best = sorted(database for database, rank in ranked.items() if rank == max(ranked.values()))
    if dialect is not None:
        best = [one for one in best if _dialect(one, names, known) == dialect.name] or best
    return best


def ambiguous(best: Sequence[str], text: str, names: Sequence[Name], known: KnownTables) -> Iterator[Finding]:
    """Yield a finding where several databases, of which the first was chosen, have all that a text names."""
    here = [name for name in names if known.matching(name)]
    if len(best) < 2 or any(all(table.name.database != best[0] for table in known.matching(name)) for name in here):
        return
    others = f" and {len(best) - SHOWN} more" if len(best) > SHOWN else ""
    message = (
        f"{len(best)} databases have {here[0].name} and all else that is named: {', '.join(best[:SHOWN])}{others}; "
        f"checked against {best[0]}, --database says which"
    )
    place = re.search(re.escape(here[0].name), text)
    extent = place.span() if place is not None else (0, 1)
    yield finding(Code.AMBIGUOUS_DATABASE, message, text=text, extent=extent, severity=Severity.WARNING)


def _columns(database: str, names: Sequence[Name], words: set[str], known: KnownTables) -> int:
    """Return how many of the words are columns of the tables of a database that are named."""
    found: set[str] = set()
    for name in names:
        for table in known.matching(name):
            if table.name.database == database:
                found |= words & known.columns(table).keys()
    return len(found)


def _dialect(database: str, names: Sequence[Name], known: KnownTables) -> str:
    tables = (table for name in names for table in known.matching(name))
    return next((table.dialect for table in tables if table.name.database == database), "")
