"""A language's query, compiled no further than the files at hand need it.

Compiling takes time in proportion to the patterns: 70 ms for Python, 250 for TypeScript, 520 for Swift. Most files have
the kinds of nodes of a third to half of them, and a process that reads what one edit changed reads a single file.
"""

from __future__ import annotations

from functools import cache

from tree_sitter import Query, QueryError, Tree

from coderag.syntax.grammar import LinkQuery, Matches, link_query, reader
from coderag.syntax.language import Language
from coderag.syntax.link_captures import LinkCaptures, pattern_purposes
from coderag.syntax.query_patterns import Pattern, query_patterns

__all__ = ["NeededQuery", "needed_query"]

MAX_NODES = 50_000  # of a tree whose kinds are looked at: more take longer than what is left out


class NeededQuery:
    """The query of a language as `link_query` has it, of which some patterns are compiled, or all."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._patterns: tuple[list[Pattern], list[Pattern]] | None = None  # of tags.scm and of links.scm
        self._whole: LinkQuery | None = None
        self._compiled: tuple[frozenset[Pattern], LinkQuery] | None = None
        self._spent = 0  # patterns compiled so far

    def prepare(self) -> tuple[list[Pattern], list[Pattern]]:
        """Return the patterns of tags.scm and of links.scm, not compiled; raises GrammarMissing."""
        if self._patterns is None:
            self._patterns = self._read(self._language.tags()), self._read(self._language.links())
        return self._patterns

    def compile(self) -> None:
        """Compile all patterns; raises what `link_query` raises."""
        self._whole = link_query(self._language)

    def match(self, tree: Tree) -> tuple[Matches, LinkCaptures]:
        """Return what the whole query matches in a tree; raises what `link_query` raises."""
        return self._query_for(tree).match(tree)

    def _query_for(self, tree: Tree) -> LinkQuery:
        if self._whole is None:
            if tree.root_node.descendant_count <= MAX_NODES and (query := self._part_for(tree)) is not None:
                return query
            self.compile()
        assert self._whole is not None  # compiled above
        return self._whole

    def _part_for(self, tree: Tree) -> LinkQuery | None:
        """Return a query of all patterns that a tree may match, None where that costs as much as the whole."""
        tags, links = self.prepare()
        kinds = _kinds(tree)
        needed = frozenset(pattern for pattern in (*tags, *links) if pattern.kinds <= kinds)
        if self._compiled is not None:
            compiled, query = self._compiled
            if needed <= compiled:
                return query
            needed |= compiled
        self._spent += len(needed)
        if self._spent > len(tags) + len(links):
            return None
        try:
            query = self._part(needed)
        except QueryError:  # the whole query tells where it is
            return None
        self._compiled = needed, query
        return query

    def _part(self, needed: frozenset[Pattern]) -> LinkQuery:
        tags, links = (
            "\n".join(pattern.text for pattern in patterns if pattern in needed) for patterns in self.prepare()
        )
        text = f"{tags}\n{links}"
        grammar = reader(self._language).parser.language
        assert grammar is not None  # the parser was made with it
        query = Query(grammar, text)
        return LinkQuery(query, pattern_purposes(query, text, first=len(tags.encode())))

    def _read(self, text: str) -> list[Pattern]:
        grammar = reader(self._language).parser.language
        assert grammar is not None  # the parser was made with it
        patterns = list(query_patterns(text))
        ids = {kind: grammar.id_for_node_kind(kind, True) for pattern in patterns for kind in pattern.kinds}
        # The binding (tree-sitter 0.26) takes every kind for a supertype, but knows that those are not visible.
        supertypes = {kind for kind, id_ in ids.items() if id_ is not None and not grammar.node_kind_is_visible(id_)}
        return [pattern._replace(kinds=pattern.kinds - supertypes) for pattern in patterns]


@cache
def needed_query(language: Language) -> NeededQuery:
    """Return the query of a language, nothing of it compiled at first."""
    return NeededQuery(language)


def _kinds(tree: Tree) -> set[str]:
    """Return the kinds of a tree's nodes."""
    cursor = tree.walk()
    kinds: set[str] = set()
    while True:
        node = cursor.node
        assert node is not None  # the cursor is within the tree
        kinds.add(node.type)
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return kinds
