"""Questions for relations as expressions; whatever may be none imports this late, as compiling them takes a while."""

from __future__ import annotations

import re

__all__ = ["PATTERNS"]

# Of a question whose words are one space apart, so that no text keeps them busy.
NAME = r"[\w./:#]*\w"
KIND = r"(?:the )?(?:(?P<kind>function|method|class|interface|table|view|column|file|route) )?"
TARGET = rf"{KIND}(?P<mark>[`'\"]?)(?P<target>{NAME})(?P<call>\(\))?(?P=mark)"
OTHER = rf"(?:the )?(?:(?:function|method|class|table|column|file|route) )?[`'\"]?(?P<other>{NAME})(?:\(\))?[`'\"]?"
END = r" ?\?*+\Z"
VERB = (
    r"(?P<verb>calls?|uses?|references?|invokes?|reads?|writes?|modif(?:y|ies)|tests?|inherits?|extends?"
    r"|subclass(?:es)?|implements?)(?: from| to)?"
)
USED = r"(?P<verb>called|used|referenced|invoked|read|written|modified|tested)(?: from| to)?"
NOUN = r"(?P<verb>callers|usages|uses|references|readers|writers|tests|subclasses|implementations)"
CHANGED = r"(?:changes?|is changed|is renamed|is dropped|is removed|is deleted|goes)"
BREAKS = r"what (?:breaks|would break|happens|is affected|is impacted) (?:if|when) "
PATTERNS = (
    re.compile(rf"(?:who|what|which \w+) {VERB} {TARGET}{END}", re.IGNORECASE),
    re.compile(rf"where (?:is|are) {TARGET} {USED}{END}", re.IGNORECASE),
    re.compile(rf"{NOUN} (?:of|to|for) {TARGET}{END}", re.IGNORECASE),
    re.compile(rf"{BREAKS}{TARGET} {CHANGED}{END}", re.IGNORECASE),
    re.compile(rf"{BREAKS}(?:i|we|you) (?:change|rename|drop|remove|delete) {TARGET}{END}", re.IGNORECASE),
    re.compile(rf"what depends on {TARGET}{END}", re.IGNORECASE),
    re.compile(
        rf"(?:what is |show )?(?:the )?(?:call )?(?:path|way|route|chain) from {TARGET} to {OTHER}{END}", re.IGNORECASE
    ),
    re.compile(
        rf"how (?:does|do|is|can) {TARGET} (?:reach(?:ed)?|lead to|get to|end up in|call|come to) {OTHER}{END}",
        re.IGNORECASE,
    ),
)
