"""The parts of a map to the passages that a summary of each is written from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from coderag.ask.findings.places import Places
from coderag.ask.routing import is_of_a_topic
from coderag.ask.source import Source
from coderag.ask.turn import SourceFilter
from coderag.graph.queries.map import MapPart
from coderag.record import record

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["PartSources", "parts_to_summarise"]

MAP_TOKENS = 4096  # more definitions than an answer shows
PARTS = 6
SOURCES = 6  # of a part
LINES = 14  # of a definition: its head says what it is


@record
class PartSources:
    """A part of a repository and passages of it, numbered from 1."""

    title: str
    sources: tuple[Source, ...]


def parts_to_summarise(index: Index, question: str, limits: SourceFilter) -> list[PartSources]:
    """Return the parts that a question is about with their passages, those that matter most first."""
    places = Places(index, limits)
    maps = index.map(
        question if is_of_a_topic(question) else "",
        budget=MAP_TOKENS,
        paths=limits.paths,
        kinds=limits.kinds,
        languages=limits.languages,
        databases=limits.databases,
    )
    found = []
    for repository_map in maps:
        for part in repository_map.parts[:PARTS]:
            sources = tuple(_passages(repository_map.repository, part, places))
            if sources:
                numbered = (replace(source, number=number) for number, source in enumerate(sources, 1))
                found.append(PartSources(part.name, tuple(numbered)))
    return found[:PARTS]


def _passages(repository: str, part: MapPart, places: Places) -> Iterator[Source]:
    entries = sorted((entry for entry in part.entries if entry.path), key=lambda entry: -entry.rank)
    locations = [(part.about.path, part.about.line, part.about.end_line, part.about.name)] if part.about else []
    locations += [(entry.path, max(entry.line, 1), entry.line + LINES, entry.name) for entry in entries]
    for path, line, end, name in locations[:SOURCES]:
        if source := places.source(repository, path, line, end=end, name=name):
            yield source
