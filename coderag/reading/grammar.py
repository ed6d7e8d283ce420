"""A language's tree-sitter grammar and its compiled query, loaded on first use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Query, QueryCursor, QueryError, Tree

from coderag.errors import LanguageDataError
from coderag.reading.language import Language

__all__ = ["GrammarMissing", "Matches", "Reader", "reader"]

# One match of a query: which pattern, and the captured nodes by name.
Matches = list[tuple[int, dict[str, list[Node]]]]


class GrammarMissing(Exception):
    """The grammar's package is not installed."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A parser and a query of one language; not shared between threads."""

    parser: Parser
    query: Query

    def parse(self, data: bytes) -> Tree:
        """Return the syntax tree of UTF-8 text.

        There is no time limit, here and in `match`: the binding (tree-sitter 0.26) checks progress only for text that
        a callback hands over, reads such text after it was freed, and crashes when it checks a query's. Who reads the
        files of strangers does so in a process that may be killed (coderag.index.pool).
        """
        return self.parser.parse(data)

    def match(self, tree: Tree) -> Matches:
        """Return every match of the query."""
        return QueryCursor(self.query).matches(tree.root_node)


@cache
def reader(language: Language) -> Reader:
    """Return the language's reader.

    Raises GrammarMissing when the grammar is not installed, LanguageDataError when tags.scm does not fit it.
    """
    try:
        module = import_module(language.grammar)
    except ImportError as error:
        raise GrammarMissing(f"{language.title}: the package {language.grammar} is not installed") from error
    grammar = Grammar(getattr(module, language.grammar_function)())
    try:
        query = Query(grammar, language.tags())
    except QueryError as error:
        raise LanguageDataError(f"{language.folder / 'tags.scm'}: {error}") from error
    return Reader(Parser(grammar), query)
