"""A language's tree-sitter grammar and its compiled query, loaded on first use."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Query, QueryCursor, QueryError, Tree

from coderag.errors import LanguageDataError
from coderag.reading.language import Language

__all__ = ["GrammarMissing", "Matches", "ParseTimeout", "Reader", "reader"]

# One match of a query: which pattern, and the captured nodes by name.
Matches = list[tuple[int, dict[str, list[Node]]]]

SLICE = 1 << 10  # bytes handed over at a time; the text of a node in a predicate copies one slice, so a large one is slow


class GrammarMissing(Exception):
    """The grammar's package is not installed."""


class ParseTimeout(Exception):
    """A file took longer to parse or to query than it may."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A parser and a query of one language; not shared between threads."""

    parser: Parser
    query: Query

    def parse(self, data: bytes, seconds: float) -> Tree:
        """Return the syntax tree of UTF-8 text; raise ParseTimeout after so many seconds."""
        deadline = time.monotonic() + seconds
        try:
            return self.parser.parse(
                lambda offset, _: data[offset : offset + SLICE],
                progress_callback=lambda _offset, _error: time.monotonic() > deadline,
            )
        except ValueError as error:  # how the binding reports that the callback said stop
            self.parser.reset()
            raise ParseTimeout from error

    def match(self, tree: Tree) -> Matches:
        """Return every match of the query.

        There is no time limit here: the binding's progress check of a query crashes the process (tree-sitter 0.26).
        Who runs this on files of strangers does so in a process that may be killed.
        """
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
