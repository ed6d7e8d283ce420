"""Models whose parents have tables of their own in other files, to their links to these.

https://docs.djangoproject.com/en/stable/topics/db/models/#multi-table-inheritance
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from coderag.frameworks.common.shared import Definitions
from coderag.sql.records import Column, CreateTable, Evidence, ForeignKey, SchemaFile, SchemaOperation, Source, Table

__all__ = ["with_parents"]

BOTH = 2  # dots in the alias of a many-to-many table: "shop.Order.tags"


def with_parents(models: Sequence[SchemaFile]) -> list[SchemaFile]:
    """Return files of models with the column that Django adds to one for a parent which another file has."""
    defined = Definitions((file.path, _class_of(table), table) for file in models for table in _tables(file))
    return [_with_parents(file, defined) for file in models]


def _tables(file: SchemaFile) -> Iterator[Table]:
    """Yield the tables of models, not those of many-to-many fields."""
    for operation in file.facts.operations:
        if isinstance(operation, CreateTable) and 0 < operation.table.alias.count(".") < BOTH:
            yield operation.table


def _class_of(table: Table) -> str:
    return table.alias.rpartition(".")[2]


def _with_parents(file: SchemaFile, defined: Definitions[Table]) -> SchemaFile:
    heirs = file.facts.shared.heirs if file.facts.shared is not None else ()
    links: dict[str, list[Table]] = {}
    known: set[str] = set()
    for name, heir in heirs:
        found = defined.find(heir.base, path=file.path) if not heir.column else None
        if found is not None and found[1].name != name:
            links.setdefault(name.name, []).insert(0, found[1])  # the first base is the last heir
            known.add(f"the columns of {heir.base.rpartition('.')[2]} are in another file")
    if not links:
        return file
    operations = tuple(_with_links(operation, links) for operation in file.facts.operations)
    unparsed = tuple(statement for statement in file.facts.unparsed if statement.reason not in known)
    return replace(file, facts=replace(file.facts, operations=operations, unparsed=unparsed))


def _with_links(operation: SchemaOperation, links: dict[str, list[Table]]) -> SchemaOperation:
    if not isinstance(operation, CreateTable):
        return operation
    table = operation.table
    for parent in links.get(table.name.name, ()) if 0 < table.alias.count(".") < BOTH else ():
        table = _linked(table, parent)
    return replace(operation, table=table)


def _linked(table: Table, parent: Table) -> Table:
    """Return a table with a link to that of a parent, which is its primary key where it has no other."""
    alias = parent.alias.casefold()
    own = next(
        (
            key.columns
            for key in table.foreign_keys
            if key.model.casefold() == alias and (key.columns in table.unique or key.columns == table.primary_key)
        ),
        None,
    )
    if own is not None:
        return replace(table, primary_key=table.primary_key or own)
    header = table.sources[0] if table.sources else Source()
    header = replace(header, end_line=header.start_line)
    column = f"{_class_of(parent).casefold()}_ptr_id"
    key = ForeignKey((column,), parent.name, evidence=Evidence.MODEL, source=header, model=parent.alias)
    return replace(
        table,
        columns=(Column(column, nullable=False, source=header), *table.columns),
        primary_key=table.primary_key or (column,),
        unique=(*table.unique, (column,)) if table.primary_key else table.unique,
        foreign_keys=(key, *table.foreign_keys),
    )
