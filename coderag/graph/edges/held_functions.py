"""Calls of a value that holds functions, such as a dict of handlers, to the functions that its definition names.

HANDLERS = {"add": on_add, "remove": on_remove}

HANDLERS[name](item)  # calls on_add or on_remove, as candidates

The same holds for a value that is made of functions: `later = debounce(save)` calls save when it is called.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from coderag.graph.edges.reused import CodeEdges
from coderag.graph.graph import EDGE_CODES
from coderag.graph.records import EdgeKind
from coderag.graph.resolve.tables import VALUES, Tables
from coderag.index.storage.arrays.arrays import Array
from coderag.index.storage.arrays.ranges import distinct
from coderag.syntax.outline import CALLABLE
from coderag.syntax.references.records import Role
from coderag.types import Kind

__all__ = ["calls_of_held"]

MAX_HELD = 40  # functions of one value; a call of one of more says nothing
HELD = CALLABLE | {Kind.CLASS}
CALLS, REFERENCES = EDGE_CODES[EdgeKind.CALLS], EDGE_CODES[EdgeKind.REFERENCES]
OF_NO_FILE = -1


def calls_of_held(edges: CodeEdges, tables: Tables) -> CodeEdges:
    """Return the calls of functions that are held by what `edges` call, of no file but with the row of the call."""
    values = _flags(
        np.array([node for node, kind in enumerate(tables.kind) if kind in VALUES], np.int64), len(tables.kind)
    )
    called = np.flatnonzero((edges.kind == CALLS) & values[edges.target])
    holders, starts, held = _held(edges, tables, of=distinct(edges.target[called]))
    called = called[_is_among(edges.target[called], holders)]
    at = np.searchsorted(holders, edges.target[called])
    sizes = (starts[1:] - starts[:-1])[at]
    called, sizes, first = called[sizes <= MAX_HELD], sizes[sizes <= MAX_HELD], starts[at[sizes <= MAX_HELD]]
    call = np.repeat(called, sizes)
    place = np.arange(len(call)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(first, sizes)
    source, target = edges.source[call], held[place]
    candidates = np.maximum(edges.candidates[call], np.repeat(sizes, sizes))
    size = len(tables.kind)
    direct = (edges.kind == CALLS) & _flags(target, size)[edges.target]
    known_calls = np.sort(edges.source[direct] * size + edges.target[direct])
    apart = (source != target) & ~_is_among(source * size + target, known_calls)
    return CodeEdges(
        source[apart],
        target[apart],
        np.full(int(apart.sum()), CALLS, np.uint8),
        candidates[apart],
        np.full(int(apart.sum()), OF_NO_FILE, np.int64),
        edges.row[call][apart],
    )


def _held(edges: CodeEdges, tables: Tables, *, of: Array) -> tuple[Array, Array, Array]:
    """Return the values that hold functions, in order, where each one's functions begin, and the functions."""
    named = np.flatnonzero((edges.kind == REFERENCES) & _flags(of, len(tables.kind))[edges.source])
    named = named[np.array([_is_held(target, tables) for target in edges.target[named].tolist()], np.bool_)]
    inside = np.array([pair for value in of.tolist() for pair in _inside(value, tables)], np.int64).reshape(-1, 2)
    size = len(tables.kind)
    keys = distinct(
        np.concatenate([edges.source[named] * size + edges.target[named], inside[:, 0] * size + inside[:, 1]])
    )
    holders = distinct(keys // size)
    return holders, np.append(np.searchsorted(keys // size, holders), len(keys)), keys % size


def _is_held(node: int, tables: Tables) -> bool:
    """Tell whether a definition that is named as a value may be called, as that of `this.constructor` is not."""
    return tables.kind[node] in HELD and tables.name[node] not in tables.rules_at(node).constructors


def _is_among(values: Array, known: Array) -> Array:
    """Return whether each value is among known ones, which are sorted."""
    found: Array = np.searchsorted(known, values, "left") < np.searchsorted(known, values, "right")
    return found


def _flags(nodes: Array, size: int) -> Array:
    """Return an array that is true for some nodes."""
    flags = np.zeros(size, np.bool_)
    flags[nodes] = True
    return flags


def _inside(value: int, tables: Tables) -> Iterator[tuple[int, int]]:
    """Yield the functions that are written in a literal; what a call gives may call its arguments, or not."""
    members = tables.members.get(value)
    if members and not _is_of_call(value, tables):
        for nodes in members.values():
            yield from ((value, node) for node in nodes if tables.is_callable(node))


def _is_of_call(value: int, tables: Tables) -> bool:
    """Tell whether a call stands beside the name of a value."""
    if tables.bindings.get(tables.parent[value], {}).get(tables.name[value]):
        return True
    file, own = tables.files[tables.file[value]], value - tables.file_node(value) - 1
    row = file.links.definitions[own].row
    return any(
        mention.owner == own and mention.row == row and mention.role == Role.CALL
        for mention in file.links.mentions.mentions
    )
