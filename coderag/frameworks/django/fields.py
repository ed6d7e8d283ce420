"""Django's model fields to columns, for models and for migrations.

https://docs.djangoproject.com/en/stable/ref/models/fields/
"""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from coderag.frameworks.common.origins import lines_of
from coderag.frameworks.django.kinds import MANY, OTHERS, RELATIONS, TYPES, Kind, is_own, kind_of_class
from coderag.sql.records import Column, FieldUse, Source
from coderag.syntax.languages.python import Call, Code, last_part
from coderag.syntax.languages.python_classes import enum_entries, is_enum
from coderag.syntax.trees.tree import text_of

__all__ = [
    "USER_MODEL",
    "Field",
    "Relation",
    "field_of",
    "is_composite",
    "key_fields",
    "model_name",
    "read_field",
    "use_of",
    "usual_column",
]

LENGTHS = {"EmailField": 254, "FileField": 100, "FilePathField": 100, "ImageField": 100, "SlugField": 50}
LENGTHS |= {"URLField": 200}  # where max_length does not say otherwise
AUTO_FIELDS = frozenset({"AutoField", "BigAutoField", "SmallAutoField"})
# A model that settings name; the table has this alias where the file with the settings was read.
USER_MODEL = "settings.AUTH_USER_MODEL"
MAX_DEPTH = 5  # arrays of arrays
NOWHERE = Source()


