"""Snapshots and models to the tables of the database that they describe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from msgspec.structs import replace

from coderag.catalog.replay.mutable import MutableTable, joined_comment
from coderag.catalog.replay.state import State
from coderag.catalog.replay.tables import described_column
from coderag.sql.records import Evidence, ForeignKey, Name, Origin, SchemaProblem
from coderag.sql.statements.names import key_of

__all__ = ["BOOKKEEPING", "join_models", "join_snapshot", "name_targets", "some"]

MIN_WHOLE = 0.5  # of the tables that migrations leave, for a snapshot to be the last word on the others
MAX_NAMED = 5  # columns in the text of a problem
# What migration tools keep for themselves; it is in a snapshot and in no migration, or the other way round.
BOOKKEEPING = frozenset(
    """schema_migrations ar_internal_metadata alembic_version django_migrations flyway_schema_history goose_db_version
    _prisma_migrations databasechangelog databasechangeloglock gorp_migrations knex_migrations knex_migrations_lock
    __diesel_schema_migrations __efmigrationshistory __drizzle_migrations migrations typeorm_metadata
    """.split()
)


def join_snapshot(state: State, snapshot: State) -> None:
    """Make tables as a snapshot states them; what migrations left keeps its history, and differences are reported."""
    known = {id(table) for stated in snapshot.tables.values() if (table := state.find(stated.name)) is not None}
    left = [table for table in state.tables.values() if id(table) not in known and table.history]
    is_whole = len(known) >= MIN_WHOLE * (len(known) + len(left))
    _take_tables(state, snapshot)
    _report_left(state, left, snapshot, is_whole=is_whole)
    state.routines.update(snapshot.routines)
    state.types.update(snapshot.types)
    if is_whole:  # the rest is what became of tables that are gone
        state.unknown = {}
    names = {table.name.name.casefold() for table in snapshot.tables.values()}
    state.unknown = {
        name: operations for name, operations in state.unknown.items() if name.rpartition(".")[2] not in names
    }
    state.problems += snapshot.all_problems()
    state.files |= snapshot.files


def _take_tables(state: State, snapshot: State) -> None:
    """Take the tables of a snapshot, and report those that no migration creates."""
    # By migrations whose beginning is gone, which is no surprise where a snapshot has the table.
    altered = {name.rpartition(".")[2] for name in state.unknown}
    new: list[MutableTable] = []
    for stated in snapshot.tables.values():
        table = state.find(stated.name)
        if table is not None:
            _report_columns(state, table, stated)
            state.take(table)
            _take_history(stated, table)
        elif stated.name.name.casefold() not in BOOKKEEPING | altered:
            new.append(stated)
        state.put(stated)
    if new:
        text = f"no migration creates {some(str(table.name) for table in new)}"
        state.problems.append(SchemaProblem(new[0].declared.path, new[0].declared.start_line, text))


def _report_left(state: State, left: Iterable[MutableTable], snapshot: State, *, is_whole: bool) -> None:
    """Report the tables that migrations leave and a snapshot has not; drop them where it states the whole schema."""
    paths = ", ".join(sorted({table.declared.path for table in snapshot.tables.values()}))
    for table in left:
        if is_whole:
            state.take(table)
            state.dropped[key_of(table.name)] = table
        if table.name.name.casefold() not in BOOKKEEPING:
            text = f"the migrations leave {table.name}, which is not in {paths}"
            state.problems.append(SchemaProblem(table.declared.path, table.declared.start_line, text))


def _report_columns(state: State, table: MutableTable, stated: MutableTable) -> None:
    """Report the columns that only one of two accounts of a table has."""
    only_migrations = [column for column in table.columns if stated.column(column) is None]
    only_snapshot = [column for column in stated.columns if table.column(column) is None]
    words = []
    if only_migrations:
        words.append(f"only the migrations have {some(only_migrations)}")
    if only_snapshot:
        words.append(f"no migration has {some(only_snapshot)}")
    if words:
        text = f"{stated.name} is another table here than the migrations leave: {', '.join(words)}"
        state.problems.append(SchemaProblem(stated.declared.path, stated.declared.start_line, text))


def _take_history(stated: MutableTable, table: MutableTable) -> None:
    stated.history = table.history
    stated.sources |= table.sources
    stated.comment = stated.comment or table.comment
    stated.alias = stated.alias or table.alias
    stated.record = replace(
        stated.record,
        origins=_both(stated.record.origins, table.record.origins),
        relations=tuple(dict.fromkeys((*stated.record.relations, *table.record.relations))),
    )
    for column in list(stated.columns.values()):
        known = table.column(column.name)
        if known is not None:
            described = replace(column, comment=column.comment or known.comment, values=column.values or known.values)
            stated.put(replace(described, field=column.field or known.field))
    for key in table.foreign_keys:
        if key.evidence is Evidence.MODEL and all(stated.column(one) is not None for one in key.columns):
            stated.add_foreign_key(key)


def join_models(state: State, models: State) -> None:
    """Add to tables what models say of them; models of tables that nothing creates are tables too."""
    name_targets(models)
    models.adopt()
    squashed = {_squashed(table.name.name): table for table in state.tables.values()}
    for model in list(models.tables.values()):
        table = state.find(model.name) or squashed.get(_squashed(model.name.name)) or _called_after(model, squashed)
        if table is None:
            state.put(model)
        else:
            _report_model(state, model, table)
            _describe(table, model)
            state.refer(table)
    # Migrations may change what the framework creates by itself from the models.
    names = {table.name.name.casefold() for table in models.tables.values()}
    state.unknown = {
        name: operations for name, operations in state.unknown.items() if name.rpartition(".")[2] not in names
    }
    state.problems += models.all_problems()
    state.files |= models.files
    for key, routine in models.routines.items():
        state.routines.setdefault(key, routine)
    for name, type_definition in models.types.items():
        state.types.setdefault(name, type_definition)


def _called_after(model: MutableTable, squashed: Mapping[str, MutableTable]) -> MutableTable | None:
    """Return the table that is called as a model's class and has most of its columns.

    One edition of an application may call it so, and another one after the set of the models.
    """
    table = squashed.get(_squashed(model.alias)) if model.alias else None
    same = [column for column in model.columns if table is not None and table.column(column) is not None]
    return table if len(same) * 2 > len(model.columns) else None


def name_targets(models: State) -> None:
    """Give foreign keys and parents that models write as classes the names of the tables that these map."""
    by_class: dict[str, list[MutableTable]] = {}
    for table in models.tables.values():
        if table.alias:
            by_class.setdefault(table.alias.casefold(), []).append(table)

    def of_class(name: str) -> Name | None:
        mutable_tables = by_class.get(name.rpartition(".")[2].casefold(), [])
        return mutable_tables[0].name if len(mutable_tables) == 1 else None

    def target(name: Name, table: MutableTable) -> Name:
        known = models.find(name, of=table.name) is not None
        return name if known else of_class(name.name) or name

    for table in models.tables.values():
        if table.foreign_keys:
            table.foreign_keys = [
                replace(key, table=(of_class(key.model) if key.model else None) or target(key.table, table))
                for key in table.foreign_keys
            ]
            models.refer(table)
        if table.record.parent is not None:
            table.record = replace(table.record, parent=target(table.record.parent, table))


def _report_model(state: State, model: MutableTable, table: MutableTable) -> None:
    """Report the columns that only one of model and table has; a model may map a few columns on purpose."""
    name = f"model {model.alias}" if model.alias else "the model"
    extra = [column for column in model.columns.values() if table.column(column.name) is None]
    if extra:
        place = extra[0].source if extra[0].source.path else model.declared
        has = "has the column" if len(extra) == 1 else "has the columns"
        text = f"{name} {has} {some(one.name for one in extra)}, which the table {table.name} has not"
        state.problems.append(SchemaProblem(place.path, place.start_line, text))
    missing = [one for one in table.columns if model.column(one) is None]
    if missing and len(missing) * 2 <= len(table.columns):
        text = f"{name} lacks {some(missing)} of the table {table.name}"
        state.problems.append(SchemaProblem(model.declared.path, model.declared.start_line, text))


def _describe(table: MutableTable, model: MutableTable) -> None:
    table.alias = table.alias or model.alias
    table.comment = joined_comment(table.comment, model.comment)
    table.sources |= model.sources
    table.record = replace(
        table.record,
        origins=_both(table.record.origins or (Origin.DDL,), model.record.origins),
        relations=tuple(dict.fromkeys((*table.record.relations, *model.record.relations))),
    )
    for column in model.columns.values():
        known = table.column(column.name)
        if known is not None:
            described = described_column(known, column)
            # The database decides what may be null and what stands there by itself.
            table.put(replace(described, nullable=known.nullable, default=known.default))
    for key in model.foreign_keys:
        if all(table.column(one) is not None for one in key.columns):
            table.add_foreign_key(_of_model(key, table))


def _of_model(key: ForeignKey, table: MutableTable) -> ForeignKey:
    names = (table.column(column) for column in key.columns)
    return replace(key, columns=tuple(name.name for name in names if name is not None), evidence=Evidence.MODEL)


def _both(first: Iterable[Origin], second: Iterable[Origin]) -> tuple[Origin, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def _squashed(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def some(names: Iterable[str]) -> str:
    """Return the first of some names, and how many more there are."""
    listed: Sequence[str] = list(names)
    rest = len(listed) - MAX_NAMED
    return ", ".join(islice(listed, MAX_NAMED)) + (f" and {rest} more" if rest > 0 else "")
