"""The text of a Prisma schema to its blocks: fields and settings with their attributes.

The language has no grammar package. It goes line by line and is small.
https://www.prisma.io/docs/orm/reference/prisma-schema-reference
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from coderag.sql.records import Source

__all__ = ["Block", "Call", "Field", "Text", "Value", "parse_blocks"]

TOKEN = re.compile(
    r"""
      (?P<space>[ \t\r\f]+)
    | (?P<doc>///[^\n]*)
    | (?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))
    | (?P<text>"(?:[^"\\\n]|\\.)*")
    | (?P<word>\w[\w.\-]*)
    | (?P<end>\n)
    | (?P<sign>@@|.)
    """,
    re.VERBOSE | re.DOTALL,
)
ESCAPE = re.compile(r"\\(.)")
BRACKETS = {"(": ")", "[": "]", "{": "}"}
KINDS = frozenset({"model", "view", "enum", "type", "datasource", "generator"})
MAX_DEPTH = 50  # of brackets in brackets; a schema has three


class Token(NamedTuple):
    """A word, text, sign or comment; the kind `end` is the end of a line."""

    kind: str
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Text:
    """A string."""

    value: str


@dataclass(frozen=True, slots=True)
class Call:
    """A word, or a function or attribute with its arguments, of which some have names."""

    name: str
    arguments: tuple[tuple[str, Value], ...] = ()

    def argument(self, name: str = "") -> Value | None:
        """Return the argument of a name, or the first one without a name."""
        return next((value for key, value in self.arguments if key == name), None)


Value = Call | Text | tuple["Value", ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a model, or a value of an enum, which has no type."""

    name: str
    type: Call | None
    optional: bool
    many: bool
    attributes: Mapping[str, Call]
    comment: str
    source: Source


@dataclass(slots=True)
class Block:
    """A model, enum, view, type, datasource or generator."""

    kind: str
    name: str
    comment: str
    source: Source
    closed: bool = False
    fields: list[Field] = field(default_factory=list)
    attributes: list[Call] = field(default_factory=list)
    settings: dict[str, Value] = field(default_factory=dict)

    def attribute(self, name: str) -> Call | None:
        """Return the first attribute of the block with a name."""
        return next((call for call in self.attributes if call.name == name), None)


def parse_blocks(text: str) -> list[Block]:
    """Return the blocks of a schema; one whose brace is missing ends where the next begins, and is not closed."""
    return list(_Parser(_tokens(text)).blocks())


def _tokens(text: str) -> list[Token]:
    tokens = []
    line = 1
    for match in TOKEN.finditer(text):
        kind = str(match.lastgroup)
        if kind not in {"space", "comment"}:
            tokens.append(Token(kind, match[0], line))
        line += match[0].count("\n")
    return tokens


class _Parser:
    """A walk over the tokens."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        last = tokens[-1].line if tokens else 1
        self._tokens = [*tokens, Token("end", "", last)]
        self._at = 0

    def blocks(self) -> Iterator[Block]:
        docs: list[str] = []
        while not self._done():
            token = self._take()
            if token.kind == "end":
                continue
            if token.kind == "doc":
                docs.append(token.text)
                continue
            if self._opens_block(self._at - 1):
                name, _ = self._take(), self._take()
                block = Block(token.text, name.text, _comment(docs), Source("", token.line, name.line))
                self._read_body(block)
                yield block
            docs = []

    def _read_body(self, block: Block) -> None:
        docs: list[str] = []
        last = block.source.start_line
        while not self._done():
            if self._is("}"):
                block.closed = True
                last = self._take().line
                break
            if self._opens_block(self._at):
                break
            last = self._next.line
            self._read_line(block, docs)
        block.source = Source("", block.source.start_line, last)

    def _read_line(self, block: Block, docs: list[str]) -> None:
        """Read a line of a block; `docs` are the lines of comment above it."""
        token = self._next
        if token.kind == "doc":
            docs.append(self._take().text)
            return
        if token.kind == "end":
            self._take()
            return
        if self._is("@@"):
            self._take()
            block.attributes.append(self._call())
        elif token.kind == "word" and block.kind in {"datasource", "generator"}:
            self._read_setting(block)
        elif token.kind == "word":
            block.fields.append(self._field(docs, is_typed=block.kind != "enum"))
        docs.clear()
        while not self._done() and self._next.kind != "end" and not self._is("}"):
            self._take()

    def _read_setting(self, block: Block) -> None:
        name = self._take().text
        if self._is("="):
            self._take()
            block.settings[name] = self._value()

    def _field(self, docs: Sequence[str], *, is_typed: bool) -> Field:
        name = self._take()
        kind = self._call() if is_typed and self._next.kind == "word" else None
        signs = ""
        while self._next.kind == "sign" and self._next.text in "?[]!":
            signs += self._take().text
        attributes: dict[str, Call] = {}
        while self._is("@"):
            self._take()
            attribute = self._call()
            attributes[attribute.name] = attribute
        last = self._tokens[self._at - 1].line
        comments = [*docs, self._take().text] if self._next.kind == "doc" else docs
        return Field(
            name=name.text,
            type=kind,
            optional="?" in signs,
            many="[" in signs,
            attributes=attributes,
            comment=_comment(comments),
            source=Source("", name.line, last),
        )

    def _call(self, depth: int = 0) -> Call:
        """Return a name and what stands in brackets behind it."""
        name = self._take().text
        if not self._is("("):
            return Call(name)
        self._take()
        return Call(name, tuple(self._arguments(")", depth)))

    def _arguments(self, closing: str, depth: int) -> Iterator[tuple[str, Value]]:
        while not self._done():
            token = self._next
            if self._is(closing):
                self._take()
                return
            if token.kind in {"end", "doc"} or token.text == ",":
                self._take()
            elif token.text in BRACKETS.values() or depth > MAX_DEPTH:
                return  # it closes something around
            elif token.kind == "word" and self._tokens[self._at + 1].text == ":":
                self._at += 2
                yield token.text, self._value(depth)
            else:
                yield "", self._value(depth)

    def _value(self, depth: int = 0) -> Value:
        token = self._next
        if token.kind == "text":
            return Text(ESCAPE.sub(r"\1", self._take().text[1:-1]))
        if token.kind == "sign" and token.text in "[{":
            self._take()
            return tuple(value for _, value in self._arguments(BRACKETS[token.text], depth + 1))
        return self._call(depth + 1)

    def _opens_block(self, at: int) -> bool:
        """Tell whether `model Name {` stands somewhere; a field may be called model too."""
        if self._tokens[at].kind != "word" or self._tokens[at].text not in KINDS:
            return False
        following = self._tokens[at + 1 : at + 3]
        return [token.kind for token in following] == ["word", "sign"] and following[1].text == "{"

    @property
    def _next(self) -> Token:
        return self._tokens[min(self._at, len(self._tokens) - 1)]

    def _take(self) -> Token:
        token = self._next
        self._at += 1
        return token

    def _done(self) -> bool:
        return self._at >= len(self._tokens) - 1

    def _is(self, sign: str) -> bool:
        return self._next.kind == "sign" and self._next.text == sign


def _comment(docs: Sequence[str]) -> str:
    return " ".join(line for doc in docs if (line := doc.removeprefix("///").strip()))
