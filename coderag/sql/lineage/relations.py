"""Query trees to relations: the base columns behind every name, through aliases, CTEs and nested queries.

No schema is needed. Without one, a column whose table is not written belongs to any of the base tables in its scope.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqlglot import exp

from coderag.sql.lineage.scopes import (
    HOLE,
    NOTHING,
    OPAQUE,
    STAR,
    ColumnsOf,
    Found,
    Output,
    Relation,
    Scope,
    all_outputs,
    candidates,
    in_relation,
    join_key,
    joins_of,
    look_up,
    merged_outputs,
    table_relation,
    unique_names,
)
from coderag.sql.lineage.table_nodes import alias_columns, base_name, is_bare, is_group, nodes_of
from coderag.sql.records import ColumnUse, Join, Name

__all__ = ["QUERIES", "QueryReader"]

TRANSPARENT = (exp.Cast, exp.Lower, exp.Upper, exp.Trim, exp.Paren, exp.Collate, exp.Prior)  # in an equality
QUERIES = (exp.Query, exp.Values)
STATEMENTS = (exp.DML, exp.Create, exp.TruncateTable, exp.Copy, exp.MultitableInserts, exp.Command, exp.Execute)
# What a query's scope does with these arguments is written out; everything else in it is an expression.
SOURCE_ARGUMENTS = frozenset({"with_", "from_", "joins", "laterals", "expressions", "into", "pivots", "kind"})
WRAPPER_ARGUMENTS = frozenset({"this", "expression", "with_", "joins", "laterals", "pivots", "alias", "sample"})
ALIAS_ARGUMENTS = ("group", "having", "qualify", "order", "sort", "cluster", "distribute")  # see the select's aliases


class QueryReader:
    """What was found in queries so far."""

    def __init__(self, columns_of: ColumnsOf | None = None) -> None:
        self.columns_of = columns_of
        self.reads: dict[tuple[str, str, str], Name] = {}
        self.writes: dict[tuple[str, str, str], Name] = {}
        self.deleted: dict[tuple[str, str, str], Name] = {}  # of those written: rows of them are deleted
        self.filled: dict[tuple[str, str, str], Name] = {}  # and those that whole rows are put into or taken from
        self.starred: dict[tuple[str, str, str], Name] = {}  # all of whose columns a select list takes
        self.columns: dict[tuple[object, ...], ColumnUse] = {}
        self.joins: dict[tuple[object, ...], Join] = {}
        self.calls: dict[str, str] = {}
        self.queries: dict[int, Relation] = {}
        self.commands: list[str] = []  # text that sqlglot passes through without a tree

    def statement(self, node: exp.Expr, outer: Scope) -> Relation:
        """Read what stands in place of a query, such as an INSERT in a CTE, and return the relation of its rows."""
        self.expressions(node.iter_expressions(), outer)
        return Relation()

    def write(self, node: exp.Expr) -> Relation:
        """Return the relation of a table that is written."""
        if not isinstance(node, exp.Table) or (name := base_name(node)) is None:
            return Relation()
        self.writes.setdefault(name.key, name)
        return table_relation(name)

    # Queries

    def ctes(self, node: exp.Expr, outer: Scope) -> Scope:
        """Return the scope around a query with the CTEs that it declares."""
        clause = node.args.get("with_")
        if clause is None:
            return outer
        ctes = dict(outer.ctes)
        scope = Scope(outer, ctes)
        recursive = bool(clause.args.get("recursive"))
        if recursive:  # they may name those below them
            ctes.update((cte.alias.casefold(), Relation()) for cte in clause.expressions)
        for cte in clause.expressions:
            key, names = cte.alias.casefold(), alias_columns(cte)
            rows = Relation()
            if isinstance(cte.this, exp.SetOperation):
                # The first branch gives the columns, and a name in it that is the CTE's own is a table's.
                own = Scope(outer, {name: one for name, one in ctes.items() if name != key})
                rows = self._set_operation(cte.this, own, itself=(key, names))
            elif recursive and key in ctes:
                own = Scope(outer, {name: one for name, one in ctes.items() if name != key})
                rows = self.statement(cte.this, own)
            else:
                rows = self.statement(cte.this, scope)
            rows = rows.renamed(names)
            if recursive:
                ctes[key].extend(rows.outputs)
            else:
                ctes[key] = rows
        return scope

    def query(self, node: exp.Expr, outer: Scope) -> Relation:
        """Return the relation of a query; one that is asked for again is not read again."""
        if (rows := self.queries.get(id(node))) is None:
            rows = self.queries[id(node)] = self._rows(node, outer)
        return rows

    def _rows(self, node: exp.Expr, outer: Scope) -> Relation:
        wrappers: list[exp.Expr] = []
        while isinstance(node, exp.Subquery):
            outer = self.ctes(node, outer)
            if node.args.get("joins") or node.args.get("pivots") or isinstance(node.this, exp.Table):
                scope = Scope(outer, outer.ctes)
                self.source(node, scope)
                self.flush(scope)
                return Relation(all_outputs(scope))
            wrappers.append(node)
            node = node.this
        if isinstance(node, exp.Select):
            rows = self._select(node, outer)
        elif isinstance(node, exp.SetOperation):
            rows = self._set_operation(node, outer)
        elif isinstance(node, exp.Values):
            rows = self._values(node, outer)
        elif isinstance(node, exp.Table):
            scope = Scope(outer, outer.ctes)
            self.source(node, scope)
            rows = Relation(all_outputs(scope))
        else:
            rows = self.statement(node, outer)
        for wrapper in wrappers:
            self.rest(wrapper, Scope(outer, outer.ctes, sources={"": rows}), handled=WRAPPER_ARGUMENTS)
        return rows

    def _set_operation(self, node: exp.Expr, outer: Scope, itself: tuple[str, list[str]] | None = None) -> Relation:
        """Read the branches of UNION and its like in order; `itself` is the CTE that later branches may name."""
        stack: list[tuple[exp.Expr, Scope]] = [(node, outer)]
        first: Relation | None = None
        merged: list[Output] = []
        modified: list[tuple[exp.Expr, Scope]] = []
        while stack:
            branch, around = stack.pop()
            around = self.ctes(branch, around) if isinstance(branch, exp.SetOperation) else around
            if isinstance(branch, exp.SetOperation):
                stack += [(branch.expression, around), (branch.this, around)]
                modified.append((branch, around))
                continue
            if first is not None and itself is not None:
                around = Scope(around, {**around.ctes, itself[0]: first.renamed(itself[1])})
            rows = self.query(branch, around)
            if first is None:
                first, merged = rows, list(rows.outputs)
            else:
                merged = merged_outputs(merged, rows.outputs)
        relation = Relation(merged)
        for one, around in modified:
            self.rest(one, Scope(around, around.ctes, sources={"": relation}), handled=WRAPPER_ARGUMENTS)
        return relation

    def _values(self, node: exp.Expr, outer: Scope) -> Relation:
        uses = self.expressions(node.expressions, outer)
        return Relation([Output(name, uses) for name in alias_columns(node)] or [OPAQUE])

    def _select(self, node: exp.Select, outer: Scope) -> Relation:
        outer = self.ctes(node, outer)
        scope = Scope(outer, outer.ctes)
        if (rows := node.args.get("from_")) is not None:
            self.source(rows.this, scope)
        self.neighbours(node, scope)
        if (into := node.args.get("into")) is not None and isinstance(into.this, exp.Table):
            self.write(into.this)
        relation = Relation(self.projections(node.expressions, scope, Relation(all_outputs(scope))))
        self.conditions(node.args.get("where"), scope)
        self.rest(node, scope, handled=SOURCE_ARGUMENTS.union(ALIAS_ARGUMENTS, ("where",)))
        scope.aliases = {
            expression.alias.casefold() for expression in node.expressions if isinstance(expression, exp.Alias)
        }
        scope.known.clear()
        for argument in ALIAS_ARGUMENTS:
            self.expressions(nodes_of(node.args.get(argument)), scope)
        self.flush(scope)
        return relation

    def projections(self, nodes: Iterable[exp.Expr], scope: Scope, everything: Relation) -> Iterator[Output]:
        """Yield the columns of a select list; `everything` is what its star stands for."""
        for node in nodes:
            value = node.this if isinstance(node, exp.Alias) else node
            star = value.this if isinstance(value, exp.Column) else value
            if isinstance(star, exp.Star):
                rows = everything
                if isinstance(value, exp.Column):
                    found = scope.find(value.table) or scope.find(value.parts[0].name)
                    rows = found[1] if found is not None else Relation([OPAQUE])
                if not _only_asks(node):
                    self.starred.update((table.key, table) for output in rows.outputs for table in _passed(output))
                yield from self._star(star, scope, rows)
            elif isinstance(value, exp.Column) and HOLE in value.name:
                yield OPAQUE
            elif isinstance(value, exp.Column):
                found_column = self._column(value, scope)
                yield Output(node.alias_or_name, found_column.uses, found_column.plain)
            elif isinstance(node, exp.Aliases):
                uses = self.expression(node.this, scope)
                yield from (Output(name.name, uses) for name in node.expressions)
            else:
                name = node.alias_or_name or node.output_name
                yield Output(
                    "" if name == STAR else name, self.expression(value, scope)
                )  # COUNT(*) is named by its star

    def _star(self, star: exp.Star, scope: Scope, rows: Relation) -> Iterator[Output]:
        left_out = {one.name.casefold() for one in nodes_of(star.args.get("except_"))}
        replaced = {one.alias.casefold(): one for one in nodes_of(star.args.get("replace"))}
        renamed = {one.this.name.casefold(): one.alias for one in nodes_of(star.args.get("rename"))}
        for output in rows.outputs:
            key = output.name.casefold()
            if key not in left_out and key not in replaced:
                yield output._replace(name=renamed.get(key, output.name))
        yield from self.projections(replaced.values(), scope, Relation())

    # FROM

    def source(self, node: exp.Expr, scope: Scope) -> str:
        """Add what stands in FROM to the scope, with its own joins, and return its key."""
        since = len(scope.sources)
        alias = node.alias
        if isinstance(node, exp.Table) and not isinstance(node.this, exp.Func):
            relation, alias = self._table(node, scope), node.alias_or_name
        elif isinstance(node, exp.Subquery) and is_group(node):
            key = self.source(node.this, scope)
            self.neighbours(node, scope, since=since)
            return key
        elif isinstance(node, exp.Subquery):
            relation = self.query(node.this, self.ctes(node, scope.inner()))
        elif isinstance(node, exp.Values):
            relation = self._values(node, scope)
        elif isinstance(node, exp.Lateral) and isinstance(node.this, exp.Subquery):
            relation = self.query(node.this, scope.inner(lateral=True))
        else:
            relation = self._function(node, scope)
        relation = relation.renamed(alias_columns(node))
        for pivot in nodes_of(node.args.get("pivots")):
            relation = self._pivot(pivot, scope, relation)
            alias = pivot.alias or alias
        key = scope.add(relation, alias)
        self.neighbours(node, scope, since=since)
        return key

    def _table(self, node: exp.Table, scope: Scope) -> Relation:
        if not node.db and (cte := scope.ctes.get(node.name.casefold())) is not None:
            return cte
        if node.db and not node.catalog and (found := scope.find(node.db)) is not None and is_bare(node):
            return Relation([Output(node.alias_or_name, self.use(found[1], node.name)), OPAQUE])  # FROM t, t.items
        if (name := base_name(node)) is None:
            self.expressions(nodes_of(node.args.get("rows_from")), scope)
            return Relation([OPAQUE])
        kept = self.writes if scope.target and scope.target == node.alias_or_name.casefold() else self.reads
        kept.setdefault(name.key, name)
        return table_relation(name)

    def _function(self, node: exp.Expr, scope: Scope) -> Relation:
        """Return the relation of a function in FROM: its columns come from its arguments."""
        if isinstance(node, exp.Table) and isinstance(node.this, exp.Anonymous):
            self.call(".".join(part for part in (node.catalog, node.db, node.this.name) if part))
            uses = self.expressions(node.this.expressions, scope)
        elif isinstance(node, (exp.Table, exp.Lateral)):
            uses = self.expression(node.this, scope)
        else:
            uses = self.rest(node, scope, handled=frozenset({"alias", "joins", "pivots", "sample"}))
        names = [name for name in (*alias_columns(node), node.alias) if name]
        return Relation([*(Output(name, uses) for name in names), Output(STAR, ())])

    def _pivot(self, pivot: exp.Expr, scope: Scope, relation: Relation) -> Relation:
        inner = Scope(ctes=scope.ctes, sources={"": relation})
        uses = self.rest(pivot, inner, handled=frozenset({"alias", "columns"}))
        columns = [Output(column.name, uses) for column in nodes_of(pivot.args.get("columns"))]
        return Relation([*columns, *relation.outputs, OPAQUE])

    def neighbours(self, node: exp.Expr, scope: Scope, *, since: int = 0) -> None:
        """Read the joins that hang on a query or a table; they join what is in scope from a place on."""
        for lateral in nodes_of(node.args.get("laterals")):
            self.source(lateral, scope)
        for join in nodes_of(node.args.get("joins")):
            before = list(scope.sources)[since:]
            key = self.source(join.this, scope)
            self.conditions(join.args.get("on"), scope, joined=key)
            using = [one.name for one in nodes_of(join.args.get("using"))]
            if str(join.args.get("method") or "").upper() == "NATURAL":
                using = self._common(scope, before, key)
            pairs = [pair for column in using if (pair := self._shared(column, scope, before, key)) is not None]
            for left, right in pairs:
                scope.pairs.setdefault((left.instance, key), []).append((left, right))

    def _common(self, scope: Scope, before: list[str], key: str) -> list[str]:
        """Return the columns that a relation shares with those before it, as far as they are known."""
        named = self._names(scope.sources[key])
        earlier = set().union(*(self._names(scope.sources[one]) for one in before))
        return [column for column in named if column in earlier]

    def _names(self, relation: Relation) -> dict[str, None]:
        names = dict.fromkeys(relation.by_name)
        for table in relation.tables if self.columns_of is not None else ():
            names.update(dict.fromkeys(sorted((self.columns_of(table) if self.columns_of else None) or ())))
        return names

    def _shared(self, column: str, scope: Scope, before: list[str], key: str) -> tuple[Found, Found] | None:
        """Use a column of USING on both sides, and return the pair where both sides are known."""
        right = in_relation(key, scope.sources[key], column, self.columns_of)
        self._record(right.uses)
        owner = scope.shared.get(column.casefold(), "")
        sides = [
            in_relation(one, scope.sources[one], column, self.columns_of) for one in ([owner] if owner else before)
        ]
        sides = [side for side in sides if side.uses]
        listed = [side for side in sides if column.casefold() in scope.sources[side.instance].by_name]
        sides = listed or sides
        if not sides:
            return None
        scope.shared.setdefault(column.casefold(), sides[0].instance if len(sides) == 1 else key)
        if len(sides) > 1:
            tables = unique_names(table for side in sides for use in side.uses for table in use.tables)
            self._record([ColumnUse(column, candidates(column, tables, self.columns_of))])
            return None
        self._record(sides[0].uses)
        return sides[0], right

    # Expressions

    def rest(self, node: exp.Expr, scope: Scope, *, handled: frozenset[str]) -> tuple[ColumnUse, ...]:
        """Read every argument of a node but those handled elsewhere, and return the base columns behind it."""
        uses: dict[ColumnUse, None] = {}
        for name, value in node.args.items():
            if name not in handled:
                uses.update(dict.fromkeys(self.expressions(nodes_of(value), scope)))
        return tuple(uses)

    def expressions(self, nodes: Iterable[exp.Expr], scope: Scope) -> tuple[ColumnUse, ...]:
        """Read expressions and return the base columns that their values depend on."""
        return tuple(dict.fromkeys(use for node in nodes for use in self.expression(node, scope)))

    def conditions(self, node: object, scope: Scope, *, joined: str = "") -> None:
        """Read what ON and WHERE demand; equalities that must all hold make one join together."""
        if not isinstance(node, exp.Expr):
            return  # it is missing; sqlglot has False there where the word itself is missing
        stack = [node.this if isinstance(node, exp.Where) else node]
        while stack:
            one = stack.pop()
            while isinstance(one, exp.Paren):
                one = one.this
            if isinstance(one, exp.And):
                stack += [one.expression, one.this]
            elif isinstance(one, exp.EQ):
                if (pair := self._equality(one, scope, joined=joined)) is not None:
                    instances = (pair[0].instance, pair[1].instance)
                    if instances[::-1] in scope.pairs:
                        instances, pair = instances[::-1], pair[::-1]
                    scope.pairs.setdefault(instances, []).append(pair)
                self.expression(one, scope)
            else:
                self.expression(one, scope, joining=True)

    def expression(self, node: exp.Expr, scope: Scope, *, joining: bool = False) -> tuple[ColumnUse, ...]:
        """Read an expression and return the base columns that its value depends on."""
        uses: dict[ColumnUse, None] = {}
        stack = [node]
        while stack:
            one = stack.pop()
            if isinstance(one, exp.Column):
                if not isinstance(one.this, exp.Star):
                    uses.update(dict.fromkeys(self._column(one, scope).uses))
                continue
            if isinstance(one, QUERIES):
                rows = self.query(one, Scope(scope, scope.ctes))
                uses.update(dict.fromkeys(use for output in rows.outputs if output.name != STAR for use in output.uses))
                continue
            if isinstance(one, STATEMENTS):
                self.statement(one, scope)
                continue
            if isinstance(one, exp.Table):
                self.source(one, Scope(scope, scope.ctes))
                continue
            if isinstance(one, exp.Dot) and isinstance(one.expression, exp.Anonymous):
                self.call(f"{one.this.sql()}.{one.expression.name}".replace('"', ""))
                stack += reversed(one.expression.expressions)
                continue
            if isinstance(one, exp.Anonymous):
                self.call(one.name)
            elif joining and isinstance(one, exp.EQ) and (pair := self._equality(one, scope)) is not None:
                self._join([pair])
            elif isinstance(one, exp.In) and one.args.get("query") is not None:
                self._membership(one, scope)
            stack += one.iter_expressions(reverse=True)
        return tuple(uses)

    def _column(self, node: exp.Column, scope: Scope) -> Found:
        """Look a column up, and note the base columns behind it."""
        parts = tuple(part.name for part in node.parts)
        if (found := scope.known.get(parts)) is None:
            found = scope.known[parts] = look_up(parts, scope, self.columns_of)
            self._record(found.uses)
        return found

    def _record(self, uses: Iterable[ColumnUse]) -> None:
        for use in uses:
            if use.column != STAR and use.tables and HOLE not in use.column:
                key = (use.column.casefold(), use.write, *(table.key for table in use.tables))
                self.columns.setdefault(key, use)

    def use(self, relation: Relation, column: str, *, write: bool = False) -> tuple[ColumnUse, ...]:
        """Note the use of a column of a relation, and return the base columns behind it."""
        found = in_relation("", relation, column, self.columns_of)
        self._record(ColumnUse(use.column, use.tables, write) for use in found.uses)
        return found.uses

    def call(self, name: str) -> None:
        """Note the call of a routine."""
        if HOLE not in name:
            self.calls.setdefault(name.casefold(), name)

    # Joins

    def _equality(self, node: exp.Expr, scope: Scope, joined: str = "") -> tuple[Found, Found] | None:
        """Return both sides of an equality where they are columns of two relations."""
        left, right = self._side(node.this, scope), self._side(node.expression, scope)
        if joined and not (left.plain and right.plain):
            left, right = self._other(left, right, scope), self._other(right, left, scope)
        if not left.plain or not right.plain or left.instance == right.instance:
            return None
        return left, right

    def _other(self, one: Found, known: Found, scope: Scope) -> Found:
        """Take a column of two tables, in the ON that joins them, for that of the one that is not on the other side."""
        if one.plain or not known.plain or len(one.uses) != 1 or known.instance not in scope.sources:
            return one
        left = [key for key, relation in scope.sources.items() if relation.tables and key != known.instance]
        if len(left) != 1 or scope.sources[known.instance].tables == scope.sources[left[0]].tables:
            return one
        return in_relation(left[0], scope.sources[left[0]], one.uses[0].column, self.columns_of)

    def _side(self, node: exp.Expr, scope: Scope) -> Found:
        while isinstance(node, TRANSPARENT):
            node = node.this
        if isinstance(node, exp.Any) and isinstance(node.this, QUERIES):
            node = node.this
        if isinstance(node, exp.Column):
            return NOTHING if isinstance(node.this, exp.Star) else self._column(node, scope)
        if isinstance(node, exp.Query):
            rows = self.query(node, Scope(scope, scope.ctes))
            if len(rows.outputs) == 1:
                return Found(f"\0query {id(node)}", rows.outputs[0].uses, rows.outputs[0].plain)
        return NOTHING

    def _membership(self, node: exp.In, scope: Scope) -> None:
        """Take IN (SELECT ...) for a join."""
        query = node.args["query"]
        rows = self.query(query, Scope(scope, scope.ctes))
        left = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]
        if len(rows.outputs) == len(left):
            sides = [
                (self._side(one, scope), Found(f"\0query {id(query)}", output.uses, output.plain))
                for one, output in zip(left, rows.outputs, strict=True)
            ]
            self._join([(one, other) for one, other in sides if one.plain and other.plain])

    def flush(self, scope: Scope) -> None:
        """Note the joins that the conditions of a scope made together."""
        for pairs in scope.pairs.values():
            self._join(pairs)
        scope.pairs.clear()

    def _join(self, pairs: Sequence[tuple[Found, Found]]) -> None:
        """Note the joins that two relations make by columns that correspond."""
        for join in joins_of(pairs):
            self.joins.setdefault(join_key(join), join)


def _passed(output: Output) -> Iterator[Name]:
    """Yield the tables all of whose columns pass through a star."""
    if output.name == STAR:
        yield from (table for use in output.uses for table in use.tables)


def _only_asks(node: exp.Expr) -> bool:
    """Tell whether an item of a select list belongs to EXISTS, which looks at no column."""
    select = node.parent
    return isinstance(select, exp.Select) and isinstance(select.parent, exp.Exists)
