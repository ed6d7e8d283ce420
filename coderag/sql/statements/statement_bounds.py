"""Where the statements of a text end, by the rules of its dialect."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from coderag.sql.statements.dialect import Dialect
from coderag.sql.statements.scan import Pattern, scanner
from coderag.sql.statements.statement_kind import StatementKind

__all__ = ["Extent", "Extents"]

MAX_SLIPS = 50  # quotes and comments without an end in a file, before it counts as broken
MAX_UNPAIRED = 20  # bodies in a file that are read to its end for an END, before each ends where a line says CREATE
MAX_DELIMITERS = 20  # that a file may set: each needs patterns of its own
BEFORE_BYTES = 400  # of a statement that are looked at to tell whether the next line belongs to it
NEWLINE = ord("\n")
PARENTHESES = {ord("("): 1, ord(")"): -1}  # how many more are open behind each

WORD = re.compile(rb"[\w@]+")
BLANKS = re.compile(rb"[ \t]*+")
SPACE = re.compile(rb"\s*+")
END_OF_CONTROL = re.compile(rb"\s+(?i:if|loop|while|repeat|for)\b")
END_OF_CASE = re.compile(rb"\s+(?i:case)\b")
TRANSACTION = re.compile(rb"\s*+(?:;|\Z)|\s+(?i:tran|transaction|work|isolation|deferred|immediate|exclusive)\b")
ALONE_IN_BATCH = re.compile(
    rb"(?i:(?:create(?:\s+or\s+alter)?|alter)\s+(?:proc|procedure|function|trigger|view|schema)\b)"
)
STATEMENT = re.compile(  # what may follow a PL/SQL body that no slash ends
    rb"(?i:(?:alter|begin|call|comment|commit|create|declare|delete|drop|grant|insert|merge|purge|rename|revoke"
    rb"|rollback|select|set|truncate|update|with)\b)"
)
EMBEDDED = re.compile(  # a statement on lines of its own inside a string
    rb"(?<=[;) \t])\n(?=\s{0,500}+(?i:create\s+\w+|alter\s+table|insert\s+into|drop\s+table|comment\s+on)\s)"
)
END_OF_ROWS = re.compile(rb"\n\\\.[ \t\r]*(?=\n|\Z)")
LAST = re.compile(r"(?:\w{1,20}|\W)\Z")
COMMENT = re.compile(r"--[^\n]*|/\*[^*]*\*/")
OPEN_SIGNS = frozenset(",(=+-*/%<>|&")
CONNECTING = frozenset("ALL AND ANY AS EXCEPT EXISTS FOR IN INTERSECT NOT OR SOME THEN UNION".split())
CHANGING = frozenset({"alter", "insert", "update", "with"})  # they take one further verb
LEADING = frozenset({"BEGIN", "ELSE", "END", "IF", "WHILE"})  # another statement follows without any sign
CALLABLE = frozenset({"PACKAGE", "PACKAGE BODY", "TYPE BODY"})  # their END has no BEGIN


class Extent(NamedTuple):
    """Where a statement ends."""

    text: int  # without what ends it
    end: int  # behind what ends it


class Extents:
    """What ends a statement where a text is read, and how often its quotes and blocks did not pair."""

    def __init__(self, data: bytes, dialect: Dialect) -> None:
        self.data = data
        self.dialect = dialect
        self.scan = scanner(dialect.name)
        self.delimiter = ";"
        self.delimiters = {self.delimiter}
        self.slips = 0
        self.unpaired = 0
        self._follows = {verb: frozenset(words) for verb, words in dialect.follows}

    def gap_end(self, at: int) -> int:
        """Return where white space and comments end."""
        while True:
            at = self.passed(self.scan.gap, at)
            if self.data.startswith(b"/*", at) and (end := self._flat_comment(at)) is not None:
                at = end
            elif self.data.startswith(b";", at):
                at += 1
            else:
                return at

    def passed(self, pattern: Pattern, at: int) -> int:
        """Return the end of what a pattern matches at a place."""
        match = pattern.match(self.data, at)
        return match.end() if match else at

    def marks(self, start: int, end: int) -> Iterator[re.Match[bytes]]:
        """Yield the strings, comments and other pieces between two places.

        Behind a quote or comment without an end they are those of a broken text: each would be looked for to the end.
        """
        for match in self.scan.marks.finditer(self.data, start, end):
            if match.lastgroup != "open":
                yield match
                continue
            broken = scanner(self.dialect.name, self.delimiter, broken=True)
            yield from broken.marks.finditer(self.data, match.start(), end)

    def set_delimiter(self, delimiter: str) -> None:
        """Let another sign end statements from here on."""
        self.delimiters.add(delimiter)
        if len(self.delimiters) <= MAX_DELIMITERS:
            self.delimiter = delimiter
            self._choose_patterns()

    def _choose_patterns(self) -> None:
        self.scan = scanner(self.dialect.name, self.delimiter, broken=self.slips > MAX_SLIPS)

    def of(self, at: int, head: str, kind: StatementKind) -> Extent:
        """Return the extent of the statement that begins at a place."""
        return self._whole(at, self._of(at, head, kind))

    def _of(self, at: int, head: str, kind: StatementKind) -> Extent:
        routines = self.dialect.routines
        if self.delimiter != ";" or self.slips > MAX_SLIPS or kind in {StatementKind.DATA, StatementKind.CLIENT}:
            return self._plain(at)
        if routines == "batch":
            return self._batch(at) if kind is StatementKind.ROUTINE else self._loose(at, head)
        return self._nested(at, head) if kind is StatementKind.ROUTINE else self._plain(at)

    def _plain(self, at: int) -> Extent:
        """Return the end of a statement that a delimiter ends, or a line that begins another."""
        here = at
        while True:
            here = self.passed(self.scan.plain, here)
            if here >= len(self.data) or self.data[here] == NEWLINE:
                return Extent(here, here)
            if (match := self.scan.delimiter.match(self.data, here)) is not None:
                return Extent(here, match.end())
            if (closed := self._closed(here)) is None:
                return self._recovered(here)
            here = closed

    def _closed(self, at: int) -> int | None:
        """Return the end of what begins here and no pattern passes over; None if it has none."""
        if self.data.startswith(b"/*", at):
            return self._flat_comment(at)
        sign = self.scan.dollar.match(self.data, at)
        if sign is None:
            return None
        end = self.data.find(sign[0], sign.end())
        return end + len(sign[0]) if end >= 0 else None

    def _flat_comment(self, at: int) -> int | None:
        """Return the end of a comment whose inner comments do not pair."""
        end = self.data.find(b"*/", at + 2) if self.slips <= MAX_SLIPS else -1
        if end < 0:
            return None
        self._slip()
        return end + 2

    def _slip(self) -> None:
        self.slips += 1
        if self.slips > MAX_SLIPS:
            self._choose_patterns()

    def _recovered(self, at: int) -> Extent:
        """Return the end of a statement in which a quote has no end: its quotes from here on end in their lines."""
        self._slip()
        broken = scanner(self.dialect.name, self.delimiter, broken=True)
        end = self.passed(broken.plain, at + 1)
        match = broken.delimiter.match(self.data, end)
        return Extent(end, match.end() if match else end)

    def _whole(self, at: int, extent: Extent) -> Extent:
        """Return an extent up to where a string in it swallowed another statement: a quote before lacks its partner.

        Then all strings are what stands between them, so the one found is followed by the words of the next.
        """
        data = self.data
        inner = EMBEDDED.search(data, at, extent.text)
        if inner is None:
            return extent
        for mark in self.marks(at, extent.text):
            while inner is not None and inner.start() < mark.start():
                inner = EMBEDDED.search(data, mark.start(), extent.text)
            if inner is None:
                return extent
            quoted = data[mark.start()] in b"'\"" and inner.end() < mark.end()
            if quoted and WORD.match(data, mark.end()):
                self._slip()
                return Extent(inner.start(), inner.start())
        return extent

    def of_series(self, at: int, extent: Extent, *, size: int) -> Extent:
        """Return the end of the last of the INSERTs that begin like the first, with nothing but white space between."""
        data = self.data
        prefix = data[at : at + size]
        while data.startswith(prefix, following := self.passed(SPACE, extent.end)):
            extent = self._whole(following, self._plain(following))
        return extent

    def of_copy(self, extent: Extent) -> Extent:
        """Return the extent of a COPY with the rows that follow it."""
        end = END_OF_ROWS.search(self.data, extent.end)
        return Extent(end.start(), end.end()) if end else Extent(len(self.data), len(self.data))

    def _nested(self, at: int, head: str) -> Extent:
        """Return the end of a statement whose body stands between BEGIN and END."""
        data, scan = self.data, self.scan
        block = Block(depth=int(head.partition(" ")[2] in CALLABLE))
        block.waits = self.dialect.routines == "slash" and head != "BEGIN" and not block.depth
        fallback: Extent | None = None  # where it ends when its words do not pair
        here = at
        while True:
            here = self.passed(scan.nested, here)
            if here >= len(data):
                self.unpaired += fallback is not None
                return fallback or Extent(here, here)
            if data[here] == NEWLINE:
                parted = scan.separator.match(data, here + 1) or scan.set_delimiter.match(data, here + 1)
                if parted or not block.depth or self.unpaired > MAX_UNPAIRED:
                    return Extent(here, here)
                fallback = fallback or Extent(here, here)
                here += 1
            elif (match := scan.delimiter.match(data, here)) is not None:
                here = match.end()
                if not block.depth and not self._body_goes_on(here, head, waits=block.waits):
                    return Extent(match.start(), here)
            elif (word := WORD.match(data, here)) is not None:
                here = block.after(word)
            elif (closed := self._closed(here)) is not None:
                here = closed
            else:
                return self._recovered(here)

    def _body_goes_on(self, at: int, head: str, *, waits: bool) -> bool:
        """Tell whether a body goes on behind a ";" outside its blocks: declarations do, and so do bodies in bodies."""
        if self.dialect.routines != "slash":
            return waits
        if head == "BEGIN":
            return False
        at = self.passed(self.scan.gap, at)
        front = self.data.rfind(b"\n", 0, at) + 1
        if (
            at >= len(self.data)
            or self.scan.separator.match(self.data, front)
            or self.scan.command.match(self.data, front)
        ):
            return False
        if self.data[at : at + len(b"begin")].lower() == b"begin":
            return waits or head != "DECLARE"
        return STATEMENT.match(self.data, at) is None

    def _batch(self, at: int) -> Extent:
        """Return the end of a batch, which a routine fills."""
        data, scan = self.data, self.scan
        here = at
        while True:
            here = self.passed(scan.plain, here)
            if here >= len(data):
                return Extent(here, here)
            if data[here] == NEWLINE:
                front = self.passed(BLANKS, here + 1)
                if scan.separator.match(data, here + 1) or ALONE_IN_BATCH.match(data, front):
                    return Extent(here, here)
                here = front
            elif (match := scan.delimiter.match(data, here)) is not None:
                here = match.end()
            elif (closed := self._closed(here)) is not None:
                here = closed
            else:
                return self._recovered(here)

    def _loose(self, at: int, head: str) -> Extent:
        """Return the end of a statement that needs no sign at its end: another begins at the front of a line.

        SELECT 1, line SELECT 2  -> the end of the first line
        SELECT (, line SELECT 2)  -> the end of the text: the second is in parentheses
        """
        data, scan = self.data, self.scan
        leading = head in LEADING
        verb = head.lower()
        here, depth, cases = self.passed(WORD, at), 0, 0
        while True:
            here = self.passed(scan.loose, here)
            if here >= len(data):
                return Extent(here, here)
            if data[here] == NEWLINE:
                front = self.passed(BLANKS, here + 1)
                if scan.separator.match(data, here + 1) or scan.created.match(data, front):
                    return Extent(here, here)
                word = None if depth or cases else scan.starter.match(data, front)
                if word is not None:
                    if not self._goes_on(at, word, verb):
                        return Extent(here, here)
                    verb = word[0].lower().decode() if verb.partition(" ")[0] in CHANGING else verb
                here = word.end() if word else front
            elif data[here] in PARENTHESES:
                depth = max(depth + PARENTHESES[data[here]], 0)
                here += 1
            elif (match := scan.delimiter.match(data, here)) is not None:
                return Extent(here, match.end())
            elif (word := WORD.match(data, here)) is not None:
                name = word[0].lower()
                if not depth and not cases and self._is_other(name, here, leading=leading):
                    return Extent(here, here)
                cases = max(cases + (name == b"case") - (name == b"end"), 0)
                here = word.end()
            elif (closed := self._closed(here)) is not None:
                here = closed
            else:
                return self._recovered(here)

    def _is_other(self, name: bytes, at: int, *, leading: bool) -> bool:
        """Tell whether a word inside a line begins another statement: END does, and any may behind IF, ELSE, BEGIN."""
        return name == b"end" or (leading and self.scan.starter.match(self.data, at) is not None)

    def _goes_on(self, start: int, word: re.Match[bytes], verb: str) -> bool:
        """Tell whether a statement goes on with a word that may begin one."""
        follows = self._follows.get(verb) or self._follows.get(verb.partition(" ")[0], frozenset())
        if word[0].split(maxsplit=1)[0].lower().decode() in follows:
            return True
        before = self.data[max(start, word.start() - BEFORE_BYTES) : word.start()].decode("latin-1")
        last = LAST.search(COMMENT.sub("", before).rstrip())
        return last is not None and (last[0] in OPEN_SIGNS or last[0].upper() in CONNECTING)


class Block:
    """How deep a body is in blocks, and whether the one that is its own is still to come."""

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.waits = False  # for BEGIN, behind declarations

    def after(self, word: re.Match[bytes]) -> int:
        """Take a word in, and return where to read on."""
        text, name, end = word.string, word[0].lower(), word.end()
        if name == b"declare":
            self.waits = self.waits or not self.depth
        elif name == b"case":
            self.depth += 1
        elif name == b"begin" and not TRANSACTION.match(text, end):
            self.depth += 1
            self.waits = False
        elif name == b"end" and (control := END_OF_CONTROL.match(text, end)) is not None:
            return control.end()
        elif name == b"end":
            self.depth = max(self.depth - 1, 0)
            case = END_OF_CASE.match(text, end)
            return case.end() if case else end
        return end
