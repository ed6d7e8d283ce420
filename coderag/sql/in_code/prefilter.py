"""Bytes of a file to whether anything in it may be SQL: a look that takes microseconds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from typing import NamedTuple

__all__ = ["expressions", "load_expressions", "may_hand_table", "may_hold_sql"]

NEAR = 64_000  # bytes between the two keywords of a statement with columns between them
NEARER = 8_000  # of one that has a table there
MAX_LOOKS = 400  # at one of the words of a file
BEHIND = rb"[ \t\n\r\\*]"  # a keyword
# What may stand right before a keyword: what opens a literal, or white space that may stand behind that.
BEFORE = (
    rb"(?:(?<=[\"'`(\[{|;>#~\n]%(word)s)|(?<=[ \t][ \t]%(word)s)|(?<=\\[nrt]%(word)s)|(?<=\*/%(word)s)"
    rb"|(?<=[\"'`(\[{|;>#~\ne/][ \t]%(word)s)|(?<=\\n[ \t]%(word)s)|(?<=\A%(word)s))"
)
QUOTED = rb"(?:(?<=[\"'`{\n]%(word)s)|(?<=[\"'`{ \t\n][ \t]%(word)s))"


class _Sought(NamedTuple):
    """An expression and the plain text that it begins with, without which it is neither compiled nor tried."""

    plain: bytes
    pattern: bytes

    def is_in(self, data: bytes) -> bool:
        return self.plain in data and compiled(self.pattern).search(data) is not None


def _sought(*pairs: tuple[bytes, bytes]) -> tuple[_Sought, ...]:
    return tuple(_Sought(plain, plain + rest) for plain, rest in pairs)


class _Pair(NamedTuple):
    """The first keyword of a statement, and what must follow it: right behind, or anywhere near."""

    word: bytes
    first: bytes
    behind: bytes
    near: bytes
    reach: int  # bytes
    called: bool  # a word of code too: behind a quote only


def _pair(word: bytes, *, behind: bytes = b"", near: bytes = b"", reach: int = NEARER, called: bool = False) -> _Pair:
    before = (QUOTED if called else BEFORE) % {b"word": word}
    # The word comes first in the pattern: re seeks what a pattern begins with much faster than anything else.
    return _Pair(word, word + rb"(?=" + BEHIND + rb")" + before, behind, near, reach, called)


compiled = cache(re.compile)  # with the first file that needs it: all of them take ten milliseconds


FROM = rb"from(?![\w(.:=,])(?<![\w.]from)"
PAIRS = (
    _pair(b"select", behind=rb"\s+[\w.]+\(", near=FROM, reach=NEAR),
    _pair(b"insert", near=rb"into\b(?<![\w.]into)"),
    _pair(b"update", near=rb"set(?![\w(.:=,])(?<![\w.]set)"),
    _pair(b"delete", near=FROM),
    _pair(b"create", behind=rb"\s+(?:[\w$]+\s+){0,4}?(?:table|view|index)\b"),
    _pair(b"alter", behind=rb"\s+(?:[\w$]+\s+){0,2}?(?:table|view)\b"),
    _pair(b"drop", behind=rb"\s+(?:table|view|index)\b"),
    _pair(b"truncate", behind=rb"\s+(?:table\s|[\w.\"`]+['\"`;])"),
    _pair(b"merge", behind=rb"\s+into\b"),
    _pair(b"replace", behind=rb"\s+into\b"),
    _pair(b"call", behind=rb"\s+[\w.]+\s*\(", called=True),
    _pair(b"exec", behind=rb"(?:ute)?\s+(?:dbo\.|sp_|usp_)", called=True),
)
OPENING = b"\"'`([{|;>#~"  # a statement begins behind one of these, white space apart
LOOK_BEHIND = 60  # bytes of white space that may stand there
QUOTES = b"\"'`{"
# A call that is given a name, not text: execute(queries.FIND_USER), query(SQL_FIND).
FIRST = rb"!?(?:<[^<>\n]{0,60}>)?(?:\(\s{0,60}| )(?:&?\w{1,30},\s{0,40})?[&*]?"
LAST = rb"(?:\(\))?\s{0,40}[,)\n]"
HELD = rb"\w{0,40}(?:[sS]tatement|[qQ]uer(?:y|ies)|[sS]ql|SQL|[sS]tmt)\w{0,40}(?:\.|::)\w{1,60}"
CONSTANT = (
    rb"(?:[\w$]{1,40}(?:\.|::)){0,3}"
    rb"(?:[A-Z][A-Z0-9]{0,30}_[A-Z0-9_]{1,60}|[A-Z]{4,40}|\w{1,40}(?:Sql|SQL|_sql|Query|_query))"
)
VARIABLE = rb"\$?\w{0,30}(?:[sS]ql|SQL|[qQ]uery|[sS]tmt|[sS]tatement)"  # often a parameter of a function
RUNNING = _sought(
    *(
        (plain, rest + FIRST + rb"(?:%s|%s)" % (HELD, CONSTANT) + LAST)
        for plain, rest in (
            (b"xec", rb"\w{0,30}"),
            (b"uery", rb"\w{0,30}"),
            (b"repare", rb"\w{0,30}"),
            (b"etch", rb"\w{0,30}"),
            (b"raw", rb"(?<=\braw)"),
            (b"read_sql", rb"\w{0,10}"),
            (b"find_by_sql", b""),
            (b"mogrify", b""),
        )
    ),
    *(
        (plain, rest + FIRST + VARIABLE + LAST)
        for plain, rest in (
            (b"xec", rb"\w{0,30}"),
            (b"repare", rb"\w{0,30}"),
            (b"query", rb"(?<=[.>:]query)"),
            (b"Query", rb"\w{0,20}"),
        )
    ),
)
TAKING = _sought(
    *(
        (plain, rest + FIRST + HELD + LAST)
        for plain, rest in (
            (b"elect", rb"\w{0,30}"),
            (b"get", rb"(?<=\bget)"),
            (b"Get", rb"(?<=\bGet)"),
            (b"run", rb"(?<=\brun)"),
            (b"Run", rb"(?<=\bRun)"),
            (b"update", rb"(?<=\bupdate)"),
            (b"Update", rb"(?<=\bUpdate)"),
            (b"sql", rb"(?<=\bsql)"),
            (b"text", rb"(?<=\btext)"),
        )
    )
)
HOLDERS = _sought(*((stem, rb"\w{0,40}(?:\.|::)\w") for stem in (b"tatement", b"uer", b"sql", b"Sql", b"SQL", b"tmt")))
ANY_GATES = (b"sql", b"quer", b"stmt", b"statement", b"execute")
GATES: dict[str, tuple[bytes, ...]] = {"c": (b"sql", b"pq", b"odbc", b"ocistmt")}
GATES["cpp"] = GATES["c"]
GATES["go"] = (*ANY_GATES, b".q.")
# In languages with few quotes one of a literal that begins like SQL is sought first, and words of SQL only behind it.
LITERAL_HEAD = (
    rb"[\s(;]{0,60}(?:--|/\*|<|\\|\w{0,16}\(|(?:select|insert|update|delete|with|create|alter|drop|truncate|merge|replace"
    rb"|upsert|call|exec|execute|explain|declare|begin|values|copy)\b)"
)
OPENED = {
    language: _sought(*((quote, LITERAL_HEAD) for quote in quotes))
    for language, quotes in (("c", (b'"',)), ("cpp", (b'"',)), ("java", (b'"',)), ("go", (b'"', b"`")))
}
FILE = _Sought(b".sql", rb"\.sql[\"'`\n]")
LOADED = tuple(
    _Sought(plain, re.escape(plain) + rest)
    for plain, rest in (
        (b"ueries.", rb"(?<=[qQ]ueries\.)[A-Za-z]\w{1,60}\("),
        (b"uerier.", rb"(?<=[qQ]uerier\.)[A-Za-z]\w{1,60}\("),
        (b"UERIES.", rb"(?<=[qQ]UERIES\.)[A-Za-z]\w{1,60}\("),
        (b"q.", rb"(?<=\bq\.)[A-Z]\w{1,60}\("),
        (b"q.", rb"(?<=\bq\.)[A-Z]\w{1,60}\.(?:Exec|Get|Must|Query|Select)"),
        (b"ueries.", rb"(?<=[qQ]ueries\.)[A-Z]\w{1,60}\.(?:Exec|Get|Must|Query|Select)"),
        (b'query:"', rb"[\w-]{1,100}\""),
        (b"StoredProcedure", b""),  # what is run is a name
    )
)
NAMED = rb"\w{1,60}\(\s{0,20}[\"'`][A-Za-z_]\w{0,62}[\"'`]"
# An argument with a name, insert(table="users"), or the first one of a call of what is named like a database.
HANDING = (
    _Sought(b"table", rb"table\w{0,20}\s{0,4}[=:]\s{0,4}[\"'`]\w"),
    *(
        _Sought(end + mark, re.escape(end + mark) + NAMED)
        for end in (b"db", b"Db", b"DB", b"ao", b"ool", b"atabase")
        for mark in (b".", b"->")
    ),
)
NAMED_BY_BUILDERS = frozenset({"csharp"})  # languages whose migrations have such arguments, and nothing more to tell


def may_hold_sql(data: bytes, language: str) -> bool:
    """Tell whether a file may hold SQL, or may run some that stands elsewhere."""
    lowered = data.lower()
    opened = OPENED.get(language)
    if (opened is None or _any_in(opened, lowered)) and any(_has_pair(lowered, pair) for pair in PAIRS):
        return True
    return any(sign in lowered for sign in GATES.get(language, ANY_GATES)) and _refers_to_sql(data, lowered)


def may_hand_table(data: bytes, language: str) -> bool:
    """Tell whether a file without SQL may give a call the name of a table: insert(table="users")."""
    return language not in NAMED_BY_BUILDERS and _any_in(HANDING, data)


def expressions() -> Iterator[tuple[str, bytes]]:
    """Yield all expressions that are compiled when a file needs them, each with the method of it that is called."""
    for sought in (*RUNNING, *TAKING, *HOLDERS, *LOADED, *HANDING, *chain(*OPENED.values()), FILE):
        yield "search", sought.pattern
    for pair in PAIRS:
        yield "finditer", pair.first
        yield from (("match", pair.behind),) if pair.behind else ()
        yield from (("search", pair.near),) if pair.near else ()


def load_expressions() -> None:
    """Compile all of them."""
    for _, pattern in expressions():
        compiled(pattern)


def _any_in(some: Iterable[_Sought], data: bytes) -> bool:
    return any(sought.is_in(data) for sought in some)


def _has_pair(lowered: bytes, pair: _Pair) -> bool:
    """Tell whether a statement may begin with a word somewhere."""
    if pair.word not in lowered:
        return False
    near = -1  # where the second keyword stands next
    for looks, match in enumerate(compiled(pair.first).finditer(lowered)):
        end = match.end()
        if looks >= MAX_LOOKS:
            return False
        if pair.near and near < end:
            near = _next(compiled(pair.near), lowered, end)
        told = bool(pair.near) and near < end + pair.reach
        if not told and pair.behind:
            told = compiled(pair.behind).match(lowered, end) is not None
        if told and _begins(lowered, match.start(), called=pair.called):
            return True
    return False


def _next(pattern: re.Pattern[bytes], data: bytes, start: int) -> int:
    """Return where a pattern is found next, far behind the end for nowhere."""
    match = pattern.search(data, start)
    return match.start() if match is not None else len(data) + NEAR * 2


def _begins(lowered: bytes, position: int, *, called: bool) -> bool:
    """Tell whether a literal may begin before a word, or a line of one that its sign stands above: <<SQL."""
    behind = lowered[max(0, position - LOOK_BEHIND) : position]
    bare = behind.rstrip()
    if bare.endswith(b"#") and len(bare) < len(behind):
        return False  # a comment
    if called:
        return bare[-1:] in QUOTES and bool(bare)
    if not bare or bare[-1:] in OPENING or bare.endswith((b"\\n", b"*/", b"explain", b"analyze")):
        return True
    line = lowered[max(0, position - LOOK_BEHIND * 4) : position - len(behind) + len(bare)].rpartition(b"\n")[2]
    return b"\n" in behind[len(bare) :] and (b"<<" in line or line.lstrip().startswith(b"--"))


def _refers_to_sql(data: bytes, lowered: bytes) -> bool:
    """Tell whether a file may name SQL that stands elsewhere."""
    return (
        FILE.is_in(lowered)
        or _any_in(LOADED, data)
        or _any_in(RUNNING, data)
        or (_any_in(HOLDERS, data) and _any_in(TAKING, data))
    )
