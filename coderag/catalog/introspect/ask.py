"""A database's answers to the questions of its dialect's catalog.sql, as typed rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from coderag.catalog.introspect import rows
from coderag.catalog.introspect.catalog import Section, read_catalog
from coderag.catalog.introspect.errors import StatementError
from coderag.catalog.introspect.rows import RowT, typed_rows
from coderag.catalog.introspect.session import Session
from coderag.errors import DatabaseError
from coderag.sql.records import Unparsed

__all__ = ["Answers", "ask"]

TITLES = {"table": "TABLE", "view": "VIEW", "materialized view": "VIEW", "external table": "TABLE"}


class Answers(msgspec.Struct, frozen=True):
    """What a database said of itself, section by section."""

    dialect: str
    database: rows.DatabaseRow
    schemas: list[rows.CommentRow]
    tables: list[rows.TableRow]
    columns: list[rows.ColumnRow]
    row_counts: list[rows.RowCountRow]
    defaults: list[rows.DefaultRow]
    keys: list[rows.KeyRow]
    foreign_keys: list[rows.ForeignKeyRow]
    checks: list[rows.CheckRow]
    views: list[rows.ViewRow]
    definitions: list[rows.DefinitionRow]
    types: list[rows.TypeRow]
    type_values: list[rows.TypeValueRow]
    type_columns: list[rows.TypeColumnRow]
    type_checks: list[rows.TypeCheckRow]
    routines: list[rows.RoutineRow]
    parameters: list[rows.ParameterRow]
    triggers: list[rows.TriggerRow]
    unparsed: list[Unparsed]


def ask(session: Session, schemas: Sequence[str] = ()) -> Answers:
    """Return what a database says of its schemas, or of those named.

    Raises DatabaseError when it cannot be read at all; what it refuses in part is in `unparsed`.
    """
    return _Asking(session).answers(schemas)


class _Asking:
    """One reading of a catalog: the session, and what could not be read so far."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._catalog: Mapping[str, Section] = read_catalog(session.dialect)
        self._schemas: list[str] = []
        self._objects: list[rows.TableRow] = []
        self._unparsed: list[Unparsed] = []

    def answers(self, wanted: Sequence[str]) -> Answers:
        database = self._must("database", rows.DatabaseRow)[0]
        known = self._must("schemas", rows.CommentRow)
        self._schemas = _chosen(wanted, known, database, self._session)
        tables = self._must("tables", rows.TableRow) if self._schemas else []
        self._objects = [table for table in tables if table.readable and table.id]
        columns = self._must("columns", rows.ColumnRow) if self._schemas else []
        return Answers(
            dialect=self._session.dialect,
            database=database,
            schemas=[*known, *self._may("schema_comments", rows.CommentRow)],
            tables=tables,
            columns=columns,
            row_counts=self._may("row_counts", rows.RowCountRow),
            defaults=self._may("defaults", rows.DefaultRow),
            keys=[*self._may("primary_keys", rows.KeyRow), *self._may("keys", rows.KeyRow)],
            foreign_keys=self._may("foreign_keys", rows.ForeignKeyRow),
            checks=self._may("checks", rows.CheckRow),
            views=self._may("views", rows.ViewRow),
            definitions=self._may("definitions", rows.DefinitionRow),
            types=self._may("types", rows.TypeRow),
            type_values=self._may("type_values", rows.TypeValueRow),
            type_columns=self._may("type_columns", rows.TypeColumnRow),
            type_checks=self._may("type_checks", rows.TypeCheckRow),
            routines=self._may("routines", rows.RoutineRow),
            parameters=self._may("parameters", rows.ParameterRow),
            triggers=self._may("triggers", rows.TriggerRow),
            unparsed=self._unparsed,
        )

    def _must(self, name: str, kind: type[RowT]) -> list[RowT]:
        try:
            return self._rows(self._catalog[name], kind)
        except StatementError as error:
            raise DatabaseError(f"{self._session.url.name}: the list of its {name} cannot be read: {error}") from None

    def _may(self, name: str, kind: type[RowT]) -> list[RowT]:
        section = self._catalog.get(name)
        if section is None or not self._schemas:
            return []
        try:
            return self._rows(section, kind)
        except StatementError as error:
            self._unparsed.append(Unparsed(0, name.replace("_", " "), f"the database does not tell them: {error}"))
            return []

    def _rows(self, section: Section, kind: type[RowT]) -> list[RowT]:
        if section.when and not self._session.rows(section.when):
            return []
        if "objects" in section.parameters:
            return self._rows_of(self._objects, section, kind)
        return typed_rows(self._session.rows(section.text, {"schemas": self._schemas}), kind)

    def _rows_of(self, objects: list[rows.TableRow], section: Section, kind: type[RowT]) -> list[RowT]:
        """Ask for some tables; what is refused is halved until the one that spoils it stands alone."""
        if not objects:
            return []
        parameters = {"schemas": self._schemas, "objects": [table_row.id for table_row in objects]}
        try:
            return typed_rows(self._session.rows(section.text, parameters), kind)
        except StatementError as error:
            if len(objects) == 1:
                self._give_up(objects[0], f"its {section.name} cannot be read: {error}")
                return []
        middle = len(objects) // 2
        return [*self._rows_of(objects[:middle], section, kind), *self._rows_of(objects[middle:], section, kind)]

    def _give_up(self, table: rows.TableRow, reason: str) -> None:
        self._unparsed.append(Unparsed(0, f"{TITLES[table.kind]} {table.schema_name}.{table.name}", reason, table=True))
        self._objects = [table_row for table_row in self._objects if table_row.id != table.id]


def _chosen(
    wanted: Sequence[str], known: Sequence[rows.CommentRow], database: rows.DatabaseRow, session: Session
) -> list[str]:
    names = [comment_row.name for comment_row in known]
    if unknown := [name for name in wanted if name not in names]:
        raise DatabaseError(f"{session.url.name} has no schema {unknown[0]!r}; it has {', '.join(names) or 'none'}")
    if wanted:
        return list(wanted)
    # To MySQL, a schema is a database, and an address names one of them.
    alone = session.dialect in {"mysql", "mariadb"} and database.name
    return [database.name] if alone else names
