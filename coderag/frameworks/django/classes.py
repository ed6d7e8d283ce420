"""The classes of a module of Django models: which are models, with which table, fields and parents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tree_sitter import Node

from coderag.frameworks.common.origins import unparsed_at
from coderag.frameworks.django.bases import known_base
from coderag.frameworks.django.fields import Field, read_field
from coderag.frameworks.django.kinds import OTHERS, kind_of
from coderag.frameworks.django.tables import (
    table_name,
)
from coderag.sql.records import (
    Source,
    Unparsed,
)
from coderag.syntax.languages.python import Call, Class, Code, last_part
from coderag.syntax.languages.python_classes import ancestors, base_names
from coderag.syntax.trees.tree import row_of

__all__ = [
    "NOT_MODELS",
    "Model",
    "Models",
    "app_label",
    "fields_of",
    "header_of",
    "models_of",
    "options_of",
    "strange_bases",
]

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


def app_label(path: str) -> str:
    """Return the app that a module of models belongs to by its path: the folder with models.py or models/."""
    parts = path.removesuffix(".py").split("/")
    if MODELS not in parts[1:]:
        return ""
    at = len(parts) - 1 - parts[::-1].index(MODELS)
    while at > 1 and parts[at - 1] == MODELS:  # models/models.py
        at -= 1
    return parts[at - 1]


def models_of(code: Code, path: str) -> tuple[Models, list[Unparsed]]:
    """Return the models, and what of them could not be named or read."""
    models = Models({}, {})
    unparsed: list[Unparsed] = []
    app = app_label(path)
    for one in code.classes.values():
        options = options_of(one, code)
        if not _is_model(one, code, in_models=_in_models(path)) or code.truth(options.get("abstract")):
            continue
        if "apps" in options:
            continue  # a registry of its own, as tests make one
        label = code.string(options.get("app_label")) or app
        name = f"{label}.{one.name}" if label else one.name
        parents = _parents(one, code, models)
        if code.truth(options.get("proxy")):
            models.by_name.update({name.lower(): parent for parent in parents})
            continue
        table = _written_table(options.get("db_table"), code, models)
        if not table and (not label or "db_table" in options):
            why = "it is computed" if label else "the file is in no app's models"
            unparsed.append(unparsed_at(one.node, f"the table's name is not known: {why}"))
            continue
        strange = [last_part(base) for base in strange_bases(one, code)]
        unparsed += [unparsed_at(one.node, f"the columns of {base} are in another file") for base in strange]
        whole = not strange or any(code.dotted(base).startswith(ROOTS) for base in one.bases)
        model = Model(name, table or table_name(name), one, fields_of(one, code), tuple(parents), whole)
        models.by_class[one.name] = models.by_name[name.lower()] = model
    return models, unparsed


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
    # Fields of libraries are Django's where the module of models imports Django's.
    return code.imported_from(*ROOTS, "django.db") and any(_is_column(call) for call in made)


def _is_column(call: Call) -> bool:
    kind = kind_of(call.name)
    return kind.known and kind.stored and not call.name.startswith(OTHERS)


def _is_root(name: str, code: Code) -> bool:
    """Tell whether a base is Django's Model or one that is known to derive from it."""
    if name == "Model":
        return any(star in ROOTS for star in code.stars)
    return (name.startswith(ROOTS) and last_part(name) == "Model") or known_base(name) is not None


def strange_bases(one: Class, code: Code) -> list[str]:
    """Return the bases in other files whose columns are not known."""
    return [
        name
        for name in base_names(one, code)
        if name not in code.classes and not _is_root(name, code)
        if name != "object" and name.partition(".")[0] not in {"typing", "abc"}
    ]


def options_of(one: Class, code: Code) -> dict[str, Node]:
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


def fields_of(one: Class, code: Code) -> dict[str, Field]:
    """Return the fields of a model: those of bases without a table first, then its own."""
    found: dict[str, Field] = {}
    for other, seen_in in _field_classes(one, code):
        inside = seen_in.within(other)
        for member in other.members.values():
            found.pop(member.name, None)
            call = inside.call(member.value) if not member.method else None
            field = read_field(member.name, call, inside, statement=member.node) if call is not None else None
            if field is not None:
                found[member.name] = field if seen_in is code else replace(field, source=header_of(one), comment="")
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
    return _is_model(one, code, in_models=True) and not code.truth(options_of(one, code).get("abstract"))


def header_of(one: Class) -> Source:
    """Return the line with a class' name: where the columns stand that Django adds."""
    return Source(start_line=row_of(one.node), end_line=row_of(one.node))
