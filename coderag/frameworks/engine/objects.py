"""Columns that are stated as objects, `{ type: DataTypes.STRING, allowNull: false }`, to columns and keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tree_sitter import Node

from coderag.frameworks.common.origins import lines_of
from coderag.frameworks.engine.vocabulary import Attributes, filled
from coderag.sql.records import Column, ForeignKey, Name
from coderag.syntax.languages.javascript import Code, unwrapped
from coderag.syntax.trees.literals import COMPUTED, Computed, Literal, Reference, as_text, default_of, mapping, texts
from coderag.syntax.trees.string_literals import string_value
from coderag.syntax.trees.tree import argument_nodes, named, text_of

__all__ = ["Attribute", "attribute_of", "entries_of", "key_to", "table_name"]

CALLED = {"call_expression": "function", "new_expression": "constructor"}  # the field with the type's name
KEY = " primary key"  # behind a type that stands for a key which numbers itself
SQL = "func"  # what marks a text as SQL: pgm.func("now()")
NOT_STORED = frozenset({"VIRTUAL"})
UNSIGNED = "UNSIGNED"
PROPERTIES = frozenset({"UNSIGNED", "BINARY", "ZEROFILL"})  # behind a type: INTEGER.UNSIGNED
NOW = frozenset({"NOW", "fn", "literal"})
SIZED = frozenset({"decimal", "numeric", "float", "double precision", "real"})


class Attribute(NamedTuple):
    """A column, and what else its object says."""

    column: Column
    is_key: bool = False
    unique: bool | str = False  # the name of a key of several columns
    foreign_key: ForeignKey | None = None


class _Type(NamedTuple):
    text: str
    values: tuple[str, ...] = ()
    is_stored: bool = True


def entries_of(node: Node | None, code: Code, depth: int = 0) -> Iterator[tuple[str, Node]]:
    """Yield the names and values of an object, of those that are spread into it too; a computed name is "" ."""
    node = _resolved(node, code)
    if node is None or node.type != "object" or depth > 4:
        return
    for child in named(node):
        if child.type == "pair":
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            if key is None or value is None:
                continue
            if key.type == "computed_property_name":
                yield as_text(code.value(named(key)[0])) if named(key) else "", value
            else:
                yield (string_value(key) or "") if key.type == "string" else text_of(key), value
        elif child.type == "spread_element" and named(child):
            yield from entries_of(named(child)[0], code, depth + 1)


def table_name(value: Literal) -> Name | None:
    """Return the table of "users" or { tableName: "users", schema: "app" }; None where it is computed."""
    options = mapping(value)
    text = as_text(value) or as_text(options.get("tableName")) or as_text(options.get("name"))
    if not text:
        return None
    return Name(text, schema=as_text(options.get("schema")))


def attribute_of(name: str, node: Node, *, code: Code, words: Attributes) -> Attribute | None:
    """Return the column that an object or a type alone states; None where it states no column, or a computed type."""
    resolved = _resolved(node, code) or node
    said: dict[str, Node] = {}
    if resolved.type == "object":
        said = {words.options[key]: value for key, value in entries_of(resolved, code) if key in words.options}
    kind = _type(said.get("type") if resolved.type == "object" else resolved, code, words)
    if not kind.is_stored or (not kind.text and not said):
        return None
    values = {key: code.value(value) for key, value in said.items()}
    column = as_text(values.get("column")) or name
    text = kind.text.removesuffix(KEY)
    is_counted = text != kind.text  # a short word for a whole column
    is_key = values.get("primary") is True or is_counted
    is_nullable = values.get("nullable") is not False and values.get("not null") is not True and not is_key
    length = as_text(values.get("length"))
    return Attribute(
        Column(
            column,
            f"{text}({length})" if length and "(" not in text else text,
            nullable=is_nullable,
            default=_default(said.get("default"), values.get("default", COMPUTED)),
            comment=as_text(values.get("comment")),
            values=kind.values or texts(values.get("values")) or (),
            identity=values.get("counted") is True or is_counted,
            source=lines_of(node),
            field=name if column != name else "",
        ),
        is_key=is_key,
        unique=_unique(values.get("unique")),
        foreign_key=_foreign_key((column,), said.get("references"), code=code, words=words),
    )


def _resolved(node: Node | None, code: Code) -> Node | None:
    """Return the value that a name stands for."""
    if node is None:
        return None
    node = unwrapped(node)
    if node.type == "identifier" and (constant := code.constants.get(text_of(node))) is not None:
        return constant
    return node


def _unique(value: Literal) -> bool | str:
    if isinstance(value, dict):
        return as_text(value.get("name")) or True
    return value if isinstance(value, str) else value is True


def _default(node: Node | None, value: Literal) -> str:
    if node is None:
        return ""
    text = text_of(node)
    if isinstance(value, Computed | Reference):
        last = text.partition("(")[0].rpartition(".")[2]
        if last == SQL:
            return (string_value(argument) or "") if (argument := next(iter(argument_nodes(node)), None)) else ""
        return "CURRENT_TIMESTAMP" if last == "NOW" or ("now" in text.lower() and last in NOW) else ""
    return default_of(value) or ""


def _type(node: Node | None, code: Code, words: Attributes) -> _Type:
    """Return the type that an attribute states, "" where it is computed.

    DataTypes.STRING(100)               -> "varchar(100)"
    DataTypes.ARRAY(DataTypes.INTEGER)  -> "integer[]"
    """
    if node is None:
        return _Type("")
    node = unwrapped(node)
    arguments: list[Node] = []
    if (field := CALLED.get(node.type)) is not None:
        arguments = named(node.child_by_field_name("arguments"))
        node = node.child_by_field_name(field) or node
    if node.type in {"string", "template_string"}:
        text = as_text(code.value(node))
        return _Type(words.types.get(text, text) if text.islower() else text)
    names = text_of(node).split(".")
    name = next((one for one in reversed(names) if one not in PROPERTIES), "")
    if name in NOT_STORED:
        return _Type("", is_stored=False)
    if name not in words.types:
        return _Type("")
    if name == "ARRAY":
        inner = _type(arguments[0], code, words) if arguments else _Type("")
        return _Type(f"{inner.text}[]" if inner.text else "array")
    values = [code.value(argument) for argument in arguments]
    if name == "ENUM":
        return _Type(words.types[name], _listed(values))
    text = filled(words.types[name], values)
    sizes = [size for value in values if (size := as_text(value))]
    text += f"({', '.join(sizes)})" if text in SIZED and sizes else ""
    return _Type(text + (" unsigned" if UNSIGNED in names else ""))


def _listed(values: Sequence[Literal]) -> tuple[str, ...]:
    """Return the values of ENUM("a", "b"), ENUM(["a", "b"]) or ENUM({ values: ["a", "b"] })."""
    if not values:
        return ()
    listed = texts(values[0]) if len(values) == 1 and not isinstance(values[0], str) else texts(tuple(values))
    return listed or texts(mapping(values[0]).get("values")) or ()


def key_to(columns: Sequence[str], value: Literal, node: Node) -> ForeignKey | None:
    """Return the key to what a text names, "users" or "app.users(id)"; None where it is computed."""
    if not isinstance(value, str):
        table = table_name(value)
        return ForeignKey(tuple(columns), table, source=lines_of(node)) if table is not None else None
    written, _, inside = value.replace('"', "").partition("(")
    schema, _, name = written.strip().rpartition(".")
    referenced = tuple(part.strip() for part in inside.partition(")")[0].split(",") if part.strip())
    return ForeignKey(tuple(columns), Name(name, schema=schema), referenced, source=lines_of(node))


def _foreign_key(columns: Sequence[str], node: Node | None, *, code: Code, words: Attributes) -> ForeignKey | None:
    """Return the key of `references: { model: "users", key: "id" }`, or of `references: "users"`."""
    if node is None:
        return None
    stated = {words.reference[key]: value for key, value in entries_of(node, code) if key in words.reference}
    if not stated:
        return key_to(columns, code.value(node), node)
    value = code.value(stated.get("table"))
    column = as_text(code.value(stated["column"])) if "column" in stated else ""
    referenced = (column,) if column else ()
    if isinstance(value, Reference):
        model = value.name.rpartition(".")[2]
        return ForeignKey(tuple(columns), Name(model), referenced, source=lines_of(node), model=model)
    table = table_name(value)
    return ForeignKey(tuple(columns), table, referenced, source=lines_of(node)) if table is not None else None
