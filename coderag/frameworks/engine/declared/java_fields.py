"""Classes of Java and Kotlin whose fields are calls, `ID = createField(DSL.name("id"), SQLDataType.UUID)`, to models.

A generator has written them, which had all of it from a database.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from coderag.frameworks.engine.declared.records import Model, ModelField, Models
from coderag.frameworks.engine.model_words import ModelWords
from coderag.syntax.languages.jvm import Code
from coderag.syntax.trees.call_chains import Link, chain_of, literal
from coderag.syntax.trees.comments import comment_of
from coderag.syntax.trees.literals import Literal
from coderag.syntax.trees.node_types import JVM_CLASSES
from coderag.syntax.trees.tree import descendants, named, text_of

__all__ = ["declared"]

KOTLIN = (".kt", ".kts")
FIELDS = ("field_declaration", "property_declaration")
MAKER = "createField"
BASES = re.compile(r"\b(\w+)\s{0,9}<")
TABLE = re.compile(r"\b(?:this|super)\((?:DSL\.name\()?\"([^\"\n]{1,200})\"")  # what a constructor gives another one
COMMENT = re.compile(r"\bDSL\.comment\(\"([^\"\n]{1,2000})\"\)")


def declared(data: bytes, words: ModelWords, *, path: str) -> Models:
    """Return the tables of a file of Java or Kotlin."""
    code = Code(data, "kotlin" if path.endswith(KOTLIN) else "java")
    return Models(tuple(_models(code, words)))


def _models(code: Code, words: ModelWords) -> Iterator[Model]:
    for node in descendants(code.root, *JVM_CLASSES):
        body = next((one for one in named(node) if one.type.endswith("class_body")), None)
        head = text_of(node)[: (body.start_byte - node.start_byte) if body is not None else 0]
        root = next((name for name in BASES.findall(head) if name in words.tables.bases), "")
        fields = tuple(_fields(body, code)) if root else ()
        table = TABLE.search(text_of(node)) if fields else None
        if table is None:
            continue
        comment = COMMENT.search(text_of(node))
        name = text_of(node.child_by_field_name("name"))
        options: dict[str, Literal] = {"name": table[1], "comment": comment[1] if comment is not None else ""}
        yield Model(name, fields, options, node, comment_of(node), root=root)


def _fields(body: Node | None, code: Code) -> Iterator[ModelField]:
    for node in named(body, *FIELDS):
        declarator = node.child_by_field_name("declarator")
        name = declarator.child_by_field_name("name") if declarator is not None else None
        value = declarator.child_by_field_name("value") if declarator is not None else None
        if declarator is None and named(node):  # of Kotlin
            name = next((named(one)[0] for one in named(node, "variable_declaration")), None)
            value = named(node)[-1]
        made = chain_of(value) if value is not None else None
        call = next((link for link in made.links if link.name == MAKER), None) if made is not None else None
        field = _field(text_of(name), call, node, code) if call is not None else None
        if field is not None:
            yield field


def _field(name: str, call: Link, node: Node, code: Code) -> ModelField | None:
    """Return the column that `createField` makes of its name, its type and its comment."""
    given = chain_of(call.argument(0))
    column = literal(call.argument(0)) or (literal(given.links[-1].argument(0)) if given is not None else None)
    kind = chain_of(call.argument(1))
    if column is None or kind is None:
        return None
    links = [link for link in kind.links if link.name[:1].isupper() and link.name != "SQLDataType"]
    options: dict[str, Literal] = {"column": column, "comment": literal(call.argument(3)) or ""}
    for link in kind.links:
        if link.arguments:
            options[link.name] = code.value(link.argument(0))
    values = [code.value(argument.node) for argument in links[-1].arguments or ()] if links else []
    return ModelField(name, links[-1].name if links else "", values, options, node)
