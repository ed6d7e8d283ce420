"""A query's matches to captures: the nodes of a file sorted by what they are for.

A query speaks through the names of its captures:

    @definition.KIND   a definition, KIND being one of coderag.types.Kind; `@definition.extension` adds to a type
    @container         a scope that gives its members a qualified name and is nothing to find by itself
    @name              its name, in the same match
    @body              its body, where that is no field `body` of it: the signature ends there; it may lie behind the
                       definition's own node, which then ends with it
    @scope             a qualifier written in the definition itself: a Go receiver, the `Foo` of `void Foo::bar()`;
                       several are joined
    @doc               documentation inside a definition (a docstring), or a node directly above one
    @comment           a comment; those directly above a definition belong to it and document it
    @decorator         an attribute or annotation, inside a definition or directly above one
    @import            an import statement
    @call              a called name

Where several patterns give one name node a definition, the earliest pattern tells the kind and the largest node the
extent: a pattern for a wrapper (`decorated_definition`, `export_statement`) needs no rule beyond itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tree_sitter import Node

from coderag.syntax.grammar import Matches

__all__ = ["Captures", "Found", "sort_captures"]

PLAIN = 2  # captures in a match that has a definition and its name, as most have


@dataclass(slots=True)
class Found:
    """A definition while its matches come in."""

    pattern: int
    kind: str  # "" for a container
    name: Node
    outer: Node  # the largest node: the extent
    inner: Node  # the smallest: where the signature is
    start: int  # bytes of the largest node
    end: int
    scopes: tuple[Node, ...] = ()
    body: Node | None = None
    docs: tuple[Node, ...] = ()


@dataclass(slots=True)
class Captures:
    """The nodes of a file, by what they are for."""

    found: dict[int, Found] = field(default_factory=dict)  # by the first byte of the name
    comments: list[Node] = field(default_factory=list)
    decorators: list[Node] = field(default_factory=list)
    docs: list[Node] = field(default_factory=list)
    imports: list[Node] = field(default_factory=list)
    calls: list[Node] = field(default_factory=list)


def sort_captures(matches: Matches) -> Captures:
    """Return the nodes of all matches, sorted by what they are for."""
    captures = Captures()
    plain = {
        "comment": captures.comments,
        "decorator": captures.decorators,
        "doc": captures.docs,
        "import": captures.imports,
    }
    calls = captures.calls
    for pattern, nodes in matches:
        if "call" in nodes:
            calls.append(nodes["call"][0])
        elif "name" in nodes:
            _add_definition(captures.found, pattern, nodes)
        else:
            for capture, found in nodes.items():
                if capture in plain:
                    plain[capture].extend(found)
    return captures


def _add_definition(found: dict[int, Found], pattern: int, nodes: dict[str, list[Node]]) -> None:
    name = nodes["name"][0]
    for capture in nodes:
        if capture.startswith(("definition.", "container")):
            break
    node = nodes[capture][0]
    start, end = node.start_byte, node.end_byte
    at = name.start_byte
    seen = found.get(at)
    if seen is None:
        kind = capture.partition(".")[2]
        seen = found[at] = Found(pattern, kind, name, node, node, start, end)
    else:
        if pattern < seen.pattern:
            seen.pattern, seen.kind = pattern, capture.partition(".")[2]
        if end - start > seen.end - seen.start:
            seen.outer, seen.start, seen.end = node, start, end
        elif end - start < seen.inner.end_byte - seen.inner.start_byte:
            seen.inner = node
    if len(nodes) == PLAIN:
        return
    if "scope" in nodes:
        seen.scopes = (*seen.scopes, *nodes["scope"])
    if "body" in nodes:
        seen.body = nodes["body"][0]
        seen.end = max(seen.end, seen.body.end_byte)
    if "doc" in nodes:
        seen.docs = (*seen.docs, *nodes["doc"])
