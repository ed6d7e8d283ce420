"""From a name in SQL to where the table is declared, and from a table to the code that uses it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lsprotocol.types import Location

from coderag.api.index import Index
from coderag.api.roots import Root
from coderag.graph.queries.refs import References, Role
from coderag.graph.records import NodeKind
from coderag.serve.lsp.data import Meaning, column_of, meaning_at
from coderag.serve.lsp.documents import Document, line_range, uri_of

__all__ = ["address_in", "definitions_at", "locations_of", "references_at", "root_of"]

MAX_LOCATIONS = 500
DECLARING = frozenset({Role.DEFINED, Role.MAPPED, Role.MIGRATIONS})
DATA = (NodeKind.TABLE, NodeKind.VIEW, NodeKind.COLUMN)


def definitions_at(index: Index, document: Document, offset: int) -> list[Location]:
    """Return where the table or column at a character is declared: its DDL first, then the models mapped to it."""
    site = document.site(offset)
    meaning = meaning_at(index, site) if site is not None else None
    if meaning is None:
        return []
    declared = _sources(index, meaning)
    mapped = (
        location
        for found in _references(index, meaning)
        for location in locations_of(index, found, roles={Role.MAPPED})
    )
    return _unique([*declared, *mapped])


def references_at(index: Index, document: Document, offset: int) -> list[Location]:
    """Return the code and SQL that uses the table or column at a character."""
    site = document.site(offset)
    meaning = meaning_at(index, site) if site is not None else None
    if meaning is None:
        return []
    roles = frozenset(Role) - DECLARING
    return _unique(place for found in _references(index, meaning) for place in locations_of(index, found, roles=roles))


def locations_of(index: Index, found: References, *, roles: Iterable[Role]) -> Iterator[Location]:
    """Yield the places of references in some roles."""
    wanted = frozenset(roles)
    root = root_of(index, found.repository)
    for group in found.groups:
        if group.role not in wanted or root is None:
            continue
        for reference in group.references:
            if reference.path:
                yield Location(uri_of(root, reference.path), line_range(reference.line))


def root_of(index: Index, repository: str) -> Root | None:
    """Return the root of a repository; "" means the only one."""
    return next((root for root in index.roots if not repository or root.repository == repository), None)


def address_in(index: Index, repository: str, path: str) -> str:
    """Return the address of an indexed file, "" if its root is gone."""
    root = root_of(index, repository)
    return uri_of(root, path) if root is not None else ""


def _sources(index: Index, meaning: Meaning) -> Iterator[Location]:
    for facts in meaning.tables:
        column = column_of(facts, meaning.column) if meaning.column else None
        sources = facts.table.sources if column is None or not column.source.path else (column.source,)
        for source in sources:
            # A table does not say of which root it is.
            root = next((one for one in index.roots if source.path and (one.root / source.path).is_file()), None)
            if root is not None:
                yield Location(uri_of(root, source.path), line_range(source.start_line))


def _references(index: Index, meaning: Meaning) -> Iterator[References]:
    for facts in meaning.tables:
        name = f"{facts.table.name}.{meaning.column}" if meaning.column else str(facts.table.name)
        yield from index.refs(name, kinds=DATA, shown=None)


def _unique(places: Iterable[Location]) -> list[Location]:
    locations: dict[tuple[str, int], Location] = {}
    for place in places:
        locations.setdefault((place.uri, place.range.start.line), place)
        if len(locations) == MAX_LOCATIONS:
            break
    return list(locations.values())
