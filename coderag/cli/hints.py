"""A question to the command that answers it exactly, where a search gives the best guesses."""

from __future__ import annotations

import re
import shlex

from coderag.api.index import Index
from coderag.graph.queries.overview import about_the_whole
from coderag.limits import NAME, fault_of_text

__all__ = ["better_command"]

# Of a question whose words are one space apart, so that no text keeps them busy.
TARGET = r"[`'\"]?(?P<target>[\w./:#]*\w)(?:\(\))?[`'\"]?"
END = r" ?\?*+\Z"
THE = r"(?:the )?(?:(?:function|method|class|table|column|file|route) )?"
USES = r"(?:calls?|uses?|references?|invokes?|reads?(?: from)?|writes?(?: to)?|tests?|inherits(?: from)?)"
USED = r"(?:called|used|referenced|invoked|read|written|tested)"
CHANGED = r"(?:changes?|is changed|is renamed|is dropped|is removed|is deleted)"
REFS = (
    re.compile(rf"(?:who|what|which \w+) {USES} {THE}{TARGET}{END}", re.IGNORECASE),
    re.compile(rf"where (?:is|are) {THE}{TARGET} {USED}{END}", re.IGNORECASE),
    re.compile(rf"(?:callers|usages|uses|references) (?:of|to) {THE}{TARGET}{END}", re.IGNORECASE),
)
BREAKS = r"what (?:breaks|would break|happens|is affected|is impacted) (?:if|when) "
IMPACT = (
    re.compile(rf"{BREAKS}{THE}{TARGET} {CHANGED}{END}", re.IGNORECASE),
    re.compile(rf"{BREAKS}(?:i|we|you) (?:change|rename|drop|remove|delete) {THE}{TARGET}{END}", re.IGNORECASE),
    re.compile(rf"what depends on {THE}{TARGET}{END}", re.IGNORECASE),
)


def better_command(index: Index, question: str) -> str:
    """Return the command that answers a question exactly, and what it shows; "" where a search is as good.

    "who calls X" is answered by the graph if it knows X, "what breaks if X changes" too, and an overview by the map.
    """
    words = " ".join(question.split())
    for patterns, name, what in (
        (IMPACT, "impact", "everything that a change affects"),
        (REFS, "refs", "every reference"),
    ):
        for pattern in patterns:
            match = pattern.match(words)
            if match and not fault_of_text(NAME, match["target"]) and index.meanings(match["target"]).chosen:
                return f"for {what}: coderag {name} {shlex.quote(match['target'])}"
    if about_the_whole(question):
        return f"for an overview: coderag map {shlex.quote(question)}"
    return ""
