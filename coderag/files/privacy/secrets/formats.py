"""The table of formats, and where in a file something has one of them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

from coderag.files.privacy.secrets.anchors import KEY_BYTES, Sieve, key_of, parse_anchor
from coderag.files.privacy.secrets.basic_credentials import are_credentials
from coderag.files.privacy.secrets.encoded_keys import encoded_key
from coderag.files.privacy.secrets.identity import TABLE
from coderag.files.privacy.secrets.placeholders import is_placeholder, is_url_placeholder
from coderag.files.privacy.secrets.private_keys import key_body
from coderag.files.privacy.secrets.span import SecretSpan

if TYPE_CHECKING:
    from coderag.files.privacy.secrets.kubernetes.manifest import Manifests
    from coderag.files.privacy.secrets.kubernetes.value import Value

__all__ = ["Format", "find_formats", "formats"]

MIN_ENTROPY = 3.0  # bits a byte; what a format says counts more
TRIED_AT_ANCHOR = frozenset({"token", "basic"})  # readers
MAX_BESIDE_BYTES = 80  # of a secret beside something else, with what may not follow it
# A line end that a string writes as "\\n" is an edge too.
LEFT_EDGE = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))"
RIGHT_EDGE = r"(?![A-Za-z0-9_])"
# Bounded, since a hostile file may be one long line of them.
URL_PASSWORD = re.compile(
    rb"://(?P<user>[^\s:/@?#\"'<>`\\,;()]{0,80}+):(?P<secret>[^\s/@?#\"'<>`\\]{1,200}+)@(?=[A-Za-z0-9_\[{$%<.-])"
)


@dataclass(frozen=True, slots=True, eq=False)  # by identity, as each is one key of many look-ups
class Format:
    """A format of secrets; the fields are explained in formats.toml."""

    kind: str
    source: str
    anchors: tuple[str, ...]
    reader: str = "token"
    pattern: str = ""
    before: int = 0
    edges: bool = True
    beside: str = ""
    within: int = 0
    entropy: float = MIN_ENTROPY


@dataclass(frozen=True, slots=True)
class _Tables:
    formats: tuple[Format, ...]
    public: tuple[bytes, ...]
    sieve: Sieve
    by_key: dict[bytes, tuple[tuple[Format, int], ...]]  # each with how far before the key the secret begins


def formats() -> tuple[Format, ...]:
    """Return the formats that are known."""
    return _tables().formats


@cache
def _tables() -> _Tables:
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    known = tuple(Format(**{**entry, "anchors": tuple(entry["anchors"])}) for entry in table["format"])
    keys = []
    by_key: dict[bytes, dict[tuple[Format, int], None]] = {}
    for one in known:
        for anchor in one.anchors:
            start, key = key_of(parse_anchor(anchor))
            keys.append(key)
            for text in map(bytes, product(*key)):
                by_key.setdefault(text, {})[one, start + one.before] = None
    found = {key: tuple(those) for key, those in by_key.items()}
    return _Tables(known, tuple(one.encode() for one in table["public"]), Sieve(keys), found)


@cache
def _expression(format_: Format) -> re.Pattern[bytes]:
    return re.compile((f"{LEFT_EDGE}(?:{format_.pattern}){RIGHT_EDGE}" if format_.edges else format_.pattern).encode())


@cache
def _side(format_: Format) -> re.Pattern[bytes]:
    return re.compile(f"{LEFT_EDGE}(?:{format_.beside}){RIGHT_EDGE}".encode())


def find_formats(data: bytes) -> Iterator[SecretSpan]:
    """Yield what has the form of a secret and is no placeholder, in order of the anchors."""
    tables = _tables()
    searched: dict[Format, int] = {}
    manifests: Manifests | None = None
    for position in tables.sieve.positions(data):
        for one, offset in tables.by_key[data[position : position + KEY_BYTES]]:
            start = position - offset
            if start < 0:
                continue
            if one.reader in TRIED_AT_ANCHOR:  # nearly always in vain, so nothing more is called for it
                if match := _expression(one).match(data, start):
                    yield from _token(one, match)
                continue
            match one.reader:
                case "url":
                    yield from _url_password(one, URL_PASSWORD.match(data, start))
                case "key":
                    yield from _pieces(one, key_body(data, start))
                case "encoded key":
                    yield from _pieces(one, encoded_key(data, start))
                case "beside":
                    yield from _beside(one, data, start, searched=searched)
                case "manifest":
                    manifests = manifests or _manifests(data)
                    yield from _manifest(one, data, manifests.secrets_at(start))


def _manifests(data: bytes) -> Manifests:
    from coderag.files.privacy.secrets.kubernetes.manifest import Manifests  # few files have any

    return Manifests(data)


def _pieces(format_: Format, pieces: Sequence[tuple[int, int]]) -> Sequence[SecretSpan]:
    return (SecretSpan(format_.kind, tuple(pieces)),) if pieces else ()


def _beside(format_: Format, data: bytes, start: int, *, searched: dict[Format, int]) -> Iterator[SecretSpan]:
    side = _side(format_).match(data, start)
    if side is None:
        return
    # What was searched beside the last one is not searched again: many of them in a row take no longer.
    begin, end = max(start - format_.within, searched.get(format_, 0)), side.end() + format_.within
    searched[format_] = end
    for match in _expression(format_).finditer(data, begin, end + MAX_BESIDE_BYTES):
        if match.start() >= end:
            return
        yield from _token(format_, match)


def _manifest(format_: Format, data: bytes, values: Iterable[Value]) -> Iterator[SecretSpan]:
    for pieces in values:
        if len(pieces) > 1 or not _is_public(data[slice(*pieces[0])]):
            yield SecretSpan(format_.kind, pieces)


def _token(format_: Format, found: re.Match[bytes]) -> Sequence[SecretSpan]:
    if _is_public(found[0]):
        return ()
    group = "secret" if "secret" in found.re.groupindex else 0
    if format_.reader == "basic":
        is_secret = are_credentials(found[group])
    else:
        is_secret = not is_placeholder(_random_part(found[group], format_), entropy=format_.entropy)
    return (SecretSpan(format_.kind, (found.span(group),)),) if is_secret else ()


def _is_public(text: bytes) -> bool:
    return any(part in text for part in _tables().public)


def _random_part(text: bytes, format_: Format) -> bytes:
    """Return a key without the anchor that it begins with: "sk_test_" says nothing of what follows."""
    for anchor in format_.anchors:
        start = anchor.partition("[")[0].encode()
        if start and text.startswith(start):
            return text[len(start) :]
    return text


def _url_password(format_: Format, found: re.Match[bytes] | None) -> Sequence[SecretSpan]:
    if found is None or is_url_placeholder(found["secret"], user=found["user"]):
        return ()
    return (SecretSpan(format_.kind, (found.span("secret"),)),)
