"""A query to hits with their code, and to the facets that narrow it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from markupsafe import Markup

from coderag.api.index import Index
from coderag.serve.html.code import code_lines
from coderag.serve.html.links import quoted
from coderag.types import Chunk, Hit, Relation

__all__ = ["Facet", "FacetValue", "Found", "Row", "ShownHit", "rows_of", "search"]

SHOWN, MORE = 10, 50  # hits of a page, and of a longer one
COUNTED = 100  # hits that facets count
WHOLE_LINES = 160  # of a hit; what is longer goes on in its file
OPEN_LINES = 26  # of a hit that are seen before it is opened
FACET_VALUES = 8
SURE, LIKELY = 0.6, 0.3  # confidences
TYPED_FIELD = r"(?<!\S)-?{}:(?:\"(?:[^\"\\]|\\.)*\"|\S+)\s*"
ANY_FIELD = re.compile(TYPED_FIELD.format("[a-z]{1,20}"))


@dataclass(frozen=True, slots=True)
class Row:
    """A line of code as a page shows it."""

    number: int
    html: Markup
    marked: bool = False
    gap: bool = False  # lines are left out before it


@dataclass(frozen=True, slots=True)
class ShownHit:
    """A hit, its code and what is said of it."""

    hit: Hit
    rows: tuple[Row, ...]
    hidden: int  # lines that are left to the file
    folded: bool
    sureness: str  # "sure", "likely" or "maybe"
    relations: tuple[tuple[str, tuple[Relation, ...]], ...]  # by kind


@dataclass(frozen=True, slots=True)
class FacetValue:
    """A value that narrows a search, the query with it, and how many of the best hits have it."""

    label: str
    query: str
    count: int
    chosen: bool


@dataclass(frozen=True, slots=True)
class Facet:
    """A way to narrow a search."""

    title: str
    values: tuple[FacetValue, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What a search page shows."""

    query: str
    hits: tuple[ShownHit, ...]
    facets: tuple[Facet, ...]
    total: int  # of the hits that facets count
    more: bool
    wider: tuple[FacetValue, ...] = ()  # where nothing is found: the query without each of its conditions


def search(index: Index, query: str, *, more: bool = False) -> Found:
    """Return what is found; raises QueryError for a query that makes no sense."""
    hits = index.search(query, k=COUNTED)
    shown = hits[: MORE if more else SHOWN]
    return Found(
        query,
        tuple(_shown(hit) for hit in shown),
        tuple(_facets(query, hits)),
        len(hits),
        more=len(hits) > len(shown) and not more,
        wider=() if hits else tuple(_wider(query)),
    )


def _wider(query: str) -> Iterable[FacetValue]:
    """Yield a query without each of its fields."""
    for match in ANY_FIELD.finditer(query):
        kept = " ".join(f"{query[: match.start()]} {query[match.end() :]}".split())
        if kept:
            yield FacetValue(match[0].strip(), kept, 0, chosen=True)


def rows_of(chunk: Chunk, *, marked: Iterable[int] = (), most: int = WHOLE_LINES) -> tuple[Row, ...]:
    """Return the lines of a chunk; where its parts are not beside each other, there is a gap."""
    numbered = chunk.numbered_lines()[:most]
    lines = code_lines([text for _, text in numbered], chunk.language)
    wanted, before = set(marked), 0
    rows = []
    for (number, _), html in zip(numbered, lines, strict=True):
        rows.append(Row(number, html, number in wanted, gap=bool(before) and number > before + 1))
        before = number
    return tuple(rows)


def _shown(hit: Hit) -> ShownHit:
    size = len(hit.chunk.numbered_lines())
    return ShownHit(
        hit=hit,
        rows=rows_of(hit.chunk, marked=(*hit.lines, *(match.line for match in hit.matches))),
        hidden=max(size - WHOLE_LINES, 0),
        folded=size > OPEN_LINES,
        sureness="sure" if hit.confidence >= SURE else "likely" if hit.confidence >= LIKELY else "maybe",
        relations=tuple((kind, tuple(of_kind)) for kind, of_kind in groupby(hit.relations, key=attrgetter("kind"))),
    )


def _facets(query: str, hits: Sequence[Hit]) -> Iterable[Facet]:
    """Yield the ways to narrow a query, those with one value left out."""
    yield from _facet("Language", "lang", query, Counter(hit.chunk.language for hit in hits))
    yield from _facet("Kind", "kind", query, Counter(str(hit.chunk.kind) for hit in hits))
    folders = Counter(_top(hit.chunk.path) for hit in hits)
    yield from _facet("Folder", "file", query, folders, value=lambda folder: f"{folder}**")
    yield from _facet("Repository", "repo", query, Counter(hit.chunk.repository for hit in hits))
    tests = Counter("test" in hit.chunk.labels for hit in hits)
    counts = Counter({"only": tests[True], "no": tests[False]})
    labels = {"only": "tests only", "no": "without tests"}
    yield from _facet("Tests", "test", query, counts, label=lambda value: labels[value])


def _facet(
    title: str,
    key: str,
    query: str,
    counts: Counter[str],
    *,
    value: Callable[[str], str] = str,
    label: Callable[[str], str] = str,
) -> Iterable[Facet]:
    """Yield a facet where it has a choice; the value that a query has already takes it away."""
    field = re.compile(TYPED_FIELD.format(key))
    typed = field.search(query)
    kept = " ".join(field.sub("", query).split())
    values = [one for one, count in counts.most_common(FACET_VALUES) if one and count]
    if len(values) < (1 if typed else 2):
        return
    yield Facet(
        title,
        tuple(
            FacetValue(
                label(one),
                kept if typed and len(values) == 1 else f"{kept} {key}:{quoted(value(one))}".strip(),
                counts[one],
                chosen=bool(typed) and len(values) == 1,
            )
            for one in values
        ),
    )


def _top(path: str) -> str:
    """Return the folder of a file, its first two parts at most."""
    parts = path.split("/")[:-1][:2]
    return f"{'/'.join(parts)}/" if parts else ""
