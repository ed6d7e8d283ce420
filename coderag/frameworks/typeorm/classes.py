"""Classes of TypeScript with their decorators, and what the decorator of a column says of its type.

https://typeorm.io/docs/entity/entities
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import msgspec
from tree_sitter import Node

from coderag.frameworks.engine.vocabulary import framework_data
from coderag.syntax.languages.javascript import Code
from coderag.syntax.trees.comments import comment_above, comment_behind
from coderag.syntax.trees.literals import COMPUTED, Literal, Raw, Reference, as_text
from coderag.syntax.trees.tree import named, text_of

__all__ = ["MAX_DEPTH", "Class", "Classes", "Decorator", "Property"]

COLUMNS = frozenset(
    "Column PrimaryColumn PrimaryGeneratedColumn CreateDateColumn UpdateDateColumn DeleteDateColumn VersionColumn "
    "ViewColumn".split()
)
DATES = frozenset({"CreateDateColumn", "UpdateDateColumn", "DeleteDateColumn"})
RELATIONS = frozenset({"ManyToOne", "OneToOne", "ManyToMany"})
SIZES = ("length", "width", "precision", "scale")
NULL_TYPES = frozenset({"null", "undefined"})
AROUND = re.compile(r"^(?:Relation|Promise|Ref)<(.*)>$")
MAX_DEPTH = 8  # of classes in classes


class Types(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The types of columns by those of properties, and by what TypeORM has for databases without such a type."""

    types: Mapping[str, str]
    portable: Mapping[str, str]


@cache
def _types() -> Types:
    return framework_data("typeorm", "attributes.toml", Types)


@dataclass(frozen=True)
class Decorator:
    """A decorator and its arguments."""

    name: str
    nodes: Sequence[Node]
    code: Code

    @cached_property
    def values(self) -> Sequence[Literal]:
        """The arguments."""
        return [self.code.value(node) for node in self.nodes]

    @property
    def first(self) -> Literal:
        """The first argument, None where there is none."""
        return self.values[0] if self.values else None

    @cached_property
    def options(self) -> Mapping[str, Literal]:
        """The first argument that is an object of options; an empty one without any."""
        return next((value for value in self.values if isinstance(value, dict)), {})

    @property
    def stated_name(self) -> Literal:
        """The first argument where it is a name, else the option `name`; COMPUTED for one of another file."""
        stated = self.first if self.values and not isinstance(self.first, dict) else self.options.get("name")
        return COMPUTED if isinstance(stated, Reference) else stated

    @property
    def target(self) -> str:
        """The class that a relation leads to, "" where it is computed."""
        value = self.first if self.values else COMPUTED
        if isinstance(value, Reference):
            return value.name.rpartition(".")[2]
        return value if isinstance(value, str) else value.text if isinstance(value, Raw) else ""


Decorators = Mapping[str, Sequence[Decorator]]


@dataclass(frozen=True)
class Property:
    """A property with its decorators."""

    name: str
    type: str  # as annotated, without null
    node: Node
    decorators: Decorators

    @property
    def column(self) -> Decorator | None:
        """The decorator that makes it a column."""
        return next((self.decorators[name][0] for name in COLUMNS if name in self.decorators), None)

    @property
    def relation(self) -> Decorator | None:
        """The decorator that makes it a relation whose other side is one row, or of many to many."""
        return next((self.decorators[name][0] for name in RELATIONS if name in self.decorators), None)

    @property
    def is_key(self) -> bool:
        """Whether it is a part of the primary key."""
        return any(name.startswith("Primary") for name in self.decorators)

    @property
    def has_key(self) -> bool:
        """Whether the table of this side has the key of the relation."""
        return "ManyToOne" in self.decorators or ("OneToOne" in self.decorators and "JoinColumn" in self.decorators)

    @property
    def comment(self) -> str:
        """The comment above it or behind it."""
        return comment_above(self.node) or comment_behind(self.node)

    def type_of(self, column: Decorator) -> str:
        """Return the type of its column, with its size.

        `@Column({ length: 9 }) name: string` -> varchar(9); `@Column("simple-json") data: any` -> text
        """
        options = column.options
        kind = self._bare_type(column)
        kind = _types().portable.get(kind, kind)
        size = ", ".join(filter(None, (as_text(options.get(name)) for name in SIZES)))
        kind += f"({size})" if size and kind else ""
        kind += " unsigned" if options.get("unsigned") is True else ""
        return kind + ("[]" if options.get("array") is True else "")

    def _bare_type(self, column: Decorator) -> str:
        """Return the type of its column as it is stated, else by its decorator and its own type."""
        types = _types().types
        is_generated = column.name == "PrimaryGeneratedColumn"
        given = None if is_generated or isinstance(column.first, dict) else column.first
        stated = column.options.get("type", given)
        if isinstance(stated, Reference):
            return types.get(stated.name, "")
        if isinstance(stated, Raw):
            return ""
        if is_generated:
            usual = "uuid" if column.first == "uuid" else types.get(self.type, "integer")
            kind = as_text(stated) or usual
            return "integer" if kind == "varchar" and column.first != "uuid" else kind
        if column.name in DATES:
            return as_text(stated) or "timestamp"
        if column.name == "VersionColumn":
            return as_text(stated) or "integer"
        return as_text(stated) or types.get(self.type.removesuffix("[]"), "")


