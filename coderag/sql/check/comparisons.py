"""Comparisons of values that cannot be alike: a number with a word, a date with a number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from coderag.sql.check.findings import Code, Finding, Severity, extent, finding
from coderag.sql.check.sources import Sources

__all__ = ["check_types"]

STRICT = frozenset({"postgres", "redshift", "bigquery", "trino", "duckdb", "clickhouse"})  # the others convert


class Family(StrEnum):
    """What values are of one kind."""

    NUMBER = "number"
    TEXT = "text"
    TIME = "date or time"
    BOOLEAN = "boolean"


TYPES = (
    (Family.BOOLEAN, re.compile(r"bool")),
    (Family.TIME, re.compile(r"date|time(?!_?series)|\byear\b|smalldate")),
    (Family.NUMBER, re.compile(r"int|serial|num|dec|float|double|real|money|\bbyte\b|fixed")),
    (Family.TEXT, re.compile(r"char|text|clob|string")),
)
OTHER = re.compile(r"json|interval|\[\]|array|struct|map|point|range|variant|enum|set\(|user-defined", re.IGNORECASE)
DATE = re.compile(r"\s*[+-]?\d{1,4}[-/.]?\d|\s*(?:now|today|tomorrow|yesterday|epoch|-?infinity)", re.IGNORECASE)
TRUTHS = frozenset({"t", "f", "true", "false", "0", "1", "yes", "no", "y", "n", "on", "off"})
COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.In, exp.Between)


def check_types(scope: Scope, sources: Sources, dialect: str, *, text: str) -> Iterator[Finding]:
    """Yield a finding for each comparison whose sides are of different kinds."""
    for comparison in scope.find_all(*COMPARISONS):
        for left, right in _sides(comparison):
            family, other = _family(left, sources), _family(right, sources)
            if family is None or other is None or family is other or not _clashes(left, family, right, other):
                continue
            message = f"{left.sql()} is a {family}, {right.sql()} is a {other}"
            yield finding(
                Code.TYPE_MISMATCH,
                message,
                text=text,
                extent=extent(comparison),
                severity=Severity.ERROR if dialect in STRICT else Severity.WARNING,
            )


def _sides(comparison: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    if isinstance(comparison, exp.In):
        for expression in comparison.expressions:
            yield comparison.this, expression
    elif isinstance(comparison, exp.Between):
        yield comparison.this, comparison.args["low"]
        yield comparison.this, comparison.args["high"]
    else:
        yield comparison.this, comparison.expression


def _family(node: exp.Expr, sources: Sources) -> Family | None:
    if isinstance(node, exp.Literal):
        return Family.TEXT if node.is_string else Family.NUMBER
    if isinstance(node, exp.Boolean):
        return Family.BOOLEAN
    if not isinstance(node, exp.Column):
        return None
    name = node.name.casefold()
    if node.table:
        columns = sources.find(node.table)
    else:
        holders = sources.holders(name)
        columns = sources.columns[holders[0]] if len(holders) == 1 else None
    column = columns.get(name) if columns else None
    if column is None or OTHER.search(column.type):
        return None
    lowered = column.type.lower()
    return next((family for family, pattern in TYPES if pattern.search(lowered)), None)


def _clashes(left: exp.Expr, one: Family, right: exp.Expr, other: Family) -> bool:
    """Tell whether the values cannot be alike; a string is read as what it is compared with where it looks like it."""
    for node, family in ((left, other), (right, one)):
        if isinstance(node, exp.Literal) and node.is_string:
            if family is Family.NUMBER:
                return not _is_number(node.this)
            if family is Family.TIME:
                return DATE.match(node.this) is None
            return family is Family.BOOLEAN and node.this.lower() not in TRUTHS
    if Family.BOOLEAN in (one, other):
        number = right if other is Family.NUMBER else left
        return Family.NUMBER not in (one, other) or not isinstance(number, exp.Literal) or number.this not in {"0", "1"}
    return True


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
