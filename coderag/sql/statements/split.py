"""Text of a file to its statements, without parsing them: where each begins and ends, and what stands beside it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from coderag.sql.ddl.comments import comment_words
from coderag.sql.statements.dialect import Dialect
from coderag.sql.statements.statement_bounds import Extent, Extents
from coderag.sql.statements.statement_kind import StatementKind, head_of, kind_of, rows_begin

__all__ = ["Statement", "StatementKind", "split"]

DATA_BYTES = 2_000  # of rows are kept: they are samples
HEAD_BYTES = 2_000  # in which the first words are looked for
COLUMNS_BYTES = 200_000  # in which the word VALUES is looked for, behind the names of columns
BLANKS = re.compile(rb"[ \t]*+")
REST_OF_LINE = re.compile(rb"[ \t\r]*(?=\n|\Z)")
STDIN = re.compile(rb"(?i:\bfrom\s+stdin\b)")
VERSION_SIGN = re.compile(rb"/\*M?!|\*/")
# A comment that names the query below it, for goyesql, sqlc, aiosql, HugSQL: -- name: get-user, -- :name get-user :? :1
NAME_LINE = re.compile(
    rb"\n--[ \t]{0,8}:?name:?[ \t]{1,8}[A-Za-z_][\w.-]{0,200}[!?^$<>*#&]{0,3}"
    rb"(?:[ \t]{1,8}:[^\n]{0,200})?[ \t\r]{0,8}(?=\n)"
)


class Statement(NamedTuple):
    """A statement and the comments that belong to it.

    INSERTs of rows into the same columns are one statement while only white space is between them.
    """

    kind: StatementKind
    head: str  # its first keywords in upper case: CREATE TABLE
    first_row: int
    last_row: int
    start: int
    end: int  # behind what ends it, the ";" included
    text: str  # without what ends it, version comments unwrapped; of rows only the first
    before: str = ""  # the comment right above it, without its signs
    after: str = ""  # the comment behind it on its last line


def split(data: bytes, dialect: Dialect) -> list[Statement]:
    """Return the statements of a text in order; what is neither white space nor a comment is in exactly one of them.

    Tags of templates between statements count as comments, and a ";" by itself as white space.
    """
    return list(Splitter(data, dialect).statements())


class Splitter:
    """A text, and how far its lines are counted."""

    def __init__(self, data: bytes, dialect: Dialect) -> None:
        self.data = data
        self.dialect = dialect
        self.extents = Extents(data, dialect)
        self._names = [match.start() + 1 for match in NAME_LINE.finditer(data)]
        self._row = 0  # of the place up to which lines are counted
        self._counted = 0

    def statements(self) -> Iterator[Statement]:
        """Yield the statements."""
        at = 0
        while (start := self.extents.gap_end(at)) < len(self.data):
            statement = self._command(start) or self._statement(start)
            yield statement._replace(before=self._before(at, start))
            at = statement.end

    def _command(self, at: int) -> Statement | None:
        """Return the line for the client program that begins here."""
        front = self.data.rfind(b"\n", 0, at) + 1
        if self.data[front:at].strip():
            return None
        scan = self.extents.scan
        for pattern in (scan.set_delimiter, scan.separator, scan.command):
            if (match := pattern.match(self.data, at)) is None:
                continue
            if pattern is scan.set_delimiter:
                self.extents.set_delimiter(match[1].decode("utf-8", "replace"))
            head = match[0].split(maxsplit=1)[0].decode("utf-8", "replace").upper().rstrip(";")
            return self._made(at, Extent(match.end(), match.end()), kind=StatementKind.CLIENT, head=head)
        return None

    def _statement(self, at: int) -> Statement:
        front = self.data[at : at + HEAD_BYTES].decode("utf-8", "replace")
        head = head_of(front)
        if head == "INSERT INTO" and front.count("(") > front.count(")"):
            front = self.data[at : at + COLUMNS_BYTES].decode("utf-8", "replace")
        kind = kind_of(head, front, self.dialect)
        extent = self.extents.of(at, head, kind)
        if kind is StatementKind.DATA:
            extent = self.extents.of_series(at, extent, size=len(front[: rows_begin(front)].encode()))
        if kind in (StatementKind.QUERY, StatementKind.DATA):
            extent = self._before_name(at, extent)
        if head == "COPY" and STDIN.search(self.data, at, extent.text):
            kind, extent = StatementKind.DATA, self.extents.of_copy(extent)
        return self._made(at, extent, kind=kind, head=head)

    def _before_name(self, at: int, extent: Extent) -> Extent:
        """Return the extent of a query up to the comment that names the next one, which needs no ";" before it."""
        position = bisect_left(self._names, at)
        name = self._names[position] if position < len(self._names) else extent.end
        return Extent(name, name) if name < extent.end else extent

    def _text(self, start: int, end: int) -> str:
        """Return the text between two places; the signs of version comments in it are blank."""
        part = self.data[start:end]
        if not self.dialect.version_comments or not VERSION_SIGN.search(part):
            return part.decode("utf-8", "replace")
        blanked = bytearray(part)
        for mark in self.extents.marks(start, end):
            if mark["version"]:
                blanked[mark.start() - start : mark.end() - start] = b" " * len(mark[0])
        return blanked.decode("utf-8", "replace")

    def _made(self, at: int, extent: Extent, *, kind: StatementKind, head: str) -> Statement:
        end = extent.end
        if extent.text == end and kind is not StatementKind.DATA:
            end = self._without_comments(at, end)
        while end > at + 1 and self.data[end - 1] in b" \t\r\n\f\v":
            end -= 1
        cut = min(extent.text, end)
        if kind is StatementKind.DATA and cut - at > DATA_BYTES:
            cut = self._row_end(at, at + DATA_BYTES)
        return Statement(
            kind=kind,
            head=head,
            first_row=self._row_of(at),
            last_row=self._row_of(end - 1),
            start=at,
            end=end,
            text=self._text(at, cut).rstrip(),
            after=self._after(end),
        )

    def _without_comments(self, start: int, end: int) -> int:
        """Return the end of a statement without the comments at its end: they belong to what follows."""
        part = self.data[start:end].rstrip()
        line = part[part.rfind(b"\n") + 1 :]
        if b"--" not in line and b"#" not in line and not part.endswith(b"*/"):
            return end
        marks = [mark for mark in self.extents.marks(start, end) if mark["comment"]]
        while marks and not self.data[marks[-1].end() : end].strip():
            end = marks.pop().start()
        return end

    def _row_end(self, start: int, cut: int) -> int:
        """Return the last end of a row or line before a place."""
        data = self.data
        if (found := max(data.rfind(b"),", start, cut) + 1, data.rfind(b"\n", start, cut))) > start:
            return found - data.endswith(b",", start, found)
        while data[cut] & 0xC0 == 0x80:  # inside a character
            cut -= 1
        return cut

    def _row_of(self, at: int) -> int:
        if at < self._counted:
            return self._row - self.data.count(b"\n", at, self._counted)
        self._row += self.data.count(b"\n", self._counted, at)
        self._counted = at
        return self._row

    def _after(self, end: int) -> str:
        """Return the comment behind a statement, where nothing else follows it on the line."""
        match = self.extents.scan.comment.match(self.data, self.extents.passed(BLANKS, end))
        if match is None or b"\n" in match[0] or not REST_OF_LINE.match(self.data, match.end()):
            return ""
        return comment_words([match[0].decode("utf-8", "replace")])

    def _before(self, start: int, end: int) -> str:
        """Return the comment right above a statement; one on the line of the statement before is not."""
        comments: list[str] = []
        place = start
        for match in self.extents.scan.between.finditer(self.data, start, end):
            if not match["comment"]:
                continue
            lines = self.data.count(b"\n", place, match.start())
            if lines > 1:
                comments = []
            if lines or not start or comments:
                comments.append(match[0].decode("utf-8", "replace"))
            place = match.end()
        return "" if self.data.count(b"\n", place, end) > 1 else comment_words(comments)
