"""Structs of Rust with attributes, `#[sea_orm(primary_key)] pub id: i32`, to models."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from tree_sitter import Node

from coderag.frameworks.engine.declared.records import Model, ModelField, Models
from coderag.frameworks.engine.model_words import ModelWords
from coderag.syntax.trees.literals import Literal, Number, Reference
from coderag.syntax.trees.string_literals import string_value
from coderag.syntax.trees.tree import descendants, named, parse, text_of
from coderag.text.inflection import snake_case

__all__ = ["declared"]

OPTION = re.compile(r"^(?:std::option::)?Option<(.*)>$", re.DOTALL)
SELF = "self"
MODULE_FILES = frozenset({"mod", "lib", "main"})


def declared(data: bytes, words: ModelWords, *, path: str) -> Models:
    """Return the models of a file of Rust; each is called as the module that it stands in."""
    root = parse(data, "rust")
    models = []
    for struct in descendants(root, "struct_item"):
        derived = " ".join(text_of(one) for one in _attributes(struct) if text_of(one).startswith("#[derive"))
        if not any(base in derived for base in words.tables.bases):
            continue
        options = _options(struct, words)
        relations = _relations(struct, words)
        fields = tuple(_fields(struct, words, relations))
        models.append(Model(_module(struct, path), fields, options, struct, _doc(struct), root="Model"))
    return Models(tuple(models))


def _module(struct: Node, path: str) -> str:
    """Return the name of the module around a struct, that of the file where none is written."""
    parent = struct.parent
    while parent is not None:
        if parent.type == "mod_item":
            return text_of(parent.child_by_field_name("name"))
        parent = parent.parent
    file = PurePosixPath(path)
    return file.parent.name if file.stem in MODULE_FILES else file.stem


def _attributes(node: Node) -> Iterator[Node]:
    """Yield the attributes above an item or field."""
    before = node.prev_named_sibling
    while before is not None and (before.type == "attribute_item" or "comment" in before.type):
        if before.type == "attribute_item":
            yield before
        before = before.prev_named_sibling


def _doc(node: Node) -> str:
    """Return the comment above an item or field that documents it."""
    rows: list[str] = []
    before = node.prev_named_sibling
    while before is not None and (before.type == "attribute_item" or "comment" in before.type):
        text = text_of(before)
        if text.startswith("///"):
            rows.append(text.strip("/ \n"))
        before = before.prev_named_sibling
    return " ".join(filter(None, reversed(rows))).partition(". ")[0]


def _options(node: Node, words: ModelWords) -> dict[str, Literal]:
    """Return what the attributes of the framework say: a word without a value is True."""
    found: dict[str, Literal] = {}
    for item in _attributes(node):
        attribute = next(iter(named(item, "attribute")), None)
        if attribute is None or text_of(next(iter(named(attribute)), None)) not in words.tables.modules:
            continue
        tokens = attribute.child_by_field_name("arguments")
        children = tokens.children if tokens is not None else []
        for position, child in enumerate(children):
            if child.type != "identifier":
                continue
            after = children[position + 1 : position + 3]
            is_stated = len(after) == 2 and after[0].type == "="
            found[text_of(child)] = _value(after[1]) if is_stated else True
    return found


def _value(node: Node) -> Literal:
    if (text := string_value(node)) is not None:
        return text
    if node.type == "boolean_literal":
        return text_of(node) == "true"
    return Number(text_of(node)) if node.type in {"integer_literal", "float_literal"} else Reference(text_of(node))


def _fields(struct: Node, words: ModelWords, relations: Mapping[str, Reference]) -> Iterator[ModelField]:
    for declaration in named(struct.child_by_field_name("body"), "field_declaration"):
        name = text_of(declaration.child_by_field_name("name")).removeprefix("r#")
        kind = text_of(declaration.child_by_field_name("type"))
        inner = OPTION.match(kind)
        options = _options(declaration, words)
        if (reference := relations.get(name)) is not None:
            options["belongs_to"] = reference
        bare = (inner[1] if inner else kind).rpartition("::")[2] if "<" not in kind[7:] else kind
        yield ModelField(
            name, bare, (), options, declaration, _doc(declaration), is_nullable=inner is not None,
            is_known=bare in words.kinds,
        )  # fmt: skip


def _relations(struct: Node, words: ModelWords) -> dict[str, Reference]:
    """Return what the variants of the enumeration of relations beside a struct say: field -> module.field."""
    found: dict[str, Reference] = {}
    siblings = struct.parent.named_children if struct.parent is not None else []
    for enum in siblings:
        if enum.type != "enum_item":
            continue
        for variant in descendants(enum, "enum_variant"):
            said = _options(variant, words)
            target, start, end = (str(said.get(key, "")).split("::") for key in ("belongs_to", "from", "to"))
            if start[-2:-1] == end[-2:-1] == ["Column"] and target[-1] == "Entity":
                module = target[-2] if len(target) > 1 else SELF
                found[snake_case(start[-1])] = Reference(f"{module}.{snake_case(end[-1])}")
    return found
