"""Django's migrations to operations on tables, which are named by Django's rule: app_model.

A table that CreateModel names otherwise has the alias "app.Model", so that what other migrations say of app_model is
said of it. A field of another migration is named without knowing whether it is a relation: its column may be the name
with _id behind, or a table of its own with the alias "app.Model.field".

https://docs.djangoproject.com/en/stable/ref/migration-operations/
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from coderag.sql.model import (
    AddColumn,
    AddConstraint,
    AlterColumn,
    Column,
    CommentOn,
    CreateTable,
    Describe,
    Drop,
    DropColumn,
    DropConstraint,
    Evidence,
    Facts,
    FieldUse,
    ForeignKey,
    Lost,
    Name,
    Operation,
    Origin,
    Rename,
    RenameColumn,
    Series,
    Shared,
    Source,
    Table,
)
from coderag.sql.models.django_fields import (
    USER_MODEL,
    Field,
    Target,
    column_of,
    field_of,
    foreign_key,
    full_name,
    is_composite,
    join_table,
    key_fields,
    table_name,
    unique_sets,
    use_of,
    usual_column,
)
from coderag.sql.models.django_state import proxy_of, unmanaged
from coderag.sql.models.embedded import read_embedded
from coderag.sql.models.python_code import Call, Code, definition_of, last_part, read_python
from coderag.sql.models.tree import descendants, lines_of, lost_at, text_of

__all__ = ["read"]

COMPUTED = "not read: computed at run time"
FOLDER = "migrations"
MAX_DEPTH = 5  # operations within operations
NUMBER = re.compile(r"\d+")
NO_NAMES = frozenset({"__first__", "__latest__"})  # of no migration in particular
# Operations that change rows, indexes or nothing at all in the database.
PASSED = frozenset(
    """AddIndex RemoveIndex RenameIndex AlterIndexTogether AlterModelOptions AlterModelManagers
    AddIndexConcurrently RemoveIndexConcurrently CreateCollation RemoveCollation ValidateConstraint""".split()
)


@dataclass
class Reader:
    """What a migration does, and what it tells of the models that it speaks of."""

    code: Code
    app: str
    path: str
    operations: list[Operation] = field(default_factory=list)
    lost: list[Lost] = field(default_factory=list)
    tables: dict[str, str] = field(default_factory=dict)  # "shop.order" -> its table
    fields: dict[str, dict[str, Field]] = field(default_factory=dict)  # "shop.order" -> fields by name
    uses: list[FieldUse] = field(default_factory=list)
    depth: int = 0  # operations within operations

    def use(self, one: Field) -> Field:
        """Note the class of a field where another file may define it, and return the field."""
        if one.kind:
            self.uses.append(use_of(one, self.code))
        return one

    def model(self, name: str) -> str:
        """Return a model of the app with the app's label: "shop.Order"."""
        return full_name(name, self.app)

    def table(self, model: str) -> Name:
        """Return the table of a model "shop.Order": what this file says, or else Django's rule."""
        return Name(self.tables.get(model.lower()) or table_name(model))

    def column(self, model: str, name: str) -> str:
        """Return the column of a field, by its own name where this file does not tell what it is."""
        known = self.fields.get(model.lower(), {}).get(name)
        return known.column if known is not None and known.column else name

    def target(self, model: str, one: Field) -> Target | None:
        """Return what a field refers to, None where that is not written."""
        if one.relation is None:
            return None
        if one.relation.model == USER_MODEL:
            return Target(USER_MODEL, USER_MODEL)
        full = full_name(one.relation.model, self.app, model)
        if not full:
            return None
        fields = self.fields.get(full.lower(), {})
        named = fields.get(one.relation.to_field) if one.relation.to_field else None
        key = named or next((other for other in fields.values() if other.primary_key), None)
        column = (named.column if named is not None else one.relation.to_field,) if one.relation.to_field else ()
        return Target(full, self.table(full).name, key.type if key is not None else "", column)


