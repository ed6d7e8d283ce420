"""Statement trees to what they touch, and views to the base columns behind their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

from coderag.sql.lineage.relations import QUERIES, QueryReader
from coderag.sql.lineage.scopes import Relation, Scope
from coderag.sql.lineage.table_nodes import name_of, nodes_of
from coderag.sql.records import Lineage, Usage

__all__ = ["StatementReader", "lineage_of"]


class StatementReader(QueryReader):
    """What was found in statements of any kind so far."""

    def usage(self) -> Usage:
        """Return what was found."""
        return Usage(
            reads=tuple(self.reads.values()),
            writes=tuple(self.writes.values()),
            deletes=tuple(self.deleted.values()),
            whole=tuple(
                (self.starred | {key: one for key, one in self.filled.items() if key not in self.deleted}).values()
            ),
            columns=tuple(self.columns.values()),
            joins=tuple(self.joins.values()),
            calls=tuple(self.calls.values()),
        )

    def statement(self, node: exp.Expr, outer: Scope) -> Relation:
        """Read a statement and return the relation of its rows, empty where it has none.

        `SELECT id FROM orders` -> a relation with the column id, and orders is read
        `DELETE FROM orders` -> an empty relation, and rows of orders are deleted
        """
        if isinstance(node, QUERIES):
            return self.query(node, outer)
        outer = self.ctes(node, outer)
        if isinstance(node, exp.Insert):
            return self._insert(node, outer)
        if isinstance(node, exp.Update):
            return self._update(node, outer)
        if isinstance(node, exp.Delete):
            return self._delete(node, outer)
        if isinstance(node, exp.Merge):
            return self._merge(node, outer)
        if isinstance(node, exp.Create):
            self._create(node, outer)
        elif isinstance(node, exp.TruncateTable):
            for table in node.expressions:
                self._delete_rows(self.write(table))
        elif isinstance(node, exp.Copy):
            self._copy(node, outer)
        elif isinstance(node, exp.MultitableInserts):
            rows = Scope(outer, outer.ctes, sources={"": self.statement(node.args["source"], outer)})
            for insert in node.expressions:
                self.expression(insert, rows)
        elif isinstance(node, exp.Command):
            self.commands.append(f"{node.name} {node.text('expression')}")
        elif isinstance(node, exp.Execute):
            if isinstance(node.this, exp.Table):
                self.call(str(name_of(node.this)))
            self.expressions(node.expressions, outer)
        else:
            self.expressions(node.iter_expressions(), outer)
        return Relation()

    def _insert(self, node: exp.Insert, outer: Scope) -> Relation:
        scope = Scope(outer, outer.ctes)
        table, columns = _target(node.this)
        written = self.write(table) if table is not None else Relation()
        for column in columns:
            self.use(written, column.name, write=True)
        if not columns and not node.args.get("default"):
            self._fill(written)
        if (rows := node.args.get("expression")) is not None:
            self.expression(rows, outer)
        if table is not None:
            scope.add(written, table.alias_or_name)
        scope.add(Relation(), "excluded")  # the row that was to be put in: no column of the table is read
        if (conflict := node.args.get("conflict")) is not None:
            self._assignments(conflict.expressions, scope, written)
            self.rest(conflict, scope, handled=frozenset({"expressions"}))
        return self._returning(node, scope)

    def _update(self, node: exp.Update, outer: Scope) -> Relation:
        table = node.this
        scope = Scope(outer, outer.ctes, target=table.alias_or_name.casefold())
        if (rows := node.args.get("from_")) is not None:
            self.source(rows.this, scope)
        written = self._written(table, scope)
        self._assignments(node.expressions, scope, written)
        self.conditions(node.args.get("where"), scope)
        self.flush(scope)
        return self._returning(node, scope)

    def _delete(self, node: exp.Delete, outer: Scope) -> Relation:
        targets = nodes_of(node.args.get("tables")) or nodes_of(node.args.get("this"))
        names = [table.alias_or_name for table in targets if isinstance(table, exp.Table)]
        scope = Scope(outer, outer.ctes, target=names[0].casefold() if names else "")
        from_ = nodes_of(node.args.get("this")) if node.args.get("tables") else []
        for source in (*from_, *nodes_of(node.args.get("using"))):
            self.source(source, scope)
        for table in targets:
            self._delete_rows(self._written(table, scope))
        self.conditions(node.args.get("where"), scope)
        self.flush(scope)
        return self._returning(node, scope)

    def _merge(self, node: exp.Merge, outer: Scope) -> Relation:
        scope = Scope(outer, outer.ctes)
        written = self._written(node.this, scope)
        self.source(node.args["using"], scope)
        self.conditions(node.args.get("on"), scope)
        self.flush(scope)
        whens = node.args.get("whens")
        for when in whens.expressions if whens is not None else ():
            self.rest(when, scope, handled=frozenset({"then"}))
            then = when.args.get("then")
            if isinstance(then, exp.Update):
                self._assignments(then.expressions, scope, written)
            elif isinstance(then, exp.Insert):
                columns = then.this.expressions if isinstance(then.this, exp.Tuple) else ()
                for column in columns:
                    self.use(written, column.name, write=True)
                if not columns:
                    self._fill(written)
                self.rest(then, scope, handled=frozenset({"this"}))
        return self._returning(node, scope)

    def _create(self, node: exp.Create, outer: Scope) -> None:
        query = node.args.get("expression")
        if not isinstance(query, QUERIES):
            return
        table, _ = _target(node.this)
        if str(node.args.get("kind", "")).upper() == "TABLE" and table is not None:
            self.write(table)
        self.statement(query, outer)

    def _copy(self, node: exp.Copy, outer: Scope) -> None:
        table, columns = _target(node.this)
        if table is None:
            self.expressions(node.iter_expressions(), outer)
        elif node.args.get("kind"):  # COPY ... FROM
            written = self.write(table)
            for column in columns:
                self.use(written, column.name, write=True)
        else:
            self.source(table, Scope(outer, outer.ctes))

    def _written(self, node: exp.Expr, scope: Scope) -> Relation:
        """Return the relation that an UPDATE, DELETE or MERGE writes, in scope under its alias."""
        if isinstance(node, exp.Table) and not node.db and (found := scope.find(node.alias_or_name)) is not None:
            for table in found[1].tables:
                self.writes.setdefault(table.key, table)
            return found[1]
        if not isinstance(node, exp.Table):
            self.source(node, scope)
            return Relation()
        written = self.write(node)
        scope.add(written, node.alias_or_name)
        self.neighbours(node, scope)
        return written

    def _delete_rows(self, written: Relation) -> None:
        self.deleted.update((table.key, table) for table in written.tables)
        self._fill(written)

    def _fill(self, written: Relation) -> None:
        self.filled.update((table.key, table) for table in written.tables)

    def _assignments(self, nodes: Iterable[exp.Expr], scope: Scope, written: Relation) -> None:
        for node in nodes:
            if not isinstance(node, exp.EQ):
                self.expression(node, scope)
                continue
            targets = node.this.expressions if isinstance(node.this, exp.Tuple) else [node.this]
            for target in targets:
                found = scope.find(target.table) if isinstance(target, exp.Column) and target.table else None
                self.use(found[1] if found is not None else written, target.name, write=True)
            self.expression(node.expression, scope)

    def _returning(self, node: exp.Expr, scope: Scope) -> Relation:
        returning = node.args.get("returning")
        if returning is None:
            return Relation()
        relation = next(iter(scope.sources.values()), Relation())
        for name in ("inserted", "deleted"):
            scope.add(relation, name)
        return Relation(self.projections(returning.expressions, scope, Relation(relation.outputs)))


def lineage_of(tree: exp.Expr, columns: Sequence[str] = ()) -> tuple[Lineage, ...]:
    """Return the base columns behind every column of a query's or view's rows.

    `columns` are the names that the view gives them. `*` stands for all columns of a table. A tree that is nested too
    deeply has none.
    """
    if isinstance(tree, exp.Create):
        columns = columns or [column.name for column in _target(tree.this)[1]]
        tree = tree.args.get("expression") or tree
    try:
        rows = StatementReader().statement(tree, Scope())
    except RecursionError:
        return ()
    return tuple(Lineage(output.name, output.uses) for output in rows.renamed(columns).outputs)


def _target(node: exp.Expr | None) -> tuple[exp.Table | None, list[exp.Expr]]:
    """Return the table that is written and the columns in parentheses behind it."""
    columns: list[exp.Expr] = []
    if isinstance(node, exp.Schema):
        columns = [
            expression
            for expression in node.expressions
            if isinstance(expression, (exp.Identifier, exp.Column, exp.ColumnDef))
        ]
        node = node.this
    return (node if isinstance(node, exp.Table) else None), columns
