"""Call hierarchy: who calls a definition, and what it calls, across files."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol.types import (
    CallHierarchyIncomingCall,
    CallHierarchyItem,
    CallHierarchyOutgoingCall,
    SymbolKind,
)

from coderag.api.index import Index
from coderag.graph.queries.locations import Location
from coderag.graph.queries.refs import Group, Role
from coderag.graph.records import EdgeKind
from coderag.serve.lsp.documents import Document, glob_of, line_range, uri_of
from coderag.serve.lsp.navigation import root_of
from coderag.serve.lsp.symbols import SYMBOL_KINDS
from coderag.types import Kind

__all__ = ["callers_of", "calls_of", "definition_item"]

MAX_CALLS = 200
MAX_DRAWN = 100  # nodes around a definition
SYMBOLS_BY_NAME = {str(kind): symbol for kind, symbol in SYMBOL_KINDS.items()}  # of nodes of the graph too
CALLABLE = frozenset({Kind.FUNCTION, Kind.METHOD, Kind.CLASS, Kind.STRUCT, Kind.MACRO})
CALLING = frozenset({Role.CALLERS, Role.ROUTES, Role.TESTS})


def definition_item(document: Document, offset: int) -> list[CallHierarchyItem] | None:
    """Return the definition around a character, as it stands now."""
    line = document.text.count("\n", 0, offset)
    around = [
        definition
        for definition in document.definitions
        if definition.kind in CALLABLE and definition.first_row <= line <= definition.last_row
    ]
    if not around or document.root is None:
        return None
    one = around[-1]  # the innermost comes last
    place = document.line_range(one.row + 1, one.name)
    data = {"name": one.qualified_name, "path": document.path, "repository": document.repository}
    kind = SYMBOL_KINDS.get(one.kind, SymbolKind.Object)
    return [CallHierarchyItem(one.name, kind, document.uri, place, place, detail=document.path, data=data)]


def callers_of(index: Index, item: CallHierarchyItem) -> list[CallHierarchyIncomingCall]:
    """Return what calls a definition, with the places of the calls."""
    callers = (
        (_item(index, repository, reference.spot), reference.line)
        for repository, group in _groups(index, item)
        if group.role in CALLING
        for reference in group.references
    )
    incoming = [CallHierarchyIncomingCall(caller, [line_range(line)]) for caller, line in callers if caller is not None]
    return incoming[:MAX_CALLS]


def calls_of(index: Index, item: CallHierarchyItem) -> list[CallHierarchyOutgoingCall]:
    """Return what a definition calls, with the places of the calls."""
    name, path, repository = _asked(item)
    drawing = index.graph(name, paths=[glob_of(path)], k=MAX_DRAWN, repository=repository) if name else None
    if drawing is None:
        return []
    outgoing = []
    for line in drawing.lines:
        if line.source < drawing.asked and EdgeKind.CALLS in line.kinds:
            called = _item(index, drawing.repository, drawing.spots[line.target])
            if called is not None:
                outgoing.append(CallHierarchyOutgoingCall(called, [line_range(line.line)]))
    return outgoing[:MAX_CALLS]


def _asked(item: CallHierarchyItem) -> tuple[str, str, str]:
    """Return the name, path and repository of a definition, "" if a client sends something else."""
    data = item.data if isinstance(item.data, dict) else {}
    return str(data.get("name", "")), str(data.get("path", "")), str(data.get("repository", ""))


def _groups(index: Index, item: CallHierarchyItem) -> Iterable[tuple[str, Group]]:
    name, path, repository = _asked(item)
    for found in index.refs(name, paths=[glob_of(path)], shown=None, repository=repository)[:1] if name else ():
        for group in found.groups:
            yield found.repository, group


def _item(index: Index, repository: str, spot: Location) -> CallHierarchyItem | None:
    root = root_of(index, repository)
    if root is None or not spot.path:
        return None
    place = line_range(spot.line)
    kind = SYMBOLS_BY_NAME.get(str(spot.kind), SymbolKind.Object)
    data = {"name": spot.name, "path": spot.path, "repository": repository}
    name = spot.name.rpartition(".")[2] or spot.name
    return CallHierarchyItem(name, kind, uri_of(root, spot.path), place, place, detail=spot.path, data=data)
