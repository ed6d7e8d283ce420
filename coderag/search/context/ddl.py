"""Tables as SQL that a person or a language model can read: columns, keys, comments, known values and where from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from coderag.sql.records import Column, Evidence, ForeignKey, Name, ObjectKind, Origin, Source, Table
from coderag.sql.statements.dialect import Dialect

__all__ = ["FULL_COMMENTS", "Comments", "Spelling", "column_note", "place", "table_ddl", "table_label", "value_list"]

PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9$]*\Z")
# Reserved words that are still used as column names, and need quotes then.
RESERVED = frozenset(
    """all alter and any as asc between by case check column constraint create cross current_date current_time
    current_timestamp current_user default delete desc distinct drop else end except exists false fetch for foreign
    from full grant group having in index inner insert intersect into is join key left like limit natural not null
    offset on or order outer primary references right select session_user set table then to true union unique update
    user using values view when where with""".split()
)
CLOSING = {"[": "]"}
VIEWS = frozenset({ObjectKind.VIEW, ObjectKind.MATERIALIZED_VIEW})
MAX_VALUES = 12
MAX_VALUE_CHARS = 40
MAX_COMMENT_CHARS = 300  # of a comment that are shown
MAX_QUERY_CHARS = 800
MAX_LEFT_OUT = 40  # names of columns that are only named


@dataclass(frozen=True, slots=True)
class Comments:
    """How many characters of comments are shown."""

    matching: int = MAX_COMMENT_CHARS  # of tables, and of columns that a question is about
    other: int = MAX_COMMENT_CHARS  # of other columns


FULL_COMMENTS = Comments()


@dataclass(frozen=True, slots=True)
class Spelling:
    """How names are written: the dialect, and the names whose case counts because they were made in quotes."""

    dialect: Dialect
    cased: frozenset[str] = frozenset()

    @classmethod
    def of(cls, dialect: Dialect, tables: Iterable[Table]) -> Spelling:
        """Return how the names of some tables are written in a dialect."""
        tables = tuple(tables)
        alike = frozenset(name for table in tables for name in _alike(table))
        if not dialect.folds:
            return cls(dialect, alike)
        names = set[str]()
        for table in tables:
            # The names of a live database are as they are, and frameworks write names in quotes.
            exact = Origin.LIVE in table.origins or Origin.DDL not in table.origins
            if exact or table.quoted:
                names.add(table.name.name)
            names.update(column.name for column in table.columns if exact or column.quoted)
        folded = str.lower if dialect.folds == "lower" else str.upper
        return cls(dialect, alike.union(name for name in names if name != folded(name)))

    def quoted(self, name: str) -> str:
        """Return a name as the dialect writes it: in quotes where it needs them."""
        if PLAIN_NAME.match(name) and name.lower() not in RESERVED and name not in self.cased:
            return name
        sign = self.dialect.identifiers[0]
        closing = CLOSING.get(sign, sign)
        return f"{sign}{name.replace(closing, closing * 2)}{closing}"

    def full_name(self, name: Name) -> str:
        """Return a table's name with its schema."""
        return ".".join(self.quoted(part) for part in (name.schema, name.name) if part)


def _alike(table: Table) -> Iterator[str]:
    """Yield the columns of a table that only case tells apart, for which each must stand in quotes."""
    counts = Counter(column.name.casefold() for column in table.columns)
    yield from (column.name for column in table.columns if counts[column.name.casefold()] > 1)


def place(source: Source) -> str:
    """Return path:line of a source; of a whole file or database only its name."""
    return f"{source.path}:{source.start_line}" if source.start_line else source.path


def table_ddl(
    table: Table,
    spelling: Spelling,
    *,
    columns: Sequence[Column] | None = None,
    values: bool = True,
    comments: Comments = FULL_COMMENTS,
    matching: Collection[str] = (),
) -> str:
    """Return a table as CREATE TABLE with comments; `columns` are those to write out, the others are only named."""
    lines = list(_heading(table, comments.matching))
    shown = table.columns if columns is None else columns
    if _is_short_view(table):
        return "\n".join([*lines, *_view(table, spelling)])
    rows: list[tuple[str, str]] = []
    for column in shown:
        chars = comments.matching if column.name in matching else comments.other
        note = column_note(table, column, values=values, comment_chars=chars)
        rows.append((_column(table, column, spelling), note))
    rows += [(text, "") for text in _constraints(table, spelling)]
    what = "CREATE VIEW" if table.kind in VIEWS else "CREATE TABLE"
    lines.append(f"{what} {spelling.full_name(table.name)} (")
    for position, (text, note) in enumerate(rows, start=1):
        comma = "," if position < len(rows) else ""
        lines.append(f"  {text}{comma}{f'  -- {note}' if note else ''}")
    kept = {column.name for column in shown}
    if left_out := [column.name for column in table.columns if column.name not in kept]:
        more = f", and {len(left_out) - MAX_LEFT_OUT} more" if len(left_out) > MAX_LEFT_OUT else ""
        lines.append(f"  -- and {', '.join(left_out[:MAX_LEFT_OUT])}{more}")
    lines.append(");")
    return "\n".join(lines)