@dataclass(frozen=True, slots=True)
class Relation:
    """The model that a field refers to: "shop.Order", "Order" of the same app, or USER_MODEL."""

    model: str
    to_field: str = ""
    constraint: bool = True  # the database knows of it


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a model."""

    name: str
    call: Call
    column: str = ""  # its name in the database, "" for a field without a column
    type: str = ""
    nullable: bool = False
    primary_key: bool = False
    unique: bool = False
    identity: bool = False
    default: str = ""
    comment: str = ""
    generated: str = ""
    values: tuple[str, ...] = ()
    refers: bool = False  # to another model
    one_to_one: bool = False
    relation: Relation | None = None  # None also where the model is not written
    many: bool = False  # a ManyToManyField: a table and no column
    through: str = ""  # the model that is this table, "?" where it is not written
    join_table: str = ""
    besides: tuple[Column, ...] = ()  # columns that it has, too
    kind: str = ""  # its class, where a file of the project may define it
    source: Source = NOWHERE


def read_field(name: str, call: Call, code: Code, *, statement: Node) -> Field | None:
    """Return a field of a model; None for a call that makes none."""
    kind = kind_of_class(call.name, code)
    named_so = last_part(call.name).endswith("Field") and not call.name.startswith(OTHERS)
    if not named_so and kind.stored and (not kind.like or call.name.startswith(OTHERS)):
        return None
    return _field(name, call, code, kind, statement=statement)


def field_of(name: str, call: Call, code: Code, *, statement: Node) -> Field:
    """Return a field of a migration, where a call can make nothing else."""
    return _field(name, call, code, kind_of_class(call.name, code), statement=statement)


def _field(name: str, call: Call, code: Code, of: Kind, *, statement: Node) -> Field:
    kind = of.like
    words = call.keywords
    source = lines_of(statement)
    if not of.stored:
        return Field(name, call, kind=_foreign_kind(call, code), source=source)
    relation = _relation(call, code) if kind in RELATIONS | MANY else None
    if kind in MANY:
        through = words.get("through")
        return Field(
            name,
            call,
            refers=True,
            relation=relation,
            many=True,
            through=(model_name(through, code) or "?") if through is not None else "",
            join_table=code.string(words.get("db_table")) or "",
            source=source,
        )
    one_to_one = kind == "OneToOneField"
    found, values = _type(call, code, MAX_DEPTH) if relation is None and kind not in RELATIONS else ("", ())
    primary_key = code.truth(words.get("primary_key")) is True
    written = code.string(words.get("db_column"))
    called = code.string(words.get("name")) or name
    column = written or (f"{called}_id" if kind in RELATIONS else called)
    return Field(
        name,
        call,
        column=column,
        type=found,
        nullable=not primary_key and (code.truth(words.get("null")) is True or kind == "NullBooleanField"),
        primary_key=primary_key,
        unique=one_to_one or code.truth(words.get("unique")) is True,
        identity=kind in AUTO_FIELDS,
        default=_default(call, code),
        comment=_comment(name, call, code=code, statement=statement),
        generated=" ".join(text_of(words.get("expression")).split()) if kind == "GeneratedField" else "",
        values=_choices(words.get("choices"), code) or values,
        refers=kind in RELATIONS,
        one_to_one=one_to_one,
        relation=relation,
        besides=tuple(Column(column + end, _stated_type(like), source=source) for end, like in of.besides.items()),
        kind=_foreign_kind(call, code),
        source=source,
    )


def _foreign_kind(call: Call, code: Code) -> str:
    """Return the class of a field, "" for one of Django or of the file."""
    return "" if is_own(call.name) or call.name in code.classes else call.name


def use_of(field: Field, code: Code) -> FieldUse:
    """Return that a field is of a class which another file may define."""
    length = code.integer(field.call.keywords.get("max_length")) or 0
    return FieldUse(field.source.start_line, field.column or field.name, field.kind, length)


def _stated_type(text: str) -> str:
    like, _, length = text.partition(" ")
    return f"{TYPES[like]}({length})" if length else TYPES[like]


def is_composite(field: Field) -> bool:
    """Tell whether a field is the primary key that is made of others."""
    return last_part(field.call.name) == "CompositePrimaryKey"


def key_fields(field: Field, code: Code) -> tuple[str, ...]:
    """Return the names of the fields that a composite primary key is made of."""
    return tuple(code.string(argument) or "" for argument in field.call.arguments)


def usual_column(field: Field) -> str:
    """Return the column that a field has where it does not name another."""
    return f"{field.name}_id" if field.refers else field.name


def _type(call: Call | None, code: Code, depth: int) -> tuple[str, tuple[str, ...]]:
    """Return the type of a plain field; of a class of the file, that of the field it derives from."""
    if call is None or depth == 0:
        return "", ()
    of = kind_of_class(call.name, code)
    kind, words = of.like, call.keywords
    if kind == "ArrayField":
        inner, values = _type(code.call(call.argument(0, "base_field")), code, depth - 1)
        return f"{inner}[]" if inner else "ARRAY", values
    if kind == "GeneratedField":
        return _type(code.call(words.get("output_field")), code, depth - 1)
    if kind not in TYPES:
        dimensions = code.integer(words.get("dimensions"))
        return (f"{of.type}({dimensions})" if of.type and dimensions else of.type), ()
    text = TYPES[kind]
    if text == "NUMERIC":
        digits = [code.integer(words.get(word)) for word in ("max_digits", "decimal_places")]
        known_digits = [str(digit) for digit in digits if digit is not None]
        return (f"NUMERIC({', '.join(known_digits)})" if known_digits else text), ()
    length = code.integer(words.get("max_length")) or of.length or LENGTHS.get(kind)
    if text == "VARCHAR" and length is not None:
        return f"VARCHAR({length})", ()
    return text, ()


def _relation(call: Call, code: Code) -> Relation | None:
    model = model_name(call.argument(0, "to"), code)
    if not model:
        return None
    to_field = code.string(call.keywords.get("to_field")) or ""
    return Relation(model, to_field, constraint=code.truth(call.keywords.get("db_constraint")) is not False)


def model_name(node: Node | None, code: Code) -> str:
    """Return the model that an expression names: "shop.Order", "Order", "self" or USER_MODEL; "" for none.

    Of a class that is imported, the app is the package that its module is in: `shop.models.Order`.
    """
    if node is None:
        return ""
    if "AUTH_USER_MODEL" in text_of(node) or "get_user_model" in text_of(node):
        return USER_MODEL
    if (text := code.string(node)) is not None:
        return text
    dotted = code.dotted(node)
    if not dotted:
        return ""
    path = dotted.split(".")
    if "models" in path[:-1]:
        before = path[: path.index("models")]
        app = before[-1] if before else ""
        return f"{app}.{path[-1]}" if app else path[-1]
    if len(path) == 1 or dotted.startswith("."):
        return path[-1]
    return ""  # of a module from which the app cannot be told


def _default(call: Call, code: Code) -> str:
    """Return the default of the database, or else a literal that the program fills in."""
    for word in ("db_default", "default"):
        node = code.resolve(call.keywords.get(word))
        if node is not None and node.type in {"tuple", "expression_list"}:  # a member of TextChoices
            node = (code.items(node) or [node])[0]
        if found := code.sql_literal(node):
            return found
        made = code.call(node) if word == "db_default" else None
        if made is not None and last_part(made.name) == "Now":
            return "CURRENT_TIMESTAMP"
    return ""


def _comment(name: str, call: Call, *, code: Code, statement: Node) -> str:
    """Return what is said of a field, where that is more than its name."""
    words = call.keywords
    nodes = [words.get("db_comment"), words.get("help_text"), words.get("verbose_name")]
    if last_part(call.name) not in RELATIONS:
        nodes.append(call.argument(0))
    for node in nodes:
        text = " ".join(_translated(node, code).split())
        if text and text.casefold() != name.replace("_", " ").casefold():
            return text
    return code.comment_at(statement)


def _translated(node: Node | None, code: Code) -> str:
    """Return a string, also where it is wrapped for translation: `_("name")`."""
    if (text := code.string(node)) is not None:
        return text
    call = code.call(node)
    if call is None or not ("gettext" in call.name or last_part(call.name) in {"_", "N_"}):
        return ""
    return code.string(call.argument(0)) or ""


def _choices(node: Node | None, code: Code) -> tuple[str, ...]:
    """Return the values of choices: pairs of value and label, groups of such, or an enumeration."""
    if node is None:
        return ()
    named_class = code.dotted(node).removesuffix(".choices")
    one = code.classes.get(named_class)
    if one is None and "." in named_class:  # Order.Status
        outer, _, inner = named_class.rpartition(".")
        one = code.classes[outer].inner.get(inner) if outer in code.classes else None
    if one is not None and is_enum(one, code):
        return tuple(entry.value for entry in enum_entries(one, code) if entry.value)
    if mapping := code.pairs(node):
        return tuple(mapping)
    found: list[str] = []
    for item in code.items(node) or []:
        pair = code.items(item)
        if not pair:
            continue
        if len(pair) == 2 and (group := code.items(pair[1])) is not None:
            firsts = [(code.items(inner) or [inner])[0] for inner in group]
        else:
            firsts = [pair[0]]
        found += [value for first in firsts if (value := _value(first, code)) is not None]
    return tuple(dict.fromkeys(found))


def _value(node: Node, code: Code) -> str | None:
    resolved = code.resolve(node)
    if resolved is not None and resolved.type == "integer":
        return text_of(resolved)
    return code.string(node)
