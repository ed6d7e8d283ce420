"""What a document names as code to the definitions and files that it means."""

from __future__ import annotations

import posixpath

from coderag.graph.resolve.tables import Tables
from coderag.graph.resolve.type_syntax import plain
from coderag.syntax.references.records import Reference
from coderag.types import Kind

__all__ = ["Documented"]

MAX_CANDIDATES = 8
NOT_MEANT = frozenset({"test", "vendored", "generated", "example"})
NO_CODE = frozenset({Kind.SECTION, Kind.BLOCK, Kind.CELL})
MAX_LOOKED_AT = 64  # definitions of a name; of a name with more, documents cannot tell which
MIN_CHARS = 3


class Documented:
    """Definitions and files as documents name them."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._known: dict[tuple[str, str], tuple[tuple[int, ...], int]] = {}
        self._files = {file.path: tables.first[number] for number, file in enumerate(tables.files)}
        self._code: dict[str, list[int]] = {}
        for name, nodes in tables.by_name.items():
            kept = [node for node in nodes if tables.kind[node] not in NO_CODE and self._may_be_meant(node)]
            if kept:
                self._code[name] = kept

    def _may_be_meant(self, node: int) -> bool:
        tables = self._tables
        return NOT_MEANT.isdisjoint(tables.files[tables.file[node]].labels)

    def find(self, path: str, one: Reference) -> tuple[tuple[int, ...], int]:
        """Return the nodes that a document means, and the candidates of an edge to them."""
        if "/" in one.name:
            return self._file(path, one.name)
        key = one.receiver, one.name
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._definitions(one.receiver, one.name)
        return found

    def _file(self, path: str, name: str) -> tuple[tuple[int, ...], int]:
        for start in (posixpath.dirname(path), ""):
            node = self._files.get(posixpath.normpath(posixpath.join(start, name)))
            if node is not None:
                return (node,), 0
        return (), 0

    def _definitions(self, receiver: str, name: str) -> tuple[tuple[int, ...], int]:
        tables = self._tables
        nodes = self._code.get(name, ())
        if not nodes or len(nodes) > MAX_LOOKED_AT or len(name) < MIN_CHARS:
            return (), 0
        if not receiver:
            nodes = [node for node in nodes if tables.kind[tables.parent[node]] is None] or nodes
            return (tuple(nodes), self._places(nodes)) if self._places(nodes) <= MAX_CANDIDATES else ((), 0)
        wanted = plain(receiver).split(".")
        nodes = [node for node in nodes if self._ends_with(node, wanted)]
        places = self._places(nodes)
        if not nodes or places > MAX_CANDIDATES:
            return (), 0
        return tuple(nodes), 0 if places == 1 and all(self._has_path(node, wanted) for node in nodes) else places

    def _places(self, nodes: list[int]) -> int:
        return len({self._tables.parent[node] for node in nodes})

    def _around(self, node: int) -> list[str]:
        tables = self._tables
        names: list[str] = []
        while tables.kind[node := tables.parent[node]] is not None:
            names.append(tables.name[node])
        return names[::-1]

    def _path(self, node: int) -> list[str]:
        path = self._tables.files[self._tables.file[node]].path
        return posixpath.splitext(path)[0].replace("-", "_").split("/")

    def _ends_with(self, node: int, wanted: list[str]) -> bool:
        """Tell whether what is written before a name leads to a definition: its classes in full, then folders."""
        around = self._around(node)
        if wanted[-len(around) :] != around[-len(wanted) :] and around:
            return False
        rest = wanted[: -len(around)] if around else wanted
        return _in_order(rest, self._path(node))

    def _has_path(self, node: int, wanted: list[str]) -> bool:
        return len(wanted) > len(self._around(node))


def _in_order(parts: list[str], path: list[str]) -> bool:
    """Tell whether parts stand in a path in this order, others between them or not."""
    rest = iter(path)
    return all(part in rest for part in parts)
