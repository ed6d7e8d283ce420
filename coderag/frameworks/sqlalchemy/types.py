"""SQLAlchemy's types and Python's annotations to the types of SQL, named as SQLAlchemy's own compiler names them.

https://docs.sqlalchemy.org/en/20/core/type_basics.html
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tree_sitter import Node

from coderag.syntax.languages.python import Call, Class, Code, last_part
from coderag.syntax.languages.python_classes import enum_entries, is_enum
from coderag.syntax.trees.string_literals import string_value
from coderag.syntax.trees.tree import named, parse, text_of

__all__ = ["Hint", "SqlType", "annotated_type", "read_hint", "sql_type"]

# Types that are written otherwise in SQL; those in capitals are SQL's own names.
TYPES = {
    "AutoString": "VARCHAR",
    "ArrowType": "DATETIME",
    "BigInteger": "BIGINT",
    "Boolean": "BOOLEAN",
    "Date": "DATE",
    "DateTime": "DATETIME",
    "Double": "DOUBLE",
    "DOUBLE_PRECISION": "DOUBLE PRECISION",
    "EmailType": "VARCHAR(255)",
    "Float": "FLOAT",
    "Integer": "INTEGER",
    "Interval": "INTERVAL",
    "JSONType": "JSON",
    "LargeBinary": "BLOB",
    "NullType": "",
    "Numeric": "NUMERIC",
    "PickleType": "BLOB",
    "SmallInteger": "SMALLINT",
    "String": "VARCHAR",
    "Text": "TEXT",
    "Time": "TIME",
    "Unicode": "VARCHAR",
    "UnicodeText": "TEXT",
    "URLType": "TEXT",
    "Uuid": "UUID",
    "UUIDType": "UUID",
}
ENUMS = frozenset({"Enum", "ENUM", "SQLEnum", "SAEnum", "EnumType", "SqlEnum"})
SIZES = ("length", "precision", "scale")  # keywords that stand for the sizes in parentheses, in order
UNSIZED = frozenset({"Boolean", "Integer", "BigInteger", "SmallInteger", "Date", "Uuid", "UUID", "JSON", "JSONB"})

# What an annotation stands for where nothing else is said, by the last part of its name.
ANNOTATIONS = {
    "AnyUrl": "VARCHAR",
    "Decimal": "NUMERIC",
    "EmailStr": "VARCHAR",
    "HttpUrl": "VARCHAR",
    "UUID": "UUID",
    "UUID4": "UUID",
    "bool": "BOOLEAN",
    "bytes": "BLOB",
    "date": "DATE",
    "datetime": "DATETIME",
    "float": "FLOAT",
    "int": "INTEGER",
    "str": "VARCHAR",
    "time": "TIME",
    "timedelta": "INTERVAL",
}
WRAPPERS = frozenset({"Mapped", "DynamicMapped", "WriteOnlyMapped", "ClassVar", "InitVar"})
COLLECTIONS = frozenset("list List set Set frozenset Sequence Collection Iterable tuple Tuple AppenderQuery".split())
MAX_STEPS = 20
MAX_TYPE_CHARS = 200


class SqlType(NamedTuple):
    """A type as SQL writes it, and the values that it is known to hold."""

    text: str = ""
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hint:
    """What an annotation says."""

    name: str = ""  # the type inside of Mapped, Optional, Annotated, with imports resolved
    node: Node | None = None
    wrapper: str = ""  # Mapped, ClassVar, ...
    optional: bool = False
    collection: bool = False
    calls: tuple[Call, ...] = ()  # inside of Annotated
    values: tuple[str, ...] = ()  # of Literal
    texts: tuple[str, ...] = ()  # what it was called on the way, aliases included


def sql_type(node: Node | None, code: Code) -> SqlType:
    """Return the type that an expression like `String(50)` or `sa.Integer` stands for."""
    return _sql_type(node, code, MAX_STEPS)


def _sql_type(node: Node | None, code: Code, depth: int) -> SqlType:
    """Return the type that an argument of a column states; "" where that is computed.

    `String(50)` -> VARCHAR(50); `sa.ARRAY(sa.Integer)` -> INTEGER[]; `Enum("a", "b")` -> ENUM of a and b
    """
    node = code.resolve(node)
    if node is None or depth == 0:
        return SqlType()
    if node.type == "call":
        call = code.call_at(node)
        name = last_part(call.name) or text_of((node.child_by_field_name("function") or node).named_children[-1])
        if name in {"with_variant", "adapt", "evaluates_none"}:
            function = node.child_by_field_name("function")
            return _sql_type(function.child_by_field_name("object") if function else None, code, depth - 1)
        if name == "as_mutable":
            return _sql_type(call.argument(0, "sqltype"), code, depth - 1)
        if not call.name:
            return SqlType(_as_written(node))
    elif node.type in {"identifier", "attribute"}:
        call = Call(code.dotted(node), node, (), {})
        name = last_part(call.name)
    else:
        return SqlType()
    if name in ENUMS:
        return SqlType("ENUM", _enum_values(call, code))
    if name == "ARRAY":
        item = _sql_type(call.argument(0, "item_type"), code, depth - 1)
        return SqlType(f"{item.text}[]" if item.text else "ARRAY", item.values)
    if (one := code.classes.get(call.name)) is not None and "impl" in one.members:
        implemented = _sql_type(one.members["impl"].value, code.within(one), depth - 1)
        return implemented if "(" in implemented.text else SqlType(_sized(implemented.text, name, call, code))
    if name in TYPES:
        return SqlType(_sized(TYPES[name], name, call, code))
    if name.isupper():
        return SqlType(_sized(name.replace("_", " "), name, call, code))
    return SqlType(_as_written(node))


def _sized(text: str, name: str, call: Call, code: Code) -> str:
    """Return a type with its length or precision and what else belongs to its name."""
    if not text or "(" in text:
        return text
    if code.truth(call.keywords.get("timezone")) or (
        name in {"DateTime", "TIMESTAMP", "Time", "TIME"} and call.arguments and code.truth(call.arguments[0])
    ):
        return ("TIMESTAMP" if text == "DATETIME" else text) + " WITH TIME ZONE"
    sizes = [] if name in UNSIZED else [code.integer(argument) for argument in call.arguments[:2]]
    sizes += [code.integer(call.keywords[one]) for one in SIZES if one in call.keywords]
    known = [str(size) for size in sizes if size is not None]
    unsigned = " UNSIGNED" if code.truth(call.keywords.get("unsigned")) else ""
    return f"{text}({', '.join(known)}){unsigned}" if known else text + unsigned


def _as_written(node: Node) -> str:
    """Return a type of another library by its own name: `geoalchemy2.Geometry("POINT")` is Geometry("POINT")."""
    text = " ".join(text_of(node).split())
    head, bracket, rest = text.partition("(")
    return (last_part(head) + bracket + rest)[:MAX_TYPE_CHARS]


def _enum_values(call: Call, code: Code) -> tuple[str, ...]:
    """Return the values of `Enum("a", "b")` and `Enum(Status)`; of a class the names are stored, unless it says."""
    if not call.arguments:
        return ()
    if (one := enum_class(call.arguments[0], code)) is not None:
        entries = enum_entries(one, code)
        by_value = "values_callable" in call.keywords
        return tuple(entry.value if by_value else entry.name for entry in entries)
    if len(call.arguments) == 1 and (listed := code.items(call.arguments[0])) is not None:
        values = [code.string(item) for item in listed]
    else:
        values = [code.string(argument) for argument in call.arguments]
    return tuple(value for value in values if value is not None) if None not in values else ()


def enum_class(node: Node | None, code: Code) -> Class | None:
    """Return the enumeration of the file that an expression names."""
    one = code.classes.get(code.dotted(node))
    return one if one is not None and is_enum(one, code) else None


def read_hint(node: Node | None, code: Code) -> Hint:
    """Return what an annotation says; one in quotes is read as if it had none.

    `Mapped[Optional[str]]` -> str, optional, in Mapped; `Literal["a", "b"]` -> the values a and b
    """
    wrapper, optional, calls, texts = "", False, list[Call](), list[str]()
    for _ in range(MAX_STEPS):
        if node is None:
            break
        texts.append("".join(text_of(node).split()))
        node = code.resolve(node)
        if node is None:
            break
        if node.type == "string":
            node = _unquoted(node)
            continue
        if (parts := _union(node, code)) is not None:
            some = [part for part in parts if text_of(part) != "None"]
            optional = optional or len(some) < len(parts)
            if len(some) != 1:
                return Hint(" | ".join(text_of(part) for part in some), node, wrapper, optional, calls=tuple(calls))
            node = some[0]
            continue
        head, inner = _generic(node, code)
        name = last_part(head)
        if name in WRAPPERS and inner:
            wrapper, node = name, inner[0]
        elif name == "Optional" and inner:
            optional, node = True, inner[0]
        elif name == "Annotated" and inner:
            calls += _calls(inner[1:], code)
            node = inner[0]
        elif name == "Literal":
            values = _strings(inner, code)
            return Hint(head, node, wrapper, optional, calls=tuple(calls), values=values, texts=tuple(texts))
        else:
            collection = name in COLLECTIONS
            return Hint(head, node, wrapper, optional, collection, tuple(calls), texts=tuple(texts))
    return Hint("", None, wrapper, optional, calls=tuple(calls), texts=tuple(texts))


def _calls(nodes: Sequence[Node], code: Code) -> list[Call]:
    return [call for node in nodes if (call := code.call(node)) is not None]


def _strings(nodes: Sequence[Node], code: Code) -> tuple[str, ...]:
    return tuple(text for node in nodes if (text := code.string(node)) is not None)


def _unquoted(node: Node) -> Node | None:
    """Return the expression in an annotation that is a string."""
    text = string_value(node)
    if text is None:
        return None
    first = next(iter(named(parse(text.strip().encode(), "python"))), None)
    return next(iter(named(first)), None) if first is not None else None


def _union(node: Node, code: Code) -> list[Node] | None:
    """Return the alternatives of `X | Y`, of Union[X, Y]; None for anything else."""
    if node.type in {"binary_operator", "union_type"}:
        nodes: list[Node] = []
        waiting = [node]
        while waiting:
            one = waiting.pop()
            if one.type in {"binary_operator", "union_type", "type"}:
                waiting += reversed(named(one))
            else:
                nodes.append(one)
        return nodes
    head, inner = _generic(node, code)
    return inner if last_part(head) == "Union" and inner else None


def _generic(node: Node, code: Code) -> tuple[str, list[Node]]:
    """Return the name and arguments of `X[A, B]`; a plain name has none."""
    if node.type == "generic_type":
        children = named(node)
        parameters = named(children[-1]) if len(children) > 1 else []
        return code.dotted(children[0]), parameters
    if node.type == "subscript":
        inner = node.children_by_field_name("subscript")
        if len(inner) == 1 and inner[0].type == "tuple":
            inner = named(inner[0])
        return code.dotted(node.child_by_field_name("value")), inner
    return code.dotted(node), []


def annotated_type(hint: Hint, code: Code, known: Mapping[str, Node]) -> SqlType:
    """Return the type of an annotation; `known` is a type_annotation_map, from annotation to type."""
    for text in reversed(hint.texts):
        if (node := known.get(text)) is not None:
            return sql_type(node, code)
    if hint.values:
        return SqlType("ENUM", hint.values)
    one = code.classes.get(hint.name)
    if one is not None and is_enum(one, code):
        return SqlType("ENUM", tuple(entry.name for entry in enum_entries(one, code)))
    name = last_part(hint.name)
    if name in ANNOTATIONS:
        return SqlType(ANNOTATIONS[name])
    return SqlType(" ".join(text_of(hint.node).split())[:MAX_TYPE_CHARS] if hint.node is not None else hint.name)
