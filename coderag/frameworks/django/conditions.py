"""Django's conditions of constraints to SQL: Q(("total__gte", 0)) is total >= 0.

https://docs.djangoproject.com/en/stable/ref/models/querysets/#field-lookups
"""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from coderag.syntax.languages.python import Call, Code, last_part
from coderag.syntax.trees.tree import text_of

__all__ = ["condition_sql"]

SIGNS = {"exact": "=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
CONNECTORS = {"&": "AND", "|": "OR"}
MAX_DEPTH = 20  # conditions within conditions

Columns = Callable[[str], str]


def condition_sql(node: Node | None, code: Code, columns: Columns, *, depth: int = MAX_DEPTH) -> str:
    """Return a condition in SQL, with the columns of its fields; "" for one that says what is not known here."""
    if node is None or depth == 0:
        return ""
    match node.type:
        case "parenthesized_expression":
            return condition_sql(node.named_child(0), code, columns, depth=depth - 1)
        case "unary_operator" if text_of(node).startswith("~"):
            inner = condition_sql(node.child_by_field_name("argument"), code, columns, depth=depth - 1)
            return f"NOT ({inner})" if inner else ""
        case "binary_operator":
            sides = [node.child_by_field_name(side) for side in ("left", "right")]
            connector = CONNECTORS.get(text_of(node.child_by_field_name("operator")), "")
            found = [condition_sql(side, code, columns, depth=depth - 1) for side in sides]
            return _joined(found, connector) if connector else ""
        case _:
            call = code.call(node)
            is_condition = call is not None and last_part(call.name) == "Q"
            return _of_q(call, code, columns, depth) if call is not None and is_condition else ""


def _of_q(call: Call, code: Code, columns: Columns, depth: int) -> str:
    """Return what Q says, which migrations write with pairs: Q(("a", 1), ("b", 2), _connector="OR")."""
    parts: list[str] = []
    for argument in call.arguments:
        pair = code.items(argument) if argument.type == "tuple" else None
        if pair is None:
            parts.append(condition_sql(argument, code, columns, depth=depth - 1))
        elif len(pair) == 2:
            parts.append(_comparison(code.string(pair[0]) or "", pair[1], code, columns))
    words = {name: node for name, node in call.keywords.items() if not name.startswith("_")}
    parts += [_comparison(name, node, code, columns) for name, node in words.items()]
    found = _joined(parts, code.string(call.keywords.get("_connector")) or "AND")
    negated = code.truth(call.keywords.get("_negated")) is True
    return f"NOT ({found})" if found and negated else found


def _joined(parts: list[str], connector: str) -> str:
    if not parts or not all(parts) or connector not in CONNECTORS.values():
        return ""
    if len(parts) == 1:
        return parts[0]
    return f" {connector} ".join(f"({part})" if " AND " in part or " OR " in part else part for part in parts)


def _comparison(name: str, node: Node, code: Code, columns: Columns) -> str:
    """Return a lookup such as total__gte with its value."""
    field, _, lookup = name.partition("__")
    column, lookup = columns(field) if field else "", lookup or "exact"
    if not column:
        return ""
    if lookup == "isnull":
        is_null = code.truth(node)
        return "" if is_null is None else f"{column} IS {'' if is_null else 'NOT '}NULL"
    if lookup in {"in", "range"}:
        values = [_value(item, code, columns) for item in code.items(node) or []]
        if not values or not all(values) or (lookup == "range" and len(values) != 2):
            return ""
        return f"{column} IN ({', '.join(values)})" if lookup == "in" else f"{column} BETWEEN {' AND '.join(values)}"
    value = _value(node, code, columns)
    return f"{column} {SIGNS[lookup]} {value}" if value and lookup in SIGNS else ""


def _value(node: Node, code: Code, columns: Columns) -> str:
    """Return a literal, or the column of F("name"); "" for anything else."""
    call = code.call(node)
    if call is not None and last_part(call.name) == "F" and len(call.arguments) == 1:
        name = code.string(call.arguments[0]) or ""
        return columns(name) if name and "__" not in name else ""
    return code.sql_literal(node)
