"""Questions for relations as expressions; whatever may be none imports this late, as compiling them takes a while."""

from __future__ import annotations

import re

__all__ = ["PATTERNS", "ROUNDABOUT"]

# Of a question whose words are one space apart, so that no text keeps them busy.
NAME = r"[\w./:#]*\w"
KINDS = "function|method|class|struct|enum|type|trait|interface|protocol|table|view|column|file|route|module"
TARGET = (
    rf"(?:the )?(?:(?P<kind>{KINDS}) )?(?P<mark>[`'\"]?)(?P<target>{NAME})(?P<call>\(\))?(?P=mark)"
    rf"(?: (?P<kind_behind>{KINDS}))?"
)
OTHER = rf"(?:the )?(?:(?:{KINDS}) )?[`'\"]?(?P<other>{NAME})(?:\(\))?[`'\"]?(?: (?:{KINDS}))?"
END = r" ?[?.!]*+\Z"
# What comes before a question that is asked in more words, and says nothing.
ROUNDABOUT = re.compile(
    r"\A(?:please )?(?:(?:can|could) you )?(?:find|show|list|give|tell|get|see)(?: me)?"
    r"(?: all| every)?(?: of)?(?: the)? ",
    re.IGNORECASE,
)
ACT = r"calls?|uses?|references?|invokes?|reads?|writes?|modif(?:y|ies)|touch(?:es)?|access(?:es)?|imports?"
VERB = (
    rf"(?P<verb>{ACT}|tests?|covers?|inherits?|extends?|subclass(?:es)?|implements?"
    r"|(?:is|are) (?:calling|using|invoking|reading|writing|modifying|testing|importing))(?: from| to)?"
)
USED = (
    r"(?P<verb>called|used|referenced|invoked|read|written|modified|tested|imported|implemented|extended)(?: from| to)?"
    r"(?: anywhere| in the code| by anything)?"
)
NOUN = (
    r"(?P<verb>callers|usages|uses|references|readers|writers|importers|tests|subclasses|implementations|implementers)"
)
ASKERS = r"who|what|which \w+(?: \w+){0,2}|what (?:code|functions?|methods?|classes|files|tests)"
WALK = r"(?:what is |what's )?(?:the )?(?:shortest )?(?:call )?(?:path|way|route|chain|connection)"
GOING = r"how (?:do(?:es)?|can|would) (?:i|we|you|one|it|a request|a call) (?:get|come|go)"
ALTER = r"(?:change|rename|drop|remove|delete|alter|modify)"
CHANGED = r"(?:changes?|goes|(?:is|gets|was) (?:changed|renamed|dropped|removed|deleted|altered|modified))"
CHANGING = r"(?:changing|renaming|dropping|removing|deleting|altering|modifying|(?:a )?changes? (?:of|to|in))"
BREAKS = (
    r"what (?:(?:will |would |could |might )?break|breaks|happens|(?:is|gets|would be) (?:affected|impacted|broken))"
)
PATTERNS = (
    re.compile(rf"(?:{ASKERS}) {VERB} {TARGET}{END}", re.I),
    re.compile(rf"(?:from )?where (?:is|are) {TARGET} {USED}{END}", re.I),
    re.compile(rf"(?:is|are) {TARGET} {USED}{END}", re.I),
    re.compile(
        rf"where do(?:es)? (?:we|i|you|it|anything|anyone|code|the code) (?P<verb>{ACT})(?: from| to)? {TARGET}{END}",
        re.I,
    ),
    re.compile(rf"does (?:anything|anyone|any code|any \w+) (?P<verb>{ACT})(?: from| to)? {TARGET}{END}", re.I),
    re.compile(rf"{NOUN} (?:of|to|for) {TARGET}{END}", re.I),
    re.compile(rf"{BREAKS} (?:if|when) {TARGET} {CHANGED}{END}", re.I),
    re.compile(rf"{BREAKS} (?:if|when) (?:i|we|you|someone) {ALTER} {TARGET}{END}", re.I),
    re.compile(rf"{BREAKS} by (?:{CHANGING} )?{TARGET}{END}", re.I),
    re.compile(rf"(?:if|when) (?:i|we|you) {ALTER} {TARGET},? {BREAKS}{END}", re.I),
    re.compile(rf"(?:if|when) {TARGET} {CHANGED},? {BREAKS}{END}", re.I),
    re.compile(rf"(?:what is the )?(?:impact|effects?|consequences) of (?:{CHANGING} )?{TARGET}{END}", re.I),
    re.compile(rf"(?:who|what) depends (?:up)?on {TARGET}{END}", re.I),
    re.compile(rf"{WALK} from {TARGET} to {OTHER}{END}", re.I),
    re.compile(rf"{WALK} between {TARGET} and {OTHER}{END}", re.I),
    re.compile(rf"{GOING} from {TARGET} to {OTHER}{END}", re.I),
    re.compile(rf"how (?:is|are) {TARGET} (?:connected|related|linked) (?:to|with) {OTHER}{END}", re.I),
    re.compile(
        rf"how (?:does|do|is|can) {TARGET} (?:reach(?:ed)?|lead to|get to|end up in|call|come to) {OTHER}{END}", re.I
    ),
)
