"""What is open in an editor, unsaved changes included: its text, its path below a root, and the SQL in it."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from lsprotocol.types import Position, Range
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import TextDocument

from coderag.api.roots import Root
from coderag.sql.in_code.places import SqlPlace, sql_places
from coderag.sql.statements.dialect import Dialect, guess_dialect
from coderag.sql.statements.split import split
from coderag.syntax.grammar import GrammarMissing
from coderag.syntax.language import Language, detect
from coderag.syntax.lines import Lines
from coderag.syntax.outline import Definition, outline_tree
from coderag.syntax.parsed import Parsed, parse_code

__all__ = ["Document", "Site", "glob_of", "line_range", "uri_of"]

MAX_BYTES = 1_000_000  # of a document; of a larger one neither definitions nor SQL are read
NO_SPLIT = 1 << 60
GLOB_MARKS = re.compile(r"[*?\[\\]")
WORD = re.compile(r"[^\W\d]\w{0,200}")
MAX_LINE = 2_000  # characters of a line in which a name is looked for


class Site:
    """A place in SQL: the statement, and the character of it."""

    __slots__ = ("offset", "place")

    def __init__(self, place: SqlPlace, offset: int) -> None:
        self.place = place
        self.offset = offset  # in the text of the place


class Document:
    """A document as the editor has it now."""

    def __init__(self, opened: TextDocument, roots: Sequence[Root]) -> None:
        self._opened = opened
        self.uri = opened.uri
        self.text = opened.source
        self.root: Root | None = None
        self.path = ""  # relative to the root, with forward slashes
        file = os.path.realpath((to_fs_path(opened.uri) or "").replace("\0", ""))
        for root in roots:
            folder = os.path.realpath(root.root)
            if file.startswith(folder + os.sep):
                self.root, self.path = root, os.path.relpath(file, folder).replace(os.sep, "/")

    @property
    def repository(self) -> str:
        """The name of its root."""
        return self.root.repository if self.root is not None else ""

    @property
    def glob(self) -> str:
        """The glob that only it matches."""
        return glob_of(self.path)

    def offset(self, position: Position) -> int:
        """Return the character at a position of the editor."""
        return self._opened.offset_at_position(position)

    def word(self, offset: int) -> str:
        """Return the name at a character, "" if there is none."""
        begin = self.text.rfind("\n", 0, offset) + 1
        around = (
            one for one in WORD.finditer(self.text, begin, begin + MAX_LINE) if one.start() <= offset <= one.end()
        )
        return next((one[0] for one in around), "")

    def range(self, start: int, end: int) -> Range:
        """Return characters as the editor counts them."""
        at = self._opened.client_position_at_offset
        return Range(at(start), at(end))

    def line_range(self, line: int, name: str) -> Range:
        """Return the first place of a name on a line (1-based), the start of the line where it is not there."""
        begin = sum(map(len, self._opened.lines[: line - 1]))
        text = self._opened.lines[line - 1] if line <= len(self._opened.lines) else ""
        column = max(text.find(name), 0)
        return self.range(begin + column, begin + column + (len(name) if name in text else 0))

    @cached_property
    def language(self) -> Language | None:
        """What it is written in, by its name."""
        return detect(self.path or self.uri)

    @property
    def is_sql(self) -> bool:
        """Whether all of it is SQL."""
        return self.language is not None and self.language.name == "sql"

    @cached_property
    def places(self) -> list[SqlPlace]:
        """The SQL in it: each statement of a file of SQL, each literal of code that holds some."""
        data = self.text.encode("utf-8", "replace")
        if len(data) > MAX_BYTES:
            return []
        if self.is_sql:
            return _statements(data, guess_dialect(self.text, self.path).dialect)
        return sql_places(self._parsed) if self._parsed is not None else []

    @cached_property
    def definitions(self) -> Sequence[Definition]:
        """What it defines, as it stands now."""
        if self._parsed is None:
            return ()
        return outline_tree(self._parsed, split_above=NO_SPLIT).definitions

    @cached_property
    def _parsed(self) -> Parsed | None:
        data = self.text.encode("utf-8", "replace")
        if self.language is None or not self.language.grammar or len(data) > MAX_BYTES:
            return None
        try:
            return parse_code(Lines(data), self.language)
        except GrammarMissing:
            return None

    def site(self, offset: int) -> Site | None:
        """Return the place in SQL at a character, None outside of SQL."""
        for place in self.places:
            if place.start <= offset <= place.start + len(place.text):
                return Site(place, offset - place.start)
        return None


def _statements(data: bytes, dialect: Dialect) -> list[SqlPlace]:
    found, done, characters = [], 0, 0
    for statement in split(data, dialect):
        characters += len(data[done : statement.start].decode("utf-8", "replace"))
        done = statement.start
        text = data[statement.start : statement.end].decode("utf-8", "replace")
        found.append(SqlPlace(characters, text, is_whole=True))
    return found


def glob_of(path: str) -> str:
    """Return the glob that matches one path from its root and nothing else, such as that of "app/[id].tsx"."""
    return "/" + GLOB_MARKS.sub(r"\\\g<0>", path)


def uri_of(root: Root, path: str) -> str:
    """Return the address of an indexed file."""
    return from_fs_path(str(Path(root.root) / path)) or ""


def line_range(line: int) -> Range:
    """Return the start of a line (1-based) of a file that is not open."""
    start = Position(max(line - 1, 0), 0)
    return Range(start, start)
