"""A file of code as a syntax tree, parsed once for everything that reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from coderag.syntax import grammar
from coderag.syntax.language import Language
from coderag.syntax.lines import Lines
from coderag.syntax.needed_query import needed_query

if TYPE_CHECKING:
    from tree_sitter import Tree

    from coderag.syntax.link_captures import LinkCaptures

__all__ = ["Parsed", "parse_code"]


class Parsed(NamedTuple):
    """A text and its tree, and with links what the queries found in it."""

    lines: Lines
    language: Language
    tree: Tree
    has_error: bool = False
    tags: grammar.Matches | None = None
    links: LinkCaptures | None = None


def parse_code(lines: Lines, language: Language, *, links: bool = False) -> Parsed:
    """Return UTF-8 text with its syntax tree; with `links`, what it mentions is looked for together with its outline.

    Raises grammar.GrammarMissing.
    """
    tree, has_error = grammar.reader(language).parse(lines.data)
    if not links:
        return Parsed(lines, language, tree, has_error)
    return Parsed(lines, language, tree, has_error, *needed_query(language).match(tree))
