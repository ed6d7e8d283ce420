"""The attributes of classes that SQLAlchemy or SQLModel maps to columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

import msgspec
from tree_sitter import Node

from coderag.frameworks.sqlalchemy.columns import COLUMN_CALLS, Field, read_column, written_target
from coderag.frameworks.sqlalchemy.types import Hint, annotated_type, read_hint
from coderag.sql.records import Relation
from coderag.syntax.languages.python import Call, Class, Code, Member, definition_of, last_part
from coderag.syntax.languages.python_classes import is_enum
from coderag.syntax.trees.tree import descendants, named, text_of

__all__ = ["column_of_function", "foreign_calls", "own_fields", "relation_of", "returned_by", "type_map"]

# Calls that give an attribute of a mapped class that is no column.
NO_COLUMNS = re.compile(r"relation|Relation|backref|synonym|proxy|query_expression|validates|registry")
CONTAINERS = frozenset(
    """Mapped WriteOnlyMapped DynamicMapped List list Set set Optional Union Sequence Collection None Any typing Dict
    dict
    """.split()
)
HOLDERS = frozenset({"deferred", "column_property", "composite"})  # of the columns among their arguments
RELATIONSHIPS = frozenset({"relationship", "Relationship", "dynamic_loader", "relation"})
CLASS_NAME = re.compile(r"[A-Za-z_][\w.]*")
LIBRARIES = ("sqlalchemy", "sqlmodel", "flask_sqlalchemy", "datetime", "typing", "enum", "uuid", "functools", "logging")
NEVER_COLUMNS = frozenset({"ClassVar", "DynamicMapped", "WriteOnlyMapped", "InitVar"})
# Arguments that SQLModel's Field shares with Column.
SHARED = frozenset({"primary_key", "unique", "nullable", "default", "index"})


def own_fields(one: Class, code: Code, *, types: Mapping[str, Node], sql_model: bool) -> dict[str, list[Field]]:
    """Return the columns that the attributes of a class stand for; none for an attribute that is no column.

    `types` is a type_annotation_map; `sql_model` tells that the file has classes of SQLModel.
    """
    inside = code.within(one)
    members = one.members.values()
    # The attributes of a SQLModel are annotated, and never by Mapped.
    sql_model = sql_model and not any("Mapped" in text_of(member.annotation) for member in members)
    found: dict[str, list[Field]] = {}
    for member in members:
        # `date: Mapped[date] = ...`: neither the annotation nor the value means the attribute.
        own = inside.without(member.name) if text_of(member.node).count(member.name) > 1 else inside
        found[member.name] = [*_fields_of(member, own, types=types, sql_model=sql_model)]
    return found


def foreign_calls(one: Class, code: Code) -> dict[str, str]:
    """Return the attributes of a class that functions of other files give, with these functions' names with dots."""
    found: dict[str, str] = {}
    for member in one.members.values():
        call = code.call(member.value) if not member.method and member.value is not None else None
        if call is None or last_part(call.name) in COLUMN_CALLS | HOLDERS or NO_COLUMNS.search(last_part(call.name)):
            continue
        first = text_of(call.node.child_by_field_name("function")).partition(".")[0]
        if first in code.imports and not call.name.startswith(LIBRARIES):
            found[member.name] = call.name
    return found


def relation_of(member: Member, code: Code) -> Relation | None:
    """Return the relation that an attribute is by relationship(...); None for anything else.

    https://docs.sqlalchemy.org/en/20/orm/relationship_api.html
    """
    value = returned_by(member) if member.method else member.value
    call = code.call(value)
    if call is None or last_part(call.name) not in RELATIONSHIPS:
        return None
    node = call.argument(0, "argument")
    if node is not None and node.type == "lambda":
        node = node.child_by_field_name("body")
    target = code.string(node) or (code.dotted(node) if node is not None and node.type != "call" else "")
    if not target and member.annotation is not None:
        names = [name for name in CLASS_NAME.findall(text_of(member.annotation)) if last_part(name) not in CONTAINERS]
        target = names[-1] if names else ""
    if not target:
        return None
    back = call.keywords.get("backref")
    inner = code.call(back)
    name = code.string(inner.argument(0)) if inner is not None else code.string(back)
    return Relation(member.name, last_part(target), (name,) if name else ())


