"""A place in the tokens of a statement, and what can be read from there: names, groups in parentheses, lists."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from coderag.sql.records import Name, Source
from coderag.sql.statements.dialect import GENERIC
from coderag.sql.statements.lexer import END, NAME, SIGN, STRING, WORD, Script, Token, string_value

__all__ = ["Cursor", "name_of_parts"]

NESTING_WORDS = frozenset("ARRAY STRUCT MAP RANGE NESTED UNIONTYPE ROW TABLE MULTISET LIST".split())  # before "<"

MAX_NAME_TOKENS = 40
DOTTED = frozenset({"bigquery", GENERIC})  # where `project.dataset.table` is three names


class Cursor:
    """A place among the tokens from `index` up to `end`; reading moves it on."""

    __slots__ = ("end", "index", "script", "tokens")

    def __init__(self, script: Script, first: int = 0, last: int | None = None) -> None:
        self.script = script
        self.tokens = script.tokens
        self.index = first
        self.end = len(script.tokens) if last is None else last

    def within(self, first: int, last: int) -> Cursor:
        """Return a cursor over some of the same tokens."""
        return Cursor(self.script, first, last)

    @property
    def done(self) -> bool:
        """Tell whether no token is left."""
        return self.index >= self.end

    @property
    def token(self) -> Token:
        """Return the next token."""
        return self.tokens[self.index] if self.index < self.end else END

    @property
    def key(self) -> str:
        """Return the next token's key."""
        return self.tokens[self.index].key if self.index < self.end else ""

    def ahead(self, number: int) -> Token:
        """Return the token some places after the next."""
        index = self.index + number
        return self.tokens[index] if index < self.end else END

    def accept(self, *keys: str) -> bool:
        """Move beyond tokens that have these keys, or stay."""
        for number, key in enumerate(keys):
            if self.ahead(number).key != key:
                return False
        self.index += len(keys)
        return True

    def accept_any(self, keys: Collection[str]) -> str:
        """Move beyond a token that has one of the keys and return it, or stay and return nothing."""
        key = self.key
        if key not in keys or not key:
            return ""
        self.index += 1
        return key

    def skip(self) -> None:
        """Move beyond the next token, or beyond the whole group that it opens."""
        self.index = self.after(self.index)

    def after(self, index: int) -> int:
        """Return the index after a token, or after the group that it opens."""
        if self.tokens[index].key == "(":
            return min(self.script.closing[index] + 1, self.end)
        return index + 1

    def skip_to(self, keys: Collection[str]) -> bool:
        """Move to the next token, outside of groups, that has one of the keys; stay where there is none."""
        index = self.index
        while index < self.end:
            if self.tokens[index].key in keys:
                self.index = index
                return True
            index = self.after(index)
        return False

    def group(self) -> Cursor | None:
        """Return a cursor over what the next parentheses hold, and move beyond them."""
        if self.key != "(":
            return None
        first = self.index
        self.skip()
        return self.within(first + 1, min(self.script.closing[first], self.end))

    def items(self) -> Iterator[Cursor]:
        """Yield cursors over what commas outside of groups, of types and of arrays separate."""
        first = index = self.index
        angles = squares = 0
        last_square: int | None = None
        while index < self.end:
            key = self.tokens[index].key
            if key == "<" and index > first and (angles or self.tokens[index - 1].key in NESTING_WORDS):
                angles += 1
            elif key == ">" and angles:
                angles -= 1
            elif key == "[":
                last_square = self._last("]") if last_square is None else last_square
                squares += index < last_square
            elif key == "]" and squares:
                squares -= 1
            elif key == "," and not angles and not squares:
                yield self.within(first, index)
                first = index + 1
            index = self.after(index)
        if first < self.end:
            yield self.within(first, self.end)

    def _last(self, key: str) -> int:
        """Return the index of the last token that has a key, -1 if none has."""
        return next((one for one in range(self.end - 1, self.index - 1, -1) if self.tokens[one].key == key), -1)

    def identifier(self) -> str | None:
        """Read one name, in quotes or not; None, and no move, where there is none."""
        token = self.token
        if token.kind is WORD:
            self.index += 1
            return token.text
        if token.kind is NAME or token.kind is STRING:
            self.index += 1
            return string_value(token)
        if token.key == "[":  # in a dialect that has no such names, as its file was taken for another
            return self._bracketed()
        return None

    def _bracketed(self) -> str | None:
        for index in range(self.index + 1, min(self.end, self.index + MAX_NAME_TOKENS)):
            if self.tokens[index].key == "]":
                text = self.script.text[self.token.end : self.tokens[index].start]
                self.index = index + 1
                return text
        return None

    def parts(self) -> list[str]:
        """Read the parts of a name with dots; those that are left out are empty."""
        first = self.identifier()
        if first is None:
            return []
        found = [first + self._hyphens()]
        while self.key == ".":
            self.index += 1
            if self.key == ".":
                if not found[-1].startswith("&"):  # "&x." ends with a dot of its own
                    found.append("")
                continue
            part = self.identifier()
            if part is None:
                break
            found.append(part)
        return found

    def _hyphens(self) -> str:
        """Read what hyphens add to a name without quotes: a project of BigQuery."""
        added = ""
        while (
            self.key == "-"
            and self.tokens[self.index - 1].kind is WORD
            and self.tokens[self.index - 1].end == self.token.start
            and self.ahead(1).kind is WORD
            and self.ahead(1).start == self.token.end
        ):
            added += f"-{self.ahead(1).text}"
            self.index += 2
        return added

    def name(self) -> Name | None:
        """Read the name of a table, type or routine."""
        if self.key == "IDENTIFIER" and self.ahead(1).key == "(" and self.ahead(2).kind is STRING:
            text = string_value(self.ahead(2))
            self.index += 1
            self.skip()
            return name_of_parts(text.replace('"', "").split("."))
        dotted = self.token.text.startswith("`") and self.script.dialect.name in DOTTED
        parts = self.parts()
        if dotted:
            parts = [piece for part in parts for piece in part.split(".")]
        return name_of_parts(parts)

    def string(self) -> str | None:
        """Read a string; also in double quotes, as some dialects have them."""
        token = self.token
        if token.kind is STRING or (token.kind is NAME and token.text.startswith('"')):
            self.index += 1
            return string_value(token, backslash="backslash" in self.script.dialect.escapes)
        return None

    def text(self, first: int, last: int | None = None) -> str:
        """Return the text of tokens as written, white space made single."""
        return self.script.slice(first, self.index if last is None else last)

    def columns(self) -> tuple[str, ...] | None:
        """Read a list of columns in parentheses; None, beyond the list, where one is an expression."""
        inside = self.group()
        if inside is None:
            return None
        found = [column_of(item) for item in inside.items()]
        return None if None in found else tuple(column for column in found if column)

    def source(self, first: int | None = None) -> Source:
        """Return the lines of the tokens, from `first` if given."""
        first = self.index if first is None else first
        last = max(first, min(self.end, len(self.tokens)) - 1)
        if first >= len(self.tokens):
            return Source("", self.script.first_line, self.script.first_line)
        script = self.script
        return Source("", script.line(self.tokens[first].start), script.line(max(0, self.tokens[last].end - 1)))


def column_of(item: Cursor) -> str | None:
    """Return the column that a key or index names: `name`, `name(10)`, `name DESC`; None for an expression."""
    if item.key == "PERIOD" and item.ahead(1).kind in (WORD, NAME):  # of a temporal key
        item.index += 1
    if item.key == "(":
        inside = item.group()
        return column_of(inside) if inside is not None and item.done else None
    if item.token.kind is SIGN and item.key != "[":
        return None
    name = item.identifier()
    if item.key == "(" and not item.ahead(1).key.isdigit():
        return None
    return None if item.key in SIGNS_OF_EXPRESSIONS else name


SIGNS_OF_EXPRESSIONS = frozenset(":.-+*/|>")


def name_of_parts(parts: list[str]) -> Name | None:
    """Return the name that parts make; of more than three the last ones count."""
    if not parts or not parts[-1]:
        return None
    return Name(*reversed(parts[-3:]))
