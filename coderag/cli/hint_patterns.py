"""Questions that the graph answers exactly, as expressions; compiling them takes as long as a tenth of a search."""

from __future__ import annotations

import re

__all__ = ["IMPACT", "REFS"]

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
