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

SWALLOWED_ROWS = 30  # an error of more rows has taken whole definitions with it
MAX_REPAIRS = 4


class GrammarMissing(Exception):
    """The grammar's package is not installed."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A parser and a query of one language; not shared between threads."""

    parser: Parser
    query: Query

    def parse(self, data: bytes) -> tuple[Tree, bool]:
        """Return the syntax tree of UTF-8 text, and whether the text as it stands has syntax errors.

        A syntax error may swallow everything behind it. Where one is that large, its first line is blanked out and the
        text parsed again, as often as that makes the errors smaller; every node keeps its place.

        There is no time limit, here and in `match`: the binding (tree-sitter 0.26) checks progress only for text that
        a callback hands over, reads such text after it was freed, and crashes when it checks a query's. Who reads the
        files of strangers does so in a process that may be killed (coderag.index.pool).
        """
        tree = self.parser.parse(data)
        has_error = tree.root_node.has_error
        for _ in range(MAX_REPAIRS):
            error = _largest_error(tree)
            if error is None:
                break
            line_end = data.find(b"\n", error.start_byte)
            blank = b" " * (line_end - error.start_byte)
            data = data[: error.start_byte] + blank + data[line_end:]
            repaired = self.parser.parse(data)
            left = _largest_error(repaired)
            if left is not None and _rows(left) >= _rows(error):
                break
            tree = repaired
        return tree, has_error

    def match(self, tree: Tree) -> Matches:
        """Return every match of the query."""
        return QueryCursor(self.query).matches(tree.root_node)


def _largest_error(tree: Tree) -> Node | None:
    """Return the largest error at the top of a tree, None when none has swallowed much."""
    if not tree.root_node.has_error:
        return None
    errors = [node for node in tree.root_node.children if node.is_error and _rows(node) > SWALLOWED_ROWS]
    return max(errors, key=_rows, default=None)


def _rows(node: Node) -> int:
    return node.end_point[0] - node.start_point[0]


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