@dataclass(frozen=True, slots=True)
class Step:
    """A call of an operation."""

    call: Call
    code: Code

    @property
    def source(self) -> Source:
        """The lines of the call."""
        return lines_of(self.call.node)

    def text(self, position: int, keyword: str) -> str:
        """Return an argument that is a string, "" where there is none."""
        return self.code.string(self.call.argument(position, keyword)) or ""


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001
    """Return what a Django migration does, None for a file that is none."""
    code = read_python(data)
    one = code.classes.get("Migration")
    if one is None or not any(last_part(code.dotted(base)) == "Migration" for base in one.bases):
        return None
    code = code.within(one)
    reader = Reader(code, app_label(path), path)
    member = one.members.get("operations")
    if member is not None and not member.method:
        _read_all(member.value, reader)
    stem = path.rpartition("/")[2].removesuffix(".py")
    number = NUMBER.match(stem)
    return Facts(
        statements=len(reader.operations) + len(reader.lost),
        series=Series(
            tool="django",
            version=number[0] if number else "",
            name=f"{reader.app}.{stem}" if reader.app else stem,
            after=_names(code.names.get("dependencies") if "dependencies" in one.members else None, code),
            replaces=_names(code.names.get("replaces") if "replaces" in one.members else None, code),
        ),
        operations=tuple(reader.operations),
        lost=tuple(reader.lost),
        shared=Shared(uses=tuple(reader.uses)) if reader.uses else None,
    )


def app_label(path: str) -> str:
    """Return the app that a migration belongs to by its path: the folder around migrations/."""
    folders = path.split("/")[:-1]
    if FOLDER in folders[1:]:
        return folders[len(folders) - 1 - folders[::-1].index(FOLDER) - 1]
    return folders[-2] if len(folders) > 1 else ""


def _names(node: Node | None, code: Code) -> tuple[str, ...]:
    """Return the migrations of a list of pairs such as ("shop", "0001_initial")."""
    pairs = [code.strings(item) for item in code.items(node) or []]
    return tuple(f"{pair[0]}.{pair[1]}" for pair in pairs if pair and len(pair) == 2 and pair[1] not in NO_NAMES)


def _read_all(node: Node | None, reader: Reader) -> None:
    """Read a list of operations."""
    if node is None:
        return
    items = reader.code.items(node) if reader.depth < MAX_DEPTH else None
    if items is None:
        reader.lost.append(lost_at(node, COMPUTED))
        return
    for item in items:
        call = reader.code.call(item)
        if call is None:
            reader.lost.append(lost_at(item, COMPUTED))
            continue
        name = last_part(call.name)
        operation = OPERATIONS.get(name) if call.name not in reader.code.classes else None
        if operation is not None:
            operation(Step(call, reader.code), reader)
        elif name not in PASSED and not name.endswith("Extension"):
            reader.lost.append(lost_at(call.node, f"not read: the operation {name} is not Django's"))


# Models


def _create_model(step: Step, reader: Reader) -> None:
    model, options = reader.model(step.text(0, "name")), _options(step)
    fields = _fields(step, reader)
    if not model or fields is None:
        reader.lost.append(lost_at(step.call.node, COMPUTED))
        return
    if _without_table(model, options, step, reader):
        return
    table = _named_table(options, step) or table_name(model)
    reader.tables[model.lower()] = table
    reader.fields[model.lower()] = {one.name: one for one in fields}
    columns: list[Column] = []
    keys: list[ForeignKey] = []
    joins: list[Operation] = []
    for one in fields:
        target = reader.target(model, one)
        if one.many:
            joins += _join(model, one, target, reader)
        elif one.column:
            columns += [column_of(one, type_of=target.type if target is not None else "")]
            keys += [foreign_key(one, target, evidence=Evidence.DECLARED)] if target is not None else []
        if target is None and one.refers:
            reader.lost.append(lost_at(one.call.node, "the model that it refers to is not written"))
    unique: list[tuple[str, ...]] = [
        (one.column,) for one in fields if one.unique and one.column and not one.primary_key
    ]
    unique += unique_sets(options.get("unique_together"), step.code, lambda name: reader.column(model, name))
    for item in step.code.items(options.get("constraints")) or []:
        unique += [found.unique for found in _constraints(item, model, reader, source=step.source) if found.unique]
    created = Table(
        Name(table),
        columns=tuple(columns),
        primary_key=_primary_key(model, fields, reader),
        unique=tuple(dict.fromkeys(unique)),
        foreign_keys=tuple(keys),
        comment=_comment(options, step),
        alias=model,
        origins=(Origin.MIGRATION,),
        sources=(step.source,),
    )
    reader.operations += [CreateTable(created), *joins]


def _without_table(model: str, options: dict[str, Node], step: Step, reader: Reader) -> bool:
    """Tell whether a model has no table that Django makes, and note whose table it has."""
    if step.code.truth(options.get("proxy")):
        bases = [_base_model(one, step.code) for one in step.code.items(step.call.argument(3, "bases")) or []]
        base = next((one for one in bases if "." in one), "")
        if base:
            reader.operations.append(proxy_of(model, reader.table(base), source=step.source))
        return True
    if step.code.truth(options.get("managed")) is not False:
        return False
    table = _named_table(options, step) or table_name(model)
    reader.operations.append(unmanaged(model, Name(table), source=step.source))
    return True


