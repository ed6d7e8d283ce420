"""A question to the wider one behind it: the class or module, the README of the package, the domain of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath

from coderag.ask.records import Route
from coderag.ask.searching import first_hits
from coderag.ask.turn import Evidence, Turn
from coderag.ask.variants.proposing import Proposal, gate_of_confidence, with_variants
from coderag.text.tokens import split_identifier
from coderag.types import Hit, Kind

__all__ = ["step_back"]

WEIGHT = 0.05  # of the wider wordings together; the question itself has 1
READ = 6  # hits whose surroundings are counted
MIN_SHARED = 2  # hits of one place, for it to be what the question is about
TABLES = 4
READMES = ("README.md", "README.rst", "README.txt", "README")
INSTRUCTION = "Step back: ask the one more general question whose answer explains the background of this one."


def step_back(turn: Turn) -> Turn:
    """Add the wider question (arXiv 2310.06117), where the narrow one is unsure and its hits share a place."""
    return with_variants(turn, "step_back", gate=_gate, rule=_wider, instruction=INSTRUCTION, weight=WEIGHT)


def _gate(turn: Turn, part: Evidence) -> str:
    if part.routes[:1] == (Route.DATA,):
        return ""
    return gate_of_confidence(turn, part)


def _wider(turn: Turn, part: Evidence) -> Proposal:
    if part.routes[:1] == (Route.DATA,):
        return _domain(turn, part)
    hits = first_hits(turn, part)[:READ]
    counts = Counter((hit.chunk.repository, hit.chunk.path, hit.chunk.parent) for hit in hits)
    (repository, path, parent), count = max(counts.items(), key=lambda item: item[1], default=(("", "", ""), 0))
    if count < MIN_SHARED:
        return Proposal(why="its hits share no class or module")
    words = " ".join(split_identifier(parent.rpartition(".")[2] or PurePosixPath(path).stem))
    doc = next((chunk.doc for chunk in turn.places.chunks(repository, path) if _names(chunk.kind) and chunk.doc), "")
    return Proposal(tuple(filter(None, (f"{words} {doc}".strip(), _readme(turn, repository, path, hits)))))


def _names(kind: Kind) -> bool:
    return kind in (Kind.CLASS, Kind.MODULE)


def _readme(turn: Turn, repository: str, path: str, hits: Sequence[Hit]) -> str:
    """Return the first line of the README of the innermost package around a file that has one, "" without."""
    paths = {hit.chunk.path for hit in hits}
    for folder in [*PurePosixPath(path).parents][:-1]:
        for name in READMES:
            chunks = turn.places.chunks(repository, str(folder / name))
            if chunks and str(folder / name) not in paths:
                return chunks[0].doc or chunks[0].name
    return ""


def _domain(turn: Turn, part: Evidence) -> Proposal:
    """Return the domain of the best table, with the tables of it."""
    ranking = turn.index.table_ranking(part.text, k=TABLES, conditions=turn.options.within.tables)
    tables = turn.index.catalog.tables
    domain = tables[ranking.tables[0].table].domain if ranking.matched and ranking.tables else ""
    if not domain:
        return Proposal(why="its tables belong to no domain")
    names = [table.name.name for table in tables if table.domain == domain][:TABLES]
    return Proposal((f"{domain}: {' '.join(names)}",))
