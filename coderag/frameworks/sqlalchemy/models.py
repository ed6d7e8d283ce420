"""SQLAlchemy's tables and mapped classes to tables, also those of Flask-SQLAlchemy and SQLModel.

https://docs.sqlalchemy.org/en/20/orm/declarative_tables.html
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from coderag.frameworks.common.origins import lines_of, unparsed_at
from coderag.frameworks.sqlalchemy.columns import (
    COLUMN_CALLS,
    Constraint,
    Field,
    Target,
    read_column,
    read_constraint,
    table_of,
)
from coderag.frameworks.sqlalchemy.declarations import Place, Places, find_places, table_arguments
from coderag.frameworks.sqlalchemy.fields import column_of_function, foreign_calls, relation_of
from coderag.sql.records import (
    LAST_POSITION,
    CreateTable,
    Describe,
    Facts,
    Heir,
    Mixin,
    Name,
    Origin,
    Relation,
    Shared,
    Table,
    Unparsed,
)
from coderag.syntax.languages.python import Class, Code, last_part, read_python

__all__ = ["read"]

# Bases in other files that bring no columns: what SQLModel's classes may derive from.
BARE_BASES = frozenset({"object", "Generic", "ABC", "Base", "BaseModel", "Protocol"})


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001
    """Return the tables that a Python file declares for SQLAlchemy, None when there are none."""
    places = find_places(read_python(data))
    unparsed = [*places.unparsed]
    tables: list[Table] = []
    for place in places.all:
        table, missed = _table(place, places)
        tables.append(table)
        unparsed += missed
    shared = shared_of(places)
    if not tables and not unparsed and shared is None:
        return None
    tables = _with_target_types(sorted(tables, key=lambda table: table.sources[0].start_line))
    unparsed.sort(key=lambda statement: statement.line)
    # What has no columns here is reflected from the database, or they are those of a base elsewhere.
    operations = tuple(CreateTable(table) if table.columns else Describe(table, complete=True) for table in tables)
    return Facts(
        statements=len(operations) + len(unparsed), operations=operations, unparsed=tuple(unparsed), shared=shared
    )


def shared_of(places: Places) -> Shared | None:
    """Return what classes and functions of the file give tables of others, and what its tables have from others."""
    mixins = (*_mixins(places), *_factories(places.code))
    heirs = tuple(
        (place.name, heir) for place in places.all if place.one is not None for heir in _heirs(place.one, places)
    )
    return Shared(mixins=mixins, heirs=heirs) if mixins or heirs else None


def _mixins(places: Places) -> Iterator[Mixin]:
    """Yield the classes that have no table and give others columns, their own or those of bases in other files."""
    tables = {place.one.name for place in places.all if place.one is not None}
    for one in places.code.classes.values():
        if one.name in tables or places.mapped_parent(one) is not None:
            continue
        heirs = tuple(_heirs(one, places))
        hands_on = any(heir.column for heir in heirs) or (heirs and _is_base(one, places))
        if hands_on or _fields(one, places) or "mixin" in one.name.lower():  # one without columns is known to have none
            place = Place(Name(one.name), one.outer, one=one)
            yield Mixin(_table(place, places)[0], heirs)


def _is_base(one: Class, places: Places) -> bool:
    """Tell whether a class without columns may hand on those of its bases: one that says nothing of its own tables."""
    return all(
        "mixin" in name.lower() or last_part(name).endswith(("Base", "Model")) for name in places.strange_bases(one)
    )


def _factories(code: Code) -> Iterator[Mixin]:
    """Yield the functions that return a column."""
    for name, function in code.functions.items():
        call = column_of_function(function, code)
        field = read_column(call, code, attribute=name) if call is not None else None
        if field is not None:
            empty = Table(Name(name), origins=(Origin.ORM,), sources=(lines_of(function),))
            table, _ = table_of(empty, [field], [], resolve=lambda target: target if target.table else None)
            yield Mixin(table, column=True)


def _heirs(one: Class, places: Places) -> Iterator[Heir]:
    """Yield what a class has from other files: the columns of bases, and those that functions return."""
    place = 0
    functions = foreign_calls(one, places.code)
    for attribute in one.members:
        if attribute in functions:
            yield Heir(functions[attribute], place, attribute)
            place += 1
        place += len(places.fields[one.name].get(attribute, ()))
    yield from (Heir(base, LAST_POSITION) for base in places.strange_bases(one))


def _table(place: Place, places: Places) -> tuple[Table, list[Unparsed]]:
    """Return a table, and what of it could not be read."""
    fields, constraints, unparsed = _of_class(place.one, places) if place.one is not None else _of_call(place, places)
    table = Table(
        place.name,
        comment=place.comment,
        alias=place.alias,
        relations=tuple(_relations(place.one, places)) if place.one is not None else (),
        origins=(Origin.ORM,),
        sources=(lines_of(place.node),),
    )
    done, unknown = table_of(
        table, fields, constraints, resolve=lambda target: _resolved(target, place=place, places=places)
    )
    unparsed += [
        Unparsed(
            source.start_line, f"{place.name}: foreign key", "the table that it refers to is in another file", True
        )
        for source in unknown
    ]
    return done, unparsed


def _of_call(place: Place, places: Places) -> tuple[list[Field], list[Constraint], list[Unparsed]]:
    """Return the columns and keys of a call of Table."""
    code, call = place.code or places.code, place.call
    if call is None:
        return [], [], []
    calls = [one for argument in call.arguments[1:] if (one := code.call(argument)) is not None]
    columns = [one for one in calls if last_part(one.name) in COLUMN_CALLS]
    fields = [field for column in columns if (field := read_column(column, code)) is not None]
    attributes = {field.column.name: field.column.name for field in fields}
    rules = [rule for one in calls if (rule := read_constraint(one, code, attributes=attributes)) is not None]
    whole = call.complete and len(fields) == len(columns)
    return fields, rules, [] if whole else [unparsed_at(call.node, "some of its columns are computed")]


def _of_class(one: Class, places: Places) -> tuple[list[Field], list[Constraint], list[Unparsed]]:
    """Return the columns and keys of a class, of the bases in the file that have no table, and of such children."""
    code = places.code
    fields = _fields(one, places)
    for child in places.children.get(one.name, []):
        fields |= {name: found for name, found in _fields(child, places).items() if name not in fields}
    columns: dict[str, Field] = {}
    for field in fields.values():
        columns.setdefault(field.column.name.casefold(), field)
    attributes = {field.attribute: field.column.name for field in fields.values()}
    rules: list[Constraint] = []
    for other in (one, *places.plain_bases(one)):
        if arguments := table_arguments(other, code):
            inside = code.within(other)
            calls = [call for node in arguments if (call := inside.call(node)) is not None]
            read_rules = [read_constraint(call, inside, attributes=attributes) for call in calls]
            rules = [rule for rule in read_rules if rule is not None]
            break
    carriers = [last_part(name) for name in places.strange_bases(one) if _brings_columns(name, one)]
    unparsed = [unparsed_at(one.node, f"the columns of {name} are in another file") for name in carriers]
    return [*columns.values()], rules, unparsed


def _relations(one: Class, places: Places) -> Iterator[Relation]:
    """Yield the attributes of a class, and of bases without a table, that lead to other classes."""
    seen: set[str] = set()
    for other in (one, *places.plain_bases(one)):
        for member in other.members.values():
            if member.name not in seen and (relation := relation_of(member, places.code)) is not None:
                yield relation
            seen.add(member.name)


def _brings_columns(base: str, one: Class) -> bool:
    """Tell whether a base of another file is likely to have columns: a mixin, or what a SQLModel derives from."""
    name = last_part(base)
    return name not in BARE_BASES if "table" in one.keywords else "mixin" in name.lower()


def _fields(one: Class, places: Places) -> dict[str, Field]:
    """Return the columns of a class by attribute: its own and those of bases without a table, as they are ordered."""
    levels: list[list[Field]] = []
    seen: set[str] = set()
    for other in (one, *places.plain_bases(one)):
        attributes = places.fields[other.name]
        levels.append([own for name, fields in attributes.items() if name not in seen for own in fields])
        seen |= attributes.keys()  # what a class below redeclares, or takes away
    if "table" in one.keywords:  # SQLModel begins with the fields of the base
        levels.reverse()
    return {f"{own.attribute}.{own.column.name}": own for fields in levels for own in fields}


def _resolved(target: Target, *, place: Place, places: Places) -> Target | None:
    """Return what a foreign key refers to by the names of table and column; None where that is not known.

    A class of another file stands for its table.
    """
    if target.table is not None:
        schema = target.table.schema or place.metadata_schema
        return Target(Name(target.table.name, schema=schema), target.column)
    other = places.by_variable.get(target.variable)
    if other is None and target.is_class and target.variable in places.code.imports:
        model = last_part(places.code.imports[target.variable])
        return Target(Name(model), target.column, variable=model)
    if other is None:
        return None
    fields = _fields(other.one, places).values() if other.one is not None else ()
    columns = [field.column.name for field in fields if field.attribute == target.column]
    return Target(other.name, columns[0] if columns else target.column)


def _with_target_types(tables: Sequence[Table]) -> list[Table]:
    """Return tables whose foreign keys have the type of the column that they refer to, where none is written."""
    types = {(table.name.key, column.name.casefold()): column.type for table in tables for column in table.columns}
    done: list[Table] = []
    for table in tables:
        targets = {
            key.columns[0]: types.get((key.table.key, key.referenced[0].casefold()), "")
            for key in table.foreign_keys
            if len(key.columns) == 1 and key.referenced
        }
        columns = tuple(
            column if column.type else msgspec.structs.replace(column, type=targets.get(column.name, ""))
            for column in table.columns
        )
        done.append(msgspec.structs.replace(table, columns=columns))
    return done
