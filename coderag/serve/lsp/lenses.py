"""Above each definition: how many call, test, read and write it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from lsprotocol.types import CodeLens, Command

from coderag.api.index import Index
from coderag.graph.queries.refs import References, Role
from coderag.graph.records import NodeKind
from coderag.serve.lsp.documents import Document
from coderag.text.counted import counted
from coderag.types import Kind

__all__ = ["SHOW_REFERENCES", "lenses_of"]

SHOW_REFERENCES = "coderag.references"
MAX_LENSES = 400  # of a document
OF_CODE = (Role.CALLERS, Role.TESTS, Role.ROUTES, Role.OVERRIDDEN, Role.HEIRS)
OF_DATA = (Role.READERS, Role.WRITERS, Role.DELETERS, Role.REFERRING, Role.VIEWS)
WORDS = {
    Role.CALLERS: "called by {}",
    Role.TESTS: "tested by {}",
    Role.ROUTES: "handles {}",
    Role.OVERRIDDEN: "overridden by {}",
    Role.HEIRS: "inherited by {}",
    Role.VIEWS: "derived from by {}",
    Role.REFERRING: "{} to it",
}
UNITS = {Role.ROUTES: "route", Role.REFERRING: "foreign key", Role.VIEWS: "view"}
SHOWN = frozenset(
    {
        *(Kind.FUNCTION, Kind.METHOD, Kind.CLASS, Kind.INTERFACE, Kind.TRAIT, Kind.STRUCT, Kind.ENUM, Kind.MACRO),
        *(Kind.TABLE, Kind.VIEW),
    }
)
DATA_KINDS = {Kind.TABLE: (NodeKind.TABLE,), Kind.VIEW: (NodeKind.VIEW,)}


def lenses_of(index: Index, document: Document) -> list[CodeLens]:
    """Return what is known of each definition of a document, on the line of its name as it stands now."""
    if document.root is None:
        return []
    return list(islice(_lenses(index, document), MAX_LENSES))


def _lenses(index: Index, document: Document) -> Iterator[CodeLens]:
    shown = [
        (definition.name, definition.qualified_name, definition.row + 1, definition.kind)
        for definition in document.definitions
    ]
    if document.is_sql:
        shown = [
            (symbol.name, symbol.qualified_name, symbol.span.start_line, symbol.kind)
            for symbol in index.outline(document.path, repository=document.repository)
        ]
    for name, qualified_name, line, kind in shown:
        if kind not in SHOWN:
            continue
        data = DATA_KINDS.get(kind, ())
        paths = [] if data else [document.glob]
        references = index.refs(qualified_name, kinds=data, paths=paths, repository=document.repository)
        if references and (title := _title(references[0], OF_DATA if data else OF_CODE)):
            place = document.line_range(line, name)
            arguments = [document.uri, qualified_name]
            yield CodeLens(place, command=Command(title, SHOW_REFERENCES, arguments=arguments))


def _title(found: References, roles: Sequence[Role]) -> str:
    """Return "called by 5 · tested by 2"; of a table, "read by 3 functions · written by 1 function"."""
    totals = {group.role: group.total for group in found.groups}
    titles = []
    for role in roles:
        if role in totals:
            unit = UNITS.get(role, "function" if roles is OF_DATA else "")
            number = counted(totals[role], unit) if unit else f"{totals[role]:,}"
            titles.append(WORDS.get(role, f"{role} {{}}").format(number))
    return " · ".join(titles)
