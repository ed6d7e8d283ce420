"""Names that a change removes, to the places that still use them."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from coderag.graph.changes.records import Broken, Changed, How
from coderag.graph.graph import Graph
from coderag.graph.records import NodeKind
from coderag.index.build.segment_ref import SegmentRef
from coderag.index.storage.links import Links, inflate_links
from coderag.sql.in_code.records import Access
from coderag.sql.records import ColumnUse, Name, Schema, Usage
from coderag.syntax.references.records import Reference, Role

__all__ = ["broken_by"]

MAX_NAMES = 500  # that are looked for
MAX_PLACES = 500
MAX_POSSIBLE = 20  # places that may mean something else; where there are more, they do
GOING = frozenset({How.REMOVED, How.RENAMED, How.MOVED})
OWN = frozenset({"self", "this", "cls", "Self", "static", "@", "super()", "super"})  # receivers of a type's own members
PACKAGES = frozenset({".go", ".java", ".kt", ".scala", ".cs", ".swift"})  # one folder is one name space
PACKAGE_FILES = frozenset({"__init__", "index", "mod", "lib"})
USES_OF_NAMES = frozenset({Role.CALL, Role.INHERIT, Role.IMPLEMENT, Role.REFERENCE, Role.TYPE, Role.DECORATE})
DATA = frozenset({NodeKind.TABLE, NodeKind.VIEW, NodeKind.COLUMN})


@dataclass(frozen=True, slots=True)
class _Gone:
    """A definition that is there no longer under its name and path."""

    name: str  # the last part
    parent: str  # of its qualified name, "" at the top
    path: str
    qualified: str

    @property
    def module(self) -> str:
        """What imports call its file."""
        pure = PurePosixPath(self.path)
        stem = pure.name.partition(".")[0]
        return pure.parent.name if stem in PACKAGE_FILES else stem

    @classmethod
    def of(cls, one: Changed) -> _Gone:
        """Return a definition that was removed or moved."""
        parent, _, name = one.spot.name.replace("::", ".").replace("#", ".").rpartition(".")
        return cls(name, parent.rpartition(".")[2], one.before or one.spot.path, one.spot.name)


def broken_by(changes: Sequence[Changed], graph: Graph, parts: Iterable[SegmentRef], schema: Schema) -> list[Broken]:
    """Return the places that still name what a change removed, renamed or moved, by path and line.

    A place counts where nothing else that is known has the name there.
    """
    gone = [
        _Gone.of(one)
        for one in changes
        if one.how in GOING and one.spot.kind not in DATA and one.spot.kind is not NodeKind.FILE
    ][:MAX_NAMES]
    columns = [_dropped(one) for one in changes if one.how in GOING and one.spot.kind in DATA][:MAX_NAMES]
    found: list[Broken] = []
    if gone or columns:
        resolved = {one.name: _resolved(graph, one.name) for one in gone}
        for path, links in _mentioning(
            parts, {one.name for one in gone} | {column or name for name, column in columns}
        ):
            found += _of_code(path, links, gone, resolved)
            found += _of_statements(path, links, columns)
        found += _of_schema(schema, columns)
    return _unique(found)


def _mentioning(parts: Iterable[SegmentRef], names: Collection[str]) -> Iterator[tuple[str, Links]]:
    """Yield the files whose links hold one of some names, in any case."""
    wanted = [name.casefold().encode("utf-8", "surrogateescape") for name in names]
    for part in parts:
        paths = part.segment.paths.all()
        for number, live in enumerate(part.live_files.tolist()):
            deflated = part.segment.deflated_links(number) if live else b""
            if deflated:
                raw = zlib.decompress(deflated).lower()
                if any(name in raw for name in wanted):
                    yield paths[number], inflate_links(deflated)


def _resolved(graph: Graph, name: str) -> set[tuple[str, int]]:
    """Return the places whose mention of a name means something that is known."""
    return {
        (edge.path, edge.line)
        for number in graph.named(name)
        if not (node := graph.node(number)).unknown and node.kind is not NodeKind.FILE
        for edge in graph.edges_to(number)
    }


# Code


def _of_code(
    path: str, links: Links, gone: Sequence[_Gone], resolved: dict[str, set[tuple[str, int]]]
) -> Iterator[Broken]:
    for one in gone:
        imports = [imported for imported in links.mentions.imports if imported.name == one.name]
        here = [imported for imported in imports if _names_module(imported.module, one)]
        for imported in here:
            if (path, imported.row + 1) not in resolved[one.name]:
                yield Broken(one.qualified, path, imported.row + 1, _owner(links, imported.owner))
        known = bool(here) and not one.parent
        for mention in links.mentions.mentions:
            if mention.name != one.name or mention.role not in USES_OF_NAMES:
                continue
            if (path, mention.row + 1) in resolved[one.name]:
                continue
            certain = _certain(path, links, mention, one, imported=known)
            if certain is not None:
                yield Broken(one.qualified, path, mention.row + 1, _owner(links, mention.owner), certain)


def _certain(path: str, links: Links, mention: Reference, one: _Gone, *, imported: bool) -> bool | None:
    """Return whether a mention surely means what is gone; None where it means something else."""
    receiver = mention.receiver.rpartition(".")[2]
    same_file = path == one.path
    if any(definition.name == one.name for definition in links.definitions):
        return None
    if not receiver:
        pure, own = PurePosixPath(path), PurePosixPath(one.path)
        together = pure.suffix in PACKAGES and pure.parent == own.parent and pure.suffix == own.suffix
        return True if ((same_file or together) and not one.parent) or imported else None
    if receiver in OWN:
        return True if same_file and one.parent else None
    if receiver in (one.parent, one.module):
        return True
    return False if one.parent else None


def _names_module(module: str, one: _Gone) -> bool:
    """Tell whether an import may be from the file of what is gone: its last part is the module's name."""
    parts = [part for part in module.replace("::", ".").replace("/", ".").split(".") if part]
    return (bool(parts) and one.module in (parts[-1], *parts[-2:-1])) or not parts


