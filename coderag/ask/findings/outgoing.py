"""A question for what a definition calls, reads or writes to the edges that say so.

what does PaymentRetrier.retry_failed call?   the functions that it calls
which tables does Checkout write to?          the tables that its methods write, and what they call
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from coderag.ask.findings.facts import definition_finding, doubt_of, edge_finding
from coderag.ask.findings.places import Places
from coderag.ask.findings.things import LONGEST, PLAIN, thing_pattern
from coderag.ask.records import Finding
from coderag.graph.queries.outgoing import DATA_EDGES, Outgoing
from coderag.graph.records import EdgeKind
from coderag.text.counted import counted

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["outgoing_asked", "outgoing_findings"]

SHOWN = 12
STORES = r"(?:database\ )?(?:tables?|views?|data)"
CODE = r"(?:functions?|methods?|classes|helpers?|code)"
VERB = r"""(?P<verb>calls?|invokes?|uses?|touch(?:es)?|access(?:es)?|needs?|depends?\ on|reads?|quer(?:y|ies)|loads?
    |selects?|writes?|inserts?|updates?|modif(?:y|ies)|changes?|fills?|stores?|saves?|deletes?|removes?)"""
DONE = r"(?P<done>called|invoked|used|touched|accessed|read|queried|loaded|written|updated|modified|changed|deleted)"
ASKED = re.compile(
    rf"""(?:what|(?:what|which)\ (?:(?P<stores>{STORES})|{CODE}))\ (?:
        (?:does|do|can)\ {thing_pattern("name")}\ {VERB}(?:\ (?:to|from|into|in))?
      | (?:is|are|gets?)\ {DONE}(?:\ (?:to|from|into))?\ by\ {thing_pattern("agent")}
    )[\ ?.!]*""",
    re.IGNORECASE | re.VERBOSE,
)
CALLS = frozenset({EdgeKind.CALLS})
READS, WRITES = frozenset({EdgeKind.READS}), frozenset({EdgeKind.WRITES, EdgeKind.DELETES})
BEGINNINGS = (  # of verbs; what is not here asks for any use
    (("call", "invok"), CALLS),
    (("read", "quer", "load", "select"), READS),
    (("writ", "insert", "updat", "modif", "chang", "fill", "stor", "sav"), WRITES),
    (("delet", "remov"), frozenset({EdgeKind.DELETES})),
)


def outgoing_asked(question: str) -> tuple[str, frozenset[EdgeKind]] | None:
    """Return the definition that a question names and which edges from it are asked for; None for other questions."""
    match = ASKED.fullmatch(" ".join(question.split())) if len(question) <= LONGEST else None
    if match is None:
        return None
    verb = (match["verb"] or match["done"]).lower()
    kinds = next((kinds for first, kinds in BEGINNINGS if verb.startswith(first)), CALLS | DATA_EDGES)
    if match["stores"]:
        kinds = kinds & DATA_EDGES or DATA_EDGES
    return match["name"] or match["agent"], kinds


def outgoing_findings(index: Index, question: str, places: Places) -> list[Finding]:
    """Return what the definition that a question names does to others; [] for other questions, and for none at all."""
    asked = outgoing_asked(question)
    if asked is None:
        return []
    name, kinds = asked
    around = index.outgoing(name, kinds=kinds)
    thing = next(iter(around.chosen), None)
    # A plain word may be no name: it must be the very name of a definition.
    if thing is None or (PLAIN.fullmatch(name) and thing.name.rpartition(".")[2] != name):
        return []
    facts = [fact for edge in around.edges[:SHOWN] if (fact := _fact(edge, around.repository, places))]
    if not facts:
        return []
    more = f"; coderag graph {thing.name} shows more" if len(around.edges) > SHOWN else ""
    here = definition_finding(thing, repository=around.repository, places=places, more=more)
    return [*facts, here] if here else facts


def _fact(edge: Outgoing, repository: str, places: Places) -> Finding | None:
    way = f" ({counted(edge.distance, 'call')} away)" if edge.distance else ""
    text = f"{edge.source.name} {edge.verb} {edge.target.name}{doubt_of(edge)}{way}"
    source, target = edge.source.name, edge.target.name
    return edge_finding(text, edge, name=source, target=target, repository=repository, places=places)
