"""A question to the command that answers it exactly, where a search gives the best guesses."""

from __future__ import annotations

import shlex

from coderag.api.index import Index
from coderag.graph.queries.overview import about_the_whole
from coderag.limits import NAME, fault_of_text

__all__ = ["better_command"]

# What the expressions of coderag.cli.hint_patterns begin with: other questions need not wait for them.
FIRST_WORDS = frozenset({"who", "what", "which", "where", "callers", "usages", "uses", "references"})


def better_command(index: Index, question: str) -> str:
    """Return the command that answers a question exactly, and what it shows; "" where a search is as good.

    "who calls X" is answered by the graph if it knows X, "what breaks if X changes" too, and an overview by the map.
    """
    words = question.split()
    if words and words[0].lower() in FIRST_WORDS and (hint := _of_one_name(index, " ".join(words))):
        return hint
    if about_the_whole(question):
        return f"for an overview: coderag map {shlex.quote(question)}"
    return ""


def _of_one_name(index: Index, question: str) -> str:
    """Return the command for a question about the uses of one name, "" for any other and for an unknown name."""
    from coderag.cli.hint_patterns import IMPACT, REFS

    for patterns, name, what in (
        (IMPACT, "impact", "everything that a change affects"),
        (REFS, "refs", "every reference"),
    ):
        for pattern in patterns:
            match = pattern.match(question)
            if (
                match
                and not fault_of_text(NAME, match["target"])
                and index.meanings(match["target"], stored=True).chosen
            ):
                return f"for {what}: coderag {name} {shlex.quote(match['target'])}"
    return ""
