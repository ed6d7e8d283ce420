"""Diesel's `table! { users (id) { id -> Int4, name -> Nullable<Varchar>, } }` to models.

https://docs.diesel.rs/master/diesel/macro.table.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tree_sitter import Node

from coderag.frameworks.engine.declared.records import Model, ModelField, Models
from coderag.frameworks.engine.model_words import ModelWords
from coderag.syntax.trees.literals import Literal, Number, Reference
from coderag.syntax.trees.string_literals import string_value
from coderag.syntax.trees.tree import descendants, parse, text_of

__all__ = ["declared"]

TABLE, JOIN = "table", "joinable"  # the macros that are read
NULLABLE = re.compile(r"^(?:\w+::)*Nullable<(.*)>$")
ARRAY = re.compile(r"^(?:\w+::)*Array<(?:(?:\w+::)*Nullable<)?(?:\w+::)*(\w+)>*$")
SYSTEM = ("pg_", "sqlite_")  # how the tables of a database's own catalogue are called
SYSTEM_SCHEMAS = frozenset({"information_schema", "pg_catalog"})
MAX_LEVELS = 30  # of nodes around a macro
STATED = {"sql_name": "column", "max_length": "length"}


def declared(data: bytes, words: ModelWords, *, path: str) -> Models:  # noqa: ARG001 - as every form is asked
    """Return the tables that a file of Rust declares, with the keys that `joinable!` states."""
    tables: list[Model] = []
    joins: dict[str, dict[str, str]] = {}  # column -> table that it leads to, by table
    for macro in descendants(parse(data, "rust"), "macro_invocation", into=False):
        name = text_of(macro.child_by_field_name("macro")).rpartition("::")[2]
        tokens = next((child for child in macro.children if child.type == "token_tree"), None)
        if tokens is None or _is_local(macro):
            continue
        if name == TABLE and (table := _table(macro, tokens, words)) is not None:
            tables.append(table)
        elif name == JOIN:
            child, *parents = [text_of(one) for one in tokens.named_children if one.type == "identifier"][:2]
            inner = next((one for one in tokens.named_children if one.type == "token_tree"), None)
            if parents and inner is not None:
                joins.setdefault(child, {})[text_of(inner).strip("() ")] = parents[0]
    return Models(tuple(_joined(table, joins.get(table.name, {})) for table in tables))


def _is_local(macro: Node) -> bool:
    """Tell whether a macro stands in a function: it types what one query gives, and is no table of the database."""
    parent = macro.parent
    for _ in range(MAX_LEVELS):
        if parent is None:
            break
        if parent.type == "block":
            return True
        parent = parent.parent
    return False


def _table(macro: Node, tokens: Node, words: ModelWords) -> Model | None:
    """Return the table of a macro; the imports in front of its name are passed over."""
    body = [child for child in tokens.children[1:-1] if "comment" not in child.type]
    trees = [position for position, child in enumerate(body) if child.type == "token_tree"]
    if not trees or text_of(body[trees[-1]])[:1] != "{":
        return None
    keys = [position for position in trees if text_of(body[position])[:1] == "("]
    before = keys[-1] if keys else trees[-1]
    if not before or body[before - 1].type != "identifier":
        return None
    name = text_of(body[before - 1]).removeprefix("r#")
    schema = text_of(body[before - 3]) if before >= 3 and text_of(body[before - 2]) == "." else ""
    # A key that is not stated is the column `id`.
    key = tuple(text_of(body[keys[-1]]).strip("() ").replace(" ", "").split(",")) if keys else ("id",)
    options: dict[str, Literal] = {"primary_key": key}
    if schema:
        options["schema_name"] = schema
    if (stated := _stated(body[: before - 1])).get("column"):
        options["table_name"] = stated["column"]
    if name.startswith(SYSTEM) or schema in SYSTEM_SCHEMAS:
        return None
    return Model(name, tuple(_fields(body[trees[-1]], words)), options, macro, root=TABLE)


def _stated(tokens: Sequence[Node]) -> dict[str, Literal]:
    """Return what attributes say, `#[sql_name = "type"]`: name -> value."""
    said: dict[str, Literal] = {}
    for token in tokens:
        parts = [child for child in token.children if child.type != "comment"] if token.type == "token_tree" else []
        if len(parts) > 4 and text_of(parts[2]) == "=" and (name := STATED.get(text_of(parts[1]))):
            text = string_value(parts[3])
            said[name] = text if text is not None else Number(text_of(parts[3]))
    return said


def _fields(body: Node, words: ModelWords) -> Iterator[ModelField]:
    """Yield the columns among the tokens of a table: attributes, name, `->`, type, `,`."""
    tokens = [child for child in body.children[1:-1] if "comment" not in child.type]
    start = 0
    depth = 0
    for position, token in enumerate([*tokens, None]):
        text = text_of(token) if token is not None and token.type != "token_tree" else ""
        depth += text.count("<") - (text.count(">") if text != "->" else 0)
        if token is None or (text == "," and depth <= 0):
            if (field := _field(tokens[start:position], words)) is not None:
                yield field
            start, depth = position + 1, 0


def _field(tokens: Sequence[Node], words: ModelWords) -> ModelField | None:
    arrow = next((position for position, token in enumerate(tokens) if text_of(token) == "->"), 0)
    if not arrow:
        return None
    kind = "".join(text_of(token) for token in tokens[arrow + 1 :])
    nullable = NULLABLE.match(kind)
    plain = nullable[1] if nullable else kind
    array = ARRAY.match(plain)
    options = _stated(tokens[: arrow - 1])
    bare = array[1] if array else plain.rpartition("::")[2].partition("<")[0]
    if array:
        options["array"] = f"{words.types.get(bare, bare.lower())}[]"
    return ModelField(
        text_of(tokens[arrow - 1]).removeprefix("r#"), bare, (), options, tokens[arrow - 1],
        is_nullable=nullable is not None,
    )  # fmt: skip


def _joined(table: Model, joins: dict[str, str]) -> Model:
    """Return a table whose columns lead where `joinable!` says."""
    fields = [
        replace(field, options={**field.options, "joins": Reference(f"{joins[field.name]}.")})
        if field.name in joins
        else field
        for field in table.fields
    ]
    return replace(table, fields=fields)
