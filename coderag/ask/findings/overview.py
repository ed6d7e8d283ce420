"""A question about the whole, or about all of a topic, to what each part of a repository says of itself.

Map: each community gives statements: what a README, its package or its main definition says, the main definitions'
comments, the tables it owns, where programs begin in it. Reduce: of these the ones that fit the question are kept, each
once, in the order of the parts. Every statement cites the lines that say it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from coderag.ask.findings.passages import findings_of_hits, has_prose
from coderag.ask.findings.places import Places
from coderag.ask.findings.repetition import without_repetition
from coderag.ask.records import Finding, Route
from coderag.ask.routing import is_of_a_topic
from coderag.ask.sufficiency import all_stems
from coderag.ask.wording import content_words, is_weak
from coderag.graph.queries.entry_points import EntryGroup, EntryKind
from coderag.graph.queries.map import MapEntry, MapPart, RepositoryMap, entry_text, part_text
from coderag.search.query.query import make_query
from coderag.text.counted import counted
from coderag.text.tokens import stem
from coderag.types import Hit, TestPolicy

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["overview_findings"]

MAX_PARTS, TOPIC_PARTS = 6, 3
HITS = 7  # of the search for a topic
WEAK = 0.25  # a hit below this share of the best one's confidence states nothing of the topic
MAP_TOKENS = 1536
TABLES = 2  # of a part, that are named
WHOLLY = frozenset(
    {"overall", "whole", "general", "broadly", "broad", "terms", "end"}
)  # words that only ask for all of it
READMES = ("README.md", "README.rst", "README.txt", "README", "readme.md", "docs/index.md")


def overview_findings(index: Index, question: str, places: Places) -> list[Finding]:
    """Return what the parts that matter most say, the README's first sentences before them where all is asked for.

    [] where a topic is asked for that nothing mentions.
    """
    if is_of_a_topic(question):
        return without_repetition(_of_topic(index, question, places))
    found: list[Finding] = []
    for repository_map in index.map(budget=MAP_TOKENS):
        found += [*_of_readme(repository_map, places), *_of_the_whole(repository_map, places)]
    return without_repetition(found)


def _of_readme(found: RepositoryMap, places: Places) -> list[Finding]:
    readme = next((chunks for path in READMES if (chunks := places.chunks(found.repository, path))), [])
    first = [Hit(chunk, 1.0, confidence=1.0) for chunk in readme if has_prose(chunk)][:1]
    return findings_of_hits(first, {}, route=Route.MAP)


def _of_the_whole(found: RepositoryMap, places: Places) -> Iterator[Finding]:
    parts = found.parts[:MAX_PARTS]
    of_parts = (_of_part(found, part, places) for part in parts)
    of_entries = (_of_entries(found, group, places) for group in found.entry_points)
    of_tables = (
        _of_definition(found, entry, part, places)
        for part in parts
        for entry in [one for one in part.entries if one.columns and one.path][:TABLES]
    )
    yield from filter(None, (*of_parts, *of_entries, *of_tables))


def _of_topic(index: Index, question: str, places: Places) -> Iterator[Finding]:
    """Yield what a search for a topic finds, and what the parts nearest to it are."""
    topic = {stem(word.lower()): 1.0 for word in content_words(question) if not is_weak(word) and word not in WHOLLY}
    asked = " ".join(word for word in content_words(question) if word not in WHOLLY)
    hits = index.search(make_query(asked, k=HITS, tests=TestPolicy.EXCLUDE)) if topic else []
    about = [hit for hit in hits if all_stems(f"{hit.chunk.text} {hit.chunk.path} {hit.chunk.doc}") & topic.keys()]
    best = max((hit.confidence for hit in about), default=0.0)
    near = [hit for hit in about if hit.confidence >= WEAK * best]
    yield from (replace(finding, route=Route.MAP) for finding in findings_of_hits(near, topic, route=Route.MAP))
    for found in index.map(asked, budget=MAP_TOKENS) if near else ():
        for part in found.parts[:TOPIC_PARTS]:
            if all_stems(" ".join(_words_of(entry) for entry in part.entries)) & topic.keys():
                yield from filter(None, [_of_part(found, part, places)])


def _of_part(found: RepositoryMap, part: MapPart, places: Places) -> Finding | None:
    """Return what is said of a part, cited by the lines that say so, else by its main definition."""
    title, about = part_text(part), part.about
    if about is not None:
        source = places.source(found.repository, about.path, about.line, end=about.end_line, name=about.name)
        subject = f"{about.name}: " if about.name and about.name not in about.text else ""
        return Finding(f"{title}. {subject}{about.text}", source, Route.MAP, part.share) if source else None
    main = max((one for one in part.entries if one.path), key=lambda one: one.rank, default=None)
    if main is None:
        return None
    source = places.source(found.repository, main.path, max(main.line, 1), name=main.name)
    return Finding(f"{title}, {part.share:.0%} of what matters", source, Route.MAP, part.share) if source else None


def _of_definition(found: RepositoryMap, entry: MapEntry, part: MapPart, places: Places) -> Finding | None:
    source = places.source(found.repository, entry.path, max(entry.line, 1), name=entry.name)
    text = ": ".join(filter(None, entry_text(entry)))
    return Finding(f"{part.name}: {text}", source, Route.MAP, part.share, is_fact=True) if source else None


def _of_entries(found: RepositoryMap, group: EntryGroup, places: Places) -> Finding | None:
    first = group.shown[0]
    source = places.source(found.repository, first.path, max(first.line, 1), name=first.name)
    if source is None:
        return None
    title = "main function" if group.kind is EntryKind.MAIN else str(group.kind)
    name = f"{first.name} in {first.path}" if group.kind is EntryKind.MAIN else first.name
    text = f"{counted(group.total, title)}, such as {name}" if group.total > 1 else f"1 {title}, {name}"
    return Finding(f"Programs begin in {text}", source, Route.MAP, 1.0, is_fact=True)


def _words_of(entry: MapEntry) -> str:
    return f"{entry.name} {entry.path} {entry.doc} {entry.signature}"
