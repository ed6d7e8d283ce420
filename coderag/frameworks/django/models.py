"""Django's models to tables, by the names that Django derives.

https://docs.djangoproject.com/en/stable/ref/models/options/
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tree_sitter import Node

from coderag.frameworks.common.origins import lines_of, unparsed_at
from coderag.frameworks.django.classes import (
    NOT_MODELS,
    Model,
    Models,
    app_label,
    fields_of,
    header_of,
    models_of,
    options_of,
    strange_bases,
)
from coderag.frameworks.django.fields import USER_MODEL, Field, is_composite, key_fields, use_of
from coderag.frameworks.django.kinds import defined_kinds
from coderag.frameworks.django.tables import (
    AUTO_FIELD,
    SELF,
    Target,
    column_of,
    foreign_key,
    full_name,
    join_table,
    key_column,
    table_name,
    unique_sets,
)
from coderag.sql.records import (
    Column,
    CreateTable,
    Evidence,
    Facts,
    FieldKind,
    FieldUse,
    ForeignKey,
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
from coderag.syntax.languages.python_classes import base_names

__all__ = ["read"]


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001
    """Return the tables of a file of Django models, None when there are none."""
    code = read_python(data)
    if not any(origin.startswith("django") for origin in (*code.imports.values(), *code.stars)):
        return None
    models, unparsed = models_of(code, path)
    tables: list[Table] = []
    for model in models.by_class.values():
        found, missed = _tables(model, models, code)
        tables += found
        unparsed += missed
    kinds = tuple(defined_kinds(code))
    mixins = tuple(_mixins(models, code, path))
    if not tables and not unparsed and not kinds and not mixins:
        return None
    fields = [field for model in models.by_class.values() for field in model.fields.values() if field.kind]
    classes = [code.classes[mixin.table.name.name] for mixin in mixins]
    fields += [field for one in classes for field in fields_of(one, code).values() if field.kind]
    uses = tuple(use_of(one, code) for one in fields if one.column)
    unparsed.sort(key=lambda statement: statement.line)
    operations = tuple(CreateTable(table) for table in tables)
    return Facts(
        statements=len(operations) + len(unparsed),
        operations=operations,
        unparsed=tuple(unparsed),
        shared=_shared(kinds, uses, mixins, models, code),
    )


def _shared(
    kinds: tuple[FieldKind, ...], uses: tuple[FieldUse, ...], mixins: tuple[Mixin, ...], models: Models, code: Code
) -> Shared | None:
    """Return what the file's models have from other files, and what these may have from it."""
    heirs = tuple((Name(model.table), heir) for model in models.by_class.values() for heir in _heirs(model.one, code))
    if not (kinds or uses or mixins or heirs):
        return None
    return Shared(kinds=kinds, uses=uses, mixins=mixins, heirs=heirs)


def _heirs(one: Class, code: Code) -> tuple[Heir, ...]:
    """Return the bases of other files whose fields a model has, in front of its own; the first base at last."""
    return tuple(Heir(base) for base in reversed(strange_bases(one, code)))


def _mixins(models: Models, code: Code, path: str) -> Iterator[Mixin]:
    """Yield the abstract models, and other classes with fields that models of other files may derive from."""
    for one in code.classes.values():
        names = base_names(one, code)
        if one.name in models.by_class or any(last_part(name).endswith(NOT_MODELS) for name in names):
            continue
        fields = fields_of(one, code)
        heirs = _heirs(one, code)
        abstract = code.truth(options_of(one, code).get("abstract"))
        if not fields and not (abstract and heirs):
            continue
        model = Model(f"{app_label(path)}.{one.name}", "", one, fields, (), whole=False)
        plain = [field for field in fields.values() if field.column]
        targets = {field.name: _target(model, field, models) for field in plain if not _is_own(field)}
        columns = [
            column_of(field, type_of=target.type if (target := targets.get(field.name)) is not None else "")
            for field in plain
        ]
        keys = [
            foreign_key(field, target, evidence=Evidence.MODEL)
            for field in plain
            if (target := targets.get(field.name)) is not None
        ]
        key = tuple(field.column for field in plain if field.primary_key)
        yield Mixin(Table(Name(one.name), columns=tuple(columns), primary_key=key, foreign_keys=tuple(keys)), heirs)


def _is_own(field: Field) -> bool:
    """Tell whether a field refers to its own model, which is each time another one."""
    return field.relation is not None and field.relation.model == SELF


def _link(model: Model, parent: Model) -> Field | None:
    """Return the field of a model that refers to its parent in the place of the one that Django adds."""
    names = (parent.name.lower(), last_part(parent.name).lower())
    for field in model.fields.values():
        if field.one_to_one and field.relation is not None and field.relation.model.lower() in names:
            return field
    return None


def _link_column(model: Model, parent: Model) -> str:
    link = _link(model, parent)
    return link.column if link is not None else f"{last_part(parent.one.name).lower()}_ptr_id"


def _key(model: Model) -> tuple[str, str]:
    """Return the column and type of the primary key, ("", "") where it is not known or not one column."""
    own = next((field for field in model.fields.values() if field.primary_key), None)
    if own is not None:
        return own.column, own.type
    if "pk" in model.fields:
        return "", ""
    if model.parents:
        return _link_column(model, model.parents[0]), _key(model.parents[0])[1]
    return ("id", AUTO_FIELD) if model.whole else ("", "")


