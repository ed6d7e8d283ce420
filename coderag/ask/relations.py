"""A question in anybody's words to the one that the graph understands: "which code is calling X" to "who calls X"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from coderag.search.query.relation_question import RelationQuestion, Sought, relation_question

__all__ = ["relation_of", "relations_among"]

LONGEST = 400  # characters of such a question
KINDS = "function|method|class|interface|table|view|column|file|route"
NAME = r"[`'\"]?[\w./:#]{0,100}\w(?:\(\))?[`'\"]?"
USERS = "callers|usages|uses|references|readers|writers|tests|subclasses|implementations"
ING = "call|us|read|writ|test|invok|referenc|modify|inherit|extend|implement"
CODE = "code|functions?|methods?|classes|modules?|places?|files?|queries|scripts?|parts?|views?"
ON = "what depends on "
REWRITES = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"^(?:please |can you |could you )?(?:show|list|find|tell|give)(?: me)?(?: all| every)? ", ""),
        (rf"^(?:the|all) (?={USERS}|path|route|chain)", ""),
        (
            rf"(?:\bthe )?(?<![\w./:#])(?!the\b)({NAME}) ({KINDS})(?=\s*\??$| changes| is | to | reach| get)",
            r"the \2 \1",
        ),
        (rf"^(?:what|which) (?:{CODE}) ", "what "),
        (rf"^(who|what) (?:is|are) ({ING})ing ", r"\1 \2es "),
        (r"^(who|what) (?:all )?(?:calles|call) ", r"\1 calls "),
        (r"^(who|what) (?:testes|covers?|exercises?) ", r"\1 tests "),
        (r"^(who|what) (?:reades|selects? from|queries|loads?) ", r"\1 reads "),
        (
            r"^(who|what) (?:writ(?:es|e)(?: into)?|inserts? into|updates?|fills?|stores? into|changes?) (?:to )?",
            r"\1 writes to ",
        ),
        (r"^(who|what) (?:usees|usess|uses|use|makes use of) ", r"\1 uses "),
        (r"^what tests (?:are there for|exist for|run|cover) ", "tests of "),
        (r"^(?:what is|what's) (?:affected|impacted) by (?:changing |a change (?:of|to|in) )?", ON),
        (r"^what (?:would|will|could) (break|happen)s? (?:if|when) ", "what breaks if "),
        (r"\b(i|we|you) (renam|chang|delet|remov)ed\b", r"\1 \2e"),
        (r"\b(i|we|you) dropped\b", r"\1 drop"),
        (r" (?:were|was|gets|got) (changed|renamed|dropped|removed|deleted)", r" is \1"),
        (r"^(?:what is )?(?:the )?impact of (?:changing|renaming|dropping|removing|a change (?:of|to)) ", ON),
        (r"^(?:what|which tests?) (?:breaks?|fails?) (?:if|when) ", "what breaks if "),
        (r"^how (?:do|does|can|could) (?:i |we |a call |you )?(?:get |come |go )?from ", "path from "),
        (
            r"^how (?:is|are|do|does|can) (.+?) (?:connected to|linked to|lead to|get to|end up at|end up in) ",
            r"how does \1 reach ",
        ),
        (r"^(?:from) (?=\S+ to \S+\??$)", "path from "),
        (r"^(?:what|who) depend on ", ON),
        (r"^what (?:derives from|is derived from|subclasses) ", "what inherits from "),
    )
)


def relation_of(question: str) -> RelationQuestion | None:
    """Return the relation between names that a question asks for, None for any other; overviews are another."""
    if len(question) > LONGEST:
        return None
    text = " ".join(question.split()).rstrip(" .!?")
    for pattern, replacement in REWRITES:
        text = pattern.sub(replacement, text)
    relation = relation_question(text)
    return None if relation is None or relation.sought in (Sought.PARTS, Sought.HANDLERS) else relation


def relations_among(names: Sequence[str]) -> list[RelationQuestion]:
    """Return what names without a verb of the graph ask for: the path between two, else all uses of the first."""
    first, *others = names
    path = [RelationQuestion(Sought.PATH, target=first, other=other, is_code=True) for other in others[:1]]
    return [*path, RelationQuestion(Sought.USES, target=first, is_code=True)]
