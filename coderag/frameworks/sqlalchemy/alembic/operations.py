"""Alembic's operations, one call each, to what they do to tables.

https://alembic.sqlalchemy.org/en/latest/ops.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from tree_sitter import Node

from coderag.frameworks.common.origins import lines_of, unparsed_at
from coderag.frameworks.sqlalchemy.columns import (
    COLUMN_CALLS,
    Field,
    Target,
    column_names,
    foreign_key,
    has_clause,
    read_column,
    read_constraint,
    server_default,
    sql_text,
    table_of,
)
from coderag.frameworks.sqlalchemy.types import sql_type
from coderag.sql.records import (
    AddColumn,
    AddConstraint,
    AlterColumn,
    CommentOn,
    CreateTable,
    Drop,
    DropColumn,
    DropConstraint,
    Evidence,
    Name,
    ObjectKind,
    Origin,
    Rename,
    RenameColumn,
    SchemaOperation,
    Source,
    Table,
    Unparsed,
)
from coderag.syntax.languages.python import Call, Code, last_part
from coderag.syntax.trees.tree import text_of

__all__ = ["COMPUTED", "PASSED", "Step", "read_step"]

COMPUTED = "not read: computed at run time"
# Operations that change no table.
PASSED = frozenset(
    "get_bind get_context f inline_literal bulk_insert invoke run_async create_exclude_constraint".split()
)
Found = list[SchemaOperation | Unparsed]


@dataclass(frozen=True, slots=True)
class Step:
    """A call of an operation."""

    call: Call
    code: Code
    batch: Name | None  # the table of the batch block that it belongs to

    @property
    def source(self) -> Source:
        """The lines of the call."""
        return lines_of(self.call.node)

    def argument(self, position: int, keyword: str, *, table: int = 0) -> Node | None:
        """Return an argument; `table` is the position of the table, which a batch block leaves out."""
        shift = 1 if self.batch is not None and position > table else 0
        return self.call.argument(position - shift, keyword)

    def table(self, position: int = 0, keyword: str = "table_name", schema: str = "schema") -> Name | None:
        """Return the table that is changed, None where its name is computed."""
        if self.batch is not None:
            return self.batch
        name = self.code.string(self.call.argument(position, keyword))
        return Name(name, schema=self.text(schema)) if name else None

    def text(self, keyword: str) -> str:
        """Return a keyword argument that is a string, "" where there is none."""
        return self.code.string(self.call.keywords.get(keyword)) or ""

    def name_at(self, position: int, keyword: str) -> str:
        """Return the name of a constraint, which op.f() may wrap; "" where there is none."""
        node = self.call.argument(position, keyword)
        call = self.code.call(node)
        if call is not None and last_part(call.name) == "f":
            node = call.argument(0)
        return self.code.string(node) or ""


def read_step(name: str, step: Step) -> Found:
    """Return what an operation does, or that it could not be read."""
    operation = OPERATIONS.get(name)
    if operation is None:
        return [] if name in PASSED else [unparsed_at(step.call.node, f"not read: op.{name} is not known")]
    found = operation(step)
    return [unparsed_at(step.call.node, COMPUTED)] if found is None else found


def _same(target: Target) -> Target:
    return target


def _create_table(step: Step) -> Found | None:
    name = step.table()
    if name is None:
        return None
    calls = [call for argument in step.call.arguments[1:] if (call := step.code.call(argument)) is not None]
    columns = [call for call in calls if last_part(call.name) in COLUMN_CALLS]
    fields = [field for column in columns if (field := read_column(column, step.code)) is not None]
    rules = [rule for call in calls if (rule := read_constraint(call, step.code, attributes={})) is not None]
    table = Table(
        name,
        comment=step.text("comment") or step.code.comment_above(step.call.node),
        origins=(Origin.MIGRATION,),
        sources=(step.source,),
    )
    done, _ = table_of(table, fields, rules, resolve=_same, evidence=Evidence.DECLARED)
    missing = step.code.truth(step.call.keywords.get("if_not_exists")) is True
    whole = step.call.complete and len(fields) == len(columns) and len(calls) == len(step.call.arguments) - 1
    created = CreateTable(done, if_missing=missing)
    return [created] if whole else [created, unparsed_at(step.call.node, "some of its columns are computed")]


def _add_column(step: Step) -> Found | None:
    table = step.table()
    call = step.code.call(step.argument(1, "column"))
    field = read_column(call, step.code) if call is not None and last_part(call.name) in COLUMN_CALLS else None
    if table is None or field is None:
        return None
    after = step.text("insert_after") or None
    missing = step.code.truth(step.call.keywords.get("if_not_exists")) is True
    operations: Found = [AddColumn(table, field.column, after=after, if_missing=missing, source=step.source)]
    return [*operations, *_keys_of(table, field, step.source)]


def _keys_of(table: Name, added: Field, source: Source) -> Iterator[SchemaOperation]:
    """Yield the keys that a column brings with it."""
    column = added.column.name
    for target in added.targets:
        key = foreign_key([column], [target], _same, evidence=Evidence.DECLARED, source=source)
        if key is not None:
            yield AddConstraint(table, foreign_key=key, source=source)
    if added.primary_key:
        yield AddConstraint(table, primary_key=(column,), source=source)
    if added.unique:
        yield AddConstraint(table, unique=(column,), source=source)
    for check in added.checks:
        yield AddConstraint(table, check=check, source=source)


def _drop_column(step: Step) -> Found | None:
    table, column = step.table(), step.code.string(step.argument(1, "column_name"))
    if table is None or not column:
        return None
    return [DropColumn(table, column, if_exists=_if_exists(step), source=step.source)]


def _alter_column(step: Step) -> Found | None:
    table, column = step.table(), step.code.string(step.argument(1, "column_name"))
    if table is None or not column:
        return None
    words = step.call.keywords
    of = sql_type(words["type_"], step.code) if "type_" in words else None
    comment = words.get("comment")
    changed = AlterColumn(
        table,
        column,
        type=of.text if of is not None else None,
        nullable=step.code.truth(words.get("nullable")),
        default=_new_default(words.get("server_default"), step.code),
        comment=None if comment is None or step.code.truth(comment) is False else step.code.string(comment) or "",
        values=of.values or None if of is not None else None,
        source=step.source,
    )
    empty = AlterColumn(table, column, source=step.source)
    operations: Found = [changed] if changed != empty else []
    if to := step.text("new_column_name"):
        operations.append(RenameColumn(table, column, to, source=step.source))
    return operations


def _new_default(node: Node | None, code: Code) -> str | None:
    """Return the default that a column gets: None where it stays, "" where it is taken away."""
    if node is None or code.truth(node) is False:
        return None
    default = server_default(node, code)
    return default if default or text_of(node) == "None" else None


def _rename_table(step: Step) -> Found | None:
    old, new = step.table(0, "old_table_name"), step.code.string(step.call.argument(1, "new_table_name"))
    if old is None or not new:
        return None
    return [Rename(old, Name(new, schema=old.schema), source=step.source)]


def _drop_table(step: Step) -> Found | None:
    table = step.table()
    return [Drop(table, if_exists=_if_exists(step), source=step.source)] if table is not None else None


def _if_exists(step: Step) -> bool:
    return step.code.truth(step.call.keywords.get("if_exists")) is True


def _create_foreign_key(step: Step) -> Found | None:
    table = step.table(1, "source_table", "source_schema")
    referred = step.code.string(step.argument(2, "referent_table", table=1))
    columns = step.code.strings(step.argument(3, "local_cols", table=1))
    referenced = step.code.strings(step.argument(4, "remote_cols", table=1))
    if table is None or not referred or not columns or referenced is None:
        return None
    targets = [Target(Name(referred, schema=step.text("referent_schema")), column) for column in referenced]
    name = step.name_at(0, "constraint_name")
    key = foreign_key(columns, targets, _same, name=name, evidence=Evidence.DECLARED, source=step.source)
    return [AddConstraint(table, name=name, foreign_key=key, source=step.source)] if key is not None else None


def _create_key(step: Step, *, primary: bool) -> Found | None:
    table = step.table(1, "table_name")
    node = step.argument(2, "columns", table=1)
    columns = step.code.strings(node)
    if table is None or not columns:
        return None
    name = step.name_at(0, "constraint_name")
    if primary:
        return [AddConstraint(table, name=name, primary_key=columns, source=step.source)]
    return [AddConstraint(table, name=name, unique=columns, source=step.source)]


def _create_check(step: Step) -> Found | None:
    table = step.table(1, "table_name")
    text = sql_text(step.argument(2, "condition", table=1), step.code)
    if table is None or not text:
        return None
    name = step.name_at(0, "constraint_name")
    return [AddConstraint(table, name=name, check=text, source=step.source)]


def _create_index(step: Step) -> Found | None:
    """Read a unique index; others are no part of a schema's meaning."""
    if not step.code.truth(step.call.keywords.get("unique")) or has_clause(step.call.keywords):
        return []
    table = step.table(1, "table_name")
    nodes = step.code.items(step.argument(2, "columns", table=1))
    columns = column_names(nodes, step.code, attributes={}) if nodes is not None else None
    if table is None or nodes is None:
        return None
    name = step.name_at(0, "index_name")
    return [AddConstraint(table, name=name, unique=columns, source=step.source)] if columns else []


