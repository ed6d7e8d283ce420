"""Classes of Java and Kotlin with their annotations, in one form for both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node

from coderag.syntax.trees.comments import comment_of
from coderag.syntax.trees.literals import COMPUTED, Literal, Number, Reference
from coderag.syntax.trees.node_types import JVM_CLASSES
from coderag.syntax.trees.string_literals import string_value
from coderag.syntax.trees.tree import descendants, named, parse, text_of

__all__ = ["Annotation", "Annotations", "Class", "Code", "Member"]

POSITIONAL = "value"  # what an argument without a name is the value of
MAX_DEPTH = 10  # of annotations in annotations
JAVA_NUMBERS = frozenset("decimal_integer_literal decimal_floating_point_literal hex_integer_literal".split())


class Annotation(NamedTuple):
    """An annotation: its name without package, and its arguments; another one among them is a hash."""

    name: str
    arguments: Mapping[str, Literal]
    node: Node


Annotations = Mapping[str, Sequence[Annotation]]


@dataclass(frozen=True, slots=True)
class Member:
    """A field, a property, or the getter of one."""

    name: str
    type: str  # without what says that it may be null
    annotations: Annotations
    node: Node
    comment: str
    is_getter: bool = False
    is_primitive: bool = False  # so never null
    is_constant: bool = False  # static, transient, or computed


@dataclass(slots=True)
class Class:
    """A class, with its constants where it is an enum."""

    name: str
    node: Node
    annotations: Annotations
    base: str
    comment: str
    members: list[Member] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    is_enum: bool = False


class Code:
    """A file of Java or Kotlin: its tree and its constants that are strings or numbers."""

    def __init__(self, data: bytes, language: str) -> None:
        self.root = parse(data, language)
        self._is_kotlin = language == "kotlin"
        self._constants: dict[str, Literal] = {}
        for name, value in self._stated_constants():
            self._constants.setdefault(name, value)

    def classes(self) -> list[Class]:
        """Return the classes of the file, the ones in others too."""
        read = self._kotlin_class if self._is_kotlin else self._java_class
        return [read(node) for node in descendants(self.root, *JVM_CLASSES)]

    def _stated_constants(self) -> Iterator[tuple[str, Literal]]:
        if self._is_kotlin:
            for node in descendants(self.root, "property_declaration"):
                declared = next(iter(named(node, "variable_declaration")), None)
                if declared is not None and "const" in text_of(next(iter(named(node, "modifiers")), None)):
                    yield text_of(named(declared)[0]), self.value(named(node)[-1])
            return
        for node in descendants(self.root, "field_declaration", "constant_declaration"):
            modifiers = text_of(next(iter(named(node, "modifiers")), None))
            if node.type == "constant_declaration" or ("static" in modifiers and "final" in modifiers):
                for one in node.children_by_field_name("declarator"):
                    yield text_of(one.child_by_field_name("name")), self.value(one.child_by_field_name("value"))

    # What annotations say

    def value(self, node: Node | None, depth: int = 0) -> Literal:
        """Return what an argument says; a constant of another file is a Reference.

        `"a" + "b"` -> "ab"; `10_000L` -> Number("10000"); `User.class` -> Reference("User"); `size()` -> COMPUTED
        """
        if node is None or depth > MAX_DEPTH:
            return COMPUTED
        match node.type:
            case "string_literal" | "line_string_literal" | "multi_line_string_literal":
                text = string_value(node)
                return text if text is not None else COMPUTED
            case "true" | "false":
                return node.type == "true"
            case "number_literal" | "integer_literal" | "long_literal":
                return Number(text_of(node).replace("_", "").rstrip("Ll"))
            case "identifier" | "field_access" | "scoped_identifier" | "navigation_expression" | "simple_identifier":
                return self._name(text_of(node))
            case "annotation" | "marker_annotation" if not self._is_kotlin:
                return dict(self._java_annotation(node, depth).arguments)
            case "element_value_array_initializer" | "array_initializer" | "collection_literal":
                return tuple(self.value(child, depth + 1) for child in named(node))
            case "class_literal" | "callable_reference":
                return Reference(text_of(node).removesuffix(".class").removesuffix("::class"))
            case "binary_expression" | "additive_expression":
                return self._sum(node, depth)
            case "call_expression":
                return self._kotlin_call(node, depth)
            case "parenthesized_expression":
                return self.value(named(node)[0], depth + 1) if named(node) else COMPUTED
        return Number(text_of(node).replace("_", "").rstrip("Ll")) if node.type in JAVA_NUMBERS else COMPUTED

    def _name(self, name: str) -> Literal:
        if name in {"true", "false"}:  # Kotlin's grammar takes them for names
            return name == "true"
        return self._constants.get(name.rpartition(".")[2], Reference(name))

    def _sum(self, node: Node, depth: int) -> Literal:
        parts = [self.value(one, depth + 1) for one in named(node)]
        is_text = all(isinstance(part, str) for part in parts) and "+" in [child.type for child in node.children]
        return "".join(map(str, parts)) if is_text else COMPUTED

    def _annotations(self, modifiers: Node | None, depth: int = 0) -> dict[str, list[Annotation]]:
        read = self._kotlin_annotation if self._is_kotlin else self._java_annotation
        found: dict[str, list[Annotation]] = {}
        for node in named(modifiers, "annotation", "marker_annotation"):
            annotation = read(node, depth)
            found.setdefault(annotation.name, []).append(annotation)
        return found

    # Java

    def _java_annotation(self, node: Node, depth: int = 0) -> Annotation:
        name = text_of(node.child_by_field_name("name")).rpartition(".")[2]
        arguments: dict[str, Literal] = {}
        for child in named(node.child_by_field_name("arguments")):
            if child.type == "element_value_pair":
                key = text_of(child.child_by_field_name("key"))
                arguments[key] = self.value(child.child_by_field_name("value"), depth + 1)
            else:
                arguments[POSITIONAL] = self.value(child, depth + 1)
        return Annotation(name, arguments, node)

    def _java_class(self, node: Node) -> Class:
        superclass = named(node.child_by_field_name("superclass"))
        base = text_of(superclass[0]).partition("<")[0].rpartition(".")[2] if superclass else ""
        annotations = self._annotations(next(iter(named(node, "modifiers")), None))
        name = text_of(node.child_by_field_name("name"))
        found = Class(name, node, annotations, base, comment_of(node), is_enum=node.type == "enum_declaration")
        body = node.child_by_field_name("body")
        found.values = [text_of(child.child_by_field_name("name")) for child in named(body, "enum_constant")]
        if node.type == "record_declaration":
            for child in named(node.child_by_field_name("parameters"), "formal_parameter"):
                found.members.append(self._java_member(child, child.child_by_field_name("name")))
        for child in named(body):
            if child.type == "field_declaration":
                for declared in child.children_by_field_name("declarator"):
                    found.members.append(self._java_member(child, declared.child_by_field_name("name")))
            elif child.type == "method_declaration" and (getter := self._java_getter(child)) is not None:
                found.members.append(getter)
        return found

    def _java_member(self, node: Node, name: Node | None) -> Member:
        modifiers = next(iter(named(node, "modifiers")), None)
        words = [child.type for child in modifiers.children] if modifiers is not None else []
        kind = node.child_by_field_name("type")
        return Member(
            name=text_of(name),
            type=text_of(kind),
            annotations=self._annotations(modifiers),
            node=node,
            comment=comment_of(node),
            is_primitive=kind is not None and kind.type in {"integral_type", "floating_point_type", "boolean_type"},
            is_constant="static" in words or "transient" in words,
        )

    def _java_getter(self, node: Node) -> Member | None:
        """Return the property that a method gives."""
        modifiers = next(iter(named(node, "modifiers")), None)
        words = {child.type for child in modifiers.children} if modifiers is not None else set()
        method = text_of(node.child_by_field_name("name"))
        name = method.removeprefix("get") if method.startswith("get") else method.removeprefix("is")
        if name == method or not name or "static" in words or named(node.child_by_field_name("parameters")):
            return None
        kind = node.child_by_field_name("type")
        return Member(
            name=name[0].lower() + name[1:],
            type=text_of(kind),
            annotations=self._annotations(modifiers),
            node=node,
            comment=comment_of(node),
            is_getter=True,
            is_primitive=kind is not None and kind.type in {"integral_type", "floating_point_type", "boolean_type"},
        )

    # Kotlin

    def _kotlin_annotation(self, node: Node, depth: int = 0) -> Annotation:
        inner = next(iter(named(node, "constructor_invocation", "user_type")), None)
        arguments = self._kotlin_arguments(next(iter(named(inner, "value_arguments")), None), depth)
        called = (
            next(iter(named(inner, "user_type")), None) if inner is not None and inner.type != "user_type" else inner
        )
        return Annotation(_bare_type(called).rpartition(".")[2], arguments, node)

    def _kotlin_arguments(self, node: Node | None, depth: int) -> dict[str, Literal]:
        found: dict[str, Literal] = {}
        for one in named(node, "value_argument"):
            parts = named(one)
            is_named = len(parts) == 2 and any(child.type == "=" for child in one.children)
            if is_named:
                found[text_of(parts[0])] = self.value(parts[1], depth + 1)
            elif parts:
                before = found.get(POSITIONAL)
                value = self.value(parts[-1], depth + 1)
                if POSITIONAL in found:  # of a vararg
                    found[POSITIONAL] = (*(before if isinstance(before, tuple) else (before,)), value)
                else:
                    found[POSITIONAL] = value
        return found

    def _kotlin_call(self, node: Node, depth: int) -> Literal:
        """Return an annotation in an annotation, which has no sign, or the elements of arrayOf()."""
        function = text_of(named(node)[0]) if named(node) else ""
        arguments = self._kotlin_arguments(next(iter(named(node, "value_arguments")), None), depth)
        if function == "arrayOf":
            values = arguments.get(POSITIONAL, ())
            return values if isinstance(values, tuple) else (values,)
        return dict(arguments) if function[:1].isupper() else COMPUTED

    def _kotlin_class(self, node: Node) -> Class:
        modifiers = next(iter(named(node, "modifiers")), None)
        name = text_of(node.child_by_field_name("name"))
        bases = [one for outer in named(node, "delegation_specifiers") for one in named(outer)]
        calls = [inner for one in bases for inner in named(one, "constructor_invocation")]
        base = _bare_type(named(calls[0])[0]).rpartition(".")[2] if calls and named(calls[0]) else ""
        entries = [one for body in named(node, "enum_class_body") for one in named(body, "enum_entry")]
        found = Class(name, node, self._annotations(modifiers), base, comment_of(node), is_enum=bool(entries))
        found.values = [text_of(named(entry, "identifier", "simple_identifier")[0]) for entry in entries]
        for constructor in named(node, "primary_constructor"):
            for descendant in descendants(constructor, "class_parameter", into=False):
                if any(child.type in {"val", "var"} for child in descendant.children):
                    found.members.append(self._kotlin_member(descendant, descendant))
        for body in named(node, "class_body"):
            for one in named(body, "property_declaration"):
                declared = named(one, "variable_declaration")
                if declared:
                    found.members.append(self._kotlin_member(one, declared[0]))
        return found

    def _kotlin_member(self, node: Node, declared: Node) -> Member:
        modifiers = next(iter(named(node, "modifiers")), None)
        name = next(iter(named(declared, "identifier", "simple_identifier")), None)
        kinds = named(declared, "user_type", "nullable_type")
        is_nullable = bool(kinds) and kinds[0].type == "nullable_type"
        kind = _bare_type(kinds[0], arguments=True) if kinds else self._guessed_type(node)
        is_computed = any(child.type == "getter" for child in node.children) and not any(
            child.type == "=" for child in node.children
        )
        return Member(
            name=text_of(name).strip("`"),
            type=kind,
            annotations=self._annotations(modifiers),
            node=node,
            comment=comment_of(node),
            is_primitive=not is_nullable and kind in KOTLIN_PRIMITIVES,
            is_constant=is_computed or "const" in text_of(modifiers).split(),
        )

    def _guessed_type(self, node: Node) -> str:
        """Return the type of a property that only has a value."""
        value = self.value(named(node)[-1]) if named(node) else COMPUTED
        if isinstance(value, bool):
            return "Boolean"
        if isinstance(value, Number):
            return "Int"
        return "String" if isinstance(value, str) else ""


KOTLIN_PRIMITIVES = frozenset("Int Long Short Byte Boolean Float Double Char".split())


def _bare_type(node: Node | None, *, arguments: bool = False) -> str:
    text = text_of(node).rstrip("?")
    return text if arguments else text.partition("<")[0]
