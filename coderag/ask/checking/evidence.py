"""What an answer is checked against: the lines of the index, the names in it, its graph; each looked up once."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from coderag.ask.checking.records import Citation
from coderag.ask.source import Source
from coderag.errors import CoderagError, QueryError
from coderag.record import record
from coderag.types import Chunk, Kind, Query, Symbol

if TYPE_CHECKING:
    from coderag.api.index import Index

__all__ = ["Evidence", "Shown"]

MAX_LOOKUPS = 400  # names that are looked for in the whole index; what is beyond counts as unknown
MAX_SEARCHES = 200
WHOLE = 10**9  # the last line of a file that is cited as a whole


@record
class Shown:
    """What one citation shows: text, and the names of what is around it."""

    citation: Citation
    path: str
    start_line: int
    end_line: int
    text: str
    names: tuple[str, ...] = ()  # of the definitions around and in the lines, and the path
    fault: str = ""  # why it shows nothing
    stale: bool = False


class Evidence:
    """An index and the sources of an answer, with what was looked up in them."""

    def __init__(self, index: Index, sources: Sequence[Source]) -> None:
        """Look up in an index; numbered citations mean the sources."""
        self.index = index
        self.sources: dict[int, Source] = {source.number: source for source in sources}
        self.given = bool(sources)
        self._lines: dict[str, dict[int, str]] = {}
        self._exists: dict[str, bool | None] = {}
        self._found: dict[str, tuple[Chunk, ...]] = {}

    @cached_property
    def paths(self) -> Mapping[str, str]:
        """The repository of each indexed path."""
        files = sorted(self.index.files(Query("-")), reverse=True)
        return {path: repository for repository, path in files}

    @cached_property
    def _by_name(self) -> Mapping[str, list[str]]:
        names: dict[str, list[str]] = {}
        for path in self.paths:
            names.setdefault(path.rpartition("/")[2], []).append(path)
        return names

    @cached_property
    def _stale(self) -> frozenset[str] | None:
        """The absolute paths that changed since they were indexed; None for all."""
        try:
            changed = self.index.stale_paths()
        except CoderagError:  # as some callers see the index nothing is told of the disk
            return frozenset()
        return None if changed is None else frozenset(changed)

    def path_of(self, written: str) -> str:
        """Return the indexed path that a written one means: the same, or the only one that ends so; else ""."""
        if written in self.paths:
            return written
        wanted = written.replace("\\", "/").strip("/")
        ending = "/" + wanted
        for root in self.index.roots:
            inside = str(root.root) + "/"
            if written.startswith(inside) and written[len(inside) :] in self.paths:
                return written[len(inside) :]
        paths = [path for path in self._by_name.get(wanted.rpartition("/")[2], ()) if f"/{path}".endswith(ending)]
        if not paths:  # with folders above the root in front
            paths = [path for path in self._by_name.get(wanted.rpartition("/")[2], ()) if ending.endswith(f"/{path}")]
        return paths[0] if len(paths) == 1 else ""

    def is_stale(self, path: str) -> bool:
        """Tell whether a file changed since it was indexed."""
        if self._stale is None:
            return True
        return bool(self._stale) and any(os.path.join(root.root, path) in self._stale for root in self.index.roots)

    def lines(self, path: str) -> dict[int, str]:
        """Return the lines of an indexed file that chunks hold, by their numbers; {} if there is no such file."""
        if path not in self._lines:
            numbered: dict[int, str] = {}
            try:
                for chunk in self.index.chunks(path, repository=self.paths.get(path, "")):
                    numbered.update(chunk.numbered_lines())
            except QueryError:
                pass
            self._lines[path] = numbered
        return self._lines[path]

    def text(self, path: str, start: int, end: int) -> str:
        """Return lines of an indexed file."""
        lines = self.lines(path)
        last = min(end, max(lines, default=0))
        return "\n".join(lines.get(number, "") for number in range(max(start, 1), last + 1))

    def symbols(self, path: str) -> Sequence[Symbol]:
        """Return the definitions of a file, [] if it is not indexed."""
        try:
            return self.index.outline(path, repository=self.paths.get(path, ""))
        except QueryError:
            return []

    def shown(self, citation: Citation) -> Shown:
        """Return what a citation shows, or why it shows nothing."""
        if citation.number:
            source = self.sources.get(citation.number)
            if source is None:
                known = f"there are {len(self.sources)}" if self.sources else "none were given"
                return Shown(citation, "", 0, 0, "", fault=f"no source has the number {citation.number}; {known}")
            return self._source(citation, source)
        return self._span(citation)

    def _source(self, citation: Citation, source: Source) -> Shown:
        path = self.path_of(source.path)
        if not path and not source.text:
            fault = f"{source.path or 'the source'} is not in the index, and the source has no text"
            return Shown(citation, source.path, source.start_line, source.end_line, "", fault=fault)
        text = source.text or self.text(path, source.start_line, source.end_line)
        names = (*self._names(path, source.start_line, source.end_line), source.path, source.name)
        stale = bool(path) and self.is_stale(path)
        return Shown(citation, path or source.path, source.start_line, source.end_line, text, names, stale=stale)

    def _span(self, citation: Citation) -> Shown:
        path, first, last = self.path_of(citation.path), citation.start_line, citation.end_line
        wrong = Shown(citation, path or citation.path, first, last, "")
        if not path:
            return _faulty(wrong, f"{citation.path} is not in the index")
        most = max((symbol.span.end_line for symbol in self.symbols(path)), default=0)
        most = max(most, max(self.lines(path), default=0))
        if first < 1 or last < first:
            return _faulty(wrong, f"{citation.text} has no lines")
        if last > most:
            return _faulty(wrong, f"{path} has {most:,} lines")
        if self.given and not any(
            self.path_of(source.path) == path and source.start_line <= last and first <= source.end_line
            for source in self.sources.values()
        ):
            return _faulty(wrong, f"none of the sources shows {path}:{first}-{last}")
        text, names = self.text(path, first, last), self._names(path, first, last)
        if first == last:  # a line alone stands for the definition around it, or for the lines near it
            around = [symbol.span for symbol in self.symbols(path) if first in symbol.span]
            inner = min(around, key=len, default=None)
            if inner is not None:
                text = self.text(path, inner.start_line, inner.end_line)
            else:
                text = self.text(path, first - 2, first + 2)
        return Shown(citation, path, first, last, text, names, stale=self.is_stale(path))

    def _names(self, path: str, first: int, last: int) -> tuple[str, ...]:
        """Return the names of the definitions that lines are in or define, with the path."""
        if not path:
            return ()
        near = [
            symbol for symbol in self.symbols(path) if symbol.span.start_line <= last and first <= symbol.span.end_line
        ]
        return (path, *(name for one in near for name in (one.qualified_name, one.name)))

    def exists(self, name: str) -> bool | None:
        """Tell whether a word is anywhere in the indexed texts, None after too many questions."""
        if name in self._exists:
            return self._exists[name]
        if len(self._exists) >= MAX_LOOKUPS or len(name) > 200:
            return None
        try:
            is_there: bool | None = bool(self.index.find(_whole_word(name), regex=True, case="sensitive", k=1).count)
        except CoderagError:
            is_there = None
        self._exists[name] = is_there
        return is_there

    def where(self, name: str) -> str:
        """Return path:line of the definition of a name, "" for none."""
        try:
            symbols = self.index.symbols(name, k=1, alike=False)
        except CoderagError:
            return ""
        return f"{symbols[0].path}:{symbols[0].span.start_line}" if symbols else ""

    def nearest(self, name: str) -> str:
        """Return the name of the graph that is spelled most like one that does not exist, "" for none."""
        try:
            return next(iter(self.index.names_like(name)), "")
        except CoderagError:
            return ""

    def hits(self, question: str) -> tuple[Chunk, ...] | None:
        """Return the code that a search for a sentence finds, without tests and documents; None after too many."""
        if question not in self._found:
            if len(self._found) >= MAX_SEARCHES:
                return None
            try:
                hits = self.index.search(Query(question[:1_000], k=8))
            except CoderagError:
                return None
            chunks = (hit.chunk for hit in hits)
            self._found[question] = tuple(
                chunk for chunk in chunks if chunk.kind is not Kind.SECTION and not chunk.labels
            )
        return self._found[question]


def _faulty(shown: Shown, fault: str) -> Shown:
    return Shown(shown.citation, shown.path, shown.start_line, shown.end_line, "", fault=fault)


def _whole_word(name: str) -> str:
    """Return a regular expression (RE2) for a name that is no part of a longer one."""
    escaped = "".join(sign if sign.isalnum() or sign == "_" else f"\\x{{{ord(sign):x}}}" for sign in name)
    before = r"(?:^|[^0-9A-Za-z_])" if name[:1].isalnum() or name[:1] == "_" else ""
    after = r"(?:$|[^0-9A-Za-z_])" if name[-1:].isalnum() or name[-1:] == "_" else ""
    return f"{before}{escaped}{after}"
