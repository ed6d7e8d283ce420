"""The parentheses of a table to its columns, keys and checks, each with what comments say of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from coderag.sql.ddl.found import Found
from coderag.sql.ddl.recover import items_by_line
from coderag.sql.ddl.tables.column_comments import Notes, Place, notes_of
from coderag.sql.ddl.tables.columns import read_column
from coderag.sql.ddl.tables.constraints import Constraint, read_constraints
from coderag.sql.records import Column, ForeignKey, Name
from coderag.sql.statements.cursor import Cursor

__all__ = ["Body", "notes_of_items", "read_body"]


@dataclass(slots=True)
class Body:
    """What is collected of a table while it is read."""

    columns: list[Column] = field(default_factory=list)
    primary_key: tuple[str, ...] = ()
    unique: dict[tuple[str, ...], None] = field(default_factory=dict)
    foreign_keys: list[ForeignKey] = field(default_factory=list)
    checks: list[str] = field(default_factory=list)
    values: dict[str, tuple[str, ...]] = field(default_factory=dict)  # that checks allow, by column
    notes: dict[str, str] = field(default_factory=dict)  # beside checks, by column
    note: str = ""  # the comment behind the "("
    parent: Name | None = None  # LIKE

    def take(self, constraint: Constraint) -> None:
        """Add a constraint."""
        self.primary_key = constraint.primary_key or self.primary_key
        if constraint.unique:
            self.unique[constraint.unique] = None
        if constraint.foreign_key:
            self.foreign_keys.append(constraint.foreign_key)
        if constraint.check:
            self.checks.append(constraint.check)
        self.values.update({column.casefold(): values for column, values in constraint.values.items()})
        self.parent = constraint.parent or self.parent

    def finished(self) -> Iterator[Column]:
        """Yield the columns with what is said of them elsewhere in the table."""
        keys = {name.casefold() for name in self.primary_key}
        for column in self.columns:
            name = column.name.casefold()
            nullable = column.nullable and name not in keys
            values = column.values or self.values.get(name, ())
            comment = column.comment or self.notes.get(name, "")
            if (nullable, values, comment) != (column.nullable, column.values, column.comment):
                column = replace(column, nullable=nullable, values=values, comment=comment)
            yield column


def read_body(cursor: Cursor, found: Found, *, first: int) -> Body:
    """Read the parentheses that come next; `first` is where the statement begins."""
    body = Body()
    opening = cursor.index
    closing = cursor.script.closing[opening]
    if closing < cursor.end:
        items = list(cursor.within(opening + 1, closing).items())
        cursor.index = closing + 1
    else:
        items, cursor.index = items_by_line(cursor.within(opening + 1, cursor.end))
        found.lose(cursor, "the statement has no end; what could be read of it is kept", first=first, table=True)
    items = [item for item in items if not item.done]
    notes = notes_of_items(cursor, items, opening=opening)
    body.note = notes.table
    for item, note in zip(items, notes.items, strict=True):
        _read_item(item, note, body, found=found)
    return body


def notes_of_items(cursor: Cursor, items: Sequence[Cursor], *, opening: int) -> Notes:
    """Return what comments say of the items between an opening parenthesis and the token before the cursor."""
    tokens = cursor.tokens
    places = [Place(tokens[item.index].start, tokens[item.end - 1].end) for item in items]
    return notes_of(cursor.script, places, start=tokens[opening].end, end=tokens[cursor.index - 1].end)


def _read_item(item: Cursor, note: str, body: Body, *, found: Found) -> None:
    """Read a column or the constraints that stand between two commas."""
    first = item.index
    constraints = read_constraints(item)
    if constraints and note:
        body.notes.update({column.casefold(): note for column in constraints[-1].values})
    if not constraints:
        definition = read_column(item)
        if definition is None:
            found.lose(item, "a column or constraint could not be read", first=first, table=True)
            return
        if definition.is_option:
            return
        body.columns.append(definition.column(item, first=first, comment=note))
        constraints = definition.constraints
    for constraint in constraints:
        if constraint.lost:
            found.lose(item, constraint.lost, first=first, table=True)
        body.take(constraint)
