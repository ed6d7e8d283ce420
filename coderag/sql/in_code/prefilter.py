"""Bytes of a file to whether anything in it may be SQL: a look that takes microseconds."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["may_hold_sql"]

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


class _Pair(NamedTuple):
    """The first keyword of a statement, and what must follow it: right behind, or anywhere near."""

    first: re.Pattern[bytes]
    behind: re.Pattern[bytes] | None
    near: re.Pattern[bytes] | None
    reach: int  # bytes
    called: bool  # a word of code too: behind a quote only


def _pair(word: bytes, *, behind: bytes = b"", near: bytes = b"", reach: int = NEARER, called: bool = False) -> _Pair:
    before = (QUOTED if called else BEFORE) % {b"word": word}
    # The word comes first in the pattern: re seeks what a pattern begins with much faster than anything else.
    first = re.compile(word + rb"(?=" + BEHIND + rb")" + before)
    return _Pair(first, re.compile(behind) if behind else None, re.compile(near) if near else None, reach, called)


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
# Each pattern begins with plain text, which re seeks much faster than an alternative.
RUNNING = tuple(
    re.compile(word + FIRST + rb"(?:%s|%s)" % (HELD, CONSTANT) + LAST)
    for word in (
        rb"xec\w{0,30}",
        rb"uery\w{0,30}",
        rb"repare\w{0,30}",
        rb"etch\w{0,30}",
        rb"raw(?<=\braw)",
        rb"read_sql\w{0,10}",
        rb"find_by_sql",
        rb"mogrify",
    )
)
RUNNING_VARIABLES = tuple(
    re.compile(word + FIRST + VARIABLE + LAST)
    for word in (rb"xec\w{0,30}", rb"repare\w{0,30}", rb"query(?<=[.>:]query)", rb"Query\w{0,20}")
)
TAKING = tuple(
    re.compile(word + FIRST + HELD + LAST)
    for word in (
        rb"elect\w{0,30}",
        rb"get(?<=\bget)",
        rb"Get(?<=\bGet)",
        rb"run(?<=\brun)",
        rb"Run(?<=\bRun)",
        rb"update(?<=\bupdate)",
        rb"Update(?<=\bUpdate)",
        rb"sql(?<=\bsql)",
        rb"text(?<=\btext)",
    )
)
HOLDERS = tuple(
    re.compile(rb"%s\w{0,40}(?:\.|::)\w" % stem) for stem in (b"tatement", b"uer", b"sql", b"Sql", b"SQL", b"tmt")
)
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
    language: tuple(re.compile(quote + LITERAL_HEAD) for quote in quotes)
    for language, quotes in (("c", (b'"',)), ("cpp", (b'"',)), ("java", (b'"',)), ("go", (b'"', b"`")))
}
FILE = re.compile(rb"\.sql[\"'`\n]")
LOADED = tuple(
    re.compile(pattern)
    for pattern in (
        rb"ueries\.(?<=[qQ]ueries\.)[A-Za-z]\w{1,60}\(",
        rb"uerier\.(?<=[qQ]uerier\.)[A-Za-z]\w{1,60}\(",
        rb"UERIES\.(?<=[qQ]UERIES\.)[A-Za-z]\w{1,60}\(",
        rb"q\.(?<=\bq\.)[A-Z]\w{1,60}\(",
        rb"q\.(?<=\bq\.)[A-Z]\w{1,60}\.(?:Exec|Get|Must|Query|Select)",
        rb"ueries\.(?<=[qQ]ueries\.)[A-Z]\w{1,60}\.(?:Exec|Get|Must|Query|Select)",
        rb"query:\"[\w-]{1,100}\"",
        rb"StoredProcedure",  # what is run is a name
    )
)


def may_hold_sql(data: bytes, language: str) -> bool:
    """Tell whether a file may hold SQL, or may run some that stands elsewhere."""
    lowered = data.lower()
    opened = OPENED.get(language)
    if (opened is None or any(one.search(lowered) for one in opened)) and any(
        _has_pair(lowered, pair) for pair in PAIRS
    ):
        return True
    return any(sign in lowered for sign in GATES.get(language, ANY_GATES)) and _refers_to_sql(data, lowered)


def _has_pair(lowered: bytes, pair: _Pair) -> bool:
    """Tell whether a statement may begin with a word somewhere."""
    near = -1  # where the second keyword stands next
    for looks, match in enumerate(pair.first.finditer(lowered)):
        end = match.end()
        if looks >= MAX_LOOKS:
            return False
        if pair.near is not None and near < end:
            near = _next(pair.near, lowered, end)
        told = pair.near is not None and near < end + pair.reach
        if not told and pair.behind is not None:
            told = pair.behind.match(lowered, end) is not None
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
        (b".sql" in lowered and FILE.search(lowered) is not None)
        or any(pattern.search(data) for pattern in LOADED)
        or any(pattern.search(data) for pattern in (*RUNNING, *RUNNING_VARIABLES))
        or (any(pattern.search(data) for pattern in HOLDERS) and any(pattern.search(data) for pattern in TAKING))
    )
