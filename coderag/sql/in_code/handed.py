"""Calls of a file to the words that they are given, each of which may be the name of a table or of a column.

    insert("users", {"email": email})   the word "users", and the words of a row: "email"

Whether one is depends on what is called, often a function of another file: `coderag.graph` finds that out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from tree_sitter import Node

from coderag.sql.in_code.records import Handed
from coderag.syntax.trees.local_names import Names
from coderag.syntax.trees.local_scopes import Event, Scope
from coderag.syntax.trees.node_types import LISTS, LITERALS, MEMBERS, NAMES, PAIRS
from coderag.syntax.trees.nodes import Called, bare_name, field_or, named_children, text_of, written

__all__ = ["CALLEE", "RECEIVERS", "handed_words"]

MAX_HANDED = 1_000  # of a file
MAX_WORD = 130  # bytes of a literal with its quotes
MAX_WORDS = 60  # of one list or row
MAX_VALUES = 6  # of one variable
CALLEE = re.compile(r"[A-Za-z_]\w{0,60}(?:(?:\(\))?\.[A-Za-z_]\w{0,60}){0,8}")
WORD = re.compile(r"[rRuU]?([\"'`])([A-Za-z_]\w{0,62}(?:\.[A-Za-z_]\w{0,62})?)\1")
ROWS = frozenset("dictionary object hash set".split())
KEYS = frozenset("property_identifier hash_key_symbol simple_symbol".split())  # of rows, besides literals
RECEIVERS = frozenset({"self", "cls", "this"})  # parameters that no caller gives


@dataclass(frozen=True, slots=True)
class _Argument:
    """An argument that may name a table or columns: literals, or a parameter of the function at `owner`."""

    owner: int
    position: int
    name: str
    text: str = ""
    words: tuple[str, ...] = ()
    parameter: str = ""
    parameter_position: int = -1


def handed_words(names: Names, owner: Callable[[int], int]) -> tuple[Handed, ...]:
    """Return the words that the calls of a file are given, in order."""
    found = (one for call, scope in names.calls() if call.arguments for one in _of_call(call, scope, names, owner))
    return tuple(dict.fromkeys(islice(found, MAX_HANDED)))


def _of_call(call: Called, scope: Scope, names: Names, owner: Callable[[int], int]) -> Iterator[Handed]:
    words = list(_words(call, scope, owner))
    if not words:
        return
    receiver = written(call.receiver)
    callee = f"{receiver}.{call.name}" if call.receiver is not None else call.name
    behind, row = _function_given(call, names), call.node.start_point[0]
    if CALLEE.fullmatch(callee):
        yield from (_handed(word, row, callee) for word in words)
    if behind is None:
        return
    for word in words:
        if word.name or word.position > behind[0]:
            position = word.position - behind[0] - 1 if not word.name else -1
            yield _handed(word, row, behind[1], position=position, is_behind=True)


def _handed(word: _Argument, row: int, callee: str, *, position: int | None = None, is_behind: bool = False) -> Handed:
    return Handed(
        row,
        word.owner,
        callee,
        word.position if position is None else position,
        name=word.name,
        text=word.text,
        words=word.words,
        parameter=word.parameter,
        parameter_position=word.parameter_position,
        is_behind=is_behind,
    )


def _words(call: Called, scope: Scope, owner: Callable[[int], int]) -> Iterator[_Argument]:
    position = -1
    for argument in call.arguments:
        position += not argument.name
        place = position if not argument.name else -1
        node = argument.node
        if node.type in NAMES and (found := _parameter(bare_name(node), scope)) is not None:
            function, number = found
            at = owner(function.node.start_byte)
            yield _Argument(at, place, argument.name, parameter=bare_name(node), parameter_position=number)
        elif told := _told(node, scope):
            at = owner(call.node.start_byte)
            if told.is_list:
                yield _Argument(at, place, argument.name, words=told.words)
            else:
                yield _Argument(at, place, argument.name, text=told.words[0])


class _Told(NamedTuple):
    words: tuple[str, ...]
    is_list: bool


def _told(node: Node, scope: Scope) -> _Told | None:
    """Return the words that an expression says: a literal, a list, the keys of a row, or a variable that holds one."""
    if node.type in LITERALS:
        text = _word(node)
        return _Told((text,), is_list=False) if text else None
    if node.type in NAMES:
        values = [event.value for event in _events(bare_name(node), scope)[:MAX_VALUES]]
        if len(values) == 1 and isinstance(values[0], Node) and values[0].type in LITERALS:
            return _told(values[0], scope)
        found = [word for value in values if isinstance(value, Node) for word in _listed(value)]
    else:
        found = list(_listed(node))
    return _Told(tuple(dict.fromkeys(found))[:MAX_WORDS], is_list=True) if found else None


def _events(name: str, scope: Scope) -> Sequence[Event]:
    return next(
        (level.events[name] for level in scope.outwards() if level.kind == "function" and name in level.events),
        (),
    )


def _listed(node: Node) -> Iterator[str]:
    """Yield the literals of a list, and the keys of a row."""
    if node.type not in LISTS and node.type not in ROWS:
        return
    body = node.child_by_field_name("body") or node
    for child in islice(named_children(body), MAX_WORDS):
        one = child
        if child.type in PAIRS:
            inner = named_children(child)
            one = field_or(child, "key") or inner[0] if inner else child
        while one.type in {"literal_element", "array_element_initializer", "keyed_element"} and one.named_child_count:
            one = named_children(one)[0]
        if one.type in LITERALS:
            if text := _word(one):
                yield text
        elif (child.type in PAIRS and one.type in KEYS) or one.type == "shorthand_property_identifier":
            yield bare_name(one)


def _word(node: Node) -> str:
    """Return what a literal says that may be the name of a table, "" for another one."""
    if node.end_byte - node.start_byte > MAX_WORD:
        return ""
    match = WORD.fullmatch(text_of(node))
    return match[2] if match is not None else ""


def _parameter(name: str, scope: Scope) -> tuple[Scope, int] | None:
    """Return the function whose parameter a name is, and its position; None if it is another variable."""
    for around in scope.outwards():
        if around.kind == "function" and name in around.parameters:
            given = [parameter for parameter in around.parameters if parameter not in RECEIVERS]
            return (around, given.index(name)) if name in given and around.name else None
        if name in around.events:
            return None
    return None


def _function_given(call: Called, names: Names) -> tuple[int, str] | None:
    """Return the first function among the arguments without names, and its position: submit(self.insert, "users")."""
    plain = [argument.node for argument in call.arguments if not argument.name]
    for position, node in enumerate(plain):
        if node.type in MEMBERS or (node.type in NAMES and bare_name(node) in names.functions):
            return position, written(node)
    return None
