"""What a database says of itself to the tables that files declare for it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from coderag.catalog.merge.model_merge import BOOKKEEPING, some
from coderag.catalog.replay.apply import describe_again
from coderag.catalog.replay.mutable import MutableTable, joined_comment, same_key
from coderag.catalog.replay.state import State
from coderag.sql.records import (
    Column,
    Evidence,
    ForeignKey,
    Name,
    Origin,
    Routine,
    SchemaProblem,
    Table,
    Usage,
)
from coderag.sql.statements.names import key_of

__all__ = ["join_live"]

STAR = "*"

Pair = tuple[MutableTable, MutableTable]  # as files declare a table, and as the database has it
SameRoutine = tuple[str, str, str]  # what overloaded functions have in common


def join_live(state: State, live: State, *, database: str) -> None:
    """Make the tables of a database as it says itself; files add words, known values, history and places.

    `database` is what the files call it, folded. What only one of them has stays, and is reported where files have it.
    """
    state.orphans = [table for table in state.orphans if not state.inherit(table)]
    written = state.databases.get(database, "")
    dialect = next((file.facts.dialect for file in live.files.values()), "")
    mine = [table for key, table in state.tables.items() if key[0] == database and not table.record.temporary]
    pairs = _pairs(mine, live)
    _report_missing(state, mine, pairs, hidden=set(_hidden(live)))
    for table, mutable_table in pairs:
        _report_columns(state, table, mutable_table)
        _take(mutable_table, table, dialect=dialect)
        state.take(table)
    for mutable_table in live.tables.values():
        mutable_table.name = replace(mutable_table.name, database=written)
        state.put(mutable_table)
    _join_routines(state, live, database=written)
    _join_types(state, live, database=written)
    state.problems += live.all_problems()
    state.files |= live.files
    _join_failed(state, {table.name.name.casefold() for table in live.tables.values()})


def _pairs(mine: Iterable[MutableTable], live: State) -> list[Pair]:
    """Return the tables that are the same one: of the same schema, or the only ones that a name may mean."""
    pairs: list[Pair] = []
    others: list[MutableTable] = []
    for table in mine:
        mutable_table = live.tables.get(key_of(replace(table.name, database="")))
        if mutable_table is None:
            others.append(table)
        else:
            pairs.append((table, mutable_table))
    taken = {id(stated) for _, stated in pairs}
    found: dict[int, list[Pair]] = {}
    for table in others:
        mutable_table = live.find(Name(table.name.name, table.name.schema))
        if mutable_table is not None and id(mutable_table) not in taken:
            found.setdefault(id(mutable_table), []).append((table, mutable_table))
    return pairs + [same[0] for same in found.values() if len(same) == 1]


# Problems


def _hidden(live: State) -> Iterator[str]:
    """Yield the plain names of the objects that a database has and does not show."""
    for file in live.files.values():
        for statement in file.facts.unparsed:
            if statement.table:
                yield statement.head.rpartition(" ")[2].rpartition(".")[2].casefold()


def _report_missing(state: State, mine: Iterable[MutableTable], pairs: Iterable[Pair], *, hidden: set[str]) -> None:
    known = {id(table) for table, _ in pairs}
    for table in mine:
        name = table.name.name.casefold()
        if id(table) not in known and not table.record.partition and name not in BOOKKEEPING | hidden:
            text = f"{table.record.kind} {table.name} is declared here, the database has none"
            state.problems.append(SchemaProblem(table.declared.path, table.declared.start_line, text))


def _report_columns(state: State, table: MutableTable, stated: MutableTable) -> None:
    """Report the columns that only files or only the database have."""
    if not table.columns or not stated.columns:
        return
    only_files = [column for column in table.columns.values() if stated.column(column.name) is None]
    only_database = [column for column in stated.columns if table.column(column) is None]
    if _is_partial(table, missing=len(only_database), of=len(stated.columns)):
        only_database = []
    words = []
    if only_files:
        words.append(f"the database lacks {some(only_file.name for only_file in only_files)}")
    if only_database:
        words.append(f"only the database has {some(only_database)}")
    if words:
        place = next((only_file.source for only_file in only_files if only_file.source.path), table.declared)
        text = f"{table.name} is another {table.record.kind} in the database: {', '.join(words)}"
        state.problems.append(SchemaProblem(place.path, place.start_line, text))


def _is_partial(table: MutableTable, *, missing: int, of: int) -> bool:
    """Tell whether files do not list all columns of a table, and do not mean to."""
    record = table.record
    if Origin.DBT in record.origins or any(line.column == STAR for line in record.lineage):
        return True
    return _only_models(table) and missing * 2 > of


def _only_models(table: MutableTable) -> bool:
    return set(table.record.origins) == {Origin.ORM}


# Tables


def _take(stated: MutableTable, table: MutableTable, *, dialect: str) -> None:
    """Add to a table of the database what files say of it."""
    stated.history = table.history
    stated.declared = table.declared
    stated.sources = table.sources | stated.sources
    stated.comment = joined_comment(stated.comment, table.comment)
    stated.alias = stated.alias or table.alias
    if not stated.columns:  # the user may not see them
        stated.columns, stated.folded = table.columns, table.folded
        stated.primary_key = stated.primary_key or table.primary_key
    else:
        for column in table.columns.values():
            known = stated.column(column.name)
            if known is not None:
                stated.put(_column(known, column))
    _take_keys(stated, table)
    stated.record = _record(stated.record, table.record, dialect)


def _column(known: Column, declared: Column) -> Column:
    return replace(
        known,
        type=known.type or declared.type,
        comment=joined_comment(known.comment, declared.comment),
        values=tuple(dict.fromkeys((*known.values, *declared.values))),
        source=declared.source if declared.source.path else known.source,
    )


def _take_keys(stated: MutableTable, table: MutableTable) -> None:
    """Give keys the places where files declare them, and add those that only models know of."""
    for key in table.foreign_keys:
        same = [number for number, one in enumerate(stated.foreign_keys) if same_key(one, key)]
        for number in same:
            if key.source.path:
                stated.foreign_keys[number] = replace(stated.foreign_keys[number], source=key.source)
        if not same and (key.evidence is Evidence.MODEL or _only_models(table)):
            columns = [column.name for name in key.columns if (column := stated.column(name)) is not None]
            if len(columns) == len(key.columns):
                stated.foreign_keys.append(_of_model(key, columns))


def _of_model(key: ForeignKey, columns: Iterable[str]) -> ForeignKey:
    return replace(key, columns=tuple(columns), evidence=Evidence.MODEL)


def _record(stated: Table, declared: Table, dialect: str) -> Table:
    has_star = any(line.column == STAR for line in declared.lineage)
    return replace(
        stated,
        query=stated.query or declared.query,
        usage=stated.usage if stated.usage != Usage() else declared.usage,
        lineage=stated.lineage or (() if has_star else declared.lineage),
        parent=stated.parent or (None if declared.partition else declared.parent),
        row_count=stated.row_count if stated.row_count >= 0 else declared.row_count,
        updated=max(stated.updated, declared.updated),
        origins=tuple(dict.fromkeys((*(declared.origins or (Origin.DDL,)), Origin.LIVE))),
        domain=stated.domain or declared.domain,
        environment=stated.environment or declared.environment,
        dialect=stated.dialect or dialect,
    )


# Routines, types, and what had to wait


def _same_routine(routine: Routine) -> SameRoutine:
    return routine.kind, routine.name.name.casefold(), routine.table.name.casefold() if routine.table else ""


def _join_routines(state: State, live: State, *, database: str) -> None:
    """Make routines as the database has them, where their sources are in files; it may write their types otherwise."""
    declared: dict[SameRoutine, list[Routine]] = {}
    had = {_same_routine(routine) for routine in live.routines.values()}
    for key, routine in list(state.routines.items()):
        if key[1][0] == database.casefold() and _same_routine(routine) in had:
            declared.setdefault(_same_routine(routine), []).append(state.routines.pop(key))
    for (kind, name, table, parameters), routine in live.routines.items():
        moved = replace(routine, name=replace(routine.name, database=database))
        if (known := declared.get(_same_routine(routine))) is not None:
            # Of overloaded functions, each takes the place of one.
            first = known.pop(0) if len(known) > 1 else known[0]
            moved = replace(
                moved,
                source=first.source,
                usage=moved.usage if moved.usage != Usage() else first.usage,
                comment=joined_comment(moved.comment, first.comment),
            )
        state.databases.setdefault(database.casefold(), database)
        state.routines[kind, (database.casefold(), *name[1:]), table, parameters] = moved


def _join_types(state: State, live: State, *, database: str) -> None:
    for type_definition in live.types.values():
        moved = replace(type_definition, name=replace(type_definition.name, database=database))
        known = state.types.get(key_of(moved.name))
        if known is not None:
            source = known.source if known.source.path else moved.source
            moved = replace(moved, comment=joined_comment(moved.comment, known.comment), source=source)
        state.types[key_of(moved.name)] = moved


def _join_failed(state: State, names: set[str]) -> None:
    """Let comments and descriptions reach the tables that only the database has."""
    state.unknown = {name: found for name, found in state.unknown.items() if name.rpartition(".")[2] not in names}
    describe_again(state, names, complete=False)