def _owner(links: Links, owner: int) -> str:
    return links.definitions[owner].qualified_name if owner >= 0 else ""


# Data


def _dropped(one: Changed) -> tuple[str, str]:
    """Return the table and column that are there no longer, the second "" for a whole table."""
    name = one.before or one.spot.name
    if one.spot.kind is NodeKind.COLUMN:
        table, _, column = name.rpartition(".")
        return table, column
    return name.rpartition(".")[2], ""


def _of_statements(path: str, links: Links, columns: Sequence[tuple[str, str]]) -> Iterator[Broken]:
    for statement in links.uses.statements:
        if statement.given is not None and statement.given.decides:
            continue  # whether it is SQL, only the graph tells
        uses = [use for use in statement.tables if use.access is not Access.DEFINE]
        for table, column in columns:
            named = [use.table for use in uses] if not column else []
            if _uses(named, statement.columns if uses else (), table, column):
                name = f"{table}.{column}" if column else table
                yield Broken(name, path, statement.row + 1, _owner(links, statement.owner), statement.sure)


def _of_schema(schema: Schema, columns: Sequence[tuple[str, str]]) -> Iterator[Broken]:
    """Yield the queries, views and routines that use what is gone."""
    places: list[tuple[Usage, str, str, int]] = [
        (query.usage, "", query.source.path, query.source.start_line) for query in schema.queries
    ]
    places += [(one.usage, one.name.name, one.source.path, one.source.start_line) for one in schema.routines]
    places += [
        (table.usage, table.name.name, table.sources[0].path, table.sources[0].start_line)
        for table in schema.tables
        if table.sources and table.usage != Usage()
    ]
    for usage, name, path, line in places:
        for table, column in columns:
            if path and _uses((*usage.reads, *usage.writes) if not column else (), usage.columns, table, column):
                yield Broken(f"{table}.{column}" if column else table, path, line, name)


def _uses(tables: Iterable[Name], columns: Iterable[ColumnUse], table: str, column: str) -> bool:
    """Tell whether a statement names a table, or the column of it."""
    wanted, called = table.casefold(), column.casefold()
    if not column:
        return any(name.name.casefold() == wanted for name in tables)
    return any(
        use.column.casefold() == called and any(name.name.casefold() == wanted for name in use.tables)
        for use in columns
    )


def _unique(found: Iterable[Broken]) -> list[Broken]:
    """Return each place once, the sure ones; and those that are not, of names that few places have."""
    by_place: dict[tuple[str, int, str], Broken] = {}
    for one in sorted(found, key=lambda one: (not one.certain, one.path, one.line, one.name)):
        by_place.setdefault((one.path, one.line, one.name), one)
    unsure: dict[str, int] = {}
    for one in by_place.values():
        unsure[one.name] = unsure.get(one.name, 0) + (not one.certain)
    kept = [one for one in by_place.values() if one.certain or unsure[one.name] <= MAX_POSSIBLE]
    return sorted(kept, key=lambda one: (one.path, one.line, one.name))[:MAX_PLACES]
