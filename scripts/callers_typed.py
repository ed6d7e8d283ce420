"""Measure the callers that coderag finds of Go or TypeScript functions against what the compiler's types say.

    (cd scripts/oracle_go && go build -o /tmp/oracle .) && /tmp/oracle FOLDER > calls.jsonl
    NODE_PATH=$(npm root -g) node scripts/oracle_ts/calls.js FOLDER > calls.jsonl
    python -m scripts.callers_typed FOLDER calls.jsonl [--show N]

Both oracles print one call a line: where the function is whose body has it, and where the function is that it calls, by
go/types and by TypeScript's checker. Calls of an interface's method are counted apart. What the types leave undecided,
since a module is not installed, is left out on both sides.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Container, Iterable
from pathlib import Path
from typing import NamedTuple

from coderag.graph.graph import Graph
from coderag.graph.records import EdgeKind, NodeKind
from tests.graph.whole import graph_of

__all__ = ["Oracle", "Score", "found_calls", "read_oracle", "score"]

Place = tuple[str, int]  # a path and the line of a function's name
Pair = tuple[Place, Place]  # caller and callee
FUNCTIONS = frozenset({NodeKind.FUNCTION, NodeKind.METHOD})


class Oracle(NamedTuple):
    """The calls that are known, and those that are not."""

    pairs: frozenset[Pair]
    through: frozenset[Pair]  # of methods of interfaces
    undecided: frozenset[tuple[Place, str]]  # a caller and the name that it calls


class Score(NamedTuple):
    """How many calls are right, of those found and of those there are."""

    right: int
    found: int
    wanted: int

    def __str__(self) -> str:
        precision, recall = self.right / max(1, self.found), self.right / max(1, self.wanted)
        return f"precision {precision:.3f}  recall {recall:.3f}  ({self.right} of {self.found}; {self.wanted})"


def read_oracle(lines: Iterable[str], functions: Container[Place]) -> Oracle:
    """Return what an oracle printed; of several functions around a call the innermost that the graph has too."""
    pairs: set[Pair] = set()
    through: set[Pair] = set()
    undecided: set[tuple[Place, str]] = set()
    for line in lines:
        one = json.loads(line)
        places = one.get("around") or one.get("undecided") or [one["caller"]]
        around = [places] if isinstance(places[0], str) else places
        caller = next((place for place in map(tuple, around) if place in functions), None)
        if caller is None:
            continue
        if "undecided" in one:
            undecided.add((caller, one["name"]))
        else:
            (through if one.get("interface") else pairs).add((caller, tuple(one["callee"])))
    return Oracle(frozenset(pairs), frozenset(through), frozenset(undecided))


def found_calls(graph: Graph, oracle: Oracle, *, worst: int) -> set[Pair]:
    """Return the calls of a graph with at most so many candidates, without those that the oracle leaves undecided."""
    callers = {caller for caller, _ in (*oracle.pairs, *oracle.through)} | {caller for caller, _ in oracle.undecided}
    found: set[Pair] = set()
    for number in range(len(graph)):
        place = _caller(graph, number, callers)
        if place is None:
            continue
        for edge in graph.edges_from(number, (EdgeKind.CALLS,)):
            target = graph.node(edge.target)
            if edge.candidates <= worst and target.kind in FUNCTIONS and (place, target.name) not in oracle.undecided:
                found.add((place, (target.path, target.row)))
    return found - oracle.through


def _caller(graph: Graph, number: int, callers: Container[Place]) -> Place | None:
    """Return the innermost function around a node that the oracle knows: a subtest counts to its test."""
    while (node := graph.node(number)).kind in FUNCTIONS:
        if (node.path, node.row) in callers:
            return node.path, node.row
        around = [edge.source for edge in graph.edges_to(number, (EdgeKind.CONTAINS,))]
        if not around:
            return None
        number = around[0]
    return None


def score(found: set[Pair], oracle: Oracle, functions: set[Place]) -> Score:
    """Return how many calls between functions of the graph are right."""
    wanted = {pair for pair in oracle.pairs if pair[0] in functions and pair[1] in functions}
    return Score(len(found & wanted), len(found), len(wanted))


def main() -> None:
    """Print the scores of calls that are resolved, and of those with all candidates."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("calls", type=Path)
    parser.add_argument("--show", type=int, default=0, metavar="N")
    options = parser.parse_args()
    graph = graph_of(options.folder)
    nodes = [graph.node(number) for number in range(len(graph))]
    functions = {(node.path, node.row) for node in nodes if node.kind in FUNCTIONS}
    oracle = read_oracle(options.calls.read_text().splitlines(), functions)
    print(
        f"{len(oracle.pairs):,} calls, {len(oracle.through):,} through interfaces, {len(oracle.undecided):,} undecided"
    )
    for title, worst in (("resolved", 0), ("unique too", 1), ("all", 255)):
        print(f"{title:12}{score(found_calls(graph, oracle, worst=worst), oracle, functions)}")
    found = found_calls(graph, oracle, worst=0)
    wanted = {pair for pair in oracle.pairs if pair[0] in functions and pair[1] in functions}
    for title, pairs in (("wrong", found - wanted), ("missed", wanted - found)):
        for caller, callee in sorted(pairs)[:: max(1, len(pairs) // max(1, options.show))][: options.show]:
            print(f"  {title} {caller[0]}:{caller[1]} -> {callee[0]}:{callee[1]}")


if __name__ == "__main__":
    main()
