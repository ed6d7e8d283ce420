"""Ruby's calls and literals, out of the syntax tree: symbols, strings, here-documents, arrays and hashes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tree_sitter import Node

from coderag.frameworks.common.origins import lines_of
from coderag.sql.records import Source
from coderag.syntax.trees.literals import COMPUTED, Literal, Number, Raw, Reference, as_text
from coderag.syntax.trees.string_literals import string_value
from coderag.syntax.trees.tree import descendants, named, parse, text_of
from coderag.text.inflection import table_of_class

__all__ = ["Arguments", "Code"]


PLAIN_METHODS = frozenset("freeze squish strip strip_heredoc to_s to_sym chomp".split())  # they leave the words alone
TABLE_NAMES = frozenset({"table_name", "quoted_table_name"})
LOOPS = frozenset({"each", "each_pair", "each_key", "each_with_index"})
MAX_DEPTH = 20  # of literals in literals


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of a call; an option's key is its name without colon."""

    values: tuple[Literal, ...]
    nodes: tuple[Node, ...]  # of the values
    options: Mapping[str, Literal]
    block: Node | None
    complete: bool = True  # nothing like *names or **options among them

    def text(self, position: int) -> str | None:
        """Return an argument that is a string or symbol, None where it is anything else or missing."""
        value = self.values[position] if position < len(self.values) else None
        return value if isinstance(value, str) else None

    def option(self, name: str) -> str:
        """Return an option that is a string, symbol or number, "" otherwise."""
        return as_text(self.options.get(name))


