"""Django's models to tables, by the names that Django derives.

https://docs.djangoproject.com/en/stable/ref/models/options/
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from tree_sitter import Node

from coderag.sql.model import (
    Column,
    CreateTable,
    Evidence,
    Facts,
    FieldKind,
    FieldUse,
    ForeignKey,
    Heir,
    Lost,
    Mixin,
    Name,
    Origin,
    Relation,
    Shared,
    Source,
    Table,
)
from coderag.sql.models.django_bases import known_base
from coderag.sql.models.django_fields import (
    AUTO_FIELD,
    SELF,
    USER_MODEL,
    Field,
    Target,
    column_of,
    foreign_key,
    full_name,
    is_composite,
    join_table,
    key_column,
    key_fields,
    read_field,
    table_name,
    unique_sets,
    use_of,
)
from coderag.sql.models.django_kinds import OTHERS, defined_kinds, kind_of
from coderag.sql.models.python_classes import ancestors, base_names
from coderag.sql.models.python_code import Call, Class, Code, last_part, read_python
from coderag.sql.models.tree import lines_of, lost_at, row_of

__all__ = ["read"]

MODELS = "models"
# Where the classes are defined that make another one a model.
ROOTS = ("django.db.models", "django.contrib.gis.db.models")
OWN_FIELDS = ("django.db.models", "django.contrib.gis.db.models", "django.contrib.postgres.fields")
NOT_MODELS = ("Field", "Manager", "QuerySet", "Form", "Serializer", "Admin", "Choices", "Lookup", "Func", "Transform")
NOT_INHERITED = frozenset({"abstract", "proxy", "db_table"})


@dataclass(frozen=True, slots=True)
class Model:
    """A class with a table."""

    name: str  # "shop.Order"
    table: str
    one: Class
    fields: Mapping[str, Field]
    parents: tuple[Model, ...]  # with tables of their own, whose rows its rows extend
    whole: bool  # no base in another file may have a primary key


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a file."""

    by_class: dict[str, Model]  # with tables, in order
    by_name: dict[str, Model]  # "shop.order", a proxy's name too


