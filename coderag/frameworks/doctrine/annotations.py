"""Attributes of PHP, and annotations in its comments, to their names and arguments.

#[ORM\\Column(type: "string", length: 40)]    ->  Column, {"type": "string", "length": "40"}
@ORM\\Column(type="string", length=40)        ->  the same
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tree_sitter import Node

from coderag.syntax.languages.php import PhpValues
from coderag.syntax.trees.literals import COMPUTED, Number, Reference
from coderag.syntax.trees.tree import named, text_of

__all__ = ["Annotation", "annotations_of"]

MAX_DEPTH = 20  # of annotations in each other
MAX_COMMENT = 40_000  # characters
MAX_TOKENS = 4_000  # of a comment
FIRST = "value"  # what an argument without a name is called
CLASS = "::class"
MARGIN = re.compile(r"^[ \t]{0,200}(?:/\*{1,2}|\*(?!/))", re.MULTILINE)
HEAD = re.compile(r"@((?:[A-Za-z_]\w{0,60}\\){0,8}[A-Z]\w{0,60})")
TOKEN = re.compile(r'"(?:[^"]|""){0,4000}"|[A-Za-z_\\][\w\\]{0,200}(?:::\w{1,80})?|-?\d[\d.]{0,30}|[@(){}=:,]')


@dataclass(frozen=True, slots=True)
class Annotation:
    """A name without its namespace, and its arguments: literals, lists, mappings and annotations."""

    name: str
    values: Mapping[str, object] = field(default_factory=dict)

    def text(self, name: str) -> str:
        """Return an argument that is a text, number or class, "" for any other."""
        value = self.values.get(name)
        if isinstance(value, Number):
            return value.text
        if isinstance(value, Reference):
            return value.name
        return value if isinstance(value, str) else ""

    def mapping(self, name: str) -> Mapping[str, object]:
        """Return an argument that is a mapping, an empty one for any other."""
        value = self.values.get(name)
        return value if isinstance(value, dict) else {}

    def inner(self, name: str) -> list[Annotation]:
        """Return the annotations that an argument is or lists."""
        value = self.values.get(name)
        listed = value if isinstance(value, tuple) else (value,)
        return [one for one in listed if isinstance(one, Annotation)]


def annotations_of(node: Node, values: PhpValues) -> Iterator[Annotation]:
    """Yield what stands before a class or property: its attributes, else the annotations of its comment."""
    lists = named(node, "attribute_list")
    for one in (attribute for each in lists for group in named(each) for attribute in named(group, "attribute")):
        yield Annotation(_plain(_name_of(one)), _arguments(one, values))
    comment = node.prev_named_sibling
    if comment is not None and comment.type == "comment" and text_of(comment).startswith("/**"):
        yield from _in_comment(text_of(comment)[:MAX_COMMENT])


def _plain(name: str) -> str:
    return name.rpartition("\\")[2]


def _name_of(node: Node) -> str:
    return next((text_of(child) for child in named(node, "name", "qualified_name")), "")


def _arguments(node: Node, values: PhpValues) -> dict[str, object]:
    """Return the arguments of an attribute, or of an object that is made in one."""
    holder = next(iter(named(node, "arguments")), None)
    found: dict[str, object] = {}
    for argument in named(holder, "argument"):
        name = argument.child_by_field_name("name")
        inner = named(argument)
        if inner:
            found[text_of(name) if name is not None else FIRST] = _value(inner[-1], values)
    return found


def _value(node: Node, values: PhpValues) -> object:
    if node.type == "object_creation_expression":
        return Annotation(_plain(_name_of(node)), _arguments(node, values))
    if node.type == "array_creation_expression":
        elements = [named(element) for element in named(node, "array_element_initializer")]
        if any(parts and parts[-1].type == "object_creation_expression" for parts in elements):
            return tuple(_value(parts[-1], values) for parts in elements if parts)
    value = values.value(node)
    is_constant = node.type == "class_constant_access_expression"  # of another file: Types::STRING
    return Reference(text_of(node)) if is_constant and value == COMPUTED else value


def _in_comment(text: str) -> Iterator[Annotation]:
    text = MARGIN.sub("", text)
    end = 0
    for match in HEAD.finditer(text):
        if match.start() < end:
            continue  # it is an argument of another one
        values: dict[str, object] = {}
        if text[match.end() : match.end() + 1] == "(":
            tokens = _Tokens(text, match.end() + 1)
            values = tokens.arguments(")", 0)
            end = tokens.end
        yield Annotation(_plain(match[1]), values)


class _Tokens:
    """The tokens of a comment from one on; `end` is where the last one that was taken ends."""

    def __init__(self, text: str, start: int) -> None:
        self.end = start
        self._text = text
        self._left = MAX_TOKENS

    def arguments(self, closing: str, depth: int) -> dict[str, object]:
        """Return what stands up to the closing sign, by name; what has none is `value`, or a number behind it."""
        found: dict[str, object] = {}
        name = ""
        while (token := self._next()) not in ("", closing):
            if token in {",", "=", ":"}:
                continue
            value = self._value(token, depth)
            if self._peek() in {"=", ":"} and not name:
                name = token.strip('"')
                continue
            found[name or (FIRST if FIRST not in found else str(len(found)))] = value
            name = ""
        return found

    def _value(self, token: str, depth: int) -> object:
        if token == "@" and depth < MAX_DEPTH:
            name = self._next()
            if self._peek() != "(":
                return Annotation(_plain(name))
            self._next()
            return Annotation(_plain(name), self.arguments(")", depth + 1))
        if token == "{" and depth < MAX_DEPTH:
            inner = self.arguments("}", depth + 1)
            is_list = all(key == FIRST or key.isdecimal() for key in inner)
            return tuple(inner.values()) if is_list else inner
        if token.startswith('"'):
            return token[1:-1].replace('""', '"')
        if token[0].isdecimal() or token[0] == "-":
            return Number(token)
        words: dict[str, object] = {"true": True, "false": False, "null": None}
        if token.lower() in words:
            return words[token.lower()]
        return Reference(token.removesuffix(CLASS)) if "::" in token else COMPUTED

    def _peek(self) -> str:
        match = TOKEN.search(self._text, self.end)
        return match[0] if match is not None else ""

    def _next(self) -> str:
        self._left -= 1
        match = TOKEN.search(self._text, self.end)
        if match is None or self._left < 0:
            return ""
        self.end = match.end()
        return match[0]