class Code:
    """A Ruby file: its tree, its here-documents and its constants."""

    def __init__(self, data: bytes) -> None:
        self.root = parse(data, "ruby")
        begins = [node.start_byte for node in descendants(self.root, "heredoc_beginning")]
        self._heredocs = dict(zip(begins, descendants(self.root, "heredoc_body"), strict=False))
        self._names: dict[str, Literal | Node] = {}
        for node in descendants(self.root, "assignment"):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is not None and right is not None and left.type == "constant":
                self._names.setdefault(text_of(left), right)

    def bind(self, name: str, value: Literal) -> None:
        """Let a name stand for a value from here on: the parameter of a loop over literals."""
        self._names[name] = value

    def bind_each(self, block: Node | None, value: Literal) -> None:
        """Let the parameters of a block stand for one round of a loop: several take an array apart."""
        names = self.parameters(block)
        values = value if isinstance(value, tuple) and len(names) > 1 else (value,)
        for position, name in enumerate(names):
            self.bind(name, values[position] if position < len(values) else None)

    def rounds(self, call: Node) -> tuple[Literal, ...] | None:
        """Return what the block of a loop over literals is called with, one round each; None for any other call."""
        loop = text_of(call.child_by_field_name("method"))
        over = self.value(call.child_by_field_name("receiver")) if loop in LOOPS else None
        if isinstance(over, dict):
            over = tuple((key, value) for key, value in over.items())
        if not isinstance(over, tuple):
            return None
        if loop == "each_with_index":
            return tuple((value, Number(str(number))) for number, value in enumerate(over))
        return over

    def arguments(self, call: Node) -> Arguments:
        """Return the arguments of a call with what is literal in them read."""
        values: list[Literal] = []
        nodes: list[Node] = []
        options: dict[str, Literal] = {}
        complete = True
        for node in named(call.child_by_field_name("arguments")):
            if node.type == "pair":
                options.update(self._pair(node, 0))
            elif node.type == "hash":
                value = self.value(node)
                options.update(value if isinstance(value, dict) else {})
            elif node.type in {"splat_argument", "hash_splat_argument"}:
                spread = self.value(named(node)[0]) if named(node) else COMPUTED
                complete = complete and isinstance(spread, tuple | dict)
                if isinstance(spread, tuple):
                    values.extend(spread)
                    nodes.extend([node] * len(spread))
                elif isinstance(spread, dict):
                    options.update(spread)
                elif node.type == "splat_argument":
                    values.append(COMPUTED)
                    nodes.append(node)
            elif node.type != "block_argument":
                values.append(self.value(node))
                nodes.append(node)
        return Arguments(tuple(values), tuple(nodes), options, call.child_by_field_name("block"), complete)

    def value(self, node: Node | None, depth: int = 0) -> Literal:
        """Return what a literal says; COMPUTED for everything else.

        `:name` -> "name"; `{ null: false }` -> {"null": False}; `rand(9)` -> COMPUTED
        """
        if node is None or depth > MAX_DEPTH:
            return COMPUTED
        match node.type:
            case "string" | "bare_string" | "chained_string" | "heredoc_beginning" | "delimited_symbol" | "bare_symbol":
                return self._text(node)
            case "simple_symbol":
                return text_of(node).removeprefix(":")
            case "integer" | "float":
                return Number(text_of(node).replace("_", ""))
            case "unary":
                return self._negated(node, depth)
            case "true" | "false":
                return node.type == "true"
            case "nil":
                return None
            case "array" | "string_array" | "symbol_array":
                return tuple(self.value(child, depth + 1) for child in named(node))
            case "hash":
                pairs = [self._pair(child, depth) for child in named(node, "pair")]
                return {key: value for pair in pairs for key, value in pair.items()}
            case "lambda" | "call":
                return self._of_call(node, depth)
            case "constant" | "identifier":
                return self._bound(node, depth)
            case "scope_resolution":
                return Reference(text_of(node).removeprefix("::"))
        return COMPUTED

    def _negated(self, node: Node, depth: int) -> Literal:
        value = self.value(node.child_by_field_name("operand"), depth + 1)
        return Number(f"-{value.text}") if isinstance(value, Number) and text_of(node)[0] == "-" else COMPUTED

    def _bound(self, name: Node, depth: int) -> Literal:
        """Return what a name stands for; an unknown constant stands for itself."""
        bound = self._names.get(text_of(name), COMPUTED)
        if isinstance(bound, Node):
            return self.value(bound, depth + 1)
        return Reference(text_of(name)) if bound is COMPUTED and name.type == "constant" else bound

    def lines(self, node: Node) -> Source:
        """Return the lines of a literal; those of a here-document are where its text stands."""
        while node.type == "call" and (receiver := node.child_by_field_name("receiver")) is not None:
            node = receiver
        body = self._heredocs.get(node.start_byte) if node.type == "heredoc_beginning" else None
        return lines_of(body if body is not None else node)

    def statements(self, block: Node | None) -> list[Node]:
        """Return the statements of a body, a block or a branch."""
        body = block.child_by_field_name("body") if block is not None else None
        if body is None and block is not None and block.type in {"then", "else", "body_statement", "block_body"}:
            body = block
        return named(body)

    def parameters(self, block: Node | None) -> list[str]:
        """Return the names of a block's parameters."""
        return [text_of(child) for child in named(block.child_by_field_name("parameters"))] if block is not None else []

    def _pair(self, node: Node, depth: int) -> dict[str, Literal]:
        key = node.child_by_field_name("key")
        name = text_of(key) if key is not None and key.type == "hash_key_symbol" else self.value(key, depth + 1)
        return {name: self.value(node.child_by_field_name("value"), depth + 1)} if isinstance(name, str) else {}

    def _of_call(self, node: Node, depth: int) -> Literal:
        if node.type == "lambda":
            body = self.statements(node.child_by_field_name("body"))
            body = body or self.statements(node)
            value = self.value(body[-1], depth + 1) if len(body) == 1 else COMPUTED
            return Raw(value) if isinstance(value, str) else COMPUTED
        receiver = node.child_by_field_name("receiver")
        method = text_of(node.child_by_field_name("method"))
        value = self.value(receiver, depth + 1) if receiver is not None else COMPUTED
        if isinstance(value, Reference):  # a model
            return table_of_class(value.name) if method in TABLE_NAMES else COMPUTED
        return value if method in PLAIN_METHODS else COMPUTED

    def _text(self, node: Node) -> Literal:
        """Return a string's text, with names of known value put in."""
        if node.type == "heredoc_beginning":
            body = self._heredocs.get(node.start_byte)
            return self._text(body) if body is not None else COMPUTED
        if node.type == "chained_string":
            parts = [self._text(child) for child in named(node)]
            return "".join(map(str, parts)) if all(isinstance(part, str) for part in parts) else COMPUTED
        if not any(child.type == "interpolation" for child in node.named_children):
            if text_of(node).startswith("'"):
                return text_of(node)[1:-1].replace("\\'", "'").replace("\\\\", "\\")
            text = string_value(node)
            return text if text is not None else "".join(text_of(child) for child in named(node))
        parts = []
        for child in node.named_children:
            inner = named(child)
            is_name = child.type == "interpolation" and len(inner) == 1
            parts.append(
                self.value(inner[0]) if is_name else text_of(child) if child.type != "interpolation" else COMPUTED
            )
        return "".join(map(str, parts)) if all(isinstance(part, str) for part in parts) else COMPUTED