@dataclass(frozen=True)
class Class:
    """A class of the file."""

    name: str
    node: Node
    outer: Node  # with `export`
    decorators: Decorators
    base: str
    properties: Sequence[Property]  # those with decorators


class Classes:
    """The classes of a file by name."""

    def __init__(self, code: Code) -> None:
        self._by_name = {one.name: one for one in _classes(code)}

    def __iter__(self) -> Iterator[Class]:
        """Yield the classes in order."""
        return iter(self._by_name.values())

    def get(self, name: str) -> Class | None:
        """Return a class of the file, None for any other."""
        return self._by_name.get(name)

    def above(self, name: str) -> Iterator[Class]:
        """Yield a class, and those of the file that it derives from, the nearest first."""
        one = self.get(name)
        for _ in range(MAX_DEPTH):
            if one is None:
                return
            yield one
            one = self.get(one.base)


def _classes(code: Code) -> Iterator[Class]:
    waiting = [*reversed(code.root.named_children)]
    while waiting:
        node = waiting.pop()
        if node.type in {"class_declaration", "abstract_class_declaration"}:
            parent = node.parent
            outer = parent if parent is not None and parent.type == "export_statement" else node
            heritage = next(iter(named(node, "class_heritage")), None)
            extends = next(iter(named(heritage, "extends_clause")), None)
            base = text_of(extends.child_by_field_name("value")) if extends is not None else ""
            decorators = _decorators([*node.children, *(outer.children if outer is not node else ())], code)
            properties = tuple(_properties(node.child_by_field_name("body"), code))
            yield Class(text_of(node.child_by_field_name("name")), node, outer, decorators, base, properties)
        elif node.type in {"export_statement", "internal_module", "expression_statement", "statement_block", "module"}:
            waiting += reversed(node.named_children)


def _properties(body: Node | None, code: Code) -> Iterator[Property]:
    for node in named(body, "public_field_definition"):
        if decorators := _decorators(node.children, code):
            name = text_of(node.child_by_field_name("name")).strip("'\"")
            yield Property(name, _annotated(node.child_by_field_name("type")), node, decorators)


def _decorators(nodes: Sequence[Node], code: Code) -> Decorators:
    found: dict[str, list[Decorator]] = {}
    for node in nodes:
        if node.type != "decorator":
            continue
        [called] = named(node)[:1] or [node]
        is_call = called.type == "call_expression"
        arguments = named(called.child_by_field_name("arguments")) if is_call else []
        name = text_of(called.child_by_field_name("function") if is_call else called).rpartition(".")[2]
        found.setdefault(name, []).append(Decorator(name, arguments, code))
    return found


def _annotated(annotation: Node | None) -> str:
    """Return a type without null and without what only wraps it."""
    parts = [part.strip() for part in text_of(annotation).removeprefix(":").split("|")]
    rest = [part for part in parts if part not in NULL_TYPES]
    if len(rest) != 1:
        return ""
    match = AROUND.match(rest[0])
    return match[1] if match else rest[0]
