"""Python blocks to their statements, and statements to what they bind: imports, assignments, functions, classes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node

from coderag.syntax.trees.string_literals import string_value
from coderag.syntax.trees.tree import named, text_of
from coderag.text.comments import doc_summary

__all__ = [
    "Class",
    "Member",
    "classes_of",
    "definition_of",
    "imported_names",
    "is_docstring",
    "members_of",
    "names_imported_from",
    "runs_as_program",
    "statements",
]

BRANCHES = frozenset(
    "if_statement else_clause elif_clause try_statement except_clause finally_clause with_statement block "
    "match_statement case_clause".split()
)


class Member(NamedTuple):
    """An assignment in a class or module, or a method that stands for one."""

    name: str
    value: Node | None
    annotation: Node | None
    node: Node  # the statement
    method: bool = False


@dataclass(frozen=True, eq=False)
class Class:
    """A class of the file."""

    name: str
    node: Node
    outer: Node  # with its decorators
    bases: tuple[Node, ...]
    keywords: Mapping[str, Node]

    @cached_property
    def members(self) -> Mapping[str, Member]:
        """The assignments and methods of the body by name, the last of a name."""
        found: dict[str, Member] = {}
        for statement in statements(self.node.child_by_field_name("body")):
            for member in members_of(statement):
                found.pop(member.name, None)
                found[member.name] = member
        return found

    @cached_property
    def inner(self) -> Mapping[str, Class]:
        """The classes in the body by name."""
        return {class_.name: class_ for class_ in classes_of(self.node.child_by_field_name("body"))}

    @cached_property
    def doc(self) -> str:
        """The first sentence of the docstring."""
        first = next(iter(named(self.node.child_by_field_name("body"))), None)
        if first is None or first.type != "expression_statement" or len(first.named_children) != 1:
            return ""
        return doc_summary(string_value(first.named_children[0]) or "")


def statements(block: Node | None) -> Iterator[Node]:
    """Yield the statements of a block and of the branches in it, in order; a decorated definition is one."""
    waiting = [*reversed(named(block))]
    while waiting:
        node = waiting.pop()
        if node.type == "block":
            waiting += reversed(named(node))
        elif node.type in BRANCHES and not runs_as_program(node):
            waiting += [child for child in reversed(named(node)) if child.type in BRANCHES]
        else:
            yield node


def runs_as_program(node: Node) -> bool:
    """Tell whether a statement is `if __name__ == "__main__"`, which does not count for who imports the module."""
    return "__name__" in text_of(node.child_by_field_name("condition"))


def definition_of(statement: Node) -> Node:
    """Return a definition without its decorators."""
    if statement.type != "decorated_definition":
        return statement
    return statement.child_by_field_name("definition") or statement


def imported_names(statement: Node) -> dict[str, str]:
    """Return what `import a.b, c as d` binds: {"a": "a", "d": "c"}."""
    found: dict[str, str] = {}
    for child in named(statement, "dotted_name", "aliased_import"):
        if child.type == "aliased_import":
            found[text_of(child.child_by_field_name("alias"))] = text_of(child.child_by_field_name("name"))
        else:
            first = text_of(child).partition(".")[0]
            found[first] = first
    return found


def names_imported_from(statement: Node, module: str) -> dict[str, str]:
    """Return what `from module import b, c as d` binds: {"b": "module.b", "d": "module.c"}."""
    prefix = module if module.endswith(".") else f"{module}."
    found: dict[str, str] = {}
    for node in statement.children_by_field_name("name"):
        if node.type == "aliased_import":
            found[text_of(node.child_by_field_name("alias"))] = prefix + text_of(node.child_by_field_name("name"))
        else:
            found[text_of(node)] = prefix + text_of(node)
    return found


def classes_of(block: Node | None) -> Iterator[Class]:
    """Yield the classes of a block in order, decorated or not."""
    for statement in statements(block):
        node = definition_of(statement)
        if node.type != "class_definition":
            continue
        bases: list[Node] = []
        keywords: dict[str, Node] = {}
        for child in named(node.child_by_field_name("superclasses")):
            value = child.child_by_field_name("value") if child.type == "keyword_argument" else None
            if value is not None:
                keywords[text_of(child.child_by_field_name("name"))] = value
            elif child.type != "keyword_argument":
                bases.append(child)
        yield Class(text_of(node.child_by_field_name("name")), node, statement, tuple(bases), keywords)


def members_of(statement: Node) -> Iterator[Member]:
    """Yield the names that a statement assigns to, and the name of a function."""
    definition = definition_of(statement)
    if definition.type == "function_definition":
        returned = definition.child_by_field_name("return_type")
        yield Member(text_of(definition.child_by_field_name("name")), None, returned, statement, method=True)
        return
    if statement.type != "expression_statement":
        return
    for child in named(statement, "assignment"):
        targets: list[Node] = []
        node: Node | None = child
        annotation = child.child_by_field_name("type")
        while node is not None and node.type == "assignment":
            if (left := node.child_by_field_name("left")) is not None:
                targets.append(left)
            node = node.child_by_field_name("right")
        for left in targets:
            if left.type == "identifier":
                yield Member(text_of(left), node, annotation, statement)
            elif node is not None and left.type == "pattern_list" and node.type == "expression_list":
                pairs = zip(named(left), named(node), strict=False)
                yield from (Member(text_of(name), value, None, statement) for name, value in pairs)


def is_docstring(node: Node) -> bool:
    """Tell whether a statement is nothing but a string."""
    return node.type == "expression_statement" and [child.type for child in node.named_children] == ["string"]
