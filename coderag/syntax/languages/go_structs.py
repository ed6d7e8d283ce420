"""The structs of a Go file with their fields and tags, its named types, and what its methods return."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tree_sitter import Node

from coderag.syntax.trees.comments import comment_above, comment_of
from coderag.syntax.trees.string_literals import string_value
from coderag.syntax.trees.tree import descendants, named, parse, text_of

__all__ = ["File", "GoField", "Struct", "read_go"]

TAG = re.compile(r'(?<!\w)(\w++):"((?:[^"\\]|\\.)*)"')
ESCAPED = re.compile(r"\\(.)")


class GoField(NamedTuple):
    """A field of a struct; an embedded one has the name of its type."""

    name: str
    type: str  # without the star of a pointer
    is_pointer: bool
    is_embedded: bool
    tags: Mapping[str, str]
    node: Node
    comment: str


class Struct(NamedTuple):
    """A struct."""

    name: str
    fields: tuple[GoField, ...]
    node: Node
    comment: str


@dataclass(frozen=True, slots=True)
class File:
    """What a Go file declares."""

    structs: Mapping[str, Struct]
    types: Mapping[str, str]  # named types that are no structs -> what they are
    values: Mapping[str, tuple[str, ...]]  # named types -> their constants that are strings or numbers
    constants: Mapping[str, str]  # the strings among the constants and variables
    returns: Mapping[tuple[str, str], Node | None]  # type and method -> what it returns, None if that is computed

    def text_returned(self, name: str, method: str) -> str:
        """Return the text that a method of a type returns, "" if there is none or it is computed."""
        node = self.returns.get((name, method))
        if node is None:
            return ""
        text = string_value(node)
        return text if text is not None else self.constants.get(text_of(node), "")


def read_go(data: bytes) -> File:
    """Return what a Go file declares."""
    root = parse(data, "go")
    structs: dict[str, Struct] = {}
    types: dict[str, str] = {}
    for declaration in named(root, "type_declaration"):
        for spec in named(declaration, "type_spec", "type_alias"):
            name, kind = text_of(spec.child_by_field_name("name")), spec.child_by_field_name("type")
            if kind is None:
                continue
            if kind.type == "struct_type":
                comment = comment_above(declaration) or comment_above(spec)
                structs[name] = Struct(name, tuple(_fields(kind)), spec, comment)
            else:
                types[name] = text_of(kind)
    constants, values = _constants(root)
    returns = dict(_returns(root))
    return File(structs, types, values, constants, returns)


def _fields(struct: Node) -> Iterator[GoField]:
    for declaration in named(next(iter(named(struct, "field_declaration_list")), None), "field_declaration"):
        kind = declaration.child_by_field_name("type")
        names = [text_of(node) for node in declaration.children_by_field_name("name")]
        written = text_of(kind)
        is_pointer = written.startswith("*") or any(child.type == "*" for child in declaration.children)
        bare = written.lstrip("*")
        tags = _tags(declaration.child_by_field_name("tag"))
        for name in names or [bare.rpartition(".")[2]]:
            yield GoField(name, bare, is_pointer, not names, tags, declaration, comment_of(declaration))


def _tags(node: Node | None) -> dict[str, str]:
    text = string_value(node) or ""
    return {key: ESCAPED.sub(r"\1", value) for key, value in TAG.findall(text)}


def _constants(root: Node) -> tuple[dict[str, str], dict[str, tuple[str, ...]]]:
    constants: dict[str, str] = {}
    values: dict[str, tuple[str, ...]] = {}
    for spec in descendants(root, "const_spec", "var_spec"):
        kind = text_of(spec.child_by_field_name("type"))
        names = [text_of(node) for node in spec.children_by_field_name("name")]
        for name, value in zip(names, named(spec.child_by_field_name("value")), strict=False):
            text = string_value(value)
            if text is None and value.type == "int_literal":
                text = text_of(value)
            elif text is not None:
                constants[name] = text
            if text is not None and kind and spec.type == "const_spec":
                values[kind] = (*values.get(kind, ()), text)
    return constants, values


def _returns(root: Node) -> Iterator[tuple[tuple[str, str], Node | None]]:
    for method in named(root, "method_declaration"):
        receiver = text_of(method.child_by_field_name("receiver")).strip("() ")
        owner = receiver.split()[-1].lstrip("*") if receiver else ""
        statements = [
            statement for block in named(method.child_by_field_name("body")) for statement in _statements(block)
        ]
        returned = statements[0] if len(statements) == 1 and statements[0].type == "return_statement" else None
        values = [value for child in named(returned) for value in named(child)]
        yield (owner, text_of(method.child_by_field_name("name"))), values[0] if len(values) == 1 else None


def _statements(block: Node) -> list[Node]:
    return named(block) if block.type == "statement_list" else [block]