def _drop_index(step: Step) -> Found | None:
    name = step.name_at(0, "index_name")
    if not name:
        return []
    table = step.table(1, "table_name")
    schema = table.schema if table is not None else step.text("schema")
    return [Drop(Name(name, schema=schema), ObjectKind.INDEX, if_exists=_if_exists(step), source=step.source)]


def _drop_constraint(step: Step) -> Found | None:
    table = step.table(1, "table_name")
    if table is None:
        return None
    name = step.name_at(0, "constraint_name")
    kind = step.code.string(step.argument(2, "type_", table=1))
    if not name and kind != "primary":
        return None
    return [
        DropConstraint(table, name=name, primary_key=kind == "primary", if_exists=_if_exists(step), source=step.source)
    ]


def _table_comment(step: Step, *, drop: bool) -> Found | None:
    table = step.table()
    text = "" if drop else step.code.string(step.argument(1, "comment"))
    return [CommentOn(table, text, source=step.source)] if table is not None and text is not None else None


OPERATIONS: dict[str, Callable[[Step], Found | None]] = {
    "add_column": _add_column,
    "alter_column": _alter_column,
    "create_check_constraint": _create_check,
    "create_foreign_key": _create_foreign_key,
    "create_index": _create_index,
    "create_primary_key": partial(_create_key, primary=True),
    "create_table": _create_table,
    "create_table_comment": partial(_table_comment, drop=False),
    "create_unique_constraint": partial(_create_key, primary=False),
    "drop_column": _drop_column,
    "drop_constraint": _drop_constraint,
    "drop_index": _drop_index,
    "drop_table": _drop_table,
    "drop_table_comment": partial(_table_comment, drop=True),
    "rename_table": _rename_table,
}
