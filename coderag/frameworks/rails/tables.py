"""One call of Rails' schema statements on a table to operations: `t.string :name` and `add_column :users, :name, ...`.

Rails has every statement twice, inside a block on a table and outside with the table as the first argument; both are
read here in the first form. https://api.rubyonrails.org/classes/ActiveRecord/ConnectionAdapters/SchemaStatements.html
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from coderag.frameworks.rails.era import LATEST, Era
from coderag.frameworks.rails.ruby import Arguments
from coderag.sql.records import (
    AddColumn,
    AddConstraint,
    AlterColumn,
    Column,
    CommentOn,
    DropColumn,
    DropConstraint,
    ForeignKey,
    Name,
    RenameColumn,
    SchemaOperation,
    Source,
)
from coderag.syntax.trees.literals import COMPUTED, Literal, as_text, default_of, quoted, texts
from coderag.text.inflection import plural, singular

__all__ = [
    "OUTSIDE",
    "TableCall",
    "column_of",
    "foreign_key",
    "join_name",
    "operations_of",
    "qualified",
    "quoted",
]

BIG_BYTES = 8
SMALL_BYTES = 2
ATTACHMENT = {"file_name": "string", "content_type": "string"}
# What Rails calls types, to tell them from columns.
TYPES = frozenset(
    """bigint binary bit blob boolean cidr citext date datetime decimal float geometry hstore inet integer interval json
    jsonb macaddr money numeric oid point primary_key real smallint string text time timestamp timestamptz tsvector uuid
    virtual xml""".split()
)
MEDIUM_SIZES = frozenset({"tiny", "medium", "long"})


@dataclass(frozen=True, slots=True)
class TableCall:
    """A statement on a table; the arguments are those without it."""

    method: str
    table: Name
    arguments: Arguments
    source: Source
    era: Era = LATEST


Operations = list[SchemaOperation] | None  # None: it is computed at run time


def operations_of(call: TableCall) -> Operations:
    """Return what a statement on a table does; None where that is computed at run time."""
    handler = INSIDE.get(call.method)
    if handler is not None:
        return handler(call)
    # Every other method of a table is a type, as adapters and gems bring their own.
    return _typed_columns(call, call.method)


def qualified(name: str) -> Name:
    """Return the name of a table, which may have its schema in front."""
    schema, _, table = name.rpartition(".")
    return Name(table, schema=schema)


def column_of(name: str, kind: str, options: Mapping[str, Literal], source: Source) -> Column:
    """Return a column of a type with Rails' options."""
    comment = options.get("comment")
    return Column(
        name=name,
        type=_type(kind, options),
        nullable=options.get("null") is not False,
        default=_default(options) or "",
        comment=comment if isinstance(comment, str) else "",
        generated=as_text(options.get("as")) if kind == "virtual" else "",
        identity=kind in {"primary_key", "serial", "bigserial"},
        source=source,
    )


def foreign_key(call: TableCall, target: str) -> ForeignKey:
    """Return a key to a table; by convention the column is called after it, in the singular."""
    options = call.arguments.options
    columns = texts(options.get("column", f"{singular(qualified(target).name)}_id")) or ()
    return ForeignKey(
        columns=columns,
        table=qualified(target),
        referenced=texts(options.get("primary_key", COMPUTED)) or (),
        name=call.arguments.option("name"),
        source=call.source,
    )


def join_name(first: str, second: str) -> str:
    """Return the name of a join table: a prefix that both sides share is written once."""
    left, right = sorted((first, second))
    match = re.match(r"^(.*[._])(.+)\0\1(.+)", f"{left}\0{right}")
    return f"{match[1]}{match[2]}_{match[3]}" if match else f"{left}_{right}"


def _type(kind: str, options: Mapping[str, Literal]) -> str:
    """Return a type with its size, as Rails names it.

    integer, limit: 8                    -> "bigint"
    decimal, precision: 10, scale: 2     -> "decimal(10, 2)"
    """
    if kind == "virtual":
        kind = as_text(options.get("type"))
    elif kind == "enum":
        kind = as_text(options.get("enum_type", options.get("enum_name"))) or kind
    elif kind == "primary_key":
        kind = "bigint"
    size = as_text(options.get("size"))
    if size in MEDIUM_SIZES and kind in {"text", "blob", "binary"}:
        kind = size + ("text" if kind == "text" else "blob")
    limit = as_text(options.get("limit"))
    if kind == "integer" and limit.isdecimal():
        kind = "bigint" if int(limit) == BIG_BYTES else "smallint" if int(limit) == SMALL_BYTES else kind
        limit = ""
    sizes = [one for one in (limit, *(as_text(options.get(name)) for name in ("precision", "scale"))) if one]
    kind += f"({', '.join(sizes)})" if sizes and "(" not in kind else ""
    kind += " unsigned" if options.get("unsigned") is True else ""
    return kind + ("[]" if options.get("array") is True else "")


