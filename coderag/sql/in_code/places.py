"""Where SQL stands in a file, as text whose characters are those of the file, one by one."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from tree_sitter import Node

from coderag.record import record
from coderag.sql.in_code.not_sql import begins_like_sql, is_prose
from coderag.syntax.parsed import Parsed
from coderag.syntax.trees.local_names import Names, in_order
from coderag.syntax.trees.nodes import named_children
from coderag.syntax.trees.string_literals import literal_extent, literal_pieces

__all__ = ["SqlPlace", "sql_places"]

MAX_PLACES = 500  # of a file
MAX_JOINED = 200  # levels of a concatenation, each of one more literal
ESCAPE = re.compile(r"\\[nrt]")  # what is white space to a database; other escapes are left as they are
PLACEHOLDER = re.compile(r"%\(\w+\)s|%s")  # of drivers, that no dialect has
BRACES = re.compile(r"\{\w*\}")  # of a format; nobody knows for what
JOINING = re.compile("concat|binary|additive|infix")  # types of nodes that join literals


@record
class SqlPlace:
    """SQL in a file: what stands between the quotes of a literal, or of literals side by side."""

    start: int  # the character of the file where it begins
    text: str  # a character for each of the file; quotes, escaped white space and placeholders of drivers are filled
    is_whole: bool  # nothing is put in at run time, so that all of it can be checked


def sql_places(parsed: Parsed) -> list[SqlPlace]:
    """Return the literals of a file that begin like SQL, in their order.

    x.execute("SELECT a "      ->  SELECT a
              "FROM t")             FROM t
    """
    data = parsed.lines.data
    names = Names(parsed.tree, parsed.language.name, data)
    found: list[SqlPlace] = []
    for place in _places(names, data, parsed.language.name):
        if len(found) == MAX_PLACES:
            break
        found.append(place)
    return found


def _places(names: Names, data: bytes, language: str) -> Iterator[SqlPlace]:
    done = characters = last = 0
    every = sorted(names.literals, key=in_order)
    starts = [node.start_byte for node in every]
    for node in every:
        if node.start_byte < last:
            continue
        top = _top(node)
        literals = [node] if top is node else _outer(every[bisect_left(starts, node.start_byte) :], top)
        parts = [literal_extent(literal, language) for literal in literals]
        first, last = parts[0][0], max(end for _, end in parts)
        text = _text(data, parts)
        if not begins_like_sql(text) or is_prose(text, []):
            continue
        characters += len(data[done:first].decode("utf-8", "replace"))
        done = first
        is_whole = top is node or _leaves(top) == len(literals)
        is_whole &= all(isinstance(piece, str) for literal in literals for piece in literal_pieces(literal, language))
        text = PLACEHOLDER.sub(_value, ESCAPE.sub("  ", text))
        yield SqlPlace(characters, text, is_whole=is_whole and not BRACES.search(text))


def _top(node: Node) -> Node:
    """Return the concatenation that a literal is part of, the literal itself where it is alone."""
    for _ in range(MAX_JOINED):
        if node.parent is None or not JOINING.search(node.parent.type):
            break
        node = node.parent
    return node


def _outer(following: Sequence[Node], top: Node) -> list[Node]:
    """Return the literals of a concatenation that are in no other one, of those from the first on."""
    found: list[Node] = []
    for node in following:
        if node.start_byte >= top.end_byte:
            break
        if not found or node.start_byte >= found[-1].end_byte:
            found.append(node)
    return found


def _leaves(top: Node) -> int:
    """Return how many expressions a concatenation joins."""
    waiting, found = [top], 0
    while waiting:
        node = waiting.pop()
        if JOINING.search(node.type):
            waiting += named_children(node)
        else:
            found += 1
    return found


def _text(data: bytes, parts: list[tuple[int, int]]) -> str:
    """Return the characters from the first part to the last; what stands between them is blank."""
    text, position = "", parts[0][0]
    for start, end in parts:
        between = data[position:start].decode("utf-8", "replace")
        text += "".join("\n" if one == "\n" else " " for one in between)
        text += data[start:end].decode("utf-8", "replace")
        position = end
    return text


def _value(match: re.Match[str]) -> str:
    """Return a value as long as a placeholder."""
    return "0".rjust(len(match[0]))
