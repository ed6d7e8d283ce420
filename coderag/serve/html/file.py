"""A file of the index to its lines with links, its outline, who uses it and which commits changed it.

The text is that of the index, never that of the disk: what is not indexed, masked or kept from a caller is not shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from coderag.api.index import Index
from coderag.errors import CoderagError, QueryError
from coderag.graph.graph import Graph
from coderag.graph.queries.locations import location_of
from coderag.graph.queries.refs import Group, Role
from coderag.graph.records import EdgeKind, NodeKind
from coderag.index.history.records import LoggedChange
from coderag.serve.html.code import Linker, code_lines
from coderag.serve.html.links import Links
from coderag.serve.html.searching import Row
from coderag.serve.http.file_lines import file_lines
from coderag.types import Kind, Query, Symbol

__all__ = ["Entry", "FilePage", "Folder", "OutlineRow", "file_page", "folder_page"]

MOST_LINES = 20_000  # of a page; what is longer ends with a note
MOST_OUTLINE = 800
COMMITS = 12
USERS = 12  # that are named
USING = (Role.IMPORTERS, Role.TESTS, Role.DOCUMENTS, Role.CALLERS, Role.READERS, Role.REFERENCES)
LINKED = frozenset(EdgeKind) - {EdgeKind.CONTAINS, EdgeKind.DOCUMENTS}
PASSED_OVER = frozenset({Kind.BLOCK, Kind.MODULE})


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """A definition in the outline."""

    symbol: Symbol
    depth: int


@dataclass(frozen=True, slots=True)
class FilePage:
    """What the page of a file shows."""

    path: str
    repository: str
    language: str
    rows: tuple[Row, ...]
    outline: tuple[OutlineRow, ...]
    users: tuple[Group, ...]
    commits: tuple[LoggedChange, ...]
    left_out: int  # lines behind the last one


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, or a folder with how many files are in it."""

    name: str
    path: str
    files: int  # 0 for a file
    repository: str = ""  # that it is, where it is one


@dataclass(frozen=True, slots=True)
class Folder:
    """What the page of a folder shows."""

    path: str
    repository: str
    entries: tuple[Entry, ...]
    files: int


def file_page(index: Index, path: str, links: Links, *, repository: str = "") -> FilePage:
    """Return what is shown of a file; raises QueryError where it is not indexed, with why."""
    try:
        outline = index.outline(path, repository=repository)
    except QueryError as error:
        if why := _why_not(index, path, repository):
            raise QueryError(why) from error
        raise
    lines = file_lines(index, path, repository=repository, end=MOST_LINES)
    if not lines.total_lines:
        raise QueryError(f"{path} is not in the index: it has no text")
    linker = _linker(index, path, links, lines.repository)
    html = code_lines(lines.lines, lines.language, linker=linker)
    return FilePage(
        path=path,
        repository=lines.repository,
        language=lines.language,
        rows=tuple(Row(number, line) for number, line in enumerate(html, 1)),
        outline=tuple(_outline_rows(outline)),
        users=_users(index, path, lines.repository),
        commits=_commits(index, path, lines.repository),
        left_out=lines.total_lines - len(lines.lines),
    )


def _why_not(index: Index, path: str, repository: str) -> str:
    """Return why a file was left out of the index, "" if that is not known."""
    for status in index.status(compare=False, schema=False):
        if repository in ("", status.repository):
            for skipped in status.skipped:
                if skipped.path == path:
                    detail = f": {skipped.detail}" if skipped.detail else ""
                    return f"{path} is not in the index: it was left out as {skipped.reason}{detail}"
    return ""


