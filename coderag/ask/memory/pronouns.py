"""Words of a question that point out of it: "it" in "where is it called?", "that table", "the second one".

how is it tested?                                   it
how is a coupon checked before it is redeemed?      none: "it" is the coupon
is it possible to pay twice?                        none: "it" is nothing
which functions that parse dates are tested?        none: "that" begins a clause
what does this repository do?                       none: there is one repository
"""

from __future__ import annotations

import re

from coderag.ask.wording import content_words, is_weak
from coderag.record import record

__all__ = ["Pronoun", "pronouns_of"]

LONGEST = 300  # characters; who writes more says what is meant
KIND = (
    "function|method|class|table|view|column|file|module|query|endpoint|handler|test|type|constant|error|exception"
    "|service|job|check|rule|value|field|one"
)
POINTING = re.compile(
    rf"""\b(?:
        (?P<demonstrative>that|this|those|these)(?:\ (?P<noun>(?:{KIND})(?:s|es)?)\b)?
      | (?P<possessive>its|their)
      | (?P<personal>it|they|them)
      )\b(?!['\u2019])""",
    re.IGNORECASE | re.VERBOSE,
)
PLURAL = frozenset("they them their those these".split())
# "is it possible to", "does it take long", "what does it mean to": "it" is nothing.
NOTHING = re.compile(
    r"\bit (?:possible|necessary|safe|enough|okay|ok|true|allowed|better|worth|matter|make sense|mean to|take)\b"
    r"|\bit (?:all|everything) \w+ together\b|\b(?:made|makes?) it\b|\bhow (?:is|comes?) it that\b",
    re.IGNORECASE,
)
BOUNDARY = re.compile(
    r"[,;?]|\b(?:and|but|or|so|before|after|when|if|once|until|till|while|because|since|than|as)\b", re.IGNORECASE
)
# After what "that" and "this" may stand for something, rather than begin a clause or go with a noun.
BEFORE_ALONE = re.compile(
    r"(?:^|\b(?:is|are|was|does|do|did|can|will|would|should|has|for|of|to|from|in|on|by|with|about|after|before|if|when"
    r"|why|how|where|and|call|calls|called|use|uses|used|test|tests|tested|read|reads|write|writes|handle|handles"
    r"|change|changes|break|breaks|cover|covers|invoke|invokes|reference|references|raise|raises|do|does|like))\ $",
    re.IGNORECASE,
)
AFTER_ALONE = re.compile(
    r"^\s*(?:$|[?.!,;]|(?:\w{2,20}ed|is|are|was|were|does|do|did|can|will|would|gets?|happens?|works?|changes?|changed|breaks?|fails?"
    r"|called|used|tested|done|handled|defined|implemented|stored|configured|documented|covered|raised|computed|set|from"
    r"|in|on|by|for|with|and|or|to|anywhere|somewhere|too|exactly)\b)",
    re.IGNORECASE,
)
DEMONSTRATIVE_CLAUSE = re.compile(r"^\s+(?:that|which|who|where|named|called|for|of|in|with)\b", re.IGNORECASE)
ALSO_VERBS = frozenset("test check query type value file field view".split())
VERBS = frozenset(
    """call calls called use uses used test tests tested read reads write writes break breaks change changes cover
    covers invoke invokes depend depends define defined implement implemented reference references handle handled
    update updates insert inserts run runs raise raises return returns""".split()
)


@record
class Pronoun:
    """A word that points out of a question."""

    text: str
    start: int
    end: int
    is_possessive: bool = False
    is_plural: bool = False
    noun: str = ""  # what the question calls it: "table" of "that table"


def pronouns_of(question: str) -> list[Pronoun]:
    """Return the words that stand for something which the question itself does not say, in order."""
    if len(question) > LONGEST:
        return []
    nothing = [match.span() for match in NOTHING.finditer(question)]
    found = []
    for match in POINTING.finditer(question):
        if any(start <= match.start() < end for start, end in nothing) or not _points(match, question):
            continue
        text, noun = match[0], (match["noun"] or "").lower()
        found.append(
            Pronoun(
                text,
                *match.span(),
                is_possessive=match["possessive"] is not None,
                is_plural=text.split()[0].lower() in PLURAL,
                noun="" if noun in ("one", "ones") else noun,
            )
        )
    return found


def _points(match: re.Match[str], question: str) -> bool:
    before, after = question[: match.start()], question[match.end() :]
    if match["demonstrative"]:
        if match["noun"]:
            return _is_demonstrative(match, after)
        if not BEFORE_ALONE.search(before) or not AFTER_ALONE.match(after):
            return False
    return not _has_antecedent(before, is_possessive=match["possessive"] is not None)


def _is_demonstrative(match: re.Match[str], after: str) -> bool:
    """Tell "that check" from "code that checks": the noun agrees, and nothing says after it which one is meant."""
    noun, is_many = match["noun"].lower(), match["demonstrative"].lower() in PLURAL
    if noun.endswith("s") != is_many or DEMONSTRATIVE_CLAUSE.match(after):
        return False
    return noun.removesuffix("s") not in ALSO_VERBS or AFTER_ALONE.match(after) is not None


def _has_antecedent(before: str, *, is_possessive: bool) -> bool:
    """Tell whether a question says before a pronoun what that stands for: in another clause, or as its owner."""
    ends = [boundary.start() for boundary in BOUNDARY.finditer(before)]
    if not ends and not is_possessive:
        return False
    clause = before if is_possessive else before[: ends[-1]]
    words = content_words(clause)
    return any(word.lower() not in VERBS and not is_weak(word) for word in words)
