"""Matches of variables to what a file says of their types."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from coderag.syntax.lines import Lines
from coderag.syntax.link_captures import LinkCaptures, Nodes
from coderag.syntax.references.owners import Owners
from coderag.syntax.references.receivers import Chains
from coderag.syntax.references.records import Binding, How
from coderag.syntax.references.types import clean_type, type_names

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["SELVES", "read_bindings"]

SELVES = frozenset({"self", "cls", "this", "$this", "@", "Me"})
TAKEN_OUT = (  # a member is written like a type in a namespace
    ("member_of", How.TYPE, ""),
    ("result_of", How.VALUE, "()"),
)
VALUES = (
    ("typed", How.TYPE),
    ("called", How.CALL),
    ("valued", How.VALUE),
    ("element", How.ELEMENT),
    ("second", How.SECOND),
)
MAX_VALUE_CHARS = 300

PARAMETER = re.compile(r"(?:^\(?|,)[\s*.&]*([^\W\d]\w*)")
IN_BRACKETS = re.compile(rb"\[[^\[\]]*\]")
MAX_PARAMETERS_BYTES = 4000
FORMS = {  # kinds of nodes, as grammars call them
    "call": How.CALL,
    "call_expression": How.CALL,
    "subscript": How.ELEMENT,
    "subscript_expression": How.ELEMENT,
    "index_expression": How.ELEMENT,
    "identifier": How.VALUE,
    "attribute": How.VALUE,
    "member_expression": How.VALUE,
    "selector_expression": How.VALUE,
}
CONSTANTS = frozenset({"None", "True", "False", "null", "true", "false", "nil", "undefined"})
AWAITS = frozenset({"await", "await_expression"})

Key = tuple[int, str]
Told = tuple[How, str]
NOTHING_TOLD: Told = How.VALUE, ""


def read_bindings(lines: Lines, captures: LinkCaptures, *, owners: Owners, chains: Chains) -> list[Binding]:
    """Return what is said of variables, each once; a local of which nothing is said comes with an empty value."""
    reading = _Bindings(lines, owners, chains)
    reading.add_all(captures.bindings)
    reading.add_locals(captures.locals)
    reading.add_parameters(captures.parameters)
    return reading.all()


class _Bindings:
    """Bindings while matches come in."""

    def __init__(self, lines: Lines, owners: Owners, chains: Chains) -> None:
        self._data, self._lines, self._owners, self._chains = lines.data, lines, owners, chains
        self._said: dict[Key, dict[tuple[How, str], None]] = {}
        self._hidden: dict[Key, None] = {}  # locals of which nothing is said
        self._fields: dict[tuple[int, str, How, str, int], None] = {}  # with the function that assigns it

    def add_all(self, matches: Iterable[Nodes]) -> None:
        """Add what matches say."""
        data, owners, said = self._data, self._owners, self._said
        for nodes in matches:
            targets = nodes.get("variable")
            is_field = targets is None
            if targets is None:
                targets = nodes.get("field")
                if targets is None:
                    self._add_nameless(nodes)
                    continue
            start, end = targets[0].byte_range
            how, value = self._value(nodes)
            name = data[start:end].decode("utf-8", "replace")
            if name.isidentifier():
                owner = owners.type_around(owners.at(start)) if is_field else owners.of_variable(start, name)
                if value and (not is_field or owner >= 0):
                    told = said.get((owner, name))
                    if told is None:
                        told = said[owner, name] = {}
                    told[how, value] = None
                elif owners.is_callable(owner):
                    self._hidden[owner, name] = None
            elif value:
                self._add_member(self._chains.ending(start, end), start, how=how, value=value)

    def _add_nameless(self, nodes: Nodes) -> None:
        """Add what a function returns, or a file gives when no name is asked for."""
        if "default" in nodes:
            self._add(-1, "default", *self._value(nodes))
        elif "returns" in nodes or "second_result" in nodes:
            how = How.TYPE if "returns" in nodes else How.SECOND
            node = nodes["returns" if how is How.TYPE else "second_result"][0]
            value = clean_type(self._lines.text_of(node.start_byte, node.end_byte))
            owner = self._owners.at(node.start_byte)
            is_told = value if how is How.TYPE else any(type_names(value))  # most second results are errors and flags
            if is_told and self._owners.is_callable(owner):
                self._add(owner, "", how, value)

    def _add_member(self, written: str, start: int, *, how: How, value: str) -> None:
        receiver, sign, name = written.rpartition(".")
        if not sign:
            name = written  # `$x`, `@x`
            if name.startswith("@"):
                receiver = "@"
        if receiver in SELVES:
            function = self._owners.at(start)
            owner = self._owners.type_around(function)
            if owner >= 0:
                self._fields[owner, name.lstrip("@"), how, value, function] = None
        elif not receiver and name.replace("$", "_").isidentifier():
            self._add(self._owners.of_variable(start, name), name, how, value)

    def _value(self, nodes: Nodes) -> Told:
        assigned = nodes.get("assigned")
        if assigned is not None:
            return self._told_by(assigned[0])
        for capture, how, sign in TAKEN_OUT:
            of = nodes.get(capture)
            if of is not None:
                start, end = nodes["variable"][0].byte_range
                name = self._data[start:end].decode("utf-8", "replace")
                return how, f"{self._lines.text_of(*of[0].byte_range)}{sign}.{name}"
        for capture, how in VALUES:
            found = nodes.get(capture)
            if found is not None:
                start, end = found[0].byte_range
                if how is How.TYPE:
                    return how, clean_type(self._lines.text_of(start, end))
                if how is How.ELEMENT and found[0].child_count and found[0].type not in FORMS:
                    return how, ""
                return how, self._chains.ending(start, end)[:MAX_VALUE_CHARS]
        return NOTHING_TOLD

    def _told_by(self, node: Node) -> Told:
        """Return what an expression tells by its form."""
        start, end = node.byte_range
        written = self._data[start : min(end, start + MAX_VALUE_CHARS)].decode("utf-8", "replace")
        if written.isidentifier():
            return NOTHING_TOLD if written in CONSTANTS else (How.VALUE, written)
        form = node.type
        if form in AWAITS and node.child_count > 1:
            node = node.child(1) or node
            form = node.type
        how = FORMS.get(form)
        if how is None:
            return NOTHING_TOLD
        inner = node if how is How.VALUE else node.child(0)
        if inner is None:
            return NOTHING_TOLD
        start, end = inner.byte_range
        return how, self._chains.ending(start, end)[:MAX_VALUE_CHARS]

    def _add(self, owner: int, name: str, how: How, value: str) -> None:
        self._said.setdefault((owner, name), {})[how, value] = None

    def add_locals(self, matches: Iterable[Nodes]) -> None:
        """Add locals of which nothing is said: they hide what has their name outside."""
        data, owners, hidden = self._data, self._owners, self._hidden
        for nodes in matches:
            start, end = nodes["local"][0].byte_range
            name = data[start:end].decode("utf-8", "replace")
            if name in SELVES or name == "_":
                continue
            owner = owners.of_variable(start, name)
            if owners.is_callable(owner) and not owners.defines(owner, name):
                hidden[owner, name] = None

    def add_parameters(self, matches: Iterable[Nodes]) -> None:
        """Add parameters without types."""
        data, owners, hidden = self._data, self._owners, self._hidden
        for nodes in matches:
            start, end = nodes["parameters"][0].byte_range
            names = parameter_names(data[start : min(end, start + MAX_PARAMETERS_BYTES)])
            owner = owners.at(start) if names else -1
            if owners.is_callable(owner):
                for name in names:
                    hidden[owner, name] = None

    def all(self) -> list[Binding]:
        """Return the bindings, those of fields in terms that hold outside of the function that assigns them."""
        for owner, name, how, value, function in self._fields:
            if any(told is How.TYPE for told, _ in self._said.get((owner, name), ())):
                continue  # it is declared, which says more than what is put into it
            for told in self._outside(how, value, function):
                self._add(owner, name, *told)
        said = self._said
        make = tuple.__new__  # as Binding(...) does, in half the time
        bindings = [make(Binding, (*key, value, how)) for key, every in said.items() for how, value in every]
        return bindings + [make(Binding, (*key, "", How.VALUE)) for key in self._hidden if key not in said]

    def _outside(self, how: How, value: str, function: int) -> list[tuple[How, str]]:
        """Return what a value is that a function may know by its own names: parameters and locals."""
        if how is How.TYPE:
            return [(how, value)]
        root = _root(value)
        rest = value[len(root) :]
        for scope in self._owners.around(function):
            if not self._owners.is_callable(scope):
                break
            known = self._said.get((scope, root))
            if known is None:
                if (scope, root) in self._hidden:
                    return []
                continue
            if not rest and how is How.VALUE:
                return [one for one in known if _root(one[1]) != root and one[1]]
            typed = [text for told, text in known if told is How.TYPE and text.replace(".", "_").isidentifier()]
            made = [text for told, text in known if told is How.CALL and _root(text) != root]
            # An instance of a type is written as a call of it.
            return [(how, f"{text}(){rest}") for text in (typed or made) if rest]
        return [(how, value)]


@lru_cache(maxsize=1024)
def parameter_names(text: bytes) -> tuple[str, ...]:
    """Return the names in a list of parameters without types, but for the one that is the object itself."""
    if b"[" in text:
        text = IN_BRACKETS.sub(b"", IN_BRACKETS.sub(b"", text))
    return tuple(one for one in PARAMETER.findall(text.decode("utf-8", "replace")) if one not in SELVES)


def _root(value: str) -> str:
    """Return the name that an expression begins with."""
    for at, one in enumerate(value):
        if one in ".:([\\":
            return value[:at]
    return value