def _base_model(node: Node, code: Code) -> str:
    """Return a base that is written as "shop.order", "" for a class, which brings no table."""
    return code.string(node) or ""


def _primary_key(model: str, fields: Sequence[Field], reader: Reader) -> tuple[str, ...]:
    """Return the columns of the primary key, also of one that is made of several fields."""
    composite = next((one for one in fields if is_composite(one)), None)
    if composite is not None:
        return tuple(reader.column(model, name) for name in key_fields(composite, reader.code))
    return tuple(one.column for one in fields if one.primary_key)


def _options(step: Step) -> dict[str, Node]:
    return step.code.pairs(step.call.argument(2, "options"))


def _named_table(options: dict[str, Node], step: Step) -> str:
    return (step.code.string(options.get("db_table")) or "").strip('"')


def _comment(options: dict[str, Node], step: Step) -> str:
    for word in ("db_table_comment", "verbose_name"):
        if text := step.code.string(options.get(word)):
            return " ".join(text.split())
    return ""


def _fields(step: Step, reader: Reader) -> list[Field] | None:
    """Return the fields of CreateModel, None where the list is computed."""
    items = step.code.items(step.call.argument(1, "fields"))
    if items is None:
        return None
    found: list[Field] = []
    for item in items:
        pair = step.code.items(item) or []
        name = step.code.string(pair[0]) if len(pair) == 2 else None
        call = step.code.call(pair[1]) if len(pair) == 2 else None
        if call is None or not name:
            reader.lost.append(lost_at(item, COMPUTED))
        else:
            found.append(reader.use(field_of(name, call, step.code, statement=item)))
    return found


def _join(model: str, one: Field, target: Target | None, reader: Reader) -> list[CreateTable]:
    """Return the table of a ManyToManyField, none where a model is that table."""
    if target is None or one.through:
        return []
    keys = [other for other in reader.fields.get(model.lower(), {}).values() if other.primary_key]
    near = Target(model, reader.table(model).name, keys[0].type if keys else "")
    return [CreateTable(join_table(near, target, one, evidence=Evidence.DECLARED, origin=Origin.MIGRATION))]


def _delete_model(step: Step, reader: Reader) -> None:
    model = reader.model(step.text(0, "name"))
    reader.operations.append(Drop(reader.table(model), source=step.source))
    reader.fields.pop(model.lower(), None)
    reader.tables.pop(model.lower(), None)


def _rename_model(step: Step, reader: Reader) -> None:
    old, new = reader.model(step.text(0, "old_name")), reader.model(step.text(1, "new_name"))
    if not old or not new:
        reader.lost.append(lost_at(step.call.node, COMPUTED))
        return
    table = reader.tables.pop(old.lower(), "")
    reader.fields[new.lower()] = reader.fields.pop(old.lower(), {})
    if table and table != table_name(old):  # named by hand, so it stays
        reader.tables[new.lower()] = table
    else:
        table = table_name(new)
        if table_name(old) != table:
            reader.operations.append(Rename(Name(table_name(old)), Name(table), source=step.source))
    reader.operations.append(Describe(Table(Name(table), alias=new, sources=(step.source,))))


def _alter_table(step: Step, reader: Reader) -> None:
    model = reader.model(step.text(0, "name"))
    to = step.text(1, "table").strip('"') or table_name(model)  # None is the usual name
    before = reader.tables.get(model.lower())
    reader.tables[model.lower()] = to
    if before != to:  # where another file made the table, the whole project tells how it is called
        table = Name(before or table_name(model))
        reader.operations.append(Rename(table, Name(to), source=step.source))


def _alter_table_comment(step: Step, reader: Reader) -> None:
    table = reader.table(reader.model(step.text(0, "name")))
    reader.operations.append(CommentOn(table, step.text(1, "table_comment"), source=step.source))


def _alter_order(step: Step, reader: Reader) -> None:
    """Read AlterOrderWithRespectTo, which adds the column _order or takes it away."""
    table = reader.table(reader.model(step.text(0, "name")))
    if step.text(1, "order_with_respect_to"):
        column = Column("_order", "INTEGER", nullable=False, source=step.source)
        reader.operations.append(AddColumn(table, column, if_missing=True, source=step.source))
    else:
        reader.operations.append(DropColumn(table, "_order", if_exists=True, source=step.source))


# Fields


