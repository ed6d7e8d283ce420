"""A SELECT to what it reads from: its tables and queries by alias, with their columns and keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from coderag.sql.check.known_tables import KnownTables
from coderag.sql.records import Column, Name, Table

__all__ = ["Columns", "Key", "Sources", "columns_of", "name_of", "picked_by", "sources_of"]

Columns = Mapping[str, Column | None]  # names casefolded; None: a column of a query, whose type is not known
Key = frozenset[str]  # columns, casefolded, of which no two rows have the same values


@dataclass(frozen=True, slots=True)
class Sources:
    """What a SELECT reads from, by alias as written: its columns, None if they cannot be known."""

    columns: Mapping[str, Columns | None]
    keys: Mapping[str, tuple[Key, ...]] = field(default_factory=dict)  # of a table the primary one first
    tables: Mapping[str, Table] = field(default_factory=dict)  # of those sources that are tables of the schema

    def holders(self, column: str) -> list[str]:
        """Return the aliases of the sources that have a column."""
        return [alias for alias, columns in self.columns.items() if columns is not None and column in columns]

    @property
    def all_known(self) -> bool:
        """Whether the columns of all sources are known."""
        return all(columns is not None for columns in self.columns.values())

    @property
    def unknown(self) -> list[str]:
        """The aliases of the sources whose columns are not known."""
        return [alias for alias, columns in self.columns.items() if columns is None]

    def alias(self, name: str) -> str | None:
        """Return the alias that a name in any case means, None if there is no such source."""
        return next((alias for alias in self.columns if alias.casefold() == name.casefold()), None)

    def find(self, alias: str) -> Columns | None:
        """Return the columns of a source by its alias in any case."""
        found = self.alias(alias)
        return self.columns[found] if found is not None else None

    def has(self, alias: str) -> bool:
        """Tell whether there is a source of that alias."""
        return self.alias(alias) is not None

    def owners(self, column: exp.Column) -> list[str]:
        """Return the aliases of the sources that a column may belong to; none where it is of no source of these."""
        if column.table:
            found = self.alias(column.table)
            return [found] if found is not None else []
        return self.holders(column.name.casefold()) or self.unknown


def name_of(table: exp.Table) -> Name:
    """Return the name of a table as it is written."""
    return Name(table.name, table.db, table.catalog)


def sources_of(scope: Scope, known: KnownTables) -> Sources:
    """Return what a scope reads from."""
    columns: dict[str, Columns | None] = {}
    keys: dict[str, tuple[Key, ...]] = {}
    tables: dict[str, Table] = {}
    for alias, (_, source) in scope.selected_sources.items():
        columns[alias] = None
        if isinstance(source, Scope):
            columns[alias] = _projected(source, known)
            keys[alias] = _projected_keys(source)
        elif isinstance(source, exp.Table) and (table := known.table(name_of(source))) is not None:
            columns[alias] = known.columns(table) or None  # a view whose columns nobody declared has any
            found = (table.primary_key, *table.unique)
            keys[alias] = tuple(frozenset(name.casefold() for name in key) for key in found if key)
            tables[alias] = table
    return Sources(columns, keys, tables)


def _projected(scope: Scope, known: KnownTables) -> Columns | None:
    """Return the columns that a subquery or CTE gives, None if a star or a function hides them."""
    tree = scope.expression
    names = scope.outer_columns or _names_of_recursion(scope)
    if names:
        return {name.casefold(): None for name in names}
    if not isinstance(tree, exp.Query):
        return None
    found: dict[str, Column | None] = {}
    inner = sources_of((scope.set_operation_scopes or [scope])[0], known)
    for select in tree.selects:
        if isinstance(select, exp.Star) or (isinstance(select, exp.Column) and isinstance(select.this, exp.Star)):
            wanted = select.table if isinstance(select, exp.Column) else ""
            for alias, columns in inner.columns.items():
                if wanted and alias.casefold() != wanted.casefold():
                    continue
                if columns is None:
                    return None
                found.update(columns)
        elif name := select.alias_or_name:
            origin = inner.find(select.table) if isinstance(select, exp.Column) and select.table else None
            found[name.casefold()] = origin.get(name.casefold()) if origin and isinstance(select, exp.Column) else None
    return found


def _names_of_recursion(scope: Scope) -> list[str]:
    """Return the column list of the CTE of which a scope is the first arm, as the CTE's other arms see it."""
    tree = scope.expression
    while isinstance(tree.parent, exp.SetOperation | exp.Subquery) and tree.arg_key == "this":
        tree = tree.parent
    clause = tree.parent
    return list(clause.alias_column_names) if scope.is_cte and isinstance(clause, exp.CTE) else []


def _projected_keys(scope: Scope) -> tuple[Key, ...]:
    """Return the key of a query that groups: the columns that it gives of what it groups by, where it gives all."""
    tree = scope.expression
    if not isinstance(tree, exp.Select) or scope.outer_columns or _names_of_recursion(scope):
        return ()
    names = [select.alias_or_name.casefold() for select in tree.selects]
    if tree.args.get("distinct") is not None and all(names) and "*" not in names:
        return (frozenset(names),)
    group = tree.args.get("group")
    if group is None or group.args.keys() & {"rollup", "cube", "grouping_sets"} or not group.expressions:
        return ()
    key = set()
    for expression in group.expressions:
        if isinstance(expression, exp.Literal) and not expression.is_string and expression.name.isdigit():
            position = int(expression.name) - 1
            found = names[position] if 0 <= position < len(names) else ""
        else:
            given = [name for name, item in zip(names, tree.selects, strict=True) if item.unalias() == expression]
            found = given[0] if given else expression.name.casefold() if expression.name.casefold() in names else ""
        if not found:
            return ()
        key.add(found)
    return (frozenset(key),)


def columns_of(scope: Scope) -> Iterator[exp.Column]:
    """Yield the columns that stand in a query itself, not in one inside it, which is looked at by itself."""
    tree = scope.expression
    found: dict[int, exp.Column] = {id(column): column for column in scope.columns}
    if isinstance(tree, exp.Select):
        # Of those without a qualifier sqlglot leaves out what HAVING and QUALIFY hold, as it may be an alias.
        for clause in (tree.args.get("having"), tree.args.get("qualify")):
            found |= {id(column): column for column in clause.find_all(exp.Column)} if clause is not None else {}
    for column in found.values():
        if not isinstance(tree, exp.Query) or column.find_ancestor(exp.Select, exp.SetOperation) is tree:
            yield column


def picked_by(select: exp.Select) -> Iterator[exp.Column]:
    """Yield the columns that WHERE wants to be equal to a value."""
    where = select.args.get("where")
    for one in (
        where.this.flatten() if where is not None and isinstance(where.this, exp.And) else [where and where.this]
    ):
        if isinstance(one, exp.EQ) and isinstance(one.left, exp.Column) and one.right.find(exp.Column) is None:
            yield one.left
