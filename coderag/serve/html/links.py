"""Files, symbols, tables and queries to addresses of pages; whatever a name holds, it stays a name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from coderag.ask.source import Source as Passage
from coderag.graph.queries.locations import Location
from coderag.graph.records import NodeKind
from coderag.sql.records import Source

__all__ = ["Links", "quoted"]

DATA = (NodeKind.TABLE, NodeKind.VIEW)


@dataclass(frozen=True, slots=True)
class Links:
    """The addresses of pages; with several roots they say which one is meant."""

    several: bool = False

    def file(self, path: str, line: int = 0, repository: str = "") -> str:
        """Return the page of a file, at a line."""
        query = f"?{_pairs({'repo': repository})}" if self.several and repository else ""
        return f"/file/{_quoted(path)}{query}{f'#L{line}' if line else ''}"

    def source(self, source: Source) -> str:
        """Return the page of lines that declare something; of several roots their repository is in front of them."""
        repository, _, path = source.path.partition("/") if self.several else ("", "", source.path)
        return self.file(path, source.start_line, repository)

    def folder(self, path: str, repository: str = "") -> str:
        """Return the page of a folder, "" being that of the root."""
        query = f"?{_pairs({'repo': repository})}" if self.several and repository else ""
        return f"/files/{_quoted(path)}{query}"

    def table(self, name: str) -> str:
        """Return the page of a table by its qualified name."""
        return f"/table/{_quoted(name, safe='')}"

    def symbol(self, target: str, repository: str = "") -> str:
        """Return the page of a name, or of what is at FILE:LINE."""
        return _query("/symbol", of=target, **self._of(repository))

    def place(self, location: Location, repository: str = "") -> str:
        """Return the page of what a location is of: a table, a file, or a definition in one."""
        if location.kind in DATA and not location.unknown:
            database = f"{repository}/{location.database}" if self.several and repository else location.database
            return self.table(f"{database}.{location.name}" if location.database else location.name)
        if not location.path:
            return self.symbol(location.name, repository)
        return self.file(location.path, location.line, repository)

    def graph(self, target: str, repository: str = "", **more: str) -> str:
        """Return the page of the graph around a target."""
        return _query("/graph", of=target, **self._of(repository), **more)

    def card(self, path: str, line: int, repository: str = "") -> str:
        """Return the address of what is shown of a definition beside the pointer."""
        return _query("/card", of=f"{path}:{line}", **self._of(repository))

    def passage(self, source: Passage) -> str:
        """Return the address of the lines of a source, which open beside an answer."""
        lines = {"of": source.path, "start": str(source.start_line), "end": str(source.end_line)}
        return _query("/passage", **lines, **self._of(source.repository))

    def _of(self, repository: str) -> dict[str, str]:
        """Return what says in an address which repository is meant."""
        return {"repo": repository} if self.several and repository else {}

    def search(self, query: str, **more: str) -> str:
        """Return the page of a search."""
        return _query("/", q=query, **more)

    def domain(self, table: str) -> str:
        """Return the page of the ER diagram of the domain that a table is in."""
        return _query("/diagram", domain=table)

    def diagram(self, tables: Sequence[str]) -> str:
        """Return the page of the ER diagram of some tables."""
        return f"/diagram?{_pairs([('table', name) for name in tables])}"


def quoted(value: str) -> str:
    """Return a value of a field as the query language has it: in quotes where it is more than a word."""
    plain = value and not set(value) & set(" \t\"'(){},;=<>\\") and not value.startswith("/")
    escaped = value.replace("\\", "\\\\").replace('"', r"\"")
    return value if plain else f'"{escaped}"'


def _query(path: str, **values: str) -> str:
    return f"{path}?{_pairs(values)}"


def _quoted(name: str, *, safe: str = "/") -> str:
    """Return a name for an address; bytes of a file's name that are not UTF-8 stay these bytes."""
    return quote(name, safe=safe, errors="surrogateescape")


def _pairs(values: Mapping[str, str] | Sequence[tuple[str, str]]) -> str:
    return urlencode(values, errors="surrogateescape")