def _default(options: Mapping[str, Literal]) -> str | None:
    """Return the default as SQL has it; "" for none, None where there is no word of it or it is computed."""
    value = options.get("default", COMPUTED)
    if options.get("array") is True and isinstance(value, tuple):
        words = texts(value)
        return quoted("{" + ",".join(words or ()) + "}") if words or not value else None
    return default_of(value)


def _typed_columns(call: TableCall, kind: str) -> Operations:
    names = texts(call.arguments.values)
    return _added(call, names, kind) if names else None


def _column(call: TableCall) -> Operations:
    name, kind = call.arguments.text(0), call.arguments.text(1)
    return _added(call, [name], kind) if name and kind else None


def _added(call: TableCall, names: Sequence[str], kind: str) -> list[SchemaOperation]:
    options = call.arguments.options
    found: list[SchemaOperation] = []
    for name in names:
        after = as_text(options.get("after")) or ("" if options.get("first") is True else None)
        if_missing = options.get("if_not_exists") is True
        column = column_of(name, kind, options, call.source)
        found.append(AddColumn(call.table, column, after=after, if_missing=if_missing, source=call.source))
        if kind == "primary_key" or options.get("primary_key") is True:
            found.append(AddConstraint(call.table, primary_key=(name,), source=call.source))
        found += _option_index(call, (name,))
    return found


def _option_index(call: TableCall, columns: tuple[str, ...]) -> list[SchemaOperation]:
    """Return the unique key that the option `index` of a column makes."""
    index = call.arguments.options.get("index")
    if not isinstance(index, dict) or index.get("unique") is not True or "where" in index:
        return []
    name = as_text(index.get("name")) or _index_name(call.table, columns)
    return [AddConstraint(call.table, name=name, unique=columns, source=call.source)]


def _references(call: TableCall) -> Operations:
    names = texts(call.arguments.values)
    if not names:
        return None
    options = call.arguments.options
    found: list[SchemaOperation] = []
    for name in names:
        columns = [f"{name}_id"]
        id_options = {"null": options.get("null"), "comment": options.get("comment")}
        if polymorphic := options.get("polymorphic"):
            columns.insert(0, f"{name}_type")
            type_options = dict(polymorphic) if isinstance(polymorphic, dict) else {}
            made = column_of(columns[0], "string", {"null": options.get("null")} | type_options, call.source)
            found.append(AddColumn(call.table, made, source=call.source))
        kind = as_text(options.get("type")) or call.era.key_type
        limits = {key: value for key, value in options.items() if key in {"limit", "default", "unsigned"}}
        made = column_of(columns[-1], kind, id_options | limits, call.source)
        found.append(AddColumn(call.table, made, source=call.source))
        if key := _reference_key(call, name):
            found.append(AddConstraint(call.table, name=key.name, foreign_key=key, source=call.source))
        found += _option_index(call, tuple(columns))
    return found


def _reference_key(call: TableCall, name: str) -> ForeignKey | None:
    """Return the foreign key that the option `foreign_key` of a reference makes."""
    option = call.arguments.options.get("foreign_key")
    if option is not True and not isinstance(option, dict):
        return None
    options = option if isinstance(option, dict) else {}
    return ForeignKey(
        columns=(f"{name}_id",),
        table=qualified(as_text(options.get("to_table")) or plural(name)),
        referenced=texts(options.get("primary_key", COMPUTED)) or (),
        name=as_text(options.get("name")),
        source=call.source,
    )


def _timestamps(call: TableCall) -> Operations:
    options = {"null": not call.era.required_times} | dict(call.arguments.options)
    return [
        AddColumn(call.table, column_of(name, "datetime", options, call.source), source=call.source)
        for name in ("created_at", "updated_at")
    ]


def _attachment(call: TableCall) -> Operations:
    """Return the columns that Paperclip keeps of a file: `t.attachment :avatar`."""
    names = texts(call.arguments.values)
    if not names:
        return None
    size = "bigint" if call.era.sizes_files else "integer"
    return [
        AddColumn(call.table, column_of(f"{name}_{part}", kind, {}, call.source), source=call.source)
        for name in names
        for part, kind in (*ATTACHMENT.items(), ("file_size", size), ("updated_at", "datetime"))
    ]


