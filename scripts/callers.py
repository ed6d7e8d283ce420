"""Measure the callers that coderag finds of Python functions against an oracle made with the standard ast module.

    python -m scripts.callers FOLDER [--package django] [--sample 400] [--seed 0] [--show N]

The oracle shares nothing with coderag's readers. It resolves names through scopes, imports, re-exports and `__all__`;
methods of self, cls, super(), classes and instances (of constructor calls, annotations, attributes that are only ever
given one class) over the order of base classes that Python has. What it cannot decide, such as a method of an argument
of which nothing is said, is left out on both sides: neither is coderag blamed for an edge there, nor praised. A caller
is the innermost function around a call, else the class, else the module; a decorator is no call; a default value counts
to its function; a call of a class is one of its `__init__` and `__new__`.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from coderag.graph.graph import Graph
from coderag.graph.records import EdgeKind, NodeKind
from scripts.oracle.calls import Calls, read_calls
from tests.graph.whole import graph_of

Place = tuple[str, str]  # path and qualified name, "" for a module
Pair = tuple[Place, Place]  # caller and callee
VALUES = frozenset({NodeKind.FIELD, NodeKind.CONSTANT, NodeKind.TYPE})
FUNCTIONS = frozenset({NodeKind.FUNCTION, NodeKind.METHOD})


class Score(NamedTuple):
    """What of some callers is right."""

    both: int
    found: int
    wanted: int

    def __str__(self) -> str:
        precision = self.both / max(1, self.found)
        recall = self.both / max(1, self.wanted)
        f1 = 2 * precision * recall / max(1e-9, precision + recall)
        return (
            f"precision {precision:.3f}  recall {recall:.3f}  F1 {f1:.3f}  ({self.both} of {self.found}; {self.wanted})"
        )


def score(found: Iterable[Pair], calls: Calls, functions: set[Place]) -> Score:
    """Return how many of the pairs that lead to some functions are right, as far as the oracle can decide."""
    pairs = {pair for pair in found if pair[1] in functions}
    wanted = {pair for pair in calls.pairs if pair[1] in functions}
    return Score(len(pairs & wanted), len(pairs), len(wanted))


def found_by_graph(graph: Graph, calls: Calls, *, worst: int) -> set[Pair]:
    """Return the pairs of the graph with at most so many candidates, those left out that the oracle cannot decide."""
    found = set()
    for node in range(len(graph)):
        callee = graph.node(node)
        if callee.kind not in FUNCTIONS or callee.path not in calls.paths:
            continue
        for edge in graph.edges_to(node, [EdgeKind.CALLS]):
            if edge.candidates > worst or edge.path not in calls.paths:
                continue
            pair = (edge.path, _around(graph, edge.source)), (callee.path, callee.qualified_name)
            if pair in calls.pairs or not calls.is_open(pair[0], callee.name, edge.line):
                found.add(pair)
    return found


def _around(graph: Graph, node: int) -> str:
    """Return the qualified name of the innermost function or class around a node."""
    while True:
        one = graph.node(node)
        if one.kind is NodeKind.FILE:
            return ""
        if one.kind not in VALUES:
            return one.qualified_name
        node = next(edge.source for edge in graph.edges_to(node, [EdgeKind.CONTAINS]))


def found_by_grep(root: Path, calls: Calls, functions: set[Place]) -> set[Pair]:
    """Return the pairs that a search for `name(` gives: every function of that name is taken for called."""
    by_name: dict[str, list[Place]] = defaultdict(list)
    for place in functions:
        by_name[place[1].rpartition(".")[2]].append(place)
    found = set()
    for path in sorted(calls.paths):
        for number, line in enumerate((root / path).read_text(encoding="utf-8").splitlines(), 1):
            for match in re.finditer(r"(?<!def )\b(\w+)\(", line):
                caller = path, calls.around(path, number)
                for callee in by_name.get(match[1], ()):
                    pair = caller, callee
                    if pair in calls.pairs or not calls.is_open(caller, match[1], number):
                        found.add(pair)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Print precision and recall of the callers in a folder."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="what is indexed")
    parser.add_argument("--package", default="django", help="folder in it whose functions and calls count")
    parser.add_argument("--sample", type=int, default=400, help="functions of the headline")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N disagreements of each sort")
    options = parser.parse_args(arguments)
    root: Path = options.folder
    calls = read_calls(root, options.package)
    graph = graph_of(root)
    called = {callee for _, callee in calls.pairs}
    sample = set(random.Random(options.seed).sample(sorted(called), min(options.sample, len(called))))
    print(
        f"{len(calls.paths):,} files, {calls.count:,} calls of which {calls.undecided:,} cannot be decided, "
        f"{len(calls.pairs):,} pairs, {len(called):,} functions called"
    )
    resolved = found_by_graph(graph, calls, worst=0)
    named = found_by_graph(graph, calls, worst=1)
    grep = found_by_grep(root, calls, called)
    for title, functions in (("sample", sample), ("all called", called)):
        print(f"{title}: {len(functions)} functions")
        print("  resolved             ", score(resolved, calls, functions))
        print("  and unique names     ", score(named, calls, functions))
        print("  grep                 ", score(grep, calls, functions))
    print("every edge, to functions that nothing calls too:")
    print("  resolved             ", Score(len(resolved & calls.pairs), len(resolved), len(calls.pairs)))
    if options.show:
        shown = random.Random(options.seed)
        for title, pairs in (("not in the oracle", resolved - calls.pairs), ("not found", calls.pairs - resolved)):
            print(f"{title}: {len(pairs)}")
            for pair in shown.sample(sorted(pairs), min(options.show, len(pairs))):
                (path, caller), (other, callee) = pair
                print(f"  {path}:{calls.lines.get(pair, 0)} {caller or '(module)'} -> {other} {callee}")


if __name__ == "__main__":
    main()
