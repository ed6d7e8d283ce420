"""Calls that are handed an address to the requests that they may be: what a test asks of a program over HTTP."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from coderag.syntax.references.routes import method_of

__all__ = ["read_requests"]

# A string that begins with a slash; what comes before it is looked at only then.
ADDRESS = re.compile(rb"""["'`](/[^"'`\s\\]{0,300})["'`]""")
SLASH = b"/"
QUOTES = frozenset(b"\"'`")
BEFORE_BYTES = 120  # between the name of a call and the address
# It sends a browser elsewhere and asks for nothing itself: redirect_to, navigate, router.push.
REDIRECT = re.compile(r"\w{0,60}(?:redirect|navigate)\w{0,60}|push|replace", re.IGNORECASE)
# It looks at an address or changes one: startsWith, HasPrefix, start_with, removeprefix, indexOf.
TEXT = re.compile(
    r"(?:str_?)?(?:(?:starts?|ends?)_?with|(?:has|trim|cut|remove|delete)_?(?:prefix|suffix|left|right|start|end)"
    r"|(?:last_?)?index_?of|contains?|includes?|equals?|r?split|join|replace_?all|concat|strip|[lr]?trim|pos)",
    re.IGNORECASE,
)
FORMATTING = frozenset({"sprintf", "format"})  # what they give is handed on to the call around them
AFTER_BYTES = 160  # in which its method may be told
PREFIXES = b" \t\r\nrfbuRFBU@$"  # between an opening bracket or comma and a string
WORD = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$"
METHOD = re.compile(rb"""method["']?\s?[:=]\s?["'`]([A-Za-z]{3,7})["'`]""")
LITERAL = re.compile(rb"""["'`]([A-Z]{3,7})["'`]$|\.Method([A-Z][a-z]+)$""")
HOLE = re.compile(r"\$?\{[^{}]*\}|%[sd]|:[a-z]\w*(?=/|$)")


def read_requests(data: bytes, calls: Container[int], *, routes: Container[int]) -> Iterator[tuple[int, str, str]]:
    """Yield (byte, method, address) of calls whose first or second argument is an address; holes in it are "{}".

    `calls` are the first bytes of the names of calls, `routes` those of the addresses that routes have.
    """
    for match in _addresses(data):
        start = match.start()
        name, first, begin = _call_before(data, start)
        if begin not in calls or start in routes or start - 1 in routes:
            continue
        if REDIRECT.fullmatch(name) or TEXT.fullmatch(name):
            continue
        address = HOLE.sub("{}", match[1].decode("utf-8", "replace").partition("?")[0].partition("#")[0])
        method = method_of(name) or _method(first, data[match.end() : match.end() + AFTER_BYTES])
        if method or address != "/":  # split("/") asks for nothing
            yield begin, method, address


def _call_before(data: bytes, start: int) -> tuple[str, bytes, int]:
    """Return the name of the call that an argument is of, the argument before that, and where the name begins.

    Of an address that is put together in a call, that is the call around it.
    """
    name, first, begin = _innermost(data, start)
    if name.lower() in FORMATTING:
        around = len(data[max(0, begin - BEFORE_BYTES) : begin].rstrip(WORD + b".")) + max(0, begin - BEFORE_BYTES)
        outer = _innermost(data, around)
        return outer if outer[0] else (name, first, begin)
    return name, first, begin


def _innermost(data: bytes, start: int) -> tuple[str, bytes, int]:
    begin = max(0, start - BEFORE_BYTES)
    head = data[begin:start].rstrip(PREFIXES)
    first = b""
    if head.endswith(b","):
        head, opened, first = head[:-1].rpartition(b"(")
        if not opened or b")" in first:
            return "", b"", -1
    elif head.endswith(b"("):
        head = head[:-1]
    else:
        return "", b"", -1
    head = head.rstrip(b" !?")
    before = head.rstrip(WORD)
    return head[len(before) :].decode("utf-8", "replace"), first.strip(), begin + len(before)


def _addresses(data: bytes) -> Iterator[re.Match[bytes]]:
    at = data.find(SLASH, 1)
    while at >= 0:
        if data[at - 1] in QUOTES:
            match = ADDRESS.match(data, at - 1)
            if match is not None:
                yield match
        at = data.find(SLASH, at + 1)


def _method(first: bytes, after: bytes) -> str:
    """Return the method that the argument before an address or those behind it tell, "" for none."""
    literal = LITERAL.search(first) if first else None
    if literal is not None:
        return method_of((literal[1] or literal[2]).decode())
    match = METHOD.search(after.partition(b"\n\n")[0])
    return method_of(match[1].decode()) if match is not None else ""
