"""An earlier graph to the edges that hold for the present files, of which some changed, came or went."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from coderag.graph.edges.reused import REUSED_KINDS, CodeEdges, ReusedEdges
from coderag.graph.files import LinkedFile
from coderag.graph.graph import EDGE_CODES, NODE_KINDS, Graph
from coderag.graph.records import EdgeKind, NodeKind
from coderag.graph.resolve.affected import Change, affected_files
from coderag.graph.resolve.changed_imports import ChangedImports, ModuleFiles, changed_imports
from coderag.graph.resolve.changed_names import Changed, changed_names, identities, words_of
from coderag.graph.resolve.imports.modules import Modules
from coderag.graph.resolve.imports.tree import Reading
from coderag.graph.resolve.rules import rules_of
from coderag.index.storage.arrays.arrays import Array

__all__ = ["EarlierGraph", "reused_edges"]

MOST_RESOLVED = 0.3  # of the files; with more it is as quick to resolve all
FILE = NODE_KINDS.index(NodeKind.FILE)
IMPORTS, ROUTES = EDGE_CODES[EdgeKind.IMPORTS], EDGE_CODES[EdgeKind.ROUTES]
KINDS = len(EDGE_CODES)
STANDING_FOR_FOLDERS = frozenset({"__init__", "mod", "lib", "main"})  # names of files
GONE = -1


@dataclass(frozen=True, slots=True)
class EarlierGraph:
    """A graph, and those of its files that are other ones by now or gone, as they were."""

    graph: Graph
    changed: Mapping[str, LinkedFile]  # by path
    read: Reading | None = None  # gives the content of a file of settings, none of which is another one


def reused_edges(earlier: EarlierGraph, files: Sequence[LinkedFile]) -> ReusedEdges | None:
    """Return the edges of an earlier graph that hold, and the files to resolve again; None where that is most of all.

    `files` are in the order of their paths, as they were in the earlier graph.
    """
    present = {file.path: file for file in files}
    before = [earlier.changed.get(path) or present.get(path) for path in earlier.graph.paths.all()]
    known = [file for file in before if file is not None]
    if len(known) < len(before):
        return None
    comparison = _Comparison(earlier, known, files)
    resolved = affected_files(files, comparison.change())
    if resolved is None or len(resolved) - len(comparison.changed) > MOST_RESOLVED * len(files):
        return None
    nodes = comparison.node_map()
    return None if nodes is None else comparison.reused(nodes, resolved)


class _Comparison:
    """The files of an earlier graph beside the present ones."""

    def __init__(self, earlier: EarlierGraph, before: Sequence[LinkedFile], files: Sequence[LinkedFile]) -> None:
        self._earlier = earlier
        self._before, self._files = before, files
        number = {file.path: at for at, file in enumerate(files)}
        self._now = [number.get(file.path, GONE) for file in before]  # the present number of each file
        self._then = {file.path: at for at, file in enumerate(before)}
        self.changed: dict[int, Changed] = {
            at: changed_names(earlier.changed.get(file.path), file)
            for at, file in enumerate(files)
            if file.path in earlier.changed or file.path not in self._then
        }

    def change(self) -> Change:
        """Return what is another one."""
        removed = [file for file, now in zip(self._before, self._now, strict=True) if now == GONE]
        added = [self._files[at] for at in self.changed if self._files[at].path not in self._then]
        moved = [*removed, *added]
        modules = frozenset(word for file in moved for word in _module_words(file))
        gone = Changed(everywhere=modules)
        for file in removed:
            gone = gone.joined(changed_names(file, None))
        imports = ChangedImports()
        if moved or any(one.moves for one in self.changed.values()):
            imports = changed_imports(self._old, self._new, self._now)
        handed = [(at, self._shown(other)) for at, other in imports.shown]
        handed += [(at, self._starred(at)) for at, one in self.changed.items() if one.hands_stars]
        return Change(
            files=self.changed,
            gone=gone,
            paths=frozenset(file.path.rpartition("/")[2] for file in moved),
            words=modules,
            imports=imports.aliases,
            handed=handed,
            told=list(self._told()),
            resolved=frozenset(imports.files),
            importers=self._importers,
            modules=self._new,
        )

    def _told(self) -> Iterator[tuple[int, frozenset[str]]]:
        """Yield what files knew of their package, of files that are gone from it or may be."""
        for then, (file, now) in enumerate(self._pairs()):
            if now == GONE or (now in self.changed and self.changed[now].moves):
                words = changed_names(file, None).everywhere
                yield from ((self._now[one], words) for one in self._old.modules.beside(then) if self._now[one] != GONE)

    @cached_property
    def _old(self) -> ModuleFiles:
        return ModuleFiles(self._before, Modules(self._before, read=self._earlier.read))

    @cached_property
    def _new(self) -> ModuleFiles:
        return ModuleFiles(self._files, Modules(self._files, read=self._earlier.read))

    def _shown(self, number: int) -> frozenset[str]:
        """Return the words that others get from a file that they take all of."""
        return self._new.shown(number) | self._shown_then(number)

    def _shown_then(self, number: int) -> frozenset[str]:
        then = self._then.get(self._files[number].path)
        return self._old.shown(then) if then is not None else frozenset()

    def _starred(self, number: int) -> frozenset[str]:
        """Return the words that a file gets, or got, from files that it takes all of."""
        then = self._then.get(self._files[number].path)
        return self._new.starred(number) | (self._old.starred(then) if then is not None else frozenset())

    @cached_property
    def _imported_by(self) -> dict[int, set[int]]:
        """The files that import each file, in the earlier graph; numbers are the present ones."""
        graph = self._earlier.graph
        positions = np.flatnonzero(graph.edge_kind == IMPORTS)
        source, target = graph.node_file[graph.edge_source[positions]], graph.node_file[graph.edge_target[positions]]
        found: dict[int, set[int]] = {}
        for importing, imported in set(zip(source.tolist(), target.tolist(), strict=True)):
            if self._now[imported] != GONE and self._now[importing] != GONE:
                found.setdefault(self._now[imported], set()).add(self._now[importing])
        return found

    def _importers(self, number: int) -> frozenset[int]:
        """Return the files that imported a file, and those that imported these."""
        found, waiting = {number}, [number]
        while waiting:
            new = self._imported_by.get(waiting.pop(), set()) - found
            found |= new
            waiting += new
        return frozenset(found)

    def node_map(self) -> Array | None:
        """Return the present node of each earlier node of code, GONE for none; None if the graph is of other files."""
        graph, first, at = self._earlier.graph, list[int](), 0
        for file in self._files:
            first.append(at)
            at += 1 + len(file.links.definitions)
        parts = [self._nodes_of(file, first[now] if now != GONE else GONE, now) for file, now in self._pairs()]
        found = np.concatenate(parts) if parts else np.empty(0, np.int64)
        sizes = np.array(list(map(len, parts)), np.int64)
        starts = np.cumsum(sizes) - sizes
        if len(found) > len(graph) or (graph.node_kind[starts] != FILE).any():
            return None
        of_file = np.repeat(np.arange(len(self._before)), sizes)
        return found if np.array_equal(graph.node_file[: len(found)], of_file) else None

    def _pairs(self) -> Iterator[tuple[LinkedFile, int]]:
        return zip(self._before, self._now, strict=True)

    def _nodes_of(self, before: LinkedFile, first: int, now: int) -> Array:
        """Return the present nodes of an earlier file, which is there from a node on."""
        size = 1 + len(before.links.definitions)
        if now == GONE:
            return np.full(size, GONE, np.int64)
        if now not in self.changed:
            return np.arange(first, first + size)
        definitions = self._files[now].links.definitions
        known = {one: first + 1 + place for place, one in enumerate(identities(definitions))}
        own = [first, *(known.get(one, GONE) for one in identities(before.links.definitions))]
        return np.array(own, np.int64)

    def reused(self, nodes: Array, resolved: frozenset[int]) -> ReusedEdges | None:
        """Return the edges of the files that are not resolved again, between present nodes."""
        graph = self._earlier.graph
        size = len(nodes)
        source, target = graph.edge_source.astype(np.int64), graph.edge_target.astype(np.int64)
        file, row = graph.arrays["edge_file"].astype(np.int64), graph.arrays["edge_row"].astype(np.int64)
        reused = (source < size) & (target < size) & np.isin(graph.edge_kind, REUSED_KINDS)
        now = np.array(self._now, np.int64)
        again = np.zeros(len(self._files), np.bool_)
        again[list(resolved)] = True
        own = graph.node_file[source[reused]]
        # What a statement of another file says of a function is made of all statements.
        reused[reused] = (now[own] != GONE) & ~again[now[own]] & (file[reused] == own)
        order = np.flatnonzero(reused)
        repeated, around = _repeated(graph, reused, size)
        order, source = np.append(order, repeated), np.append(source[order], around)
        file = np.append(file[order[: len(order) - len(repeated)]], graph.node_file[around])
        placed = np.lexsort((row[order], file))
        order, source, file = order[placed], nodes[source[placed]], file[placed]
        target = nodes[target[order]]
        if (source == GONE).any() or (target == GONE).any():
            return None
        candidates = graph.edge_candidates[order].astype(np.int64)
        return ReusedEdges(
            resolved, CodeEdges(source, target, graph.edge_kind[order], candidates, now[file], row[order])
        )


def _repeated(graph: Graph, reused: Array, size: int) -> tuple[Array, Array]:
    """Return what routes do by handlers without a name, as edges of what is around these, with the nodes around.

    Of what a file does twice a graph has one edge; the edges of its routes say where it does so again.
    """
    source, target = graph.edge_source.astype(np.int64), graph.edge_target.astype(np.int64)
    routes = np.flatnonzero((graph.edge_kind == ROUTES) & (source >= size) & (target < size))
    around = np.full(len(graph), GONE, np.int64)
    around[source[routes[::-1]]] = target[routes[::-1]]
    done = np.flatnonzero(
        (source >= size) & (target < size) & (around[source] != GONE) & np.isin(graph.edge_kind, REUSED_KINDS)
    )
    keys = (source * len(graph) + target) * KINDS + graph.edge_kind
    same = (around[source[done]] * len(graph) + target[done]) * KINDS + graph.edge_kind[done]
    known = np.sort(keys[reused])
    at = np.searchsorted(known, same)
    own = at < len(known)  # edges that are made of others are made again
    own[own] = known[at[own]] == same[own]
    return done[own], around[source[done[own]]]


def _module_words(file: LinkedFile) -> frozenset[str]:
    """Return the words by which code names a file without an import of it: a module of a package that is known."""
    rules = rules_of(file.language)
    if not rules.submodules and not rules.full_names:
        return frozenset()
    folder, _, name = file.path.rpartition("/")
    stem = name.partition(".")[0]
    return words_of(folder.rpartition("/")[2] if stem in STANDING_FOR_FOLDERS else stem)
