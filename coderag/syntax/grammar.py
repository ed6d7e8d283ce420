"""A language's tree-sitter grammar and its compiled query, loaded on first use."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib import import_module

from tree_sitter import Language as Grammar
from tree_sitter import Node, Parser, Query, QueryError, Tree

from coderag.errors import LanguageDataError
from coderag.syntax.conditionals import without_conditionals
from coderag.syntax.language import Language
from coderag.syntax.link_captures import TAGS, LinkCaptures, pattern_purposes, sort_links
from coderag.syntax.macro_errors import error_size
from coderag.syntax.tree_matches import Matches, tree_matches

__all__ = ["GrammarMissing", "LinkQuery", "Matches", "Reader", "link_query", "reader"]

SWALLOWED_ROWS = 30  # an error of more rows has taken whole definitions with it
MAX_REPAIRS = 4
MAX_REMEMBERED = 500_000  # bytes of a text whose tree is kept; a tree takes a hundred times as much


class GrammarMissing(Exception):
    """The grammar's package is not installed."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A parser of one language and its query; not shared between threads."""

    parser: Parser
    language: Language
    # The last text, its tree, and whether it has errors: what reads an outline and what reads models parse one object.
    latest: list[tuple[bytes, Tree, bool]] = field(default_factory=list, compare=False)

    @property
    def query(self) -> Query:
        """The compiled tags.scm; raises LanguageDataError when it does not fit the grammar."""
        return _tags_query(self.language)

    def parse(self, data: bytes) -> tuple[Tree, bool]:
        """Return the syntax tree of UTF-8 text, and whether the text as it stands has syntax errors.

        Conditionals of a preprocessor are taken out where they are in the way. An error that goes with them does not
        count, nor does one that a macro explains.
        A syntax error may swallow everything behind it. Where one is that large, its first line is blanked out and the
        text parsed again, as often as that makes the errors smaller; every node keeps its place.

        There is no time limit, here and in `match`: the binding (tree-sitter 0.26) checks progress only for text that
        a callback hands over, reads such text after it was freed, and crashes when it checks a query's. Who reads the
        files of strangers does so in a process that may be killed (coderag.index.workers.pool).
        """
        for text, tree, has_error in self.latest:
            if text is data:
                return tree, has_error
        tree, has_error = self._repaired(data)
        self.latest[:] = [(data, tree, has_error)] if len(data) <= MAX_REMEMBERED else []
        return tree, has_error

    def _repaired(self, data: bytes) -> tuple[Tree, bool]:
        tree = self.parser.parse(data)
        has_error = tree.root_node.has_error
        if has_error and self.language.preprocessor:
            data, tree, has_error = self._without_conditionals(data, tree)
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

    def _without_conditionals(self, data: bytes, tree: Tree) -> tuple[bytes, Tree, bool]:
        """Return text without its conditionals where that has fewer errors, its tree, and whether errors stay."""
        errors = error_size(tree.root_node)
        if errors and (plain := without_conditionals(data)) != data:
            other = self.parser.parse(plain)
            if (fewer := error_size(other.root_node)) < errors:
                data, tree, errors = plain, other, fewer
        return data, tree, errors > 0

    def match(self, tree: Tree) -> Matches:
        """Return every match of the query."""
        return tree_matches(self.query, tree)


def _largest_error(tree: Tree) -> Node | None:
    """Return the largest error at the top of a tree, None when none has swallowed much."""
    if not tree.root_node.has_error:
        return None
    errors = [node for node in tree.root_node.children if node.is_error and _rows(node) > SWALLOWED_ROWS]
    return max(errors, key=_rows, default=None)


def _rows(node: Node) -> int:
    return node.end_point[0] - node.start_point[0]


@dataclass(frozen=True, slots=True)
class LinkQuery:
    """The patterns of tags.scm and links.scm as one query, as the walk through a tree costs more than the matches."""

    query: Query
    purposes: tuple[str, ...]  # of each pattern; those of tags.scm come first and have none

    def match(self, tree: Tree) -> tuple[Matches, LinkCaptures]:
        """Return the matches of tags.scm, and what links.scm finds by what it is for."""
        return sort_links(tree_matches(self.query, tree), self.purposes)


@cache
def link_query(language: Language) -> LinkQuery:
    """Return the compiled queries of a language; one without a links.scm finds nothing for it.

    Raises GrammarMissing when the grammar is not installed, LanguageDataError when links.scm does not fit it.
    """
    tags, links = language.tags(), language.links()
    if not links:
        query = reader(language).query
        return LinkQuery(query, (TAGS,) * query.pattern_count)
    text = f"{tags}\n{links}"
    try:
        query = Query(_grammar(language), text)
    except QueryError as error:
        raise LanguageDataError(f"{language.folder / 'links.scm'}, after tags.scm: {error}") from error
    return LinkQuery(query, pattern_purposes(query, text, first=len(tags.encode())))


@cache
def reader(language: Language) -> Reader:
    """Return the language's reader; raises GrammarMissing when the grammar is not installed."""
    return Reader(Parser(_grammar(language)), language)


@cache
def _tags_query(language: Language) -> Query:
    try:
        return Query(_grammar(language), language.tags())
    except QueryError as error:
        raise LanguageDataError(f"{language.folder / 'tags.scm'}: {error}") from error


@cache
def _grammar(language: Language) -> Grammar:
    try:
        module = import_module(language.grammar)
    except ImportError as error:
        raise GrammarMissing(f"{language.title}: the package {language.grammar} is not installed") from error
    return Grammar(getattr(module, language.grammar_function)())
