"""`outline`: what a file defines, or a map of a folder or of whole repositories."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from coderag.api.index import Index
from coderag.errors import QueryError
from coderag.graph.queries.entry_points import group_text
from coderag.graph.queries.map import MapPart, RepositoryMap, entry_text, part_text, sentence_text
from coderag.search.query.query import make_query
from coderag.search.results.nesting import with_depth
from coderag.serve.answer import Answer
from coderag.serve.arguments import OutlineArguments
from coderag.serve.page import Page, cut
from coderag.serve.places import freshness
from coderag.serve.workspace import View, Workspace
from coderag.text.counted import counted
from coderag.text.visible import visible
from coderag.types import Symbol

__all__ = ["outline"]

LAST_TOKENS = 60
SIGNATURE_CHARACTERS = 140
NAMED = 3  # files of the same name that are named where a path is unknown


def outline(workspace: Workspace, arguments: OutlineArguments) -> Answer:
    """Return the definitions of a file, or the map of what a path names; raises QueryError for an unknown path."""
    view = workspace.view()
    path = arguments.path.strip().removeprefix("./").rstrip("/")
    path, repository = ("", "") if path in (".", "/") else _relative(view, path)
    page = Page(arguments.budget)
    page.keep(LAST_TOKENS)
    symbols = _file(view.index, path, repository) if path and not set(path) & set("*?[") else None
    if symbols is not None:
        record = _add_file(page, path, symbols)
        return Answer(page.finished([freshness(view)]), record)
    globs = [] if not path else [path] if set(path) & set("*?[") else [f"{path}/**"]
    if globs and not view.index.files(make_query("-", paths=globs)):
        raise QueryError(f"nothing is indexed at {path!r}{_same_name(view.index, path)}")
    view = workspace.with_graph(view)
    maps = view.index.map(arguments.about, budget=page.tokens_left(), paths=globs)
    for repository_map in maps:
        _add_map(page, repository_map)
    return Answer(page.finished([freshness(view)]), {"maps": [_map_record(each) for each in maps]})


def _relative(view: View, path: str) -> tuple[str, str]:
    """Return a path from its root, and the repository where it is absolute or begins with the name of one, else ""."""
    for root in view.index.roots:
        for prefix in (str(root.root), *([root.repository] if len(view.index.roots) > 1 else [])):
            if path == prefix or path.startswith(f"{prefix}/"):
                return path[len(prefix) + 1 :], root.repository
    return path, ""


def _file(index: Index, path: str, repository: str) -> list[Symbol] | None:
    """Return the definitions of a file, None for what is no indexed file."""
    try:
        return index.outline(path, repository=repository)
    except QueryError:
        return None


def _same_name(index: Index, path: str) -> str:
    """Return which indexed files have the name that a path ends with, as the end of a message."""
    name = path.rpartition("/")[2]
    paths = sorted(file for _, file in index.files(make_query("-", paths=[f"**/{name}"])) if file != path)
    return f"; did you mean {' or '.join(map(visible, paths[:NAMED]))}?" if paths else ""


def _add_file(page: Page, path: str, symbols: list[Symbol]) -> dict[str, Any]:
    page.add(f"{visible(path)}: {counted(len(symbols), 'definition')}")
    shown = 0
    for symbol, depth in with_depth(symbols):
        signature = visible(symbol.signature or f"{symbol.kind} {symbol.name}")
        lines = f"{symbol.span.start_line}-{symbol.span.end_line}"
        shown += page.add(f"{'  ' * depth}{lines} {cut(signature, SIGNATURE_CHARACTERS)}")
    if left := len(symbols) - shown:
        page.keep(0)
        page.add(f"… {counted(left, 'more definition')}; raise the budget")
    return {
        "path": path,
        "definitions": [
            {
                "kind": str(symbol.kind),
                "qualified_name": symbol.qualified_name,
                "start_line": symbol.span.start_line,
                "end_line": symbol.span.end_line,
                "signature": symbol.signature,
            }
            for symbol in symbols
        ],
    }


def _add_map(page: Page, repository_map: RepositoryMap) -> None:
    page.add(f"{visible(repository_map.repository)}: {counted(repository_map.files, 'file')}")
    for part in repository_map.parts:
        _add_part(page, part)
    if repository_map.further:
        page.add(f"and {repository_map.further:,} smaller parts; give a path, or a larger budget")


def _add_part(page: Page, part: MapPart) -> None:
    page.add(visible(part_text(part)))
    for line in filter(None, (sentence_text(part), *map(group_text, part.entry_points))):
        page.add(f"  {visible(line)}")
    for path, entries in groupby(part.entries, lambda entry: "" if entry.columns else entry.path):
        if path:
            page.add(f"  {visible(path)}")
        for entry in entries:
            text, about = map(visible, entry_text(entry))
            line = f"{entry.line}: " if entry.line and path else ""
            page.add(f"    {line}{text}{f'  {about}' if about else ''}")


def _map_record(repository_map: RepositoryMap) -> dict[str, Any]:
    return {
        "repository": repository_map.repository,
        "files": repository_map.files,
        "parts": [
            {
                "name": part.name,
                "files": part.files,
                "tables": part.tables,
                "about": part.about.text if part.about else "",
                "entries": [
                    {"kind": str(entry.kind), "name": entry.name, "path": entry.path, "line": entry.line}
                    for entry in part.entries
                ],
            }
            for part in repository_map.parts
        ],
    }
