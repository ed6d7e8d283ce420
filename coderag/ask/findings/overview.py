"""A question about the whole to the main parts of each repository, and what its README says first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coderag.ask.findings.passages import findings_of_hits, has_prose
from coderag.ask.findings.places import Places
from coderag.ask.records import Finding, Route
from coderag.graph.queries.map import part_text
from coderag.types import Hit

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["overview_findings"]

MAX_PARTS = 6
MAP_TOKENS = 1024
READMES = ("README.md", "README.rst", "README.txt", "README", "readme.md", "docs/index.md")


def overview_findings(index: Index, question: str, places: Places) -> list[Finding]:
    """Return the first sentences of the README, and the parts that matter most, each cited by its main definition."""
    found: list[Finding] = []
    for repository_map in index.map(question, budget=MAP_TOKENS):
        repository = repository_map.repository
        readme = next((chunks for path in READMES if (chunks := places.chunks(repository, path))), [])
        first = [Hit(chunk, 1.0, confidence=1.0) for chunk in readme if has_prose(chunk)][:1]
        found += findings_of_hits(first, {}, route=Route.MAP)
        for part in repository_map.parts[:MAX_PARTS]:
            main = max((one for one in part.entries if one.path), key=lambda one: one.rank, default=None)
            source = main and places.source(repository, main.path, max(main.line, 1), name=main.name)
            if source:
                text = f"{part_text(part)}, {part.share:.0%} of what matters"
                found.append(Finding(text, source, Route.MAP, part.share))
    return found