def type_map(code: Code) -> dict[str, Node]:
    """Return what every type_annotation_map of the file says, by the text of the annotation."""
    word = "type_annotation_map"
    if word.encode() not in code.data:
        return {}
    nodes = [one.members[word].value for one in code.classes.values() if word in one.members]
    keywords = descendants(code.root, "keyword_argument")
    nodes += [
        keyword.child_by_field_name("value")
        for keyword in keywords
        if text_of(keyword.child_by_field_name("name")) == word
    ]
    found: dict[str, Node] = {}
    for node in nodes:
        for pair in named(code.resolve(node), "pair"):
            key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
            if value is not None:
                found["".join(text_of(key).split())] = value
    return found


def returned_by(member: Member) -> Node | None:
    """Return what a method returns, where it has one return."""
    nodes = [*descendants(definition_of(member.node), "return_statement")]
    return next(iter(named(nodes[0])), None) if len(nodes) == 1 else None


def _fields_of(member: Member, code: Code, *, types: Mapping[str, Node], sql_model: bool) -> Iterator[Field]:
    """Yield the columns of an attribute of a class.

    `name: Mapped[str]` -> name VARCHAR; `posts = relationship("Post")` -> nothing
    """
    if member.name.startswith("__") or (member.method and not _is_declared(member)):
        return
    value = returned_by(member) if member.method else member.value
    hint = read_hint(member.annotation, code) if member.annotation is not None else Hint()
    if hint.wrapper in NEVER_COLUMNS:
        return
    call = _followed(code.call(value), code)
    name = last_part(call.name) if call is not None else ""
    if call is not None and name in HOLDERS | COLUMN_CALLS:
        hint = hint if name != "composite" else Hint()
        for inner in _column_calls(call, code) if name in HOLDERS else [call]:
            yield from _column(inner, hint, member, code=code, types=types)
    elif NO_COLUMNS.search(name):
        return
    elif hint.wrapper == "Mapped":
        if _is_annotated_column(member, hint, code):
            yield from _column(None, hint, member, code=code, types=types)
    elif sql_model and member.annotation is not None and not member.method:
        yield from _model_field(call, hint, member, code)


def _is_annotated_column(member: Member, hint: Hint, code: Code) -> bool:
    """Tell whether nothing but its annotation makes an attribute a column: `name: Mapped[str]`."""
    return member.value is None and not member.method and not hint.collection and not _is_class(hint, code)


def _is_declared(method: Member) -> bool:
    """Tell whether a method is an attribute by its decorator `declared_attr`."""
    return "declared_attr" in text_of(method.node).partition("def ")[0]


def _column_calls(call: Call, code: Code) -> list[Call]:
    """Return the columns among the arguments of a call."""
    calls = [one for argument in call.arguments if (one := code.call(argument)) is not None]
    return [one for one in calls if last_part(one.name) in COLUMN_CALLS]


def column_of_function(function: Node, code: Code) -> Call | None:
    """Return the call of Column that a function returns, whatever it is given; None for any other function."""
    definition = definition_of(function)
    returns = [*descendants(definition, "return_statement")]
    calls = [code.call(next(iter(named(node)), None)) for node in returns]
    known = [call for call in calls if call is not None and last_part(call.name) in COLUMN_CALLS]
    return known[0] if known and len(known) == len(returns) else None


def _followed(call: Call | None, code: Code) -> Call | None:
    """Return the column that a call stands for: of a function that only returns it, of `__table__.c.get(name, ...)`."""
    if call is not None and call.name.endswith("__table__.c.get") and len(call.arguments) == 2:
        return code.call(call.arguments[1])
    if call is None or (function := code.functions.get(call.name)) is None:
        return call
    return column_of_function(function, code) or call


