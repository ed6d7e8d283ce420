"""An index to what its first page says of it, and to what completes a query."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from coderag.api.index import Index
from coderag.index.reader.status import Status
from coderag.types import Kind, Query

__all__ = ["KEYS", "Home", "Share", "completed", "completions", "home"]

OFFERED = 9  # values of a field
LANGUAGES = 7  # that have a place in the bar; the others share one
# The keys of the query language (coderag.search.query.language), and what each does.
KEYS = {
    "lang:": "a language, as in lang:go",
    "kind:": "function, class, table, section …",
    "file:": "a part of the path, or a glob",
    "sym:": "a name that is defined",
    "repo:": "a part of the repository's name",
    "test:": "no, only or yes",
}


@dataclass(frozen=True, slots=True)
class Share:
    """A language, and its share of the files in thousandths."""

    language: str
    files: int
    thousandths: int


@dataclass(frozen=True, slots=True)
class Home:
    """How much is indexed."""

    files: int
    chunks: int
    tables: int
    shares: tuple[Share, ...]
    examples: tuple[str, ...]


def home(index: Index) -> Home:
    """Return how much is indexed of all roots."""
    statuses = index.status(compare=False, schema=False)
    files = sum(status.files for status in statuses)
    counts = _counts(statuses)
    best = counts.most_common(LANGUAGES)
    rest = sum(counts.values()) - sum(count for _, count in best)
    shares = [Share(name, count, round(1000 * count / max(files, 1))) for name, count in best]
    shares += [Share("other", rest, round(1000 * rest / max(files, 1)))] if rest else []
    return Home(files, sum(status.chunks for status in statuses), len(index.tables()), tuple(shares), _examples(counts))


def completions(index: Index) -> dict[str, Any]:
    """Return the keys of the query language with what may follow each."""
    names = sorted(_counts(index.status(compare=False, schema=False)))
    values = {
        "lang:": names,
        "kind:": [str(kind) for kind in Kind],
        "repo:": [root.repository for root in index.roots],
        "test:": ["no", "only", "yes"],
    }
    return {"keys": KEYS, "values": values}


def completed(index: Index, word: str) -> list[str]:
    """Return the names or files that a field which is being typed may go on to, such as "sym:Ord" or "file:mod"."""
    key, _, begun = word.removeprefix("-").partition(":")
    begun = begun.strip('"').casefold()
    if not begun:
        return []
    if key == "sym":
        return list(dict.fromkeys(symbol.name for symbol in index.symbols(begun, k=OFFERED)))
    if key != "file":
        return []
    paths = {path for _, path in index.files(Query("-")) if begun in path.casefold()}
    return sorted(paths, key=lambda path: (begun not in path.rpartition("/")[2].casefold(), len(path), path))[:OFFERED]


def _counts(statuses: list[Status]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for status in statuses:
        for language in status.languages:
            counts[language.language] += language.files
    return counts


def _examples(counts: Counter[str]) -> tuple[str, ...]:
    """Return queries to begin with."""
    first = counts.most_common(1)[0][0] if counts else ""
    by_language = (f"where are errors handled? lang:{first}",) if first else ()
    return ("where does the program start?", *by_language, "kind:class test:no", '"TODO"')