def _is_short_view(table: Table) -> bool:
    """Tell whether a view is best shown as its query; a template is not SQL that runs."""
    templated = "{{" in table.query or "{%" in table.query
    return table.kind in VIEWS and 0 < len(table.query) <= MAX_QUERY_CHARS and not templated


def table_label(table: Table, *, comment_chars: int = MAX_COMMENT_CHARS) -> str:
    """Return what kind of table it is, what it is for, and where that is written, in one line."""
    about = [str(table.kind)] if table.kind is not ObjectKind.TABLE else []
    if comment := _one_line(table.comment, comment_chars):
        about.append(comment)
    if table.alias:
        about.append(f"model {table.alias}")
    if table.row_count >= 0:
        about.append(f"about {table.row_count:,} rows")
    if table.family:
        about.append(f"stands for {len(table.family)} alike tables, {table.family[0]} to {table.family[-1]}")
    return "; ".join([*(text.removesuffix(".") for text in about[:-1]), *about[-1:]])


def _heading(table: Table, comment_chars: int) -> Iterator[str]:
    about = table_label(table, comment_chars=comment_chars)
    where = place(table.sources[0]) if table.sources else ""
    if about or where:
        yield f"-- {about}{f' ({where})' if about and where else where}"


def _view(table: Table, spelling: Spelling) -> Iterator[str]:
    names = ", ".join(spelling.quoted(column.name) for column in table.columns)
    materialized = "MATERIALIZED " if table.kind is ObjectKind.MATERIALIZED_VIEW else ""
    columns = f" ({names})" if names else ""
    yield f"CREATE {materialized}VIEW {spelling.full_name(table.name)}{columns} AS"
    yield f"{table.query.strip().rstrip(';')};"


def _column(table: Table, column: Column, spelling: Spelling) -> str:
    parts = [spelling.quoted(column.name), column.type]
    if table.primary_key == (column.name,):
        parts.append("PRIMARY KEY")
    elif not column.nullable:
        parts.append("NOT NULL")
    if (column.name,) in table.unique:
        parts.append("UNIQUE")
    parts += [
        _reference(key, spelling)
        for key in table.foreign_keys
        if key.columns == (column.name,) and key.evidence is Evidence.DECLARED
    ]
    return " ".join(part for part in parts if part)


def _reference(key: ForeignKey, spelling: Spelling) -> str:
    columns = ", ".join(spelling.quoted(name) for name in key.referenced)
    return f"REFERENCES {spelling.full_name(key.table)}{f' ({columns})' if columns else ''}"


def _constraints(table: Table, spelling: Spelling) -> Iterator[str]:
    def listed(names: Sequence[str]) -> str:
        return ", ".join(spelling.quoted(name) for name in names)

    if len(table.primary_key) > 1:
        yield f"PRIMARY KEY ({listed(table.primary_key)})"
    for names in table.unique:
        if len(names) > 1:
            yield f"UNIQUE ({listed(names)})"
    for key in table.foreign_keys:
        if len(key.columns) > 1 and key.evidence is Evidence.DECLARED:
            yield f"FOREIGN KEY ({listed(key.columns)}) {_reference(key, spelling)}"


def column_note(table: Table, column: Column, *, values: bool, comment_chars: int = MAX_COMMENT_CHARS) -> str:
    """Return the note of a column: its comment, joins that are not declared, known values."""
    notes = [_one_line(column.comment, comment_chars)]
    notes += [
        f"refers to {key.table.name}{f'.{key.referenced[0]}' if key.referenced else ''} ({key.evidence})"
        for key in table.foreign_keys
        if key.columns == (column.name,) and key.evidence is not Evidence.DECLARED
    ]
    if column.generated:
        notes.append(f"computed: {_one_line(column.generated)}")
    if values and column.values:
        notes.append(f"values: {value_list(column.values)}")
    return "; ".join(note for note in notes if note)


def value_list(values: Sequence[str]) -> str:
    """Return some values as SQL strings, cut where they are many or long."""
    shown = ", ".join(
        "'" + _cut(_one_line(value), MAX_VALUE_CHARS).replace("'", "''") + "'" for value in values[:MAX_VALUES]
    )
    return f"{shown}, ... ({len(values)})" if len(values) > MAX_VALUES else shown


def _one_line(text: str, size: int = MAX_COMMENT_CHARS) -> str:
    return _cut(" ".join(text.split()), size)


def _cut(text: str, size: int) -> str:
    return text if len(text) <= size else f"{text[: size - 1].rstrip()}…"