def read(data: bytes, *, language: str, path: str) -> Facts | None:  # noqa: ARG001
    """Return the tables of a file of Django models, None when there are none."""
    code = read_python(data)
    if not any(origin.startswith("django") for origin in (*code.imports.values(), *code.stars)):
        return None
    models, lost = _models(code, path)
    tables: list[Table] = []
    for model in models.by_class.values():
        found, missed = _tables(model, models, code)
        tables += found
        lost += missed
    kinds = tuple(defined_kinds(code))
    mixins = tuple(_mixins(models, code, path))
    if not tables and not lost and not kinds and not mixins:
        return None
    fields = [field for model in models.by_class.values() for field in model.fields.values() if field.kind]
    given = [code.classes[one.table.name.name] for one in mixins]
    fields += [field for one in given for field in _fields(one, code).values() if field.kind]
    uses = tuple(use_of(one, code) for one in fields if one.column)
    lost.sort(key=lambda one: one.line)
    operations = tuple(CreateTable(table) for table in tables)
    return Facts(
        statements=len(operations) + len(lost),
        operations=operations,
        lost=tuple(lost),
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
    return tuple(Heir(base) for base in reversed(_strange_bases(one, code)))


def _mixins(models: Models, code: Code, path: str) -> Iterator[Mixin]:
    """Yield the abstract models, and other classes with fields that models of other files may derive from."""
    for one in code.classes.values():
        names = base_names(one, code)
        if one.name in models.by_class or any(last_part(name).endswith(NOT_MODELS) for name in names):
            continue
        fields = _fields(one, code)
        heirs = _heirs(one, code)
        abstract = code.truth(_options(one, code).get("abstract"))
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


def app_label(path: str) -> str:
    """Return the app that a module of models belongs to by its path: the folder with models.py or models/."""
    parts = path.removesuffix(".py").split("/")
    if MODELS not in parts[1:]:
        return ""
    at = len(parts) - 1 - parts[::-1].index(MODELS)
    while at > 1 and parts[at - 1] == MODELS:  # models/models.py
        at -= 1
    return parts[at - 1]


# Which classes are models


def _models(code: Code, path: str) -> tuple[Models, list[Lost]]:
    """Return the models, and what of them could not be named or read."""
    found = Models({}, {})
    lost: list[Lost] = []
    app = app_label(path)
    for one in code.classes.values():
        options = _options(one, code)
        if not _is_model(one, code, in_models=_in_models(path)) or code.truth(options.get("abstract")):
            continue
        if "apps" in options:
            continue  # a registry of its own, as tests make one
        label = code.string(options.get("app_label")) or app
        name = f"{label}.{one.name}" if label else one.name
        parents = _parents(one, code, found)
        if code.truth(options.get("proxy")):
            found.by_name.update({name.lower(): parent for parent in parents})
            continue
        table = _written_table(options.get("db_table"), code, found)
        if not table and (not label or "db_table" in options):
            why = "it is computed" if label else "the file is in no app's models"
            lost.append(lost_at(one.node, f"the table's name is not known: {why}"))
            continue
        strange = [last_part(base) for base in _strange_bases(one, code)]
        lost += [lost_at(one.node, f"the columns of {base} are in another file") for base in strange]
        whole = not strange or any(code.dotted(base).startswith(ROOTS) for base in one.bases)
        model = Model(name, table or table_name(name), one, _fields(one, code), tuple(parents), whole)
        found.by_class[one.name] = found.by_name[name.lower()] = model
    return found, lost


def _in_models(path: str) -> bool:
    return MODELS in path.removesuffix(".py").split("/")


def _written_table(node: Node | None, code: Code, models: Models) -> str:
    """Return a table that Meta names, as a string or as `Order._meta.db_table`; "" where it names none."""
    dotted = code.dotted(node)
    if dotted.endswith("._meta.db_table") and (model := models.by_class.get(dotted.partition(".")[0])) is not None:
        return model.table
    return (code.string(node) or "").strip('"')


def _parents(one: Class, code: Code, models: Models) -> list[Model]:
    """Return the models above with tables of their own, the nearest of each line."""
    found: list[Model] = []
    waiting, seen = list(one.bases), {one.name}
    while waiting:
        name = code.dotted(waiting.pop(0))
        if name in seen or (base := code.classes.get(name)) is None:
            continue
        seen.add(name)
        model = models.by_class.get(name)
        if model is None:
            waiting[:0] = base.bases
        elif model not in found:
            found.append(model)
    return found


def _is_model(one: Class, code: Code, *, in_models: bool) -> bool:
    """Tell whether a class is a model: by its bases, or by its fields where a base is in another file."""
    names = base_names(one, code)
    if not names or any(last_part(name).endswith(NOT_MODELS) for name in names if name not in code.classes):
        return False
    if any(_is_root(name, code) for name in names):
        return True
    strange = [name for name in names if name not in code.classes]
    if not strange or not in_models:
        return False
    inside = code.within(one)
    calls = [inside.call(member.value) for member in one.members.values() if not member.method]
    made = [call for call in calls if call is not None]
    if any(call.name.startswith(OWN_FIELDS) for call in made):
        return True
    # Fields of libraries are Django's where the module of models has to do with Django's.
    return code.imported_from(*ROOTS, "django.db") and any(_is_column(call) for call in made)


def _is_column(call: Call) -> bool:
    kind = kind_of(call.name)
    return kind.known and kind.stored and not call.name.startswith(OTHERS)


def _is_root(name: str, code: Code) -> bool:
    """Tell whether a base is Django's Model or one that is known to derive from it."""
    if name == "Model":
        return any(star in ROOTS for star in code.stars)
    return (name.startswith(ROOTS) and last_part(name) == "Model") or known_base(name) is not None


def _strange_bases(one: Class, code: Code) -> list[str]:
    """Return the bases in other files whose columns are not known."""
    return [
        name
        for name in base_names(one, code)
        if name not in code.classes and not _is_root(name, code)
        if name != "object" and name.partition(".")[0] not in {"typing", "abc"}
    ]


def _options(one: Class, code: Code) -> dict[str, Node]:
    """Return what Meta says, or that of an abstract base, which is not abstract any more in a class below."""
    found: dict[str, Node] = {}
    for other in (*reversed(ancestors(one, code)), one):
        meta = other.inner.get("Meta")
        if meta is None:
            continue
        own = {name: member.value for name, member in meta.members.items() if member.value is not None}
        if other is not one:
            if not code.truth(own.get("abstract")):
                continue
            own = {name: node for name, node in own.items() if name not in NOT_INHERITED}
        found = found | own if meta.bases else own
    return found


# Their columns


def _fields(one: Class, code: Code) -> dict[str, Field]:
    """Return the fields of a model: those of bases without a table first, then its own."""
    found: dict[str, Field] = {}
    for other, seen_in in _field_classes(one, code):
        inside = seen_in.within(other)
        for member in other.members.values():
            found.pop(member.name, None)
            call = inside.call(member.value) if not member.method else None
            field = read_field(member.name, call, inside, statement=member.node) if call is not None else None
            if field is not None:
                found[member.name] = field if seen_in is code else replace(field, source=_header(one), comment="")
    return found


def _field_classes(one: Class, code: Code) -> list[tuple[Class, Code]]:
    """Return a model and the classes above whose fields it has as its own, itself last."""
    found: list[tuple[Class, Code]] = [(one, code)]
    for other, seen_in in found:
        for node in other.bases:
            name = seen_in.dotted(node)
            parent = seen_in.classes.get(name)
            above = (parent, seen_in) if parent is not None else known_base(name)
            if above is None or above in found or (parent is not None and _has_table(parent, seen_in)):
                continue
            found.append(above)
    return found[::-1]


def _has_table(one: Class, code: Code) -> bool:
    """Tell whether a class is a model with a table, to which one below refers."""
    return _is_model(one, code, in_models=True) and not code.truth(_options(one, code).get("abstract"))


def _header(one: Class) -> Source:
    """Return the line with a class' name: where the columns stand that Django adds."""
    return Source(start_line=row_of(one.node), end_line=row_of(one.node))


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


def _tables(model: Model, models: Models, code: Code) -> tuple[list[Table], list[Lost]]:
    """Return the table of a model and those of its many-to-many fields."""
    lost: list[Lost] = []
    columns, keys, unique = _added(model)
    joins: list[Table] = []
    for field in model.fields.values():
        target = _target(model, field, models)
        if target is None and field.refers:
            lost.append(lost_at(field.call.node, "the model that it refers to is not written"))
        if field.many and target is not None and not field.through:
            near = Target(model.name, model.table, _key(model)[1])
            joins.append(join_table(near, target, field, evidence=Evidence.MODEL, origin=Origin.ORM))
        if not field.column:
            continue
        columns += [column_of(field, type_of=target.type if target is not None else ""), *field.besides]
        if target is not None:
            keys.append(foreign_key(field, target, evidence=Evidence.MODEL))
    options = _options(model.one, code)
    if "order_with_respect_to" in options:
        columns.append(Column("_order", "INTEGER", nullable=False, source=_header(model.one)))
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
    return [table, *joins], lost


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
    header = _header(model.one)
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
