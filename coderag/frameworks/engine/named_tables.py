"""Statements of any builder that is given a table's name, `db->table("tasks")->eq("state", 1)`, to what they do.

Whether such a text is a table's name the catalog knows, so none of these statements is sure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace
from tree_sitter import Node

from coderag.frameworks.engine.verb_words import VerbWords
from coderag.frameworks.usage.conditions import columns_in
from coderag.frameworks.usage.scope import Scope
from coderag.frameworks.usage.source_file import CodeFile
from coderag.frameworks.usage.usage import Usage
from coderag.sql.in_code.constants import constant_name
from coderag.sql.in_code.records import Access
from coderag.syntax.trees.call_chains import Chain, Link, chain_of, entries, items, literal
from coderag.syntax.trees.tree import text_of

__all__ = ["read_named"]

ACCESS = {"writes": Access.WRITE, "deletes": Access.DELETE}
TABLE = re.compile(r"[A-Za-z_]\w{0,62}(?:\.[A-Za-z_]\w{0,62})?(?:\s+(?:as\s+)?[A-Za-z_]\w{0,62})?", re.IGNORECASE)
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
# A constant for the table before a column: Task::TABLE.'.id', `${Task.TABLE}.id`, f"{Task.TABLE}.id AS task".
PREFIXED = re.compile(
    r"(?:(?P<joined>[\w\\$]+(?:(?:::|->|\.)\w+)?)\s*[.+]\s*[\"']|f?[\"'`]\$?\{(?P<filled>[\w.]{1,100})\})"
    r"\.(?P<column>\w+(?:\s+[aA][sS]\s+\w+)?)[\"'`]"
)
# What changes a table itself: `table("users")->addColumn("name")` of a migration.
DEFINING = re.compile(
    r"(?:add|drop|change|rename|remove|alter|modify|create)_?(?:column|index|foreign|unique|primary|constraint"
    r"|timestamps|reference)",
    re.IGNORECASE,
)
JOINS = frozenset({"LEFT", "RIGHT", "INNER", "OUTER", "FULL", "CROSS", "NATURAL", "LEFT OUTER", "RIGHT OUTER"})
MAX_NAMES = 200  # of a file that statements are bound to
MAX_COLUMN = 200  # bytes of an expression that is a column


class _Step(NamedTuple):
    """A call of a statement, and what it does."""

    link: Link
    verb: str
    sets: bool  # in an insert it names what is written


class _Table(NamedTuple):
    """A table as a call has it."""

    name: str  # with an alias behind it or not
    is_constant: bool = False


def read_named(code: CodeFile, framework: str, words: VerbWords) -> Iterator[Usage]:
    """Yield the statements of a file that calls with the name of a table begin."""
    begun: dict[int, tuple[Chain, str]] = {}  # statements that a name is bound to, by their nodes
    for chain in code.chains(words.naming):
        start = next((link for link in chain.links if link.name in words.tables and _table(link)), None)
        if start is None or any(DEFINING.match(link.name) for link in chain.links):
            continue
        if name := _bound_name(chain.node):
            begun[chain.node.id] = chain, name
        others = [link for link in chain.links if link.arguments is not None and link is not start]
        if others:
            yield from _statement(code, chain.node, [start, *others], framework, words)
    if begun:
        yield from _continued(code, begun, framework, words)


def _continued(
    code: CodeFile, begun: dict[int, tuple[Chain, str]], framework: str, words: VerbWords
) -> Iterator[Usage]:
    """Yield what calls on a name do that a statement is bound to: `query.where("id", 1)`."""
    names = sorted({name for _, name in begun.values()})[:MAX_NAMES]
    called = b"|".join(re.escape(name.encode()) for name in names)
    anchor = re.compile(rb"\b(?:" + called + rb")\s{0,80}(?:->|\.)(\w+)(?=\()")
    for chain in code.chains(anchor):
        if chain.links[0].arguments is not None or len(chain.links) < 2 or chain.links[1].arguments is None:
            continue
        for bound in reversed(code.bound(chain.links[0].name, chain.node.start_byte)):
            value = chain_of(bound.node)
            if value is None or value.node.id not in begun or value.node == chain.node:
                continue
            start = next(link for link in value.links if link.name in words.tables and _table(link))
            calls = [link for link in chain.links if link.arguments is not None]
            yield from _statement(code, chain.node, [start, *calls], framework, words)
            break


def _bound_name(node: Node) -> str:
    """Return the name that an expression is assigned to, "" for none."""
    parent = node.parent
    if parent is not None and parent.type == "expression_list":  # of Go
        parent = parent.parent
    if parent is None:
        return ""
    target = parent.child_by_field_name("left") or parent.child_by_field_name("name")
    name = text_of(target).removeprefix("$") if target is not None and target != node else ""
    return name if name.isidentifier() else ""


def _table(link: Link) -> _Table | None:
    """Return the table that a call is given, None for a call that is given something else."""
    first, *others = link.arguments or (None,)
    if first is None or first.name or any(literal(other.node) is None for other in others):
        return None
    text = literal(first.node)
    if text is None:
        constant = constant_name(text_of(first.node))
        return _Table(constant, is_constant=True) if constant else None
    alias = literal(others[0].node) if others else None
    return _Table(f"{text} {alias}" if alias else text) if TABLE.fullmatch(text) else None


def _statement(code: CodeFile, node: Node, calls: Sequence[Link], framework: str, words: VerbWords) -> Iterator[Usage]:
    """Yield the statement of calls of which the first is given its table."""
    steps = [_step(link, words) for link in calls]
    verbs = {step.verb for step in steps}
    access = next((ACCESS[verb] for verb in ("writes", "deletes") if verb in verbs), Access.READ)
    scope = Scope()
    constants = dict.fromkeys(_tables(steps, scope, access))
    is_listed = False
    for step in steps[1:]:
        named = list(_columns(step.link, step.verb))
        is_listed = is_listed or (bool(named) and step.verb in {"lists", "row"})
        is_written = step.verb == "writes" or (steps[0].verb == "writes" and step.sets)
        for name in named:
            constants.update(dict.fromkeys(_constants_of(name, scope)))
            scope.column(name, write=is_written)
    if access is Access.READ and "row" in verbs and not is_listed:
        scope.whole.update(list(scope.tables)[:1])
    for statement in scope.statement(code, node, framework):
        yield replace(statement, sure=False, holes=False, constants=tuple(filter(None, constants)))


def _step(link: Link, words: VerbWords) -> _Step:
    """Return what a call does; one without arguments writes nothing: createQueryBuilder()."""
    verb, _, sets = words.calls.get(_first_word(link.name), "").partition(" ")
    return _Step(link, "" if verb == "writes" and not link.arguments else verb, bool(sets))


def _tables(steps: Sequence[_Step], scope: Scope, access: Access) -> Iterator[str]:
    """Note the tables that a statement begins and is joined with; yield those that are constants."""
    for step in steps:
        is_first = step is steps[0]
        if not is_first and step.verb != "joins":
            continue
        given = _table(step.link) if is_first else _joined(step.link)
        if given is not None:
            table = scope.table(given.name, access if is_first else Access.READ)
            if given.is_constant:
                yield table


def _joined(link: Link) -> _Table | None:
    """Return the table that a statement is joined with: the first argument, or the one behind how it is joined."""
    first = link.argument(0)
    text = literal(first)
    if text is not None and text.upper() in JOINS:
        first = link.argument(1)
        text = literal(first)
    if text is not None:
        return _Table(text) if TABLE.fullmatch(text) else None
    constant = constant_name(text_of(first)) if first is not None else ""
    return _Table(constant, is_constant=True) if constant else None


def _columns(link: Link, verb: str) -> Iterator[str]:
    """Yield the columns that a call may name: its first text, all of a list and of a call that lists, keys of rows."""
    arguments = [argument.node for argument in link.arguments or () if not argument.name]
    for position, node in enumerate(arguments):
        text = _named(node)
        if text is None:
            yield from (name for item in items(node) if item != node and (name := _named(item)) is not None)
            if position == 0 or verb == "writes":
                yield from (key for key, _ in entries(node))
        elif position == 0 or verb in {"lists", "orders", "joins"}:
            yield from columns_in(text) if verb in {"condition", "joins"} and not text.isidentifier() else [text]
    yield from (argument.name for argument in link.arguments or () if argument.name)


def _named(node: Node) -> str | None:
    """Return the column that an expression may be, behind a constant for its table or not."""
    if (text := literal(node)) is not None and "{" not in text:
        return text
    match = PREFIXED.fullmatch(text_of(node)) if node.end_byte - node.start_byte < MAX_COLUMN else None
    constant = constant_name(match["joined"] or match["filled"]) if match is not None else ""
    return f"{constant}.{match['column']}" if match is not None and constant else None


def _constants_of(column: str, scope: Scope) -> Iterator[str]:
    """Yield the table before a column that is a constant and not known yet, which it adds to the scope."""
    holder, dot, _ = column.rpartition(".")
    if dot and holder.casefold() not in scope.aliases and constant_name(holder) == holder and "." in holder:
        yield scope.table(holder)


def _first_word(name: str) -> str:
    match = WORD.search(name)
    return match[0].casefold() if match is not None else ""
