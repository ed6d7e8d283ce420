"""A statement's tables and columns to those that the schema has not, and to columns that several tables have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from coderag.sql.check.findings import Code, Finding, Severity, extent, finding
from coderag.sql.check.known import PSEUDO_COLUMNS, Known, closest
from coderag.sql.model import Column, Name, Table

__all__ = ["Sources", "check_columns", "check_tables", "name_of", "sources_of"]

QUOTED_STRINGS = frozenset({"sqlite"})  # dialects that take "x" for a string where no column is called x
Columns = Mapping[str, Column | None]  # names casefolded; None: a column of a query, whose type is not known


@dataclass(frozen=True, slots=True)
class Sources:
    """What a SELECT reads from, by alias as written: its columns, None where they cannot be known."""

    columns: Mapping[str, Columns | None]

    def holders(self, column: str) -> list[str]:
        """Return the aliases of the sources that have a column."""
        return [alias for alias, columns in self.columns.items() if columns is not None and column in columns]

    @property
    def all_known(self) -> bool:
        """Whether the columns of all sources are known."""
        return all(columns is not None for columns in self.columns.values())

    def find(self, alias: str) -> Columns | None:
        """Return the columns of a source by its alias in any case."""
        return next((found for name, found in self.columns.items() if name.casefold() == alias.casefold()), None)

    def has(self, alias: str) -> bool:
        """Tell whether there is a source of that alias."""
        return any(name.casefold() == alias.casefold() for name in self.columns)


def name_of(table: exp.Table) -> Name:
    """Return the name of a table as it is written."""
    return Name(table.name, table.db, table.catalog)


def check_tables(tree: exp.Expr, known: Known, made: Iterable[str], *, text: str) -> Iterator[Finding]:
    """Yield a finding for each table that the schema has not; `made` are those that the text itself creates."""
    own = {name.casefold() for name in made}
    own |= {cte.alias.casefold() for cte in tree.find_all(exp.CTE)}
    created = tree.find(exp.Table) if isinstance(tree, exp.Create) else None
    for table in tree.find_all(exp.Table):
        name = name_of(table)
        if not isinstance(table.this, exp.Identifier) or table is created or known.is_system(name):
            continue
        if (not name.schema and name.name.casefold() in own) or known.table(name) is not None:
            continue
        if isinstance(table.parent, exp.From | exp.Join) and _is_alias(table, tree):
            continue
        suggestions = known.closest_tables(name)
        message = f"there is no table {Name(name.name, name.schema)}"
        yield finding(Code.UNKNOWN_TABLE, message, text=text, extent=extent(table.this), suggestions=suggestions)


def _is_alias(table: exp.Table, tree: exp.Expr) -> bool:
    """Tell whether a table is an alias: what UPDATE a ... FROM t AS a and DELETE a FROM t AS a name."""
    name = table.name.casefold()
    return any(other.alias.casefold() == name for other in tree.find_all(exp.Table) if other is not table)


def sources_of(scope: Scope, known: Known) -> Sources:
    """Return what a scope reads from."""
    found: dict[str, Columns | None] = {}
    for alias, (_, source) in scope.selected_sources.items():
        if isinstance(source, Scope):
            found[alias] = _projected(source, known)
        else:
            table = known.table(name_of(source)) if isinstance(source, exp.Table) else None
            found[alias] = _table_columns(table, known) if table is not None else None
    return Sources(found)


def _table_columns(table: Table, known: Known) -> Columns | None:
    return known.columns(table) or None  # a view whose columns nobody declared has any


def _projected(scope: Scope, known: Known) -> Columns | None:
    """Return the columns that a subquery or CTE gives, None where a star or a function hides them."""
    tree = scope.expression
    names = scope.outer_columns
    if names:
        return {name.casefold(): None for name in names}
    if not isinstance(tree, exp.Query):
        return None
    found: dict[str, Column | None] = {}
    inner = sources_of((scope.set_operation_scopes or [scope])[0], known)
    for one in tree.selects:
        if isinstance(one, exp.Star) or (isinstance(one, exp.Column) and isinstance(one.this, exp.Star)):
            wanted = one.table if isinstance(one, exp.Column) else ""
            for alias, columns in inner.columns.items():
                if wanted and alias.casefold() != wanted.casefold():
                    continue
                if columns is None:
                    return None
                found.update(columns)
        elif name := one.alias_or_name:
            origin = inner.find(one.table) if isinstance(one, exp.Column) and one.table else None
            found[name.casefold()] = origin.get(name.casefold()) if origin and isinstance(one, exp.Column) else None
    return found


def check_columns(scope: Scope, known: Known, dialect: str, *, text: str) -> Iterator[Finding]:
    """Yield a finding for each column that no source has, or that several have."""
    sources = sources_of(scope, known)
    around = list(_outer_sources(scope, known))
    selected = scope.expression.selects if isinstance(scope.expression, exp.Query) else []
    aliases = {one.alias.casefold() for one in selected}
    joined_by_name = _using(scope.expression)
    for column in dict.fromkeys(scope.columns):
        if isinstance(column.this, exp.Star) or not column.name or not _belongs(column, scope):
            continue
        name = column.name.casefold()
        if column.table:
            yield from _check_qualified(column, sources, around, text=text)
            continue
        holders = sources.holders(name)
        if len(holders) > 1 and name not in joined_by_name and not (name in aliases and _may_be_alias(column)):
            message = f"column {column.name} is ambiguous: {' and '.join(holders)} have it"
            fixes = tuple(f"{alias}.{column.name}" for alias in holders)
            yield finding(Code.AMBIGUOUS_COLUMN, message, text=text, extent=extent(column), suggestions=fixes)
        if holders or not sources.all_known or not sources.columns or name in PSEUDO_COLUMNS or name in aliases:
            continue
        if any(outer.holders(name) or not outer.all_known for outer in around):
            continue
        if dialect in QUOTED_STRINGS and column.this.quoted:
            message = f'no column is called "{column.name}": it is taken for a string, which stands in single quotes'
            place = extent(column)
            yield finding(Code.UNKNOWN_COLUMN, message, text=text, extent=place, severity=Severity.WARNING)
            continue
        yield _unknown(column, [sources, *around], text=text)


def _belongs(column: exp.Column, scope: Scope) -> bool:
    """Tell whether a column stands in a query itself, not in one inside it, which is looked at by itself."""
    if not isinstance(scope.expression, exp.Query):
        return True
    return column.find_ancestor(exp.Select, exp.SetOperation) is scope.expression


def _check_qualified(
    column: exp.Column, sources: Sources, around: Iterable[Sources], *, text: str
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
    if columns is None or name in columns or name in PSEUDO_COLUMNS:
        return
    names = [found.name if found else key for key, found in columns.items()]
    fixes = tuple(f"{column.table}.{one}" for one in closest(column.name, names))
    elsewhere = [alias for alias in holder.holders(name) if alias.casefold() != column.table.casefold()]
    fixes = (*(f"{alias}.{column.name}" for alias in elsewhere), *fixes)[:3]
    message = f"{column.table} has no column {column.name}"
    yield finding(Code.UNKNOWN_COLUMN, message, text=text, extent=extent(column.this), suggestions=fixes)


def _unknown(column: exp.Column, all_sources: Iterable[Sources], *, text: str) -> Finding:
    names = {
        found.name if found else key
        for sources in all_sources
        for columns in sources.columns.values()
        for key, found in (columns or {}).items()
    }
    message = f"no table of this query has a column {column.name}"
    return finding(
        Code.UNKNOWN_COLUMN, message, text=text, extent=extent(column), suggestions=closest(column.name, names)
    )


def _outer_sources(scope: Scope, known: Known) -> Iterator[Sources]:
    """Yield the sources of the queries around a subquery that may speak of them, the nearest first."""
    while scope.parent is not None and (scope.is_subquery or scope.is_udtf or scope.is_set_operation):
        scope = scope.parent
        yield sources_of(scope, known)


def _using(tree: exp.Expr) -> frozenset[str]:
    """Return the columns that tables are joined by through their name: USING, or all for NATURAL."""
    found: set[str] = set()
    for join in tree.args.get("joins") or ():
        found.update(one.name.casefold() for one in join.args.get("using") or ())
        if join.args.get("method") == "NATURAL":
            found.update(column.name.casefold() for column in tree.find_all(exp.Column))
    return frozenset(found)


def _may_be_alias(column: exp.Column) -> bool:
    """Tell whether a column stands where the names of the SELECT list count: ORDER BY, GROUP BY, HAVING, QUALIFY."""
    clause = column.find_ancestor(exp.Order, exp.Group, exp.Having, exp.Qualify, exp.Select)
    return clause is not None and not isinstance(clause, exp.Select)
