"""Uses of classes and models that a mapper ties to tables, to edges: over fields, relations and their keys."""

from __future__ import annotations

from coderag.graph.edges.schema_nodes import Data
from coderag.graph.files import Places
from coderag.graph.queries.data_access import EDGE_OF, MAX_CANDIDATES, ROWS_OF, Names, Touch
from coderag.graph.records import EdgeKind
from coderag.sql.in_code.records import Access, ModelUse
from coderag.sql.records import Name, Schema

__all__ = ["ModelUses"]

MAX_STEPS = 8  # relations in a field such as "author.profile.city"
PRIMARY_KEY = "pk"  # what Django calls it, whatever its name is
JOINS_BY_NAME = "sqlalchemy"  # a mapper in which the bare name of a relation may join: Patient.insurer.has(...)
LOADS_TO_DELETE = "sqlalchemy"  # a mapper that reads what refers to an object before it deletes that
NOTHING: tuple[list[int], int] = ([], 0)


class ModelUses:
    """What models are mapped to, and where their relations lead."""

    def __init__(self, places: Places, names: Names, data: Data, schema: Schema) -> None:
        """Take what a schema says of models."""
        self._places = places
        self._names = names
        self._data = data
        self._schema = schema
        self._relations: dict[tuple[int, str], list[int]] = {}  # a table and a relation of its model -> tables
        for number, table in enumerate(schema.tables):
            for relation in table.relations:
                called = self._of_class(relation.model)
                target = data.tables.only(Name(relation.model), home=table.name)
                targets = called or ([target] if target is not None else [])
                self._relations.setdefault((number, relation.name), targets)
                for back in relation.back:
                    for other in targets:
                        self._relations.setdefault((other, back), []).append(number)

        self._ends: dict[int, dict[int, None]] = {}  # a table -> those that its relations lead to
        for (number, _), targets in self._relations.items():
            self._ends.setdefault(number, {}).update(dict.fromkeys(targets))

    def add(self, use: ModelUse, touch: Touch) -> None:
        """Add the edges of a use at its place."""
        tables, doubt = self._mapped(use, touch)
        if len(tables) > MAX_CANDIDATES:
            return
        kind = EDGE_OF[use.access]
        for table in tables:
            touch.edge(self._data.table_nodes[table], kind, doubt)
            if use.whole and kind in ROWS_OF:
                touch.edge(self._data.table_nodes[table], ROWS_OF[kind], doubt)
            if use.whole and use.access is Access.DELETE and use.framework == LOADS_TO_DELETE:
                self._add_children(touch, table, doubt)
            for name, write in use.fields:
                joins = not write and use.framework == JOINS_BY_NAME
                self._add_field(touch, table, name, write=write, joins=joins, doubt=doubt)

    def _mapped(self, use: ModelUse, touch: Touch) -> tuple[list[int], int]:
        """Return the tables that a model as written may be mapped to, and how many candidates they are.

        The longest beginning that is a mapped class counts, and relations lead on from there. Where the code defines
        no such class, the name alone decides: of a class that is mapped, then of a table.
        """
        parts = use.model.replace("::", ".").split(".")
        for size in range(len(parts), 0, -1):
            found = self._names.definitions_of(touch.file, use.owner, ".".join(parts[:size]))
            nodes = [self._places.node(*definition) for definition in found.definitions]
            tables = [self._data.mapped[node] for node in map(self._mapped_class, nodes) if node in self._data.mapped]
            if tables:
                doubt = found.candidates if len(tables) > 1 or found.candidates == 1 else 0
                return self._related(tables, parts[size:], touch, doubt), doubt
            if (
                size == len(parts)
                and found.definitions
                and not found.candidates
                and self._is_type(found.definitions[0])
            ):
                return NOTHING  # a class of the index that maps nothing
        for size in range(len(parts), 0, -1):
            tables = self._of_class(parts[size - 1])
            if tables and (reached := self._related(tables, parts[size:], touch, len(tables) - 1)):
                return reached, 0 if len(reached) == 1 else len(reached)
        tables = self._data.tables.possible(Name(parts[-1]), file=touch.file)
        return tables, 0 if len(tables) == 1 else len(tables)

    def _mapped_class(self, node: int) -> int:
        """Return a class or the nearest base of it that is mapped: of classes that share a table only one is."""
        if node in self._data.mapped or not self._data.is_type(node):
            return node
        return next((base for base in self._names.bases_of(node) if base in self._data.mapped), node)

    def _is_type(self, definition: tuple[int, int]) -> bool:
        return self._data.is_type(self._places.node(*definition))

    def _of_class(self, written: str) -> list[int]:
        return self._data.tables.by_class.get(written.rpartition(".")[2].casefold(), [])

    def _related(self, tables: list[int], relations: list[str], touch: Touch, doubt: int) -> list[int]:
        """Return the tables at the end of relations that start at some tables; the keys between them are read."""
        found = tables
        for name in relations[:MAX_STEPS]:
            for table in found:
                self._add_key(touch, table, name, doubt)
            found = list(dict.fromkeys(target for one in found for target in self._targets(one, name)))
        return found

    def _targets(self, table: int, relation: str) -> list[int]:
        """Return the tables that a relation of a table's model leads to; it may be called as the table is."""
        known = self._relations.get((table, relation))
        if known is None:
            named = self._data.tables.only(Name(relation), home=self._schema.tables[table].name)
            return [named] if named is not None and named != table else []
        return known

    def _add_field(self, touch: Touch, table: int, name: str, *, write: bool, joins: bool, doubt: int) -> None:
        *relations, last = name.split(".")
        step = table
        for relation in relations[:MAX_STEPS]:
            self._add_key(touch, step, relation, doubt)
            targets = self._targets(step, relation)
            if len(targets) != 1:
                return
            step = targets[0]
            touch.edge(self._data.table_nodes[step], EdgeKind.READS, doubt)
        columns, kind = self._data.column_nodes[step], EdgeKind.WRITES if write else EdgeKind.READS
        if last == PRIMARY_KEY and last not in columns:
            for key in self._schema.tables[step].primary_key:
                if (column := columns.get(key.casefold())) is not None:
                    touch.edge(column, kind, doubt)
        elif (column := self._data.fields[step].get(last, columns.get(last.casefold()))) is not None:
            touch.edge(column, kind, doubt)
        elif targets := self._targets(step, last):
            if own := [] if joins else self._own_key(step, last):
                for column in own:  # vote.comment = comment, where(comment: nil): the row over there is not touched
                    touch.edge(column, kind, doubt)
                return
            self._add_key(touch, step, last, doubt)
            for target in targets:
                touch.edge(self._data.table_nodes[target], EdgeKind.READS, doubt)

    def _own_key(self, table: int, relation: str) -> list[int]:
        """Return the columns of a table that refer to where a relation leads: of one to a single row."""
        nodes, columns = self._data.table_nodes, self._data.column_nodes[table]
        own, name = set(columns.values()), relation.casefold()
        keys = [
            key
            for target in self._targets(table, relation)
            for key in self._data.keys.get(frozenset({nodes[table], nodes[target]}), [])
        ]
        referring = {start for start, _ in keys if start in own}
        called = {column for key, column in columns.items() if key == name or key.startswith(f"{name}_")}
        if called & referring:
            return sorted(called & referring)
        return sorted(referring) if len(keys) == len(referring) == 1 else []

    def _add_children(self, touch: Touch, table: int, doubt: int) -> None:
        """Let the deletion of an object load the rows that refer to it over its relations, and take back their keys.

        So it is where passive_deletes does not say otherwise (SQLAlchemy, "Cascades").
        """
        nodes, columns = self._data.table_nodes, self._data.column_nodes
        for target in self._ends.get(table, ()):
            keys = self._data.keys.get(frozenset({nodes[table], nodes[target]}), [])
            own = set(columns[target].values())
            referring = {start: None for start, _ in keys if start in own}
            for kind in (EdgeKind.READS, EdgeKind.READS_ROWS) if referring else ():
                touch.edge(nodes[target], kind, doubt)
            for node in referring:
                touch.edge(node, EdgeKind.WRITES, doubt)

    def _add_key(self, touch: Touch, table: int, relation: str, doubt: int) -> None:
        """Let a use of a relation read the columns of the key behind it, on both sides."""
        nodes, columns = self._data.table_nodes, self._data.column_nodes[table]
        own = {columns[key] for key in (relation.casefold(), f"{relation.casefold()}_id") if key in columns}
        for target in self._targets(table, relation):
            keys = self._data.keys.get(frozenset({nodes[table], nodes[target]}), [])
            keys = [key for key in keys if not own.isdisjoint(key)] or keys
            own.update(column for key in keys for column in key)
        for column in own:
            touch.edge(column, EdgeKind.READS, doubt)
