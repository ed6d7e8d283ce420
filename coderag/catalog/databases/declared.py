"""A file's facts to what grouping asks of them: which tables it creates, and which it takes from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from coderag.sql.migration_order import home_of
from coderag.sql.records import (
    AddColumn,
    AddConstraint,
    AddDefinition,
    AddQuery,
    AlterColumn,
    CommentOn,
    CreateRoutine,
    CreateTable,
    CreateType,
    Describe,
    Drop,
    DropColumn,
    DropConstraint,
    Name,
    ObjectKind,
    Origin,
    Rename,
    RenameColumn,
    SchemaFile,
    SchemaOperation,
    Series,
    Table,
    UseDatabase,
)
from coderag.sql.settings import FileSettings
from coderag.sql.statements.names import Key, is_no_database, key_of, plain_schema

__all__ = ["Declared", "Index", "declared"]

SIDE_LABELS = frozenset({"example", "legacy", "test", "vendored"})  # of files that are not the product's own schema
VIEWS = frozenset({ObjectKind.VIEW, ObjectKind.MATERIALIZED_VIEW})


@dataclass(frozen=True, slots=True)
class Declared:
    """What a file has to do with tables."""

    file: SchemaFile
    settings: FileSettings
    series: Series | None
    tables: dict[Key, bool]  # that it creates -> whether only where they are missing
    names: frozenset[Key]  # created in any way, or renamed to: views and temporary tables too
    used: frozenset[Key]  # that it needs and does not create
    altered: dict[Key, tuple[str, ...]]  # of `used`, those that it changes -> the columns that they get
    written: frozenset[Key]  # whose rows its statements write
    changes: bool  # it has more than queries and definitions
    origins: frozenset[Origin]
    databases: tuple[str, ...]  # that it says it belongs to or switches to
    switches: bool  # it says so by USE

    @property
    def path(self) -> str:
        """Return the file's path."""
        return self.file.path

    @property
    def folder(self) -> str:
        """Return the folder that the file lies in."""
        return self.file.path.rpartition("/")[0]

    @property
    def home(self) -> str:
        """Return the folder of the series that the file belongs to, where it is a migration."""
        return home_of(self.path, self.series or Series(""))

    @property
    def side(self) -> tuple[str, ...]:
        """Return the labels that keep the file apart from the product's own."""
        return tuple(sorted(SIDE_LABELS.intersection(self.file.labels)))


def declared(file: SchemaFile, settings: FileSettings, series: Series | None) -> Declared:
    """Return what a file creates and needs, names taken as its USE statements say."""
    tables: dict[Key, bool] = {}
    names: dict[Key, None] = {}
    used: dict[Key, None] = {}
    altered: dict[Key, tuple[str, ...]] = {}
    written: dict[Key, None] = {}
    origins: set[Origin] = set()
    databases = {file.facts.database: None}
    database = schema = ""
    changes = switches = False

    def key(name: Name) -> Key:
        return key_of(Name(name.name, name.schema or schema, name.database or database))

    for operation in file.facts.operations:
        match operation:
            case AddQuery():
                written.update(dict.fromkeys(map(key, operation.query.usage.writes)))
                continue
            case AddDefinition():
                continue
            case UseDatabase():
                if operation.database:
                    database = "" if is_no_database(operation.database) else operation.database
                    databases[operation.database] = None
                    switches = True
                    schema = ""
                schema = operation.schema or schema
                continue
            case CreateTable():
                made = key(operation.table.name)
                names[made] = None
                origins.update(operation.table.origins)
                # One that is made by a query belongs, like a view, to the tables that the query reads.
                derived = operation.table.kind in VIEWS or operation.table.usage.reads
                if not derived and not operation.table.temporary:
                    tables[made] = tables.get(made, True) and operation.if_missing
            case Describe():
                origins.update(operation.table.origins)
            case Rename():
                names[key(operation.to)] = None
                altered.setdefault(key(operation.name), ())
            case AddColumn():
                one = key(operation.table)
                altered[one] = (*altered.get(one, ()), operation.column.name.casefold())
            case DropColumn() | RenameColumn() | AlterColumn() | AddConstraint() | DropConstraint():
                altered.setdefault(key(operation.table), ())
        changes = True
        used.update(dict.fromkeys(map(key, _used(operation))))
    return Declared(
        file=file,
        settings=settings,
        series=series,
        tables=tables,
        names=frozenset(names),
        used=frozenset(used.keys() - names.keys()),
        altered={one: columns for one, columns in altered.items() if one not in names},
        written=frozenset(written.keys() - names.keys()),
        changes=changes,
        origins=frozenset(origins),
        databases=tuple(name for name in databases if name and not is_no_database(name)),
        switches=switches,
    )


def _used(operation: SchemaOperation) -> Iterator[Name]:
    """Yield the tables that an operation needs."""
    match operation:
        case CreateTable():
            yield from _used_by_table(operation.table)
        case Describe():
            yield operation.table.name
            yield from _used_by_table(operation.table)
        case AddConstraint():
            yield operation.table
            if operation.foreign_key is not None:
                yield operation.foreign_key.table
        case AddColumn() | DropColumn() | RenameColumn() | AlterColumn() | DropConstraint():
            yield operation.table
        case Rename() | CommentOn():
            if operation.kind is ObjectKind.TABLE or operation.kind in VIEWS:
                yield operation.name
        case CreateRoutine():
            if operation.routine.table is not None:
                yield operation.routine.table
            yield from operation.routine.usage.reads
            yield from operation.routine.usage.writes
        case Drop() | CreateType() | UseDatabase() | AddQuery() | AddDefinition():
            pass


def _used_by_table(table: Table) -> Iterator[Name]:
    for key in table.foreign_keys:
        yield key.table
    if table.parent is not None:
        yield table.parent
    yield from table.usage.reads


class Index:
    """Which of several holders have a table of a name."""

    def __init__(self) -> None:
        self._by_name: dict[str, dict[Key, dict[int, None]]] = {}

    def add(self, holder: int, keys: Iterable[Key]) -> None:
        """Note that a holder has tables."""
        for key in keys:
            self._by_name.setdefault(key[2], {}).setdefault(key, {})[holder] = None

    def holders(self, key: Key, *, exact_first: bool = True) -> list[int]:
        """Return the holders of the table that a name may refer to; exact matches alone where those come first."""
        keys = self._by_name.get(key[2])
        if keys is None:
            return []
        if exact_first and (exact := keys.get(key)) is not None:
            return list(exact)
        found: dict[int, None] = {}
        for one, holders in keys.items():
            if all(not wanted or not had or wanted == had for wanted, had in zip(key[:2], one[:2], strict=True)):
                found |= holders
        return list(found)


def is_qualified(key: Key) -> bool:
    """Tell whether a key says more than the plain name."""
    return bool(key[0] or plain_schema(key[1]))
