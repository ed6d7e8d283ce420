"""A statement's tables and columns to those that the schema has not, and to columns that several tables have."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from coderag.sql.check.findings import Code, Finding, Severity, extent, finding
from coderag.sql.check.known_tables import CONSTANTS, KnownTables, closest
from coderag.sql.check.sources import Sources, columns_of, name_of, sources_of
from coderag.sql.records import Name, Table
from coderag.sql.statements.dialect import GENERIC, Dialect

__all__ = ["check_columns", "check_tables"]

QUOTED_STRINGS = frozenset({"sqlite", GENERIC})  # that take, or may take, "x" for a string where no column is called x
# The clauses of a query, and what they are called.
KINDS: dict[type[exp.Expr], str] = {
    exp.Where: "where",
    exp.Group: "group",
    exp.Having: "having",
    exp.Order: "order",
    exp.Qualify: "qualify",
    exp.Join: "join",
}
CLAUSES = {
    "where": "WHERE",
    "group": "GROUP BY",
    "having": "HAVING",
    "order": "ORDER BY",
    "qualify": "QUALIFY",
    "join": "JOIN",
    "select": "the SELECT list itself",
}
MAX_EXPRESSION = 80  # characters of one that is suggested
VALUES = (exp.Predicate, exp.Func, exp.Case, exp.If, exp.DPipe, exp.Tuple)  # what holds strings, mostly


def check_tables(tree: exp.Expr, known: KnownTables, made: Iterable[str], *, text: str) -> Iterator[Finding]:
    """Yield a finding for each table that the schema has not; `made` are those that the text itself creates."""
    own = {name.casefold() for name in made}
    own |= {cte.alias.casefold() for cte in tree.find_all(exp.CTE)}
    created = tree.find(exp.Table) if isinstance(tree, exp.Create) else None
    aliases = {one.alias_or_name.casefold() for one in tree.find_all(exp.Table, exp.Subquery)}
    for table in tree.find_all(exp.Table):
        name = name_of(table)
        if not isinstance(table.this, exp.Identifier) or table is created or known.is_system(name):
            continue
        if not name.schema and name.name.casefold() in own:
            continue
        if (meant := known.table(name)) is not None:
            if not name.schema and known.database and meant.name.database not in ("", known.database):
                yield _elsewhere(table, meant, known, text=text)
            continue
        if isinstance(table.parent, exp.From | exp.Join) and _is_alias(table, tree):
            continue
        if name.schema and name.schema.casefold() in aliases:
            continue  # an array of a row: FROM orders o, o.items
        suggestions = known.closest_tables(name)
        message = f"there is no table {Name(name.name, name.schema)}"
        yield finding(Code.UNKNOWN_TABLE, message, text=text, extent=extent(table.this), suggestions=suggestions)


def _elsewhere(table: exp.Table, meant: Table, known: KnownTables, *, text: str) -> Finding:
    message = f"{table.name} is in the database {meant.name.database}, the other tables are in {known.database}"
    place = extent(table.this)
    return finding(Code.OTHER_DATABASE, message, text=text, extent=place, severity=Severity.WARNING)


def _is_alias(table: exp.Table, tree: exp.Expr) -> bool:
    """Tell whether a table is an alias: what UPDATE a ... FROM t AS a and DELETE a FROM t AS a name."""
    name = table.name.casefold()
    return any(other.alias.casefold() == name for other in tree.find_all(exp.Table) if other is not table)


@dataclass(frozen=True, slots=True)
class _Query:
    """A query with what its columns may refer to."""

    sources: Sources
    outer: tuple[Sources, ...]  # of the queries around it, the nearest first
    aliases: dict[str, exp.Expr]  # of the SELECT list
    joined_by_name: frozenset[str]
    dialect: Dialect
    implicit: frozenset[str]  # columns that every table has
    text: str

    def is_known(self, name: str, clause: str) -> bool:
        """Tell whether a plain name that no source has means something else, or may do so."""
        return (
            not self.sources.all_known
            or not self.sources.columns
            or name in self.implicit
            or clause in self.dialect.result_names
            or any(outer.holders(name) or not outer.all_known for outer in self.outer)
        )

    def may_be_string(self, column: exp.Column) -> bool:
        """Tell whether a name in double quotes may be a string to the dialect: WHERE a = "x"."""
        if self.dialect.name not in QUOTED_STRINGS or not self.text[extent(column)[0] :].startswith('"'):
            return False
        return _is_value(column)


def check_columns(
    scope: Scope, sources: Sources, known: KnownTables, dialect: Dialect, *, text: str
) -> Iterator[Finding]:
    """Yield a finding for each column that no source has, or that several have."""
    selected = scope.expression.selects if isinstance(scope.expression, exp.Query) else []
    query = _Query(
        sources,
        outer=tuple(_outer_sources(scope, known)),
        aliases={expression.alias.casefold(): expression for expression in selected},
        joined_by_name=_using(scope.expression),
        dialect=dialect,
        implicit=CONSTANTS.union(dialect.implicit),
        text=text,
    )
    for column in dict.fromkeys(columns_of(scope)):
        if isinstance(column.this, exp.Star) or not column.name:
            continue
        if column.table:
            yield from _check_qualified(column, sources, query.outer, query.implicit, text=text)
        else:
            yield from _check_plain(column, query)


def _check_plain(column: exp.Column, query: _Query) -> Iterator[Finding]:
    """Check a column without a table: `a`, not `t.a`."""
    name = column.name.casefold()
    holders = query.sources.holders(name)
    if holders:
        may_be_alias = name in query.aliases and _may_be_alias(column)
        if len(holders) > 1 and name not in query.joined_by_name and not may_be_alias:
            yield _ambiguous(column, holders, text=query.text)
        return
    clause = _clause(column) if name in query.aliases else ""
    if query.is_known(name, clause):
        return
    if query.may_be_string(column):
        yield _quoted_string(column, text=query.text)
    elif clause:
        yield _unknown_alias(column, clause, query)
    else:
        yield _unknown(column, [query.sources, *query.outer], text=query.text)


def _ambiguous(column: exp.Column, holders: Sequence[str], *, text: str) -> Finding:
    message = f"column {column.name} is ambiguous: {' and '.join(holders)} have it"
    fixes = tuple(f"{alias}.{column.name}" for alias in holders)
    return finding(Code.AMBIGUOUS_COLUMN, message, text=text, extent=extent(column), suggestions=fixes)


def _quoted_string(column: exp.Column, *, text: str) -> Finding:
    message = f'no column is called "{column.name}": it is taken for a string, which stands in single quotes'
    return finding(Code.UNKNOWN_COLUMN, message, text=text, extent=extent(column), severity=Severity.WARNING)


def _unknown_alias(column: exp.Column, clause: str, query: _Query) -> Finding:
    """Return the finding for a name of the SELECT list in a clause that must not use it."""
    meant = query.aliases[column.name.casefold()].unalias().sql(dialect=query.dialect.sqlglot or None)
    message = f"{column.name} is a name of the SELECT list, which {CLAUSES[clause]} does not know"
    fixes = (meant,) if len(meant) <= MAX_EXPRESSION else ()
    return finding(Code.UNKNOWN_COLUMN, message, text=query.text, extent=extent(column), suggestions=fixes)


def _clause(column: exp.Column) -> str:
    """Return the clause of its query that a column stands in."""
    node: exp.Expr | None = column
    while node is not None and not isinstance(node, exp.Query):
        if type(node) in KINDS and isinstance(node.parent, exp.Query):
            return KINDS[type(node)]
        node = node.parent
    return "select"


def _is_value(column: exp.Column) -> bool:
    """Tell whether a name in double quotes stands where a string may be meant: compared, or handed to a function."""
    parent = column.parent
    if isinstance(parent, exp.Binary) and isinstance(parent, exp.Predicate):
        return isinstance(parent.left if parent.right is column else parent.right, exp.Column | exp.Func | exp.Paren)
    if isinstance(parent, exp.In | exp.Between):
        return parent.this is not column
    return isinstance(parent, VALUES) and not isinstance(parent, exp.AggFunc)


def _check_qualified(
    column: exp.Column, sources: Sources, around: Iterable[Sources], implicit: Container[str], *, text: str
) -> Iterator[Finding]:
    holder = next((one for one in (sources, *around) if one.has(column.table)), None)
    if holder is None:
        if column.args.get("db") is not None or not sources.all_known:
            return  # schema.table.column, or a field of a nested column
        if sources.holders(column.table.casefold()):
            return  # a field of a struct
        table = column.args["table"]
        aliases = [alias for one in (sources, *around) for alias in one.columns]
        known = closest(column.table, aliases) or tuple(aliases[:3])
        message = f"{column.table} is no table or alias of this query"
        yield finding(Code.UNKNOWN_TABLE, message, text=text, extent=extent(table), suggestions=known)
        return
    columns = holder.find(column.table)
    name = column.name.casefold()
    if columns is None or name in columns or name in implicit:
        return
    names = [record.name if record else key for key, record in columns.items()]
    fixes = tuple(f"{column.table}.{one}" for one in closest(column.name, names))
    elsewhere = [alias for alias in holder.holders(name) if alias.casefold() != column.table.casefold()]
    fixes = (*(f"{alias}.{column.name}" for alias in elsewhere), *fixes)[:3]
    message = f"{column.table} has no column {column.name}"
    yield finding(Code.UNKNOWN_COLUMN, message, text=text, extent=extent(column.this), suggestions=fixes)


def _unknown(column: exp.Column, all_sources: Iterable[Sources], *, text: str) -> Finding:
    names = {
        record.name if record else key
        for sources in all_sources
        for columns in sources.columns.values()
        for key, record in (columns or {}).items()
    }
    message = f"no table of this query has a column {column.name}"
    return finding(
        Code.UNKNOWN_COLUMN, message, text=text, extent=extent(column), suggestions=closest(column.name, names)
    )


def _outer_sources(scope: Scope, known: KnownTables) -> Iterator[Sources]:
    """Yield the sources of the queries around a subquery that may refer to them, the nearest first."""
    while scope.parent is not None and (scope.is_subquery or scope.is_udtf or scope.is_set_operation):
        scope = scope.parent
        yield sources_of(scope, known)


def _using(tree: exp.Expr) -> frozenset[str]:
    """Return the columns that tables are joined by through their name: USING, or all for NATURAL."""
    names: set[str] = set()
    for join in tree.args.get("joins") or ():
        names.update(one.name.casefold() for one in join.args.get("using") or ())
        if join.args.get("method") == "NATURAL":
            names.update(column.name.casefold() for column in tree.find_all(exp.Column))
    return frozenset(names)


def _may_be_alias(column: exp.Column) -> bool:
    """Tell whether a column stands where the names of the SELECT list count: ORDER BY, GROUP BY, HAVING, QUALIFY."""
    clause = column.find_ancestor(exp.Order, exp.Group, exp.Having, exp.Qualify, exp.Select)
    return clause is not None and not isinstance(clause, exp.Select)
