"""A question about the whole, or about all of a topic, to what each part of a repository says of itself.

Map: each community gives statements: what a README, its package or its main definition says, the main definitions'
comments, the tables it owns, where programs begin in it. Reduce: of these the ones that fit the question are kept, each
once, in the order of the parts. Every statement cites the lines that say it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from coderag.ask.findings.naming import Piece, finding_of, listed
from coderag.ask.findings.passages import findings_of_hits, has_prose
from coderag.ask.findings.places import Places
from coderag.ask.findings.repetition import without_repetition
from coderag.ask.records import Finding, Route
from coderag.ask.routing import is_of_a_topic
from coderag.ask.sufficiency import all_stems
from coderag.ask.turn import SourceFilter
from coderag.ask.wording import content_words, is_weak
from coderag.graph.queries.entry_points import EntryGroup, EntryKind
from coderag.graph.queries.map import MapEntry, MapPart, RepositoryMap, part_definitions
from coderag.graph.queries.refs import References, Role
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
NAMED, LEAST_NAMED = 20, 4  # definitions of all parts, and of each
TABLE_KINDS = ("table", "view")
READS, WRITES = frozenset({Role.READERS}), frozenset({Role.WRITERS, Role.DELETERS})
WHOLLY = frozenset(
    {"overall", "whole", "general", "broadly", "broad", "terms", "end"}
)  # words that only ask for all of it
READMES = ("README.md", "README.rst", "README.txt", "README", "readme.md", "docs/index.md")


def overview_findings(index: Index, question: str, places: Places, *, limits: SourceFilter) -> list[Finding]:
    """Return what the parts that matter most say, the README's first sentences before them where all is asked for.

    [] if a topic is asked for that nothing mentions.
    """
    if is_of_a_topic(question):
        return without_repetition(_of_topic(index, question, places, limits))
    findings: list[Finding] = []
    for repository_map in index.map(budget=MAP_TOKENS, **_conditions(limits)):
        findings += [*_of_readme(repository_map, places), *_of_the_whole(index, repository_map, places)]
    return without_repetition(findings)


def _conditions(limits: SourceFilter) -> dict[str, Any]:
    """Return the conditions of a map on what a question is limited to; tests are part of no map."""
    return {
        "paths": limits.paths,
        "kinds": limits.kinds,
        "languages": limits.languages,
        "databases": limits.databases,
    }


def _of_readme(found: RepositoryMap, places: Places) -> list[Finding]:
    readme = next((chunks for path in READMES if (chunks := places.chunks(found.repository, path))), [])
    first = [Hit(chunk, 1.0, confidence=1.0) for chunk in readme if has_prose(chunk)][:1]
    return findings_of_hits(first, {}, route=Route.MAP)


def _of_the_whole(index: Index, found: RepositoryMap, places: Places) -> Iterator[Finding]:
    parts = found.parts[:MAX_PARTS]
    of_parts = (_of_part(found, part, places) for part in parts)
    of_entries = (_of_entries(found, group, places) for group in found.entry_points)
    of_tables = (
        _of_table(index, found, entry, part, places)
        for part in parts
        for entry in [one for one in part.entries if one.columns and one.path][:TABLES]
    )
    yield from filter(None, (*of_parts, *of_entries, *of_tables))


def _of_topic(index: Index, question: str, places: Places, limits: SourceFilter) -> Iterator[Finding]:
    """Yield what a search for a topic finds, and what the parts nearest to it are."""
    topic = {stem(word.lower()): 1.0 for word in content_words(question) if not is_weak(word) and word not in WHOLLY}
    asked = " ".join(word for word in content_words(question) if word not in WHOLLY)
    hits = index.search(make_query(asked, k=HITS, tests=TestPolicy.EXCLUDE, **_conditions(limits))) if topic else []
    about = [hit for hit in hits if all_stems(f"{hit.chunk.text} {hit.chunk.path} {hit.chunk.doc}") & topic.keys()]
    best = max((hit.confidence for hit in about), default=0.0)
    near = [hit for hit in about if hit.confidence >= WEAK * best]
    yield from (replace(finding, route=Route.MAP) for finding in findings_of_hits(near, topic, route=Route.MAP))
    for found in index.map(asked, budget=MAP_TOKENS, **_conditions(limits)) if near else ():
        for part in found.parts[:TOPIC_PARTS]:
            if all_stems(" ".join(_words_of(entry) for entry in part.entries)) & topic.keys():
                yield from filter(None, [_of_part(found, part, places)])


def _of_part(found: RepositoryMap, part: MapPart, places: Places) -> Finding | None:
    """Return what is said of a part, and its main definitions, each cited by the lines that say so."""
    of_part = part_definitions(part, count=max(LEAST_NAMED, NAMED // max(len(found.parts[:MAX_PARTS]), 1)))
    names = [_piece(found.repository, one.name, one.path, one.line, places) for one in of_part]
    pieces = [Piece(part.name), *([Piece(": "), *listed(names)] if names else [])]
    about, own = part.about, None
    if about is not None:
        own = places.source(found.repository, about.path, about.line, end=about.end_line, name=about.name)
        subject = f"{about.name}: " if about.name and about.name not in about.text else ""
        pieces += [Piece(f". {subject}{about.text}")] if own else []
    return finding_of(pieces, route=Route.MAP, confidence=part.share, own=own)


def _of_table(index: Index, found: RepositoryMap, entry: MapEntry, part: MapPart, places: Places) -> Finding | None:
    """Return a table with those that read and write it, each cited by the line in which it does."""
    source = places.source(found.repository, entry.path, max(entry.line, 1), name=entry.name)
    pieces = [Piece(f"{part.name}: {entry.kind} {entry.name}", source)]
    if entry.readers or entry.writers:
        references = index.refs(entry.name, kinds=TABLE_KINDS, shown=None)
        for verb, names, roles in (("read by", entry.readers, READS), ("written by", entry.writers, WRITES)):
            users = [_user(references, name, roles, places) for name in names]
            cited = listed(user for user in users if user is not None)
            pieces += [Piece(f"; {verb} "), *cited] if cited else []
    return finding_of(pieces, route=Route.MAP, confidence=part.share, is_fact=True) if source else None


def _user(found: Sequence[References], name: str, roles: frozenset[Role], places: Places) -> Piece | None:
    uses = (
        (one.repository, use)
        for one in found
        for group in one.groups
        if group.role in roles
        for use in group.references
        if use.spot.name == name
    )
    repository, use = next(uses, ("", None))
    if use is None:
        return None
    table = found[0].target.name
    return Piece(name, places.showing(table, repository, use.path, line=max(use.line, 1), name=name))


def _of_entries(found: RepositoryMap, group: EntryGroup, places: Places) -> Finding | None:
    is_main = group.kind is EntryKind.MAIN
    names = [
        replace(piece, text=f"{one.name} in {one.path}") if is_main else piece
        for one in group.shown
        for piece in [_piece(found.repository, one.name, one.path, one.line, places)]
    ]
    title = counted(len(names), "main function" if is_main else str(group.kind)).partition(" ")[2]
    more = ", such as " if group.total > len(names) else ": "
    pieces = [Piece(f"Programs begin in {title}{more}"), *listed(names)]
    return finding_of(pieces, route=Route.MAP, confidence=1.0, is_fact=True)


def _piece(repository: str, name: str, path: str, line: int, places: Places) -> Piece:
    return Piece(name, places.source(repository, path, max(line, 1), name=name))


def _words_of(entry: MapEntry) -> str:
    return f"{entry.name} {entry.path} {entry.doc} {entry.signature}"
