"""The conditions in a migration, to the branches that are taken where the database is as the migration expects it."""

from __future__ import annotations

import re
from typing import NamedTuple

from msgspec.structs import replace
from tree_sitter import Node

from coderag.sql.records import AddColumn, CreateTable, Drop, DropColumn, DropConstraint, SchemaOperation
from coderag.syntax.languages.python import Code
from coderag.syntax.trees.tree import named, text_of

__all__ = ["Branch", "branches", "lenient"]

# What asks whether something is there: has_table("x"), "x" in columns, inspector.get_columns("x").
EXISTENCE = re.compile(
    r"exist|has_|inspect|get_(?:table|column|index|foreign|unique|pk|check|view)|is_missing"
    r"|\b(?:\w+_)?(?:tables?|columns?|cols|indexes|indices|constraints?|names|keys)\b(?!\()",
    re.IGNORECASE,
)
DIALECT = re.compile(
    r"dialect|is_(?P<name>sqlite|mysql|postgres\w*|mssql|oracle)|drivername|engine_name", re.IGNORECASE
)
ASSUMED = "postgresql"  # the database where a migration has a way for each
OFFLINE = "is_offline_mode"


class Branch(NamedTuple):
    """A block that is run."""

    body: Node
    lenient: bool  # only where what it makes is not there yet, or what it drops is


class Maybe:
    """Whether a condition holds depends on what is there."""


MAYBE = Maybe()
Truth = bool | Maybe | None


def branches(statement: Node, code: Code) -> list[Branch] | None:
    """Return the blocks of an `if` that are run; None where that is not known."""
    found: list[Branch] = []
    for clause in (statement, *named(statement, "elif_clause")):
        truth = _truth(clause.child_by_field_name("condition"), code)
        body = clause.child_by_field_name("consequence")
        if truth is None or body is None:
            return None
        if truth is not False:
            found.append(Branch(body, lenient=truth is MAYBE or bool(found)))
        if truth is True:
            return found
    for other in named(statement, "else_clause"):
        body = other.child_by_field_name("body")
        found += [Branch(body, lenient=bool(found))] if body is not None else []
    return found


def lenient(operation: SchemaOperation) -> SchemaOperation:
    """Return an operation that does nothing where it is done already."""
    match operation:
        case AddColumn() | CreateTable():
            return replace(operation, if_missing=True)
        case Drop() | DropColumn() | DropConstraint():
            return replace(operation, if_exists=True)
        case _:
            return operation


def _truth(node: Node | None, code: Code) -> Truth:
    if node is None:
        return None
    if node.type == "parenthesized_expression":
        return _truth(next(iter(named(node)), None), code)
    if node.type == "not_operator":
        inner = _truth(node.child_by_field_name("argument"), code)
        return not inner if isinstance(inner, bool) else inner
    if node.type == "boolean_operator":
        return _joined(node, code)
    if (truth := code.truth(node)) is not None:
        return truth
    text = _spelled(node, code)
    if OFFLINE in text:
        return False
    if DIALECT.search(text) and "has_" not in text:
        return _of_dialect(node, text, code)
    return MAYBE if EXISTENCE.search(text) else None


def _spelled(node: Node, code: Code) -> str:
    """Return the text of a condition, with what its names stand for."""
    parts = [text_of(node)]
    for one in (node, *named(node)):
        resolved = code.resolve(one)
        if resolved is not None and resolved is not one:
            parts.append(text_of(resolved))
    return " ".join(parts)


def _joined(node: Node, code: Code) -> Truth:
    """Return the truth of `a and b` or `a or b`."""
    sides = [_truth(node.child_by_field_name(side), code) for side in ("left", "right")]
    decisive = text_of(node.child_by_field_name("operator")) == "or"
    if any(one is decisive for one in sides):
        return decisive
    if any(one is None for one in sides):
        return None
    return MAYBE if any(one is MAYBE for one in sides) else not decisive


def _of_dialect(node: Node, text: str, code: Code) -> Truth:
    """Return whether a condition on the dialect holds for the assumed one."""
    if node.type != "comparison_operator":
        match = DIALECT.search(text)
        name = match["name"] if match is not None else None
        return name.lower().startswith("postgres") if name else None
    names = [name for child in named(node) for name in code.strings(child) or ()]
    if not names:
        return None
    holds = any(name.lower().startswith("postgres") for name in names)
    operators = "".join(child.type for child in node.children if not child.is_named)
    return not holds if "!" in operators or "not" in operators else holds
