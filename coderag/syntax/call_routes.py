"""Calls of a file to the routes that some of them make, by a query that is tried at calls with a telling name alone.

Hardly any call makes a route, and a query that is walked through a file tries each of its patterns at each call.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from tree_sitter import Query, QueryCursor, QueryError

from coderag.errors import LanguageDataError
from coderag.syntax.grammar import reader
from coderag.syntax.language import Language
from coderag.syntax.trees.node_types import PLAIN_CALLS

if TYPE_CHECKING:
    from tree_sitter import Node

    from coderag.syntax.link_captures import Nodes
    from coderag.syntax.outline import Call

__all__ = ["NAMED", "CallRoutes", "call_routes"]

NAMED = re.compile(r'\(#(?:any-of|eq|match)\?\s+@(?:verb|route|_called)((?:\s+"\^?\w+")+)\s*\)')
WORD = re.compile(r'"(\w+)"')
START = re.compile(r'"\^(\w+)"')  # of a name, by #match?
NO_WORDS: frozenset[str] = frozenset()
MAX_STEPS = 1_000_000  # of a file, down its tree: in a chain of ten thousand calls the next one is as deep


@dataclass(frozen=True, slots=True)
class CallRoutes:
    """The routes.scm of a language, compiled when a call first has one of its names."""

    language: Language
    words: frozenset[str] = NO_WORDS
    starts: tuple[str, ...] = ()  # of names

    def compile(self) -> None:
        """Compile the query, if the language has one; raises GrammarMissing and LanguageDataError."""
        if self.words or self.starts:
            _query(self.language)

    def match(self, root: Node, calls: Iterable[Call]) -> list[Nodes]:
        """Return the matches at some calls of a tree."""
        words, starts = self.words, self.starts
        named = [call for call in calls if call.name in words or call.name.startswith(starts)]
        if not named:
            return []
        cursor = QueryCursor(_query(self.language))
        cursor.set_max_start_depth(0)  # calls inside of a call are told by their own names
        return [match for node in _nodes(root, named) for _, match in cursor.matches(node)]


@cache
def call_routes(language: Language) -> CallRoutes:
    """Return what finds the routes among the calls of a language; nothing for one without a routes.scm."""
    named = [match[1] for match in NAMED.finditer(language.routes())]
    words = (word for names in named for word in WORD.findall(names))
    starts = (start for names in named for start in START.findall(names))
    return CallRoutes(language, frozenset(words), tuple(starts))


@cache
def _query(language: Language) -> Query:
    grammar = reader(language).parser.language
    assert grammar is not None  # the parser was made with it
    try:
        return Query(grammar, language.routes())
    except QueryError as error:
        raise LanguageDataError(f"{language.folder / 'routes.scm'}: {error}") from error


def _nodes(root: Node, calls: Iterable[Call]) -> Iterator[Node]:
    """Yield the calls whose name, or the last one of it, begins at some bytes, as long as that takes MAX_STEPS."""
    left = MAX_STEPS
    cursor = root.walk()
    for call in calls:
        cursor.reset(root)
        while left > 0 and cursor.goto_first_child_for_byte(call.start_byte) is not None:
            left -= 1
        if left <= 0:
            return
        for _ in range(2):  # get(...), router.get(...)
            if cursor.goto_parent() and (node := cursor.node) is not None and node.type in PLAIN_CALLS:
                yield node
                break