def folder_page(index: Index, path: str, *, repository: str = "") -> Folder:
    """Return what is indexed in a folder; raises QueryError where nothing is."""
    if not path.strip("/") and not repository and len(index.roots) > 1:
        return _repositories(index)
    start = f"{path.strip('/')}/" if path.strip("/") else ""
    counts: dict[str, int] = {}
    names: dict[str, int] = {}
    for name, file in index.files(Query("-")):
        if (repository and name != repository) or not file.startswith(start):
            continue
        first, slash, _ = file[len(start) :].partition("/")
        target = counts if slash else names
        target[first] = target.get(first, 0) + 1
    if not counts and not names:
        raise QueryError(f"{path} is not in the index: no file of it is")
    entries = [Entry(name, start + name, counts[name]) for name in sorted(counts, key=str.lower)]
    entries += [Entry(name, start + name, 0) for name in sorted(names, key=str.lower)]
    return Folder(start.rstrip("/"), repository, tuple(entries), sum(counts.values()) + sum(names.values()))


def _repositories(index: Index) -> Folder:
    """Return the roots as folders."""
    counts = Counter(repository for repository, _ in index.files(Query("-")))
    entries = [Entry(name, "", counts[name], name) for name in sorted(counts)]
    return Folder("", "", tuple(entries), counts.total())


def _outline_rows(symbols: Sequence[Symbol]) -> list[OutlineRow]:
    rows: list[OutlineRow] = []
    around: list[Symbol] = []
    for symbol in symbols[:MOST_OUTLINE]:
        if symbol.kind in PASSED_OVER:
            continue
        while around and symbol.span.start_line > around[-1].span.end_line:
            around.pop()
        rows.append(OutlineRow(symbol, len(around)))
        if len(symbol.span) > 1:
            around.append(symbol)
    return rows


def _users(index: Index, path: str, repository: str) -> tuple[Group, ...]:
    """Return who uses a file as a whole, () if the graph is not there yet."""
    try:
        references = index.refs(path, kinds=(NodeKind.FILE,), shown=USERS, repository=repository)
    except CoderagError:
        return ()
    return tuple(group for group in references[0].groups if group.role in USING) if references else ()


def _commits(index: Index, path: str, repository: str) -> tuple[LoggedChange, ...]:
    try:
        return tuple(index.log(path, k=COMMITS, repository=repository))
    except CoderagError:
        return ()  # no history is indexed


def _linker(index: Index, path: str, links: Links, repository: str) -> Linker | None:
    """Return what links the names in a file to what the graph says that they mean, None without a current graph."""
    if not index.graph_state().is_current:
        return None
    names = [root.repository for root in index.roots]
    return _name_links(index.graphs()[names.index(repository)], path, links, repository)


def _name_links(graph: Graph, path: str, links: Links, repository: str) -> Linker:
    """Return what links a name on a line: by the innermost definition around it that leads to something so named."""
    by_line: dict[int, dict[str, tuple[str, str]]] = {}
    nodes = [graph.node(number) for number in graph.in_file(path)]
    nodes.sort(key=lambda node: -len(node.span) if node.kind is not NodeKind.FILE else -(10**9))
    for node in nodes:
        found: dict[str, tuple[str, str]] = {}
        for edge in graph.edges_from(node.number, tuple(LINKED)):
            target = graph.node(edge.target)
            location = location_of(target)
            if target.kind is NodeKind.COLUMN or not (target.path or target.database):
                continue
            card = links.card(target.path, target.row, repository) if target.path else ""
            found.setdefault(target.name, (links.place(location, repository), card))
        lines = (0,) if node.kind is NodeKind.FILE else range(node.span.start_line, node.span.end_line + 1)
        for line in lines:
            by_line[line] = {**by_line.get(line, {}), **found} if found else by_line.get(line, {})
        if node.path == path and node.row and node.kind is not NodeKind.FILE:
            itself = (links.symbol(f"{path}:{node.row}", repository), links.card(path, node.row, repository))
            by_line[node.row] = {**by_line.get(node.row, {}), node.name: itself}
    file_references = by_line.get(0, {})

    def link(name: str, position: int) -> tuple[str, str] | None:
        return by_line.get(position + 1, {}).get(name) or file_references.get(name)

    return link
