"""A file's facts to what grouping asks of them: which tables it creates, and which it takes from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

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
    """How a file relates to tables."""

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


@dataclass(slots=True)
class _Account:
    """What the operations of a file come to; a name without schema or database is of those that USE names last."""

    tables: dict[Key, bool] = field(default_factory=dict)
    names: set[Key] = field(default_factory=set)
    used: set[Key] = field(default_factory=set)
    altered: dict[Key, tuple[str, ...]] = field(default_factory=dict)
    written: set[Key] = field(default_factory=set)
    changes: bool = False
    origins: set[Origin] = field(default_factory=set)
    databases: dict[str, None] = field(default_factory=dict)  # of USE
    database: str = ""
    schema: str = ""

    def key(self, name: Name) -> Key:
        return key_of(Name(name.name, name.schema or self.schema, name.database or self.database))

    def add(self, operation: SchemaOperation) -> None:
        match operation:
            case AddQuery():
                self.written.update(map(self.key, operation.query.usage.writes))
            case AddDefinition():
                pass
            case UseDatabase():
                self._use(operation)
            case _:
                self._change(operation)
                self.changes = True
                self.used.update(map(self.key, _used(operation)))

    def _use(self, operation: UseDatabase) -> None:
        if operation.database:
            self.database = "" if is_no_database(operation.database) else operation.database
            self.databases[operation.database] = None
            self.schema = ""
        self.schema = operation.schema or self.schema

    def _change(self, operation: SchemaOperation) -> None:
        match operation:
            case CreateTable():
                self._create(operation)
            case Describe():
                self.origins.update(operation.table.origins)
            case Rename():
                self.names.add(self.key(operation.to))
                self._alter(operation.name)
            case AddColumn():
                self._alter(operation.table, operation.column.name.casefold())
            case DropColumn() | RenameColumn() | AlterColumn() | AddConstraint() | DropConstraint():
                self._alter(operation.table)

    def _create(self, operation: CreateTable) -> None:
        table = operation.table
        key = self.key(table.name)
        self.names.add(key)
        self.origins.update(table.origins)
        # One that is made by a query belongs, like a view, to the tables that the query reads.
        is_derived = table.kind in VIEWS or bool(table.usage.reads)
        if not is_derived and not table.temporary:
            self.tables[key] = self.tables.get(key, True) and operation.if_missing

    def _alter(self, table: Name, *columns: str) -> None:
        key = self.key(table)
        self.altered[key] = (*self.altered.get(key, ()), *columns)


def declared(file: SchemaFile, settings: FileSettings, series: Series | None) -> Declared:
    """Return what a file creates and needs, names taken as its USE statements say."""
    account = _Account()
    for operation in file.facts.operations:
        account.add(operation)
    names = account.names
    databases = dict.fromkeys((file.facts.database, *account.databases))
    return Declared(
        file=file,
        settings=settings,
        series=series,
        tables=account.tables,
        names=frozenset(names),
        used=frozenset(account.used - names),
        altered={key: columns for key, columns in account.altered.items() if key not in names},
        written=frozenset(account.written - names),
        changes=account.changes,
        origins=frozenset(account.origins),
        databases=tuple(name for name in databases if name and not is_no_database(name)),
        switches=bool(account.databases),
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
        matching: dict[int, None] = {}
        for one, holders in keys.items():
            if all(not part or not other or part == other for part, other in zip(key[:2], one[:2], strict=True)):
                matching |= holders
        return list(matching)


def is_qualified(key: Key) -> bool:
    """Tell whether a key says more than the plain name."""
    return bool(key[0] or plain_schema(key[1]))