def _field(step: Step, reader: Reader) -> tuple[str, Field] | None:
    """Return the model and the field that AddField and AlterField speak of; None, and a note, where it is computed."""
    model, name = reader.model(step.text(0, "model_name")), step.text(1, "name")
    call = step.code.call(step.call.argument(2, "field"))
    if not model or not name or call is None:
        reader.lost.append(lost_at(step.call.node, COMPUTED))
        return None
    found = reader.use(field_of(name, call, step.code, statement=step.call.node))
    if step.code.truth(step.call.argument(3, "preserve_default")) is False:
        found = replace(found, default="")  # only for the rows that are there
    return model, found


def _add_field(step: Step, reader: Reader) -> None:
    if (found := _field(step, reader)) is None:
        return
    model, one = found
    target = reader.target(model, one)
    if one.refers and target is None:
        reader.lost.append(lost_at(step.call.node, "the model that it refers to is not written"))
    reader.fields.setdefault(model.lower(), {})[one.name] = one
    if one.many:
        reader.operations += _join(model, one, target, reader)
    if not one.column:
        return
    table = reader.table(model)
    column = column_of(one, type_of=target.type if target is not None else "")
    reader.operations.append(AddColumn(table, column, source=step.source))
    if target is not None:
        key = foreign_key(one, target, evidence=Evidence.DECLARED)
        reader.operations.append(AddConstraint(table, foreign_key=key, source=step.source))
    if one.primary_key:
        reader.operations.append(AddConstraint(table, primary_key=(one.column,), source=step.source))
    elif one.unique:
        reader.operations.append(AddConstraint(table, unique=(one.column,), source=step.source))


def _alter_field(step: Step, reader: Reader) -> None:
    if (found := _field(step, reader)) is None:
        return
    model, one = found
    before = reader.fields.get(model.lower(), {}).get(one.name)
    reader.fields.setdefault(model.lower(), {})[one.name] = one
    table = reader.table(model)
    target = reader.target(model, one)
    for created in _join(model, one, target, reader) if one.many else []:
        far = created.table.foreign_keys[1]
        reader.operations.append(AddConstraint(created.table.name, foreign_key=far, source=step.source))
    if not one.column:
        return
    column = before.column if before is not None and before.column else one.name
    if column != one.column and (before is not None or one.column != usual_column(one)):
        reader.operations.append(RenameColumn(table, column, one.column, source=step.source))
    reader.operations.append(
        AlterColumn(
            table,
            one.column,
            type=one.type or None,
            nullable=one.nullable,
            default=one.default,
            comment=one.comment or None,
            values=one.values,
            source=step.source,
        )
    )
    if target is not None:
        key = foreign_key(one, target, evidence=Evidence.DECLARED)
        reader.operations.append(AddConstraint(table, foreign_key=key, source=step.source))
    if one.primary_key:
        reader.operations.append(AddConstraint(table, primary_key=(one.column,), source=step.source))
    elif one.unique:
        reader.operations.append(AddConstraint(table, unique=(one.column,), source=step.source))


def _remove_field(step: Step, reader: Reader) -> None:
    model, name = reader.model(step.text(0, "model_name")), step.text(1, "name")
    if not model or not name:
        reader.lost.append(lost_at(step.call.node, COMPUTED))
        return
    known = reader.fields.get(model.lower(), {}).pop(name, None)
    table = reader.table(model)
    if known is not None and known.many:
        if not known.through:
            reader.operations.append(Drop(_join_name(table, known), source=step.source))
    elif known is None or known.column:
        column = known.column if known is not None else name
        reader.operations.append(DropColumn(table, column, source=step.source))


def _join_name(table: Name, one: Field) -> Name:
    return Name(one.join_table or f"{table.name}_{one.name}")


def _rename_field(step: Step, reader: Reader) -> None:
    model = reader.model(step.text(0, "model_name"))
    old, new = step.text(1, "old_name"), step.text(2, "new_name")
    if not model or not old or not new:
        reader.lost.append(lost_at(step.call.node, COMPUTED))
        return
    table = reader.table(model)
    known = reader.fields.get(model.lower(), {}).pop(old, None)
    if known is None:
        reader.operations.append(RenameColumn(table, old, new, source=step.source))
        return
    renamed = field_of(new, known.call, reader.code, statement=step.call.node)
    reader.fields[model.lower()][new] = renamed
    if known.many and not known.through:
        names = _join_name(table, known), _join_name(table, renamed)
        reader.operations += [Rename(names[0], names[1], source=step.source)] if names[0] != names[1] else []
    elif known.column and known.column != renamed.column:
        reader.operations.append(RenameColumn(table, known.column, renamed.column, source=step.source))


# Constraints


