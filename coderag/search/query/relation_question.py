"""A question to the relation that it asks for, which the code graph answers exactly: "who calls X", "what breaks if".

relation_question("who calls parse_config?")         USES of parse_config, by those that call it
relation_question("what breaks if orders.total changes")
relation_question("path from checkout to orders")    PATH from checkout to orders
relation_question("what are the main parts?")        PARTS
relation_question("POST /login")                     HANDLERS of the route
relation_question("where are retries handled")       None: words answer that
"""

from __future__ import annotations

import re
from enum import StrEnum

from coderag.record import record
from coderag.search.query.vocabulary import STOP_WORDS, WEAK_WORDS
from coderag.text.tokens import words

__all__ = ["RelationQuestion", "Sought", "relation_question"]

FIRST_WORDS = frozenset(
    """who what which where how path route way callers usages uses references readers writers importers tests subclasses
    implementations implementers overview architecture main important list show structure call big find give tell get
    please can could see from is are does if when impact effect effects consequences what's shortest chain""".split()
)  # what such a question begins with: the others need not wait for the expressions
RELATION_WORDS = frozenset(
    """call calls called calling use uses used using reference references referenced invoke invokes invoked invoking
    read reads reading write writes writing written modify modifies modified modifying test tests tested testing inherit
    inherits extend extends extended subclass subclasses implement implements implemented callers usages readers writers
    importers import imports imported importing touch touches access accesses cover covers implementations implementers
    breaks break broken happens affected impacted impact effect effects consequences depends path way route chain reach
    reached lead get end come connection connected related linked""".split()
)  # one of which it has
# A route and nothing besides: "/users/{id}", "POST /login", "which function handles GET /users?"
ROUTE = (  # compiled for a question with an address
    r"(?:(?:who|what|which \w+) (?:handles|answers|serves) |handlers? (?:of|for) |where is )?"
    r"(?:the )?(?:route |endpoint )?"
    r"((?:(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) )?/[^\s?\"'`]+?)(?: handled)?\??"
)
LONGEST = 400  # characters of such a question
# Words of a question for an overview; one of the first is enough, of the others two, and no others may be there.
WHOLE_WORDS = frozenset({"architecture", "overview", "codebase"})
PART_WORDS = frozenset(
    """main parts part components component modules module important key core big picture structure structured layout
    organised organized organisation organization areas subsystems packages layers consist consists repository repo
    project code source""".split()
)
FILLERS = frozenset(
    "explain please describe show list tell made give me system application app program does high level".split()
)


class Sought(StrEnum):
    """What a question wants of the thing that it names."""

    CALLERS = "callers"
    READERS = "readers"
    WRITERS = "writers"
    TESTS = "tests"
    IMPORTERS = "importers"
    HEIRS = "heirs"  # what inherits from it or implements it
    USES = "uses"  # of any kind
    IMPACT = "impact"  # what breaks if it changes
    PATH = "path"  # how it leads to another thing
    PARTS = "parts"  # of the whole; it names nothing
    HANDLERS = "handlers"  # what answers the requests of a route


@record
class RelationQuestion:
    """A question about the relations of one thing, or of two."""

    sought: Sought
    target: str = ""  # as it is written, without quotes
    other: str = ""  # where a path is to end
    kind: str = ""  # "table" in "what reads the table orders"
    is_code: bool = False  # the target can be no ordinary word: it is quoted, called, qualified or of several words

    @property
    def is_exact(self) -> bool:
        """Whether what the graph answers is all that the question can mean."""
        is_named = self.is_code or bool(self.kind or self.other)
        return self.sought is Sought.PARTS or (is_named and self.sought is not Sought.HANDLERS)


SOUGHT = {
    **dict.fromkeys("call calls called calling invoke invokes invoked invoking callers".split(), Sought.CALLERS),
    **dict.fromkeys("read reads reading readers".split(), Sought.READERS),
    **dict.fromkeys("write writes writing written writers modify modifies modified modifying".split(), Sought.WRITERS),
    **dict.fromkeys("test tests tested testing cover covers".split(), Sought.TESTS),
    **dict.fromkeys("import imports imported importing importers".split(), Sought.IMPORTERS),
    **dict.fromkeys("inherit inherits extend extends extended subclass subclasses".split(), Sought.HEIRS),
    **dict.fromkeys("implement implements implemented implementations implementers".split(), Sought.HEIRS),
}  # what is not here asks for any use


def relation_question(text: str) -> RelationQuestion | None:
    """Return what relation a question asks for; None for any other question, which words answer."""
    question = " ".join(text.split()) if len(text) <= LONGEST else ""
    if (question[:1] == "/" or " /" in question) and (route := re.fullmatch(ROUTE, question)):
        return RelationQuestion(Sought.HANDLERS, route[1], kind="route")
    if question.partition(" ")[0].lower() not in FIRST_WORDS:
        return None
    if not RELATION_WORDS.isdisjoint(question.lower().rstrip(" ?.!").split(" ")):
        from coderag.search.query.relation_patterns import (  # compiling them takes a tenth of a search
            PATTERNS,
            ROUNDABOUT,
        )

        direct = ROUNDABOUT.sub("", question, count=1)
        for pattern in PATTERNS:
            if (match := pattern.match(direct)) and (found := _asked(match)):
                return found
    return RelationQuestion(Sought.PARTS) if _is_of_the_whole(question) else None


def _asked(match: re.Match[str]) -> RelationQuestion | None:
    named = match.groupdict()
    target, other = named["target"], named.get("other") or ""
    if any(name.lower() in STOP_WORDS | WEAK_WORDS for name in (target, *filter(None, [other]))):
        return None
    verb = (named.get("verb") or "").lower().split(" ")[-1]
    sought = Sought.PATH if other else Sought.USES if verb else Sought.IMPACT
    return RelationQuestion(
        SOUGHT.get(verb, sought),
        target,
        other=other,
        kind=(named["kind"] or named["kind_behind"] or "").lower(),
        is_code=bool(named["mark"] or named["call"] or not target.isalpha() or not target[1:].islower()),
    )


def _is_of_the_whole(question: str) -> bool:
    """Tell whether a question asks for an overview of everything and for nothing besides."""
    asked = {word.lower() for word in words(question)} - STOP_WORDS - FILLERS
    known = WHOLE_WORDS | PART_WORDS
    return asked <= known and bool(asked & WHOLE_WORDS or len(asked & PART_WORDS) > 1)
