"""A node that is to change, to what the change affects: by distance and confidence, with the tests to run first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from coderag.graph.graph import Graph
from coderag.graph.queries.locations import TYPE_KINDS, Location, in_test, location_of, with_members
from coderag.graph.queries.reach import TEST_DEPTH, Affected, affected_of, is_run, nearest, reach
from coderag.graph.queries.refs import Unresolved, unresolved_near
from coderag.graph.records import Node, NodeKind

__all__ = ["Affected", "Change", "Impact", "impact_of"]

DEPTH = 3  # of what is listed
MAX_TESTS = 500  # that are told; the others are counted


class Change(StrEnum):
    """What is done to the node."""

    RENAME = "rename"
    DROP = "drop"
    TYPE = "type"


@dataclass(frozen=True, slots=True)
class Impact:
    """What a change of one node affects: the nearest first, and of those the surest."""

    target: Location
    change: Change
    affected: tuple[Affected, ...]  # over edges that are resolved or of a unique name
    possibly: tuple[Affected, ...]  # over some edge that is one of several candidates
    tests: tuple[Affected, ...]  # that run what is affected: those to run first in front
    further_tests: int = 0  # beyond those
    unresolved: tuple[Unresolved, ...] = ()  # on the way: what these do is not known
    others: tuple[Location, ...] = ()  # that the target may mean too, and that were not looked at
    repository: str = ""


def impact_of(graph: Graph, nodes: Sequence[Node], *, change: Change = Change.RENAME, depth: int = DEPTH) -> Impact:
    """Return what a change of a node, or of all overloads of one, affects up to a distance; tests are found at any."""
    starts = [start for node in nodes for start in _starts(graph, node, change)]
    reached = reach(graph, starts, depth=max(depth, TEST_DEPTH))
    affected = sorted(one for one in reached.values() if one.node not in starts)
    in_tests = [one for one in affected if in_test(graph, one.node) and is_run(graph, one.node)]
    in_tests.sort(key=lambda one: one.distance)
    near = [one for one in affected if one.distance <= depth]
    shown = [(one, affected_of(graph, reached, one)) for one in near if not in_test(graph, one.node)]
    return Impact(
        target=location_of(nodes[0]),
        change=change,
        affected=tuple(sorted((told for one, told in shown if not one.doubtful), key=nearest)),
        possibly=tuple(sorted((told for one, told in shown if one.doubtful), key=nearest)),
        tests=tuple(sorted((affected_of(graph, reached, one) for one in in_tests[:MAX_TESTS]), key=nearest)),
        further_tests=max(len(in_tests) - MAX_TESTS, 0),
        unresolved=tuple(unresolved_near(graph, [*starts, *(one.node for one in near)])),
    )


def _starts(graph: Graph, node: Node, change: Change) -> list[int]:
    """Return the nodes that change: with a table its columns, with a type that goes all that is in it."""
    inside = node.kind in (NodeKind.TABLE, NodeKind.VIEW) or (change is Change.DROP and node.kind in TYPE_KINDS)
    return with_members(graph, node) if inside else [node.number]
