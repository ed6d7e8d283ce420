"""The text of a question to what of it may be pasted: a run of words, as in a message, and names that code spells.

Messages come as programs print them: behind a timestamp, a level or the name of an exception, and with values where the
code has placeholders. What stands in code comes with escapes, placeholders, and strings that are joined over lines.
"""

from __future__ import annotations

import re

from coderag.record import record
from coderag.search.query.vocabulary import STOP_WORDS

__all__ = ["VALUE", "Pasted", "is_plain", "pasted", "tokens"]

VALUE = ""  # stands for a placeholder among the tokens of a text
MIN_WORDS, MIN_CONTENT = 3, 1  # of a run that says something; content words are those that are no stop words
ASKING = frozenset("how what where which who whose why".split())  # begins a question in words

USES = frozenset(
    "loaded loads opened opens read reads referenced references set sets use used uses writes written".split()
)
MAX_CHARACTERS, MAX_RUN = 600, 40  # of a question, and words of a message, that are looked at

# What stands for a value, in a string or between two: %s, %(name)s, %name%, {}, ${x}, #{x}, \(x), $name, " + name + ".
_JOINT = r"(?:\+\+|\+|\.\.|\.|,|<<|<>|&|~)"
_PLACEHOLDER = (
    r"%[-+#0 ]*\d*(?:\.\d+)?(?:hh?|ll?|z|j|t)?[sdiufgGxXcpqvTr@](?![A-Za-z])|%\(\w+\)[sdrf]|%[{<]\w+[}>]"
    r"|%[A-Za-z_]\w{0,40}+%|[$#]\{[^{}\n]{0,80}\}|\{[^{};\n]{0,60}\}|\\\([^()\n]{0,60}\)|\$[A-Za-z_]\w*"
    rf"|[\"'`]\s{{0,80}}+{_JOINT}\s{{0,80}}+[^\"'`\n;]{{1,60}}?{_JOINT}\s{{0,80}}+[\"'`]"
    rf"|[\"'`]\s{{0,80}}+(?:{_JOINT}|%)(?=\s{{0,80}}+[\w(])"
)
_JOINED = rf"(?<=[\w)])\s{{0,80}}+{_JOINT}\s{{0,80}}+[\"'`]"
# Two strings that follow each other are one, whatever marks the second: "a " f"b", "a " + "b".
_BREAK = rf"[\"'`]\s{{0,80}}+(?:{_JOINT}|\\)?\s{{0,80}}+(?:[fFrRbBuUL]|u8)?[\"'`]"
_ESCAPE = r"\\[abfnrtv0]"
# Words first, as most of a text is, and nothing else begins like one; few signs begin a placeholder.
TOKEN = re.compile(rf"(?P<word>\w+)|(?P<value>(?=[%$#{{\\\"'`])(?:{_PLACEHOLDER})|{_JOINED})|{_BREAK}|{_ESCAPE}")

# What loggers and runtimes write before a message.
PREFIX = re.compile(
    r"\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,\d]*(?:Z|[+-]\d\d:?\d\d)?\]?"
    r"|[A-Z]{3}[a-z]* \d+ \d\d:\d\d:\d\d"
    r"|\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL|CRITICAL|NOTICE)\b\]?:?"
    r"|[EWIDF]/\w+\s*\(\s*\d+\):"
    r"|(?:Error|error|fatal|panic|warning|Uncaught exception|Caused by):"
    r"|(?:[a-z]\w*\.)+\w*(?:Exception|Error):|\w+(?:Exception|Error):)\s*"
)
NAME = re.compile(
    r"\w+://\S+"  # an address
    r"|(?<![\w-])--?[a-zA-Z][\w-]+"  # a flag
    r"|/[\w:{}<>*$-]+(?:[/.]{1,2}+[\w:{}<>*$-]+)+/?"  # a route
    r"|(?<!\w)[A-Za-z_]\w*(?:(?:\.|::|->|/|:|-)[\w{<:$][\w{}<>$]*)+"  # words joined by signs
    r"|\w+"
)
INNER_CAPITAL = re.compile(r"[a-z\d][A-Z]|[A-Z]{2}[a-z]")
CODE = re.compile(r"[A-Z]{1,6}[-_]?\d{2,6}|0x[0-9a-fA-F]{4,}")
PLAIN_JOINT = re.compile(r"[A-Za-z][a-z]*+(?:[-/][A-Za-z]?+[a-z]*+)++")
ABBREVIATION = re.compile(r"(?:[A-Za-z]\.)+[A-Za-z]?")
VALUES = re.compile(
    r"(?<!\w)'[^'\s]+'|\"[^\"\s]+\"|\([^()\s]+\)|(?<![^\s/\\])[^\s/\\]*+[/\\]\S+|(?<!\S)[^\s@]++@\S+|(?<!\S)[a-z]++-\d++(?!\S)"
)
ENDLESS = re.compile(r"\S{200,}")
MIN_WORDS_OF_STATEMENT = 4  # before the colon behind which a program says what went wrong