def _alter_unique(step: Step, reader: Reader) -> None:
    """Read AlterUniqueTogether, which states all sets; which ones it takes away, other files tell."""
    model = reader.model(step.text(0, "name"))
    sets = unique_sets(step.call.argument(1, "unique_together"), step.code, lambda name: reader.column(model, name))
    table = reader.table(model)
    reader.operations += [AddConstraint(table, unique=one, source=step.source) for one in sets]
    if not sets:
        reader.lost.append(
            Lost(
                step.source.start_line,
                text_of(step.call.node).partition("(")[0],
                "which keys it takes away is not written",
            )
        )


def _add_constraint(step: Step, reader: Reader) -> None:
    model = reader.model(step.text(0, "model_name"))
    node = step.call.argument(1, "constraint")
    if not model or node is None:
        reader.lost.append(lost_at(step.call.node, COMPUTED))
        return
    reader.operations += _constraints(node, model, reader, source=step.source)


def _constraints(node: Node, model: str, reader: Reader, *, source: Source) -> Sequence[AddConstraint]:
    """Return a UniqueConstraint that holds for all rows; conditions that are Q objects are no SQL."""
    call = reader.code.call(node)
    if call is None or last_part(call.name) != "UniqueConstraint" or "condition" in call.keywords or call.arguments:
        return []
    names = reader.code.strings(call.keywords.get("fields"))
    if not names:
        return []
    columns = tuple(reader.column(model, name) for name in names)
    name = reader.code.string(call.keywords.get("name")) or ""
    return [AddConstraint(reader.table(model), name=name, unique=columns, source=source)]


def _remove_constraint(step: Step, reader: Reader) -> None:
    model, name = reader.model(step.text(0, "model_name")), step.text(1, "name")
    if model and name:
        reader.operations.append(DropConstraint(reader.table(model), name=name, if_exists=True, source=step.source))


# SQL and state


def _run_sql(step: Step, reader: Reader) -> None:
    """Read SQL that is written as a string, as a list of such, or of pairs with parameters."""
    node = step.call.argument(0, "sql")
    if node is None or text_of(node).endswith("noop"):
        return
    items = step.code.items(node)
    for one in [node] if items is None else items:
        pair = step.code.items(one)
        literal = pair[0] if pair else one
        text, resolved = step.code.string(literal), step.code.resolve(literal)
        if text is None or resolved is None:
            reader.lost.append(lost_at(step.call.node, COMPUTED))
            continue
        facts = read_embedded(text, source=lines_of(resolved), path=reader.path)
        reader.operations += facts.operations
        reader.lost += facts.lost


def _run_python(step: Step, reader: Reader) -> None:
    """Read what a function of the file does by the schema editor; all else that it does is done to rows."""
    function = reader.code.functions.get(text_of(step.call.argument(0, "code")))
    for node in descendants(definition_of(function), "call") if function is not None else ():
        call = reader.code.call_at(node)
        name = last_part(call.name)
        if name == "alter_db_table" and len(call.arguments) == 3:
            old, new = reader.code.string(call.arguments[1]), reader.code.string(call.arguments[2])
            if old and new:
                reader.operations.append(Rename(Name(old), Name(new), source=lines_of(node)))


def _separate(step: Step, reader: Reader) -> None:
    """Read what is done to the database; of what is done to the state only, which model a table belongs to."""
    reader.depth += 1
    _read_all(step.call.argument(0, "database_operations"), reader)
    reader.depth -= 1
    for item in reader.code.items(step.call.argument(1, "state_operations")) or []:
        call = reader.code.call(item)
        if call is None or last_part(call.name) != "CreateModel":
            continue
        inner = Step(call, step.code)
        model, options = reader.model(inner.text(0, "name")), _options(inner)
        table = _named_table(options, inner) or table_name(model)
        if model and not step.code.truth(options.get("proxy")):
            reader.tables[model.lower()] = table
            reader.operations.append(Describe(Table(Name(table), alias=model, sources=(inner.source,))))


OPERATIONS: dict[str, Callable[[Step, Reader], None]] = {
    "AddConstraint": _add_constraint,
    "AddConstraintNotValid": _add_constraint,
    "AddField": _add_field,
    "AlterField": _alter_field,
    "AlterModelTable": _alter_table,
    "AlterModelTableComment": _alter_table_comment,
    "AlterOrderWithRespectTo": _alter_order,
    "AlterUniqueTogether": _alter_unique,
    "CreateModel": _create_model,
    "DeleteModel": _delete_model,
    "RemoveConstraint": _remove_constraint,
    "RemoveField": _remove_field,
    "RenameField": _rename_field,
    "RenameModel": _rename_model,
    "RunPython": _run_python,
    "RunSQL": _run_sql,
    "SeparateDatabaseAndState": _separate,
}