def _remove_attachment(call: TableCall) -> Operations:
    names = texts(call.arguments.values)
    if not names:
        return None
    parts = (*ATTACHMENT, "file_size", "updated_at")
    return [DropColumn(call.table, f"{name}_{part}", source=call.source) for name in names for part in parts]


def _index(call: TableCall) -> Operations:
    options = call.arguments.options
    if options.get("unique") is not True or "where" in options:
        return []  # an index of other rows than all says nothing of the table
    columns = texts(call.arguments.values[0]) if call.arguments.values else None
    if not columns:
        return None
    if any("(" in column for column in columns):
        return []  # of an expression
    name = call.arguments.option("name") or _index_name(call.table, columns)
    return [AddConstraint(call.table, name=name, unique=columns, source=call.source)]


def _unique_constraint(call: TableCall) -> Operations:
    columns = texts(call.arguments.values[0]) if call.arguments.values else None
    if not columns:
        return [] if "using_index" in call.arguments.options else None
    return [AddConstraint(call.table, name=call.arguments.option("name"), unique=columns, source=call.source)]


def _foreign_key(call: TableCall) -> Operations:
    target = call.arguments.text(0)
    if not target:
        return None
    key = foreign_key(call, target)
    return [AddConstraint(call.table, name=key.name, foreign_key=key, source=call.source)] if key.columns else None


def _check(call: TableCall) -> Operations:
    text = call.arguments.text(0)
    if text is None:
        return None
    return [AddConstraint(call.table, name=call.arguments.option("name"), check=text.strip(), source=call.source)]


def _remove(call: TableCall) -> Operations:
    names = texts(call.arguments.values)
    if not names:
        return None
    if call.method == "remove_column":  # behind the column stands its type, for the way back; Rails 3 took several
        names = (names[0], *(() if call.arguments.options else (one for one in names[1:] if one not in TYPES)))
    if_exists = call.arguments.options.get("if_exists") is True
    return [DropColumn(call.table, name, if_exists=if_exists, source=call.source) for name in names]


def _remove_references(call: TableCall) -> Operations:
    names = texts(call.arguments.values)
    if not names:
        return None
    parts = ("id", "type") if call.arguments.options.get("polymorphic") else ("id",)
    return [DropColumn(call.table, f"{name}_{part}", source=call.source) for name in names for part in parts]


def _remove_timestamps(call: TableCall) -> Operations:
    return [DropColumn(call.table, name, source=call.source) for name in ("created_at", "updated_at")]


def _remove_index(call: TableCall) -> Operations:
    columns = texts(call.arguments.options.get("column", call.arguments.values[0] if call.arguments.values else None))
    name = call.arguments.option("name") or (_index_name(call.table, columns) if columns else "")
    # Whether it was unique is not said, so it may be one that is not known here.
    return [DropConstraint(call.table, name=name, if_exists=True, source=call.source)] if name else None


def _remove_foreign_key(call: TableCall) -> Operations:
    options = call.arguments.options
    if_exists = options.get("if_exists") is True
    name = call.arguments.option("name")
    target = call.arguments.text(0) or as_text(options.get("to_table"))
    columns = texts(options.get("column", f"{singular(qualified(target).name)}_id" if target else COMPUTED)) or ()
    if not name and not columns:
        return None
    return [DropConstraint(call.table, name=name, columns=columns, if_exists=if_exists, source=call.source)]


def _remove_named(call: TableCall) -> Operations:
    name = call.arguments.option("name")
    if not name:
        return []  # the name that Rails computes is a hash
    if_exists = call.arguments.options.get("if_exists") is True
    return [DropConstraint(call.table, name=name, if_exists=if_exists, source=call.source)]


def _rename(call: TableCall) -> Operations:
    old, new = call.arguments.text(0), call.arguments.text(1)
    return [RenameColumn(call.table, old, new, source=call.source)] if old and new else None


def _change(call: TableCall) -> Operations:
    name, kind = call.arguments.text(0), call.arguments.text(1)
    if not name or not kind:
        return None
    options = call.arguments.options
    null, comment = options.get("null"), options.get("comment")
    return [
        AlterColumn(
            call.table,
            name,
            type=_type(kind, options),
            nullable=null if isinstance(null, bool) else None,
            default=_default(options),
            comment=comment if isinstance(comment, str) else None,
            source=call.source,
        )
    ]