def _target(model: Model, field: Field, models: Models) -> Target | None:
    """Return what a field refers to, None where that is not known."""
    relation = field.relation
    if relation is None:
        return None
    if relation.model == USER_MODEL:
        return Target(USER_MODEL, USER_MODEL)
    full = full_name(relation.model, model.name.rpartition(".")[0], model.name)
    if (same_file := models.by_class.get(relation.model)) is not None:
        full = same_file.name
    if not full:
        return None
    other = models.by_name.get(full.lower())
    if other is None:
        return Target(full, table_name(full), column=(relation.to_field,) if relation.to_field else ())
    referred = other.fields.get(relation.to_field)
    if referred is not None:
        return Target(full, other.table, referred.type, (referred.column,))
    return Target(full, other.table, _key(other)[1])


def _tables(model: Model, models: Models, code: Code) -> tuple[list[Table], list[Unparsed]]:
    """Return the table of a model and those of its many-to-many fields."""
    unparsed: list[Unparsed] = []
    columns, keys, unique = _added(model)
    joins: list[Table] = []
    for field in model.fields.values():
        target = _target(model, field, models)
        if target is None and field.refers:
            unparsed.append(unparsed_at(field.call.node, "the model that it refers to is not written"))
        if field.many and target is not None and not field.through:
            near = Target(model.name, model.table, _key(model)[1])
            joins.append(join_table(near, target, field, evidence=Evidence.MODEL, origin=Origin.ORM))
        if not field.column:
            continue
        columns += [column_of(field, type_of=target.type if target is not None else ""), *field.besides]
        if target is not None:
            keys.append(foreign_key(field, target, evidence=Evidence.MODEL))
    options = options_of(model.one, code)
    if "order_with_respect_to" in options:
        columns.append(Column("_order", "INTEGER", nullable=False, source=header_of(model.one)))
    primary_key = _primary_key(model, code)
    unique += _unique(model, options, code.within(model.one))
    table = Table(
        Name(model.table),
        columns=tuple(columns),
        primary_key=primary_key,
        unique=tuple(dict.fromkeys(one for one in unique if one != primary_key)),
        foreign_keys=tuple(keys),
        comment=_comment(model.one, options, code),
        alias=model.name,
        relations=tuple(_relations(model, models, code)),
        origins=(Origin.ORM,),
        sources=(lines_of(model.one.outer),),
    )
    return [table, *joins], unparsed


def _relations(model: Model, models: Models, code: Code) -> Iterator[Relation]:
    """Yield the fields that lead to other models, with the names of the way back.

    https://docs.djangoproject.com/en/stable/ref/models/fields/#django.db.models.ForeignKey.related_name
    """
    own = model.name.rpartition(".")[2].lower()
    for field in model.fields.values():
        target = _target(model, field, models)
        if target is None:
            continue
        stated = code.string(field.call.keywords.get("related_name"))
        asked = code.string(field.call.keywords.get("related_query_name"))
        names = [stated, asked] if stated else [asked, own if field.one_to_one else f"{own}_set", own]
        back = tuple(dict.fromkeys(name for name in names if name and not name.endswith("+")))
        yield Relation(field.name, target.model, back, (field.column,) if field.column else ())


def _added(model: Model) -> tuple[list[Column], list[ForeignKey], list[tuple[str, ...]]]:
    """Return the columns that Django adds in front of the fields, with their keys: an id, links to the parents."""
    header = header_of(model.one)
    columns: list[Column] = []
    keys: list[ForeignKey] = []
    for parent in model.parents:
        if _link(model, parent) is None:
            column = _link_column(model, parent)
            columns.append(Column(column, _key(parent)[1], nullable=False, source=header))
            to = Name(parent.table)
            keys.append(ForeignKey((column,), to, evidence=Evidence.MODEL, source=header, model=parent.name))
    unique: list[tuple[str, ...]] = [(column.name,) for column in columns]
    key, _ = _key(model)
    if key == "id" and not model.parents and not any(field.primary_key for field in model.fields.values()):
        columns.append(key_column(header))
    return columns, keys, unique


def _primary_key(model: Model, code: Code) -> tuple[str, ...]:
    """Return the columns of the primary key, those of `pk = CompositePrimaryKey("a", "b")` where it is written."""
    field = model.fields.get("pk")
    if field is None or not is_composite(field):
        key, _ = _key(model)
        return (key,) if key else ()
    return tuple(_column(model, name) for name in key_fields(field, code))


def _column(model: Model, name: str) -> str:
    """Return the column of a field."""
    field = model.fields.get(name)
    return field.column if field is not None and field.column else name


def _unique(model: Model, options: Mapping[str, Node], code: Code) -> Iterator[tuple[str, ...]]:
    """Yield the sets of columns that are unique for all rows."""
    for field in model.fields.values():
        if field.unique and field.column and not field.primary_key:
            yield (field.column,)
    yield from unique_sets(options.get("unique_together"), code, lambda name: _column(model, name))
    for item in code.items(options.get("constraints")) or []:
        call = code.call(item)
        if call is None or last_part(call.name) != "UniqueConstraint" or "condition" in call.keywords:
            continue
        names = code.strings(call.keywords.get("fields"))
        if names and not call.arguments:
            yield tuple(_column(model, name) for name in names)


def _comment(one: Class, options: Mapping[str, Node], code: Code) -> str:
    written = code.string(options.get("db_table_comment")) or one.doc
    if not written and (node := options.get("verbose_name")) is not None:
        call = code.call(node)
        written = code.string(call.argument(0) if call is not None else node) or ""
    return " ".join((written or code.comment_above(one.outer)).split())
