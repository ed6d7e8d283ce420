"""The names in a query's scope: relations, their columns, and the base columns behind these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from coderag.sql.records import ColumnUse, Join, Name

__all__ = [
    "HOLE",
    "NOTHING",
    "OPAQUE",
    "STAR",
    "ColumnsOf",
    "Found",
    "Output",
    "Relation",
    "Scope",
    "all_outputs",
    "candidates",
    "in_relation",
    "join_key",
    "joins_of",
    "look_up",
    "merged_outputs",
    "narrowed",
    "table_relation",
    "unique_names",
    "written_name",
]

ColumnsOf = Callable[[Name], frozenset[str] | None]  # a table's columns, casefolded; None if it is not known

STAR = "*"
HOLE = "coderag_hole"  # what stands for the hole of a template: nothing is said of it
PSEUDO_TABLES = frozenset({"new", "old", "inserted", "deleted", "excluded"})  # rows of a trigger or an upsert
PSEUDO_COLUMNS = frozenset({"rownum", "rowid", "sysdate", "systimestamp"})
VARIABLE_SIGNS = ("$", "@", ":")
MAX_OUTPUTS = 5_000  # columns of SELECT *; CTEs that join each other double them at every step
MAX_CANDIDATES = 50  # tables of a column; where it may be in more, nothing is said
MAX_PAIRS = 16  # of base columns behind one equality; only unions have more than one


class Output(NamedTuple):
    """A column of a relation, the base columns behind it, and whether it is one of them unchanged."""

    name: str
    uses: tuple[ColumnUse, ...] = ()
    plain: bool = False


OPAQUE = Output(STAR)  # columns that nothing is known of


class Relation:
    """What a name in FROM stands for: a base table is a relation with one output, its star."""

    __slots__ = ("by_name", "open", "outputs", "tables")

    def __init__(self, outputs: Iterable[Output] = ()) -> None:
        self.outputs: list[Output] = []
        self.by_name: dict[str, Output] = {}
        self.tables: tuple[Name, ...] = ()  # the base tables all of whose columns pass through
        self.open = False  # it may have columns that are not listed
        self.extend(outputs)

    def extend(self, outputs: Iterable[Output]) -> None:
        """Add columns; of two with one name the first counts."""
        for output in outputs:
            self.outputs.append(output)
            if output.name == STAR:
                self.open = True
                self.tables = unique_names((*self.tables, *(table for use in output.uses for table in use.tables)))
            else:
                self.by_name.setdefault(output.name.casefold(), output)

    def renamed(self, names: Sequence[str]) -> Relation:
        """Return the relation with other names for its first columns, as far as it is known which those are."""
        if not names:
            return self
        if self.open and self.outputs[0].name == STAR and len(names) > 1:
            return Relation([*(Output(name, ()) for name in names), *self.outputs])
        outputs = list(self.outputs)
        for index, name in enumerate(names):
            if index == len(outputs) or outputs[index].name == STAR:
                return Relation([*outputs[:index], *(Output(left) for left in names[index:]), *outputs[index:]])
            outputs[index] = outputs[index]._replace(name=name)
        return Relation(outputs)


def table_relation(name: Name) -> Relation:
    """Return the relation of a base table."""
    return Relation([Output(STAR, (ColumnUse(STAR, (name,)),), plain=True)])


class Found(NamedTuple):
    """The base columns that a column stands for, and the instance of the relation that it was found in."""

    instance: str = ""
    uses: tuple[ColumnUse, ...] = ()
    plain: bool = False


NOTHING = Found()


@dataclass(slots=True)
class Scope:
    """The relations that a column may belong to, by casefolded alias in the order of FROM."""

    parent: Scope | None = None
    ctes: Mapping[str, Relation] = field(default_factory=dict)
    target: str = ""  # the alias of what the statement writes
    sources: dict[str, Relation] = field(default_factory=dict)
    aliases: set[str] = field(default_factory=set)  # of the select list, where a clause sees them
    shared: dict[str, str] = field(default_factory=dict)  # columns of USING: the first instance that has it
    pairs: dict[tuple[str, str], list[tuple[Found, Found]]] = field(default_factory=dict)
    known: dict[tuple[str, ...], Found] = field(default_factory=dict)  # what was looked up since the last change
    candidates: tuple[Name, ...] | None = None  # of a column without a qualifier, since the last change

    def add(self, relation: Relation, alias: str) -> str:
        """Add a relation and return its key; one without a name gets a key that nothing else has."""
        key = alias.casefold()
        if not key or key in self.sources:
            key = f"{key}\0{len(self.sources)}"
        self.sources[key] = relation
        self.known.clear()
        self.candidates = None
        return key

    def open_tables(self) -> tuple[Name, ...]:
        """Return the base tables all of whose columns are in scope."""
        if self.candidates is None:
            self.candidates = unique_names(table for source in self.sources.values() for table in source.tables)
        return self.candidates

    def levels(self) -> Iterator[tuple[str, Scope]]:
        """Yield this scope and those around it, each with what makes the keys of its relations unique here."""
        level: Scope | None = self
        mark = ""
        while level is not None:
            if level.sources:
                yield mark, level
            level, mark = level.parent, mark + "\0"

    def find(self, alias: str) -> tuple[str, Relation] | None:
        """Return the instance and the relation of an alias, here or in a query around this one."""
        key = alias.casefold()
        return next(((mark + key, one.sources[key]) for mark, one in self.levels() if key in one.sources), None)

    def inner(self, *, lateral: bool = False) -> Scope:
        """Return the scope around a query in FROM, which sees its neighbours only when it is lateral."""
        return Scope(parent=self if lateral else self.parent, ctes=self.ctes)


def all_outputs(scope: Scope) -> list[Output]:
    """Return the columns of all relations in a scope: what SELECT * stands for."""
    outputs: list[Output] = []
    stars: set[Output] = set()
    for relation in scope.sources.values():
        for output in relation.outputs:
            if output.name != STAR or output not in stars:
                outputs.append(output)
            if output.name == STAR:
                stars.add(output)
        if len(outputs) > MAX_OUTPUTS:
            return [*outputs[:MAX_OUTPUTS], OPAQUE]
    return outputs


def merged_outputs(left: list[Output], right: list[Output]) -> list[Output]:
    """Return the columns of a union: those of the first branch, each from what stands at its place in both."""
    merged: list[Output] = []
    for index, output in enumerate(left):
        other = right[index] if index < len(right) else OPAQUE
        if output.name == STAR or other.name == STAR:
            # From a star on, places tell nothing; what passes through does so from either side.
            stars = [one for one in (*left[index:], *right[index:]) if one.name == STAR]
            named = [one for one in left[index:] if one.name != STAR]
            uses = tuple(dict.fromkeys(use for star in stars for use in star.uses))
            return [*merged, *named, Output(STAR, uses, plain=True)]
        uses = tuple(dict.fromkeys((*output.uses, *other.uses)))
        merged.append(Output(output.name, uses, output.plain and other.plain))
    return merged


def look_up(parts: tuple[str, ...], scope: Scope, columns_of: ColumnsOf | None) -> Found:
    """Return the base columns that a name, in its parts, stands for in a scope."""
    if any(HOLE in part for part in parts):
        return NOTHING
    if len(parts) == 1:
        return _unqualified(parts[0], scope, columns_of)
    if (relation := scope.find(parts[-2])) is not None:
        return in_relation(*relation, parts[-1], columns_of)
    for qualifier, column in pairwise(parts):  # a field of a column: t.address.city
        if (relation := scope.find(qualifier)) is not None:
            return in_relation(*relation, column, columns_of)._replace(plain=False)
    if parts[0].casefold() in PSEUDO_TABLES:
        return NOTHING
    return _unqualified(parts[0], scope, columns_of)._replace(plain=False)


def in_relation(instance: str, relation: Relation, column: str, columns_of: ColumnsOf | None) -> Found:
    """Return the base columns behind a column of one relation."""
    if (output := relation.by_name.get(column.casefold())) is not None:
        return Found(instance, output.uses, output.plain)
    tables = candidates(column, relation.tables, columns_of)
    return Found(instance, (ColumnUse(column, tables),), len(tables) == 1) if tables else NOTHING


def _unqualified(column: str, scope: Scope, columns_of: ColumnsOf | None) -> Found:
    key = column.casefold()
    if key in scope.aliases or key in PSEUDO_COLUMNS or key.startswith(VARIABLE_SIGNS):
        return NOTHING
    for mark, level in scope.levels():
        for one, relation in level.sources.items():
            if (output := relation.by_name.get(key)) is not None:
                return Found(mark + one, output.uses, output.plain)
        tables = candidates(column, level.open_tables(), columns_of)
        if len(tables) > MAX_CANDIDATES:
            return NOTHING
        if tables:
            having = [one for one, relation in level.sources.items() if not set(tables).isdisjoint(relation.tables)]
            instance = mark + having[0] if len(having) == 1 else ""
            return Found(instance, (ColumnUse(column, tables),), len(tables) == len(having) == 1)
        if any(relation.open and not relation.tables for relation in level.sources.values()):
            return NOTHING  # nothing is known of that one, so it may be there
    return NOTHING


def candidates(column: str, tables: tuple[Name, ...], columns_of: ColumnsOf | None) -> tuple[Name, ...]:
    """Return the tables that may have a column."""
    return tables if columns_of is None else narrowed(column, tables, columns_of)


def joins_of(pairs: Iterable[tuple[Found, Found]]) -> Iterator[Join]:
    """Yield the joins that equal columns of two relations make, one for each two base tables behind them."""
    columns: dict[tuple[Name, Name], dict[tuple[str, str], None]] = {}
    for left, right in pairs:
        for column_use, other in [(use, other) for use in left.uses for other in right.uses][:MAX_PAIRS]:
            if len(column_use.tables) == 1 and len(other.tables) == 1 and STAR not in (column_use.column, other.column):
                columns.setdefault((column_use.tables[0], other.tables[0]), {})[column_use.column, other.column] = None
    for (left_table, right_table), names in columns.items():
        yield Join(left_table, tuple(one for one, _ in names), right_table, tuple(other for _, other in names))


def join_key(join: Join) -> tuple[object, ...]:
    """Return what is equal for the same join written in either direction and order."""
    columns = [
        (column.casefold(), two.casefold()) for column, two in zip(join.left_columns, join.right_columns, strict=True)
    ]
    if join.right.key < join.left.key:
        return join.right.key, join.left.key, *sorted((two, one) for one, two in columns)
    return join.left.key, join.right.key, *sorted(columns)


def narrowed(column: str, tables: tuple[Name, ...], columns_of: ColumnsOf) -> tuple[Name, ...]:
    """Return the tables that have a column; where none is known to, those that nothing is known of."""
    key = column.casefold()
    known = [(table, columns_of(table)) for table in tables]
    return tuple(table for table, names in known if names is not None and key in names) or tuple(
        table for table, names in known if names is None
    )


def written_name(parts: Sequence[str]) -> Name:
    """Return a name of its parts, at most the last three; the holes of a template in it are left out or a "*"."""
    qualifiers = ["" if HOLE in part else part for part in parts[:-1]]
    return Name(parts[-1].replace(HOLE, STAR), *reversed(["", "", *qualifiers][-2:]))


def unique_names(names: Iterable[Name]) -> tuple[Name, ...]:
    """Return names without those that come again in another case."""
    return tuple({name.key: name for name in names}.values())