def _is_class(hint: Hint, code: Code) -> bool:
    """Tell whether an annotation names a class of the file that is no enumeration: the other side of a relationship."""
    one = code.classes.get(hint.name)
    return one is not None and not is_enum(one, code)


def _column(call: Call | None, hint: Hint, member: Member, *, code: Code, types: Mapping[str, Node]) -> Iterator[Field]:
    """Yield the column of an attribute; what its annotation brings by Annotated stands behind its own."""
    brought = [one for one in hint.calls if last_part(one.name) in COLUMN_CALLS]
    calls = [one for one in (call, *brought) if one is not None]
    keywords: dict[str, Node] = {}
    for one in reversed(calls):
        keywords |= one.keywords
    arguments = tuple(argument for one in calls for argument in one.arguments)
    complete = all(one.complete for one in calls)
    merged = Call("mapped_column", member.node, arguments, keywords, complete)
    field = read_column(merged, code, attribute=member.name)
    if field is None:
        return
    if hint.wrapper != "Mapped":
        yield field
        return
    known = annotated_type(hint, code, types)
    column = field.column
    yield replace(
        field,
        column=msgspec.structs.replace(
            column,
            type=column.type or known.text,
            values=column.values or (known.values if column.type in {"", "ENUM"} else ()),
            nullable=column.nullable if "nullable" in keywords else hint.optional and not field.primary_key,
        ),
    )


def _model_field(call: Call | None, hint: Hint, member: Member, code: Code) -> Iterator[Field]:
    """Yield the column of a SQLModel's attribute: Field(...), a plain default, or nothing but the annotation.

    `name: str = Field(max_length=9)` -> name VARCHAR(9); `posts: list["Post"]` -> nothing
    """
    if member.name.startswith("_") or member.name == "model_config":
        return
    field_call = call if call is not None and last_part(call.name) == "Field" else None
    keywords: dict[str, Node] = {}
    for one in (*hint.calls, *([field_call] if field_call is not None else [])):
        keywords |= one.keywords
    stated = code.call(keywords.get("sa_column"))
    if stated is not None:
        column_call = Call(stated.name, member.node, stated.arguments, stated.keywords)
        field = read_column(column_call, code, attribute=member.name)
        if field is not None:
            yield field
        return
    if hint.collection and "sa_type" not in keywords:
        return  # the other side of a relationship
    default = field_call.argument(0, "default") if field_call is not None else member.value
    field = read_column(_call_of_field(keywords, default, member, code), code, attribute=member.name)
    if field is not None:
        yield _annotated(field, hint, keywords, code)


def _call_of_field(keywords: Mapping[str, Node], default: Node | None, member: Member, code: Code) -> Call:
    """Return the call of Column that SQLModel makes for the keywords of Field(...)."""
    options = {name: node for name, node in keywords.items() if name in SHARED}
    if default is not None:
        options["default"] = default
    if "sa_type" in keywords:
        options["type_"] = keywords["sa_type"]
    return Call("Field", member.node, (), options | code.pairs(keywords.get("sa_column_kwargs")))


def _annotated(field: Field, hint: Hint, keywords: Mapping[str, Node], code: Code) -> Field:
    """Return the column of a SQLModel's field with what its annotation and the keywords of Field(...) add."""
    column = field.column
    known = annotated_type(hint, code, {})
    length = code.integer(keywords.get("max_length"))
    described = code.string(keywords.get("description"))
    has_comment = "comment" in code.pairs(keywords.get("sa_column_kwargs"))
    column = msgspec.structs.replace(
        column,
        type=column.type or (f"VARCHAR({length})" if length and known.text == "VARCHAR" else known.text),
        values=column.values or known.values,
        nullable=column.nullable if "nullable" in keywords else hint.optional and not field.primary_key,
        comment=" ".join(described.split()) if described and not has_comment else column.comment,
    )
    target = written_target(code.string(keywords.get("foreign_key")) or "")
    return replace(field, column=column, targets=(target,) if target else ())