def _change_null(call: TableCall) -> Operations:
    name = call.arguments.text(0)
    null = call.arguments.values[1] if len(call.arguments.values) > 1 else None
    if not name or not isinstance(null, bool):
        return None
    return [AlterColumn(call.table, name, nullable=null, source=call.source)]


def _change_default(call: TableCall) -> Operations:
    name = call.arguments.text(0)
    default = _default({"default": _changed_to(call)})
    if not name or default is None:
        return None
    return [AlterColumn(call.table, name, default=default, source=call.source)]


def _change_comment(call: TableCall) -> Operations:
    name, comment = call.arguments.text(0), _changed_to(call)
    if not name or not (comment is None or isinstance(comment, str)):
        return None
    return [AlterColumn(call.table, name, comment=comment or "", source=call.source)]


def _changed_to(call: TableCall) -> Literal:
    if "to" in call.arguments.options:
        return call.arguments.options["to"]
    return call.arguments.values[1] if len(call.arguments.values) > 1 else COMPUTED


def _change_table_comment(call: TableCall) -> Operations:
    values = call.arguments.values
    text = call.arguments.options.get("to", values[0] if values else COMPUTED)
    if not (text is None or isinstance(text, str)):
        return None
    return [CommentOn(call.table, text or "", source=call.source)]


def _nothing(call: TableCall) -> Operations:  # noqa: ARG001 - as every handler is called
    return []


def _index_name(table: Name, columns: Sequence[str]) -> str:
    name = f"{table.schema}_{table.name}" if table.schema else table.name
    return f"index_{name}_on_{'_and_'.join(columns)}"


# By the method of a table in `create_table` and `change_table`.
INSIDE: Mapping[str, Callable[[TableCall], Operations]] = {
    "column": _column,
    "references": _references,
    "belongs_to": _references,
    "timestamps": _timestamps,
    "attachment": _attachment,
    "has_attached_file": _attachment,
    "remove_attachment": _remove_attachment,
    "drop_attached_file": _remove_attachment,
    "index": _index,
    "unique_constraint": _unique_constraint,
    "foreign_key": _foreign_key,
    "check_constraint": _check,
    "exclusion_constraint": _nothing,
    "validate_constraint": _nothing,
    "validate_check_constraint": _nothing,
    "validate_foreign_key": _nothing,
    "rename_index": _nothing,
    "remove": _remove,
    "remove_column": _remove,
    "remove_columns": _remove,
    "remove_references": _remove_references,
    "remove_belongs_to": _remove_references,
    "remove_timestamps": _remove_timestamps,
    "remove_index": _remove_index,
    "remove_foreign_key": _remove_foreign_key,
    "remove_check_constraint": _remove_named,
    "remove_unique_constraint": _remove_named,
    "remove_exclusion_constraint": _nothing,
    "rename": _rename,
    "change": _change,
    "change_null": _change_null,
    "change_default": _change_default,
    "change_comment": _change_comment,
    "change_table_comment": _change_table_comment,
}
# By the method outside of blocks: the one above that does the same, the table left out.
OUTSIDE: Mapping[str, str] = {
    "add_column": "column",
    "add_reference": "references",
    "add_belongs_to": "references",
    "add_timestamps": "timestamps",
    "add_attachment": "attachment",
    "remove_attachment": "remove_attachment",
    "drop_attached_file": "remove_attachment",
    "add_index": "index",
    "add_concurrent_index": "index",
    "add_unique_constraint": "unique_constraint",
    "add_foreign_key": "foreign_key",
    "add_concurrent_foreign_key": "foreign_key",
    "add_check_constraint": "check_constraint",
    "remove_column": "remove_column",
    "remove_columns": "remove_columns",
    "remove_reference": "remove_references",
    "remove_belongs_to": "remove_references",
    "remove_timestamps": "remove_timestamps",
    "remove_index": "remove_index",
    "remove_concurrent_index": "remove_index",
    "remove_foreign_key": "remove_foreign_key",
    "remove_foreign_key_if_exists": "remove_foreign_key",
    "remove_check_constraint": "remove_check_constraint",
    "remove_unique_constraint": "remove_unique_constraint",
    "rename_column": "rename",
    "change_column": "change",
    "change_column_null": "change_null",
    "change_column_default": "change_default",
    "change_column_comment": "change_comment",
    "change_table_comment": "change_table_comment",
}
