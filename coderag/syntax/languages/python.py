"""Python source to what a reader of declarations asks of it: names, calls, literals, classes with their members.

Nothing is run. A name is followed to what the file assigns to it, no further.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from tree_sitter import Node

from coderag.syntax.languages.python_blocks import (
    Class,
    Member,
    classes_of,
    definition_of,
    imported_names,
    is_docstring,
    members_of,
    names_imported_from,
    runs_as_program,
    statements,
)
from coderag.syntax.trees.string_literals import string_value
from coderag.syntax.trees.tree import argument_nodes, named, parse, text_of
from coderag.text.comments import doc_summary

__all__ = [
    "Call",
    "Class",
    "Code",
    "Member",
    "definition_of",
    "last_part",
    "read_python",
    "runs_as_program",
    "statements",
]

MAX_STEPS = 12  # names followed one after the other: what goes on longer goes in circles
MAX_PARTS = 20_000  # of one string or list
MAX_STRING = 1_000_000
COMMENT_ROWS = 12
CODE_LIKE = re.compile(
    r"(?<![\w.])[\w.]++\s*+=\s*+\w++[.(]|^(?:class|def|import|from|return|if|for)\b.*|^\W*$"
    r"|type: ignore|noqa|auto generated"
)


class Steps:
    """How far an expression is followed: names that stand for each other may go in circles, or multiply."""

    __slots__ = ("_deeper", "_left")

    def __init__(self) -> None:
        self._left = MAX_PARTS
        self._deeper = MAX_STEPS

    def take(self) -> bool:
        """Count a part that is looked at, and tell whether that is still allowed."""
        self._left -= 1
        return self._left >= 0 and self._deeper >= 0

    def __enter__(self) -> None:
        """Go into an expression."""
        self._deeper -= 1

    def __exit__(self, *_: object) -> None:
        """Come out of it."""
        self._deeper += 1


@dataclass(frozen=True, slots=True)
class Call:
    """A call: what is called, with imports resolved, and its arguments."""

    name: str
    node: Node
    arguments: tuple[Node, ...]
    keywords: Mapping[str, Node]
    complete: bool = True  # nothing like *x or **x among the arguments

    def argument(self, position: int, keyword: str = "") -> Node | None:
        """Return an argument by its position or keyword."""
        if 0 <= position < len(self.arguments):
            return self.arguments[position]
        return self.keywords.get(keyword)


@dataclass(frozen=True)
class Code:
    """A Python file: its tree, and what its names stand for."""

    data: bytes
    root: Node
    imports: Mapping[str, str]  # name -> where it comes from, dotted
    stars: tuple[str, ...]  # modules of which everything is imported
    names: Mapping[str, Node]  # name -> what is assigned to it
    classes: Mapping[str, Class] = field(default_factory=dict)
    functions: Mapping[str, Node] = field(default_factory=dict)

    def with_names(self, names: Mapping[str, Node]) -> Code:
        """Return the code from the point of view where more names are assigned."""
        return replace(self, names={**self.names, **names}) if names else self

    def within(self, class_: Class) -> Code:
        """Return the code from the point of view of the body of a class."""
        own = {member.name: member.value for member in class_.members.values() if member.value and not member.method}
        return replace(self, names={**self.names, **own}, classes={**self.classes, **class_.inner})

    def without(self, name: str) -> Code:
        """Return the code from the point of view where a name is not assigned yet."""
        return replace(self, names={key: value for key, value in self.names.items() if key != name})

    def imported_from(self, *packages: str) -> bool:
        """Tell whether anything is imported from one of some packages."""
        origins = [*self.imports.values(), *self.stars]
        return any(origin == package or origin.startswith(f"{package}.") for origin in origins for package in packages)

    def dotted(self, node: Node | None) -> str:
        """Return a dotted name with its import resolved, "" for anything else."""
        parts: list[str] = []
        while node is not None and node.type in {"attribute", "member_type"}:
            parts.append(text_of(node.child_by_field_name("attribute") or node.named_children[-1]))
            node = node.child_by_field_name("object") or node.named_children[0]
        if node is None or node.type not in {"identifier", "dotted_name"}:
            return ""
        first = text_of(node)
        return ".".join([self.imports.get(first, first), *reversed(parts)])

    def resolve(self, node: Node | None) -> Node | None:
        """Return what a name stands for in this file, without parentheses; any other node as it is."""
        for _ in range(MAX_STEPS):
            if node is None:
                return None
            if node.type in {"parenthesized_expression", "type"}:
                inner = named(node)
                if len(inner) != 1:
                    return node
                node = inner[0]
            elif node.type == "identifier" and (value := self.names.get(text_of(node))) is not None:
                node = value
            elif (member := self._enum_member(node) or self._entry(node)) is not None:
                node = member
            else:
                return node
        return node

    def _entry(self, node: Node) -> Node | None:
        """Return the entry of `column["type"]` or `pair[0]` where the dict or list is written out."""
        if node.type != "subscript":
            return None
        holder, key = self.resolve(node.child_by_field_name("value")), node.child_by_field_name("subscript")
        if holder is None or key is None:
            return None
        if holder.type == "dictionary":
            name = string_value(key)
            return self.pairs(holder).get(name) if name is not None else None
        position = self.integer(key)
        items = self.items(holder) if position is not None and holder.type in {"list", "tuple"} else None
        return items[position] if items is not None and position is not None and position < len(items) else None

    def _enum_member(self, node: Node) -> Node | None:
        """Return the value of `Status.PAID` or `Status.PAID.value` where the file has the class."""
        if node.type != "attribute":
            return None
        path = self.dotted(node).removesuffix(".value").split(".")
        if len(path) < 2 or (one := self.classes.get(path[0])) is None:
            return None
        for part in path[1:-1]:
            if (one := one.inner.get(part)) is None:
                return None
        member = one.members.get(path[-1])
        return member.value if member is not None and not member.method else None

    def call(self, node: Node | None) -> Call | None:
        """Return a call, also of a name that a call is assigned to; None for anything else."""
        node = self.resolve(node)
        if node is None or node.type != "call":
            return None
        return self.call_at(node)

    def call_at(self, node: Node) -> Call:
        """Return what is called by a node that is a call."""
        arguments: list[Node] = []
        keywords: dict[str, Node] = {}
        complete = True
        holder = node.child_by_field_name("arguments")
        nodes = named(holder) if holder is not None and holder.type == "argument_list" else []
        for one in nodes:
            if one.type == "keyword_argument":
                value = one.child_by_field_name("value")
                if value is not None:
                    keywords[text_of(one.child_by_field_name("name"))] = value
            elif one.type == "list_splat" and (items := self.items(next(iter(named(one)), None))) is not None:
                arguments += items
            elif one.type in {"list_splat", "dictionary_splat"}:
                complete = False
            else:
                arguments.append(one)
        name = self.dotted(node.child_by_field_name("function"))
        return Call(name, node, tuple(arguments), keywords, complete)

    def string(self, node: Node | None) -> str | None:
        """Return what an expression of string literals and names of such says, None if that is not written."""
        return self._string(node, Steps())

    def _string(self, node: Node | None, steps: Steps) -> str | None:
        node = self.resolve(node)
        if node is None or not steps.take():
            return None
        if node.type == "string" and (plain := string_value(node)) is not None:
            return plain
        if node.type == "string":
            parts = node.children
        elif node.type == "concatenated_string":
            parts = named(node)
        elif not (parts := _summands(node)):
            return None
        found: list[str] = []
        with steps:
            for part in parts:
                text = self._piece(part, steps)
                if text is None:
                    return None
                found.append(text)
        joined = "".join(found)
        return joined if len(joined) <= MAX_STRING else None

    def _piece(self, node: Node, steps: Steps) -> str | None:
        """Return a part of a string: of an f-string, or one of several strings."""
        if node.type == "interpolation":
            inner = named(node)
            return self._string(inner[0], steps) if len(inner) == 1 else None
        if node.type in {"string_start", "string_end"}:
            return ""
        if node.type == "string_content":
            return text_of(node).replace("{{", "{").replace("}}", "}")
        return self._string(node, steps)

    def items(self, node: Node | None) -> list[Node] | None:
        """Return the elements of a list, tuple or set, also of a sum of such; None for anything else."""
        return self._items(node, Steps())

    def _items(self, node: Node | None, steps: Steps) -> list[Node] | None:
        node = self.resolve(node)
        if node is None or not steps.take():
            return None
        parts = _summands(node)
        if node.type == "call" and self.dotted(node.child_by_field_name("function")) in {"list", "tuple", "set"}:
            parts = argument_nodes(node)
            if len(parts) != 1:
                return None if parts else []
        elif not parts and node.type not in {"list", "tuple", "set", "expression_list"}:
            return None
        nodes: list[Node] = []
        with steps:
            for part in parts or named(node):
                if not parts and part.type != "list_splat":
                    nodes.append(part)
                    continue
                inner = self._items(part if parts else next(iter(named(part)), None), steps)
                if inner is None:
                    return None
                nodes += inner
        return nodes

    def strings(self, node: Node | None) -> tuple[str, ...] | None:
        """Return a list of strings, or one string as a list; None if one of them is not written."""
        if (items := self.items(node)) is None:
            one = self.string(node)
            return None if one is None else (one,)
        found = tuple(text for item in items if (text := self.string(item)) is not None)
        return found if len(found) == len(items) else None

    def truth(self, node: Node | None) -> bool | None:
        """Return True or False as it is written, None for anything else."""
        node = self.resolve(node)
        return {"true": True, "false": False}.get(node.type) if node is not None else None

    def integer(self, node: Node | None) -> int | None:
        """Return a whole number as it is written, None for anything else."""
        node = self.resolve(node)
        if node is None or node.type != "integer":
            return None
        digits = text_of(node).replace("_", "")
        return int(digits) if digits.isdecimal() and len(digits) < 19 else None

    def pairs(self, node: Node | None) -> dict[str, Node]:
        """Return the entries of a dict display, or of a call of dict, whose keys are strings."""
        return self._pairs(node, Steps())

    def _pairs(self, node: Node | None, steps: Steps) -> dict[str, Node]:
        node = self.resolve(node)
        if node is None:
            return {}
        if node.type == "call" and self.dotted(node.child_by_field_name("function")) == "dict":
            return dict(self.call_at(node).keywords)
        found: dict[str, Node] = {}
        with steps:
            for one in named(node) if node.type == "dictionary" and steps.take() else []:
                if one.type == "pair":
                    key, value = self.string(one.child_by_field_name("key")), one.child_by_field_name("value")
                    if key is not None and value is not None:
                        found[key] = value
                elif one.type == "dictionary_splat":
                    found |= self._pairs(next(iter(named(one)), None), steps)
        return found

    def sql_literal(self, node: Node | None) -> str:
        """Return a literal as SQL writes it, "" for anything else."""
        node = self.resolve(node)
        if node is None:
            return ""
        if (text := self.string(node)) is not None:
            return "'" + text.replace("'", "''") + "'"
        if (truth := self.truth(node)) is not None:
            return "true" if truth else "false"
        if node.type in {"integer", "float"}:
            return text_of(node).replace("_", "")
        if node.type == "unary_operator" and text_of(node).startswith("-"):
            inner = self.sql_literal(node.child_by_field_name("argument"))
            return f"-{inner}" if inner[:1].isdigit() else ""
        if (call := self.call(node)) is not None and last_part(call.name) == "Decimal" and call.arguments:
            return self.sql_literal(call.arguments[0]).strip("'")
        return ""

    def returned(self, function: Node) -> Node | None:
        """Return the expression of a function that does nothing but return it."""
        body = [child for child in named(function.child_by_field_name("body")) if not is_docstring(child)]
        if len(body) != 1 or body[0].type != "return_statement":
            return None
        return next(iter(named(body[0])), None)

    def comment_at(self, node: Node) -> str:
        """Return the comment behind a statement or argument on its last line, else the string or comment beside it."""
        end = self.data.find(b"\n", node.end_byte)
        rest = self.data[node.end_byte : end if end != -1 else None].lstrip(b" \t,)")
        if rest.startswith(b"#") and (text := _words([rest])):
            return text
        if (after := node.next_named_sibling) is not None and is_docstring(after):
            return doc_summary(string_value(after.named_children[0]) or "")
        return self.comment_above(node)

    def comment_above(self, node: Node) -> str:
        """Return the comment on the lines right above a node."""
        start = self.data.rfind(b"\n", 0, node.start_byte) + 1
        if self.data[start : node.start_byte].strip():
            return ""
        rows: list[bytes] = []
        while start > 0 and len(rows) < COMMENT_ROWS:
            before = self.data.rfind(b"\n", 0, start - 1) + 1
            row = self.data[before : start - 1].strip()
            if not row.startswith(b"#"):
                break
            rows.append(row)
            start = before
        return _words(rows[::-1])


def read_python(data: bytes) -> Code:
    """Return the code of a file."""
    root = parse(data, "python")
    imports: dict[str, str] = {}
    stars: list[str] = []
    names: dict[str, Node] = {}
    functions: dict[str, Node] = {}
    for statement in statements(root):
        if statement.type == "import_statement":
            imports |= imported_names(statement)
        elif statement.type == "import_from_statement":
            module = text_of(statement.child_by_field_name("module_name"))
            if named(statement, "wildcard_import"):
                stars.append(module)
            imports |= names_imported_from(statement, module)
        for member in members_of(statement):
            if member.method:
                functions[member.name] = member.node
            elif member.value is not None:
                names[member.name] = member.value
    return Code(
        data, root, imports, tuple(stars), names, {class_.name: class_ for class_ in classes_of(root)}, functions
    )


def _summands(node: Node) -> list[Node]:
    """Return what is added up in `a + b + c`, in order; nothing for anything else."""
    nodes: list[Node] = []
    while node.type == "binary_operator" and text_of(node.child_by_field_name("operator")) == "+":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None or len(nodes) > MAX_PARTS:
            return []
        nodes.append(right)
        node = left
    return [node, *reversed(nodes)] if nodes else []


def last_part(name: str) -> str:
    """Return the last part of a dotted name."""
    return name.rpartition(".")[2]


def _words(rows: list[bytes]) -> str:
    """Return what the rows of a comment say; rows of code and dividers say nothing."""
    texts = [row.decode("utf-8", "replace") for row in rows]
    bare = [text for text in texts if not CODE_LIKE.search(text.lstrip("#:! "))]
    return doc_summary("\n".join(bare)) if bare else ""
