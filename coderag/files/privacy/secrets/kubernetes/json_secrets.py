"""A manifest in JSON to the values of its Secrets; also within a string of JSON, or in the quotes of Python."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from coderag.files.privacy.secrets.kubernetes.value import (
    FIELDS,
    MAX_MANIFEST_BYTES,
    ManifestSecrets,
    Span,
    Value,
    covered_spans,
)

__all__ = ["json_secrets"]

# A string that is not closed ends with its line, so that none is looked at twice.
TOKENS = {
    b'"': re.compile(rb'"(?P<text>(?:[^"\\\n]|\\[^\n])*+)["\n]?|[{}\[\],:]'),
    b"'": re.compile(rb"'(?P<text>(?:[^'\\\n]|\\[^\n])*+)['\n]?|[{}\[\],:]"),
    b'\\"': re.compile(rb'\\"(?P<text>(?:[^"\\\n]|\\(?!")[^\n])*+)(?:\\"|["\n])?|[{}\[\],:]'),
    b"\\'": re.compile(rb"\\'(?P<text>(?:[^'\\\n]|\\(?!')[^\n])*+)(?:\\'|['\n])?|[{}\[\],:]"),
}
MAX_DEPTH = 200  # of objects and lists; in a list of manifests, four are around a value


@dataclass(slots=True)
class _Open:
    """An object or a list whose end is still to come."""

    name: bytes = b""  # its key in the object around it
    key: bytes = b""  # what the next value belongs to
    value: int = 0  # where that is expected
    is_secret: bool = False
    strings: list[tuple[bytes, Span]] = field(default_factory=list)  # the values of an object, with their keys
    values: list[tuple[bytes, bytes, Span]] = field(default_factory=list)  # those of its fields that hold secrets


def json_secrets(data: bytes, kind: Span, *, quote: bytes, after: int) -> ManifestSecrets:
    """Return the values of the Secret that has its kind at a place, and of those around and before it."""
    begin, end = max(after, kind[0] - MAX_MANIFEST_BYTES), min(len(data), kind[1] + MAX_MANIFEST_BYTES)
    if begin > after:  # it may be within a string, where an object seldom begins
        begin = max(begin, data.find(b"{" + quote, begin, kind[0]))
    opened = [_Open()]
    closed: list[_Open] = []
    last = b""
    for token in TOKENS[quote].finditer(data, begin, end):
        top = opened[-1]
        match token[0]:
            case b"{" | b"[":
                opened.append(_Open(name=top.key))
                if len(opened) > MAX_DEPTH:
                    end = token.end()
                    break
            case b"}" | b"]":
                closed.append(_close(opened))
                if top.is_secret and token.end() > kind[1]:
                    end = token.end()
                    break
            case b":":
                top.key, top.value = last, token.end()
            case b",":
                top.key = b""
            case _:
                last = token["text"]
                # A program may have a call in the place of a value, and strings in that.
                if top.key and not data[top.value : token.start()].strip():
                    top.is_secret = top.is_secret or (top.key == b"kind" and last == b"Secret")
                    top.strings.append((top.key, token.span("text")))
                top.key = b""
    while len(opened) > 1:
        closed.append(_close(opened))
    return ManifestSecrets(tuple(_values(data, [*closed, *opened])), end)


def _close(opened: list[_Open]) -> _Open:
    """Take the innermost away; what is around it keeps the values of its fields that hold secrets."""
    top = opened.pop()
    if not opened:
        opened.append(_Open())
    if top.name in FIELDS:
        opened[-1].values += [(top.name, key, span) for key, span in top.strings]
    return top


def _values(data: bytes, objects: list[_Open]) -> Iterator[Value]:
    for object_ in objects:
        for name, key, span in object_.values if object_.is_secret else ():
            if covered := covered_spans(data, [span], field=name, name=key):
                yield covered
