"""A question to the command that answers it exactly, and in full where a search has the best k."""

from __future__ import annotations

import shlex

from coderag.api.index import Index
from coderag.graph.queries.overview import about_the_whole
from coderag.limits import NAME, fault_of_text
from coderag.search.query.relation_question import RelationQuestion, Sought, relation_question

__all__ = ["better_command"]


def better_command(index: Index, question: str) -> str:
    """Return the command that answers a question exactly, and what it shows; "" if a search is as good.

    "who calls X" is answered by the graph if it knows X, "what breaks if X changes" too, and an overview by the map.
    """
    relation = relation_question(question)
    if relation is not None and relation.sought is Sought.HANDLERS:
        return ""
    if relation is not None and relation.target and (hint := _of_names(index, relation)):
        return hint
    if about_the_whole(question):
        return f"for an overview: coderag map {shlex.quote(question)}"
    return ""


def _of_names(index: Index, asked: RelationQuestion) -> str:
    """Return the command for a question about one or two names, "" if nothing has one of them."""
    names = [name for name in (asked.target, asked.other) if name]
    if any(fault_of_text(NAME, name) or not index.meanings(name, stored=True).chosen for name in names):
        return ""
    command, what = {
        Sought.IMPACT: ("impact", "everything that a change affects"),
        Sought.PATH: ("path", "the whole path"),
    }.get(asked.sought, ("refs", "every reference"))
    return f"for {what}: coderag {command} {shlex.join(names)}"
