"""What the first results lack, to the calls that may find it: by rules, without a model.

a name that the best finding is not      symbol
a relation that the graph did not tell   refs, path
words that no source has                 search for them, with the name of the best finding
no answer in code, but tables are named  schema
a path                                   outline
a query in the question                  check_sql
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from coderag.ask.agentic.records import Call
from coderag.ask.known_names import known_in
from coderag.ask.records import Grade, Route
from coderag.ask.relations import relation_of
from coderag.ask.turn import Evidence, Turn
from coderag.ask.wording import content_words, names_in
from coderag.search.query.relation_question import RelationQuestion, Sought
from coderag.text.tokens import stem

__all__ = ["planned_calls"]

NAMES = 3  # of a part, that are looked up
QUERY = re.compile(r"\bselect\b[^;]{1,500}?\bfrom\b[^;?`]{1,500}", re.IGNORECASE)
PATH = re.compile(r"(?<![\w/])(?:[\w.-]{1,60}/){1,8}[\w-]{1,60}\.\w{1,8}(?![\w/])")


def planned_calls(turn: Turn, part: Evidence) -> list[Call]:
    """Return the calls for a part, the most promising first; [] if nothing is lacking."""
    return list(_calls(turn, part))


def _calls(turn: Turn, part: Evidence) -> Iterator[Call]:
    if match := QUERY.search(part.text):
        yield Call("check_sql", {"sql": match[0].strip()})
    file = PATH.search(part.text)
    if file:
        yield Call("outline", {"path": file[0]})
    names = [name for name in names_in(part.text) if file is None or name not in file[0]]
    if not any(finding.is_fact and finding.route is Route.GRAPH for finding in part.findings):
        yield from _of_names(names, part)
    if part.grade is Grade.INCORRECT and not part.unknown and _names_tables(turn, part):
        yield Call("schema", {"question": part.text})
    known = [word for word in part.uncovered if word not in part.unknown]
    if known and part.grade is not None and Route.DATA not in part.routes:
        yield Call("search", {"query": " ".join(dict.fromkeys([*known, *(names or _best_name(part))]))})


def _of_names(names: Sequence[str], part: Evidence) -> Iterator[Call]:
    """Yield the calls that look up what a question names, and how it relates, where the graph did not answer."""
    # Later findings may be left out of the answer, as much less sure than the first one.
    best = f".{part.findings[0].source.name}" if part.findings else ""
    lacking = [name for name in names if not best.endswith(f".{name}")]
    yield from (Call("symbol", {"name": name}) for name in lacking[:NAMES])
    relation = relation_of(part.text)
    if relation is not None:
        yield _of_relation(relation)


def _best_name(part: Evidence) -> list[str]:
    """Return what the best finding is called: words alone lack what they are about."""
    return [part.findings[0].source.name] if part.findings and part.findings[0].source.name else []


def _of_relation(relation: RelationQuestion) -> Call:
    if relation.sought is Sought.PATH:
        return Call("path", {"start": relation.target, "to": relation.other})
    return Call("refs", {"name": relation.target, "relation": str(relation.sought)})


def _names_tables(turn: Turn, part: Evidence) -> bool:
    tables = known_in(turn.index).tables
    return Route.DATA not in part.routes and any(stem(word.lower()) in tables for word in content_words(part.text))
