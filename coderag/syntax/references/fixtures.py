"""What tests and fixtures of pytest ask for by name: their parameters, marks with names, and the names of fixtures.

https://docs.pytest.org/en/stable/how-to/fixtures.html
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from coderag.syntax.link_captures import LinkCaptures, Nodes
from coderag.syntax.outline import Definition
from coderag.syntax.references.owners import Owners
from coderag.syntax.trees.call_chains import literal
from coderag.syntax.trees.tree import named, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["CALLED", "FIXTURE_MARKS", "read_fixtures"]

FIXTURE_MARKS = frozenset({"fixture", "yield_fixture"})
CALLED = "name"  # the receiver of a mention that is the name by which a fixture is known
PARAMETRIZE, USES = "parametrize", "usefixtures"
SIGNS = (b"def test", b"fixture")  # a file without these has neither tests nor fixtures
TEST = "test"  # what the name of a test begins with
MARKS_OF_ALL = b"pytestmark"  # the variable with the marks of a module or class
SELVES = frozenset({"self", "cls"})
PARAMETERS = frozenset({"identifier", "typed_parameter"})  # those without a default
GROUPS = frozenset({"list", "tuple"})

Told = tuple[int, int, str, str]  # byte, owner, name, receiver


class _Mark(NamedTuple):
    """A decorator, or an element of `pytestmark`, that is called."""

    owner: int  # what it marks
    name: str
    call: Node


def read_fixtures(
    data: bytes, captures: LinkCaptures, definitions: Sequence[Definition], owners: Owners
) -> Iterator[Told]:
    """Yield (byte, owner, name, receiver) of the fixtures that are asked for, and of the names they are given.

    A parameter asks for a fixture unless it has a default or `parametrize` gives its values.
    """
    if not any(sign in data for sign in SIGNS):
        return
    fixtures: set[int] = set()
    marks: list[_Mark] = []
    for nodes in captures.decorators:
        node = nodes["decorate"][0]
        name = _last_name(data, node)
        if name in FIXTURE_MARKS or name in {PARAMETRIZE, USES}:
            owner = owners.decorated(node.start_byte, node.start_point[0])
            if name in FIXTURE_MARKS:
                fixtures.add(owner)
            if (call := node.parent) is not None and call.type == "call":
                marks.append(_Mark(owner, name, call))
    if MARKS_OF_ALL in data:
        marks += _marks_of_all(data, captures.bindings, owners)
    given: dict[int, set[str] | None] = {}  # None: any name may be
    for mark in marks:
        if mark.name == PARAMETRIZE:
            before, names = given.get(mark.owner, set()), _given(mark.call)
            given[mark.owner] = None if before is None or names is None else before | names
        else:
            yield from _named(mark)
    for nodes in captures.parameters:
        node = nodes["parameters"][0]
        owner = owners.at(node.start_byte)
        if owners.is_callable(owner) and (owner in fixtures or definitions[owner].name.startswith(TEST)):
            hidden = [given.get(one, set()) for one in (*owners.around(owner), -1)]
            yield from _asked(node, owner, hidden)


def _last_name(data: bytes, node: Node) -> str:
    return data[node.start_byte : node.end_byte].rpartition(b".")[2].strip().decode("utf-8", "replace")


def _marks_of_all(data: bytes, bindings: Iterable[Nodes], owners: Owners) -> Iterator[_Mark]:
    """Yield the marks that a module or class gives to all of its tests."""
    for nodes in bindings:
        variable, value = nodes.get("variable"), nodes.get("assigned")
        if not variable or not value or data[variable[0].start_byte : variable[0].end_byte] != MARKS_OF_ALL:
            continue
        owner = owners.scope_at(variable[0].start_byte)
        for call in named(value[0]) if value[0].type in GROUPS else value:
            function = call.child_by_field_name("function") if call.type == "call" else None
            if function is not None and (name := _last_name(data, function)) in {PARAMETRIZE, USES}:
                yield _Mark(owner, name, call)


def _named(mark: _Mark) -> Iterator[Told]:
    """Yield the fixtures that a mark asks for, or the name that it gives to one."""
    arguments, keywords = _arguments(mark.call)
    if mark.name == USES:
        for argument in arguments:
            if name := literal(argument):
                yield argument.start_byte, mark.owner, name, ""
    elif name := literal(keywords.get("name")):
        yield keywords["name"].start_byte, mark.owner, name, CALLED


def _given(call: Node) -> set[str] | None:
    """Return the parameters whose values `parametrize` gives, None where their names are no constants."""
    arguments, keywords = _arguments(call)
    if any(argument.type == "list_splat" for argument in arguments):
        return None
    names = _strings(keywords.get("argnames") or (arguments[0] if arguments else None))
    if names is None:
        return None
    indirect = keywords.get("indirect") or (arguments[2] if len(arguments) > 2 else None)
    if indirect is None:
        return set(names)
    if indirect.type in {"true", "false"}:
        return set() if indirect.type == "true" else set(names)
    return set(names).difference(_strings(indirect) or ())


def _strings(node: Node | None) -> list[str] | None:
    """Return the names in a string with commas, or in a list or tuple of strings; None for anything else."""
    if node is not None and node.type in GROUPS:
        found = [literal(one) for one in named(node)]
        return None if None in found else [one for one in found if one]
    text = literal(node)
    return None if text is None else [part.strip() for part in text.split(",")]


def _arguments(call: Node) -> tuple[list[Node], dict[str, Node]]:
    arguments: list[Node] = []
    keywords: dict[str, Node] = {}
    for one in named(call.child_by_field_name("arguments")):
        if one.type != "keyword_argument":
            arguments.append(one)
        elif (value := one.child_by_field_name("value")) is not None:
            keywords[text_of(one.child_by_field_name("name"))] = value
    return arguments, keywords


def _asked(parameters: Node, owner: int, hidden: Sequence[set[str] | None]) -> Iterator[Told]:
    """Yield the parameters of a function whose values pytest looks for among the fixtures."""
    if parameters.type != "parameters" or None in hidden:
        return
    for one in named(parameters):
        node = one.named_children[0] if one.type == "typed_parameter" else one
        if one.type in PARAMETERS and node.type == "identifier":
            name = text_of(node)
            if name not in SELVES and not any(names and name in names for names in hidden):
                yield node.start_byte, owner, name, ""
