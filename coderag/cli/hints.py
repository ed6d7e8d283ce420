"""A question to the command that answers it exactly, where a search gives the best guesses."""

from __future__ import annotations

import re
import shlex

from coderag.api.index import Index
from coderag.graph.queries.overview import about_the_whole
from coderag.limits import NAME, fault_of_text

__all__ = ["better_command"]

TARGET = r"[`'\"]?(?P<target>[\w./:#]*\w)(?:\(\))?[`'\"]?"
END = r"\s*\??\s*\Z"
THE = r"(?:the\s+)?(?:(?:function|method|class|table|column|file|route)\s+)?"
USES = r"(?:calls?|uses?|references?|invokes?|reads?(?:\s+from)?|writes?(?:\s+to)?|tests?|inherits(?:\s+from)?)"
USED = r"(?:called|used|referenced|invoked|read|written|tested)"
CHANGED = r"(?:changes?|is\s+changed|is\s+renamed|is\s+dropped|is\s+removed|is\s+deleted)"
REFS = (
    re.compile(rf"(?:who|what|which\s+\w+)\s+{USES}\s+{THE}{TARGET}{END}", re.IGNORECASE),
    re.compile(rf"where\s+(?:is|are)\s+{THE}{TARGET}\s+{USED}{END}", re.IGNORECASE),
    re.compile(rf"(?:callers|usages|uses|references)\s+(?:of|to)\s+{THE}{TARGET}{END}", re.IGNORECASE),
)
BREAKS = r"what\s+(?:breaks|would\s+break|happens|is\s+affected|is\s+impacted)\s+(?:if|when)\s+"
IMPACT = (
    re.compile(rf"{BREAKS}{THE}{TARGET}\s+{CHANGED}{END}", re.IGNORECASE),
    re.compile(rf"{BREAKS}(?:i|we|you)\s+(?:change|rename|drop|remove|delete)\s+{THE}{TARGET}{END}", re.IGNORECASE),
    re.compile(rf"what\s+depends\s+on\s+{THE}{TARGET}{END}", re.IGNORECASE),
)


def better_command(index: Index, question: str) -> str:
    """Return the command that answers a question exactly, and what it shows; "" where a search is as good.

    "who calls X" is answered by the graph if it knows X, "what breaks if X changes" too, and an overview by the map.
    """
    for patterns, name, what in (
        (IMPACT, "impact", "everything that a change affects"),
        (REFS, "refs", "every reference"),
    ):
        for pattern in patterns:
            match = pattern.match(question.strip())
            if match and not fault_of_text(NAME, match["target"]) and index.meanings(match["target"]).chosen:
                return f"for {what}: coderag {name} {shlex.quote(match['target'])}"
    if about_the_whole(question):
        return f"for an overview: coderag map {shlex.quote(question)}"
    return ""