@record
class Pasted:
    """What of a question may stand in code as it is."""

    run: tuple[str, ...]  # lower-case words in their order
    groups: tuple[int, ...]  # of each of these, which of the texts between white space it is of
    values: frozenset[str]  # of these, what a program may have put in: quoted, in parentheses, of a path or an address
    is_printed: bool  # it has values, or what loggers write before a message
    is_statement: bool  # it is punctuated as what programs print is
    names: tuple[str, ...]  # words that are spelled as code spells names, each once
    others: int  # content words beside these
    asks_for_use: bool = False  # where something is used, and not what it is
    asks: bool = False  # the run reads as a question, so that it is no message unless one says just that
    message: str = ""  # what is pasted, without what loggers write before it


def pasted(text: str) -> Pasted:
    """Return what of a question may be pasted."""
    plain = ENDLESS.sub(" ", text[:MAX_CHARACTERS])
    message = _message(plain)
    run, groups = _run(message)
    values = frozenset(word for found in VALUES.findall(message) for word in tokens(found)) if run else frozenset()
    names, others = _names(plain)
    return Pasted(
        run,
        groups,
        values,
        is_printed=bool(values) or message != plain,
        is_statement=_is_statement(message),
        names=names,
        others=others,
        asks_for_use=_asks_for_use(plain),
        asks=_asks(plain),
        message=message.strip(),
    )


def tokens(text: str) -> list[str]:
    """Return the words of a text in lower case, in order, with VALUE in place of each placeholder."""
    return [word.lower() if word else VALUE for word, value in TOKEN.findall(text) if word or value]


def _asks_for_use(text: str) -> bool:
    """Tell whether a text asks where something is used: "where is X read", "who uses X"."""
    first, *rest = text.lower().split()[:MAX_RUN] or ("",)
    return first in ASKING and not USES.isdisjoint(rest)


def _asks(text: str) -> bool:
    """Tell whether a text is a question in words."""
    return text.rstrip().endswith("?") or (text.split(maxsplit=1) or ("",))[0].lower() in ASKING


def _is_statement(text: str) -> bool:
    """Tell whether a text has a full stop at its end, or a colon behind some words, as questions seldom have."""
    words = text.split()
    has_colon = any(word.endswith(":") for word in words[MIN_WORDS_OF_STATEMENT - 1 : -1])
    return has_colon or (bool(words) and words[-1].endswith((".", "!")) and not words[-1].endswith(".."))


def _message(text: str) -> str:
    """Return a text without what loggers and runtimes write before it."""
    while (prefix := PREFIX.match(text)) is not None:
        text = text[prefix.end() :]
    return text


def _run(text: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return the words of a text, and which part between white space each is of; none of a few words.

    None of a question without its sign, either, which no program prints.
    """
    found: list[str] = []
    groups: list[int] = []
    group = end = 0
    for match in TOKEN.finditer(text):
        group += any(sign.isspace() for sign in text[end : match.start()]) or any(map(str.isspace, match[0]))
        end = match.end()
        if match["word"]:
            found.append(match["word"].lower())
            groups.append(group)
    content = sum(word not in STOP_WORDS for word in found)
    if len(found) < MIN_WORDS or content < MIN_CONTENT or ("?" not in text and _asks(text)):
        return (), ()
    return tuple(found[:MAX_RUN]), tuple(groups[:MAX_RUN])


def _names(text: str) -> tuple[tuple[str, ...], int]:
    names: list[str] = []
    others = 0
    for match in NAME.finditer(text):
        name = match[0]
        if _is_name(name):
            names.append(name)
        others += (name not in names) and name.lower() not in STOP_WORDS
    return tuple(dict.fromkeys(names)), others


def _is_name(word: str) -> bool:
    """Tell whether a word is spelled as few words of English are."""
    if word.isalnum():
        return INNER_CAPITAL.search(word) is not None or CODE.fullmatch(word) is not None
    return "://" not in word and ABBREVIATION.fullmatch(word) is None


def is_plain(name: str) -> bool:
    """Tell whether a name may be English, too: read-only, and/or."""
    return PLAIN_JOINT.fullmatch(name) is not None
