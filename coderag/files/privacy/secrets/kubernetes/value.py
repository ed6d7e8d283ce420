"""A value of a Kubernetes Secret to what of it is covered."""

from __future__ import annotations

import re
from binascii import Error, a2b_base64
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from coderag.files.privacy.secrets.placeholders import is_password_placeholder, is_plain_value
from coderag.files.privacy.secrets.word_like import reads_like_words

__all__ = ["FIELDS", "MAX_MANIFEST_BYTES", "ManifestSecrets", "Span", "Value", "covered_spans"]

# The fields of a manifest with secret values: in base64, and as they are.
# https://kubernetes.io/docs/concepts/configuration/secret/
ENCODED_FIELD, PLAIN_FIELD = b"data", b"stringData"
FIELDS = frozenset({ENCODED_FIELD, PLAIN_FIELD})
MAX_MANIFEST_BYTES = 1 << 18  # on either side of its kind
MIN_SECRET_BYTES = 4
MAX_WORD_BYTES = 64  # what is longer, or has several lines, is a file in which a word says nothing of the rest
PEM = b"-----BEGIN "
COVERED = b"****"  # in a line of which another rule has covered a part
# What has several values: an object of JSON, lines in a string, `user=shop password=...`.
SEVERAL = re.compile(rb"""\A[{\[]\s{0,20}\\?["{]|\\n|\w["']?[ \t]{0,20}(?:=|:[ \t])[ \t]{0,20}[^\s=]""")
SECRET_NAME = re.compile(rb"pass|pwd|secret|token|key|cred|auth|private|salt|hmac|webhook", re.IGNORECASE)
SETTING = re.compile(
    rb"""[\s"'{,-]{0,200}+(?P<name>[\w.-]{1,200}+)["']?[ \t]{0,20}[:=][ \t]{0,20}+(?:
        "(?P<double>(?:[^"\\]|\\.)*+)" | '(?P<single>[^']*+)' | (?P<plain>(?!["'])[^#]*+)
    )[\s,;}\]]{0,200}+(?:\#.*)?""",
    re.VERBOSE,
)
# What is filled in: $(command), ${NAME}, <name>, NAME_OF_IT, sk_live_xxx; a day or a moment.
KNOWN = re.compile(
    rb"\$\([^()]{0,200}\)|\$\{[^{}]{0,200}\}|<[^<>]{0,200}>|[A-Z]{2,40}+(?:[_-][A-Z0-9]{1,40}+){1,12}|[^\s:=]{0,60}[xX]{3}|"
    rb"\d{4}-\d\d-\d\d(?:[T ][\d:.]{5,20}Z?)?"
)
# A host, an address of IPv4, or a URL without a name and password.
ADDRESS = re.compile(
    rb"(?:[a-z][a-z0-9+.-]{1,20}://)?(?:(?:[a-z0-9-]{1,63}\.){1,10}[a-z]{2,20}|(?:\d{1,3}\.){3}\d{1,3}|(?<=://)[a-z0-9-]{1,63})"
    rb"(?::\d{1,5})?(?:/[\w./%~+-]{0,200})?"
)
SIGN_IN = re.compile(rb"[@?]")  # in the URL of a service, what precedes the one or follows the other lets one in
WORD = re.compile(rb"\w")
DIGIT = re.compile(rb"[0-9]")
MAX_DIGITS = 1 / 8  # of a name of words: in-cluster2

Span = tuple[int, int]
Value = tuple[Span, ...]  # in pieces, as a value may go over several lines


@dataclass(frozen=True, slots=True)
class ManifestSecrets:
    """The values that a manifest keeps secret, and up to where its file was read for them."""

    values: tuple[Value, ...]
    end: int


def covered_spans(data: bytes, pieces: Iterable[Span], *, field: bytes, name: bytes) -> Value:
    """Return the pieces of a value that are covered: none of a placeholder or template, nor of PEM.

    Of a value in base64 that is all or nothing, as it has nothing to search for. Of others, what reads like words
    stays, unless its name says that it is a secret.
    """
    literal = tuple(_literal(data, pieces))
    lines = [data[start:end] for start, end in literal]
    if field == ENCODED_FIELD:
        return () if _is_kept_base64(b"".join(lines), name=name) else literal
    if not lines or lines[0].startswith(PEM):  # with rules of its own
        return ()
    if len(lines) == 1:
        return () if _is_kept(lines[0], name=name) else literal
    settings = [_setting(data, span, name=name) for span in literal]
    return tuple(span for span, own in settings if not _is_kept(data[slice(*span)], name=own))


def _literal(data: bytes, pieces: Iterable[Span]) -> Iterator[Span]:
    """Yield the pieces that hold something, are not covered already, and are not in the braces of a template."""
    is_open = False
    for start, end in pieces:
        line = data[start:end]
        if (
            not is_open
            and b"{{" not in line
            and not line.startswith(b"{%")
            and COVERED not in line
            and WORD.search(line)
        ):
            yield start, end
        if b"{{" in line or b"}}" in line:
            is_open = line.rfind(b"{{") > line.rfind(b"}}")


def _is_kept_base64(text: bytes, *, name: bytes) -> bool:
    try:
        value = a2b_base64(text, strict_mode=True).strip()
    except Error:
        return _is_kept(text, name=name)
    if value.startswith(PEM):
        return b"PRIVATE KEY" not in value
    if len(value) > MAX_WORD_BYTES or b"\n" in value or SEVERAL.search(value):
        return False
    return len(value) < MIN_SECRET_BYTES or _is_known(value) or is_password_placeholder(text)


def _setting(data: bytes, line: Span, *, name: bytes) -> tuple[Span, bytes]:
    """Return where the value of a setting is and its name; for another line, all of it and the name of its file."""
    setting = SETTING.fullmatch(data, *line)
    if setting is None:
        return line, name
    start, end = setting.span(setting.lastgroup or "name")
    return (start, start + len(data[start:end].rstrip(b", \t"))), setting["name"]


def _is_kept(value: bytes, *, name: bytes) -> bool:
    if not value or value.startswith(PEM) or KNOWN.fullmatch(value):
        return True
    if SEVERAL.search(value):
        name += value  # with the names of all
    elif len(value) <= MAX_WORD_BYTES and _is_known(value):
        return True
    if SECRET_NAME.search(name):
        return False
    if ADDRESS.fullmatch(value):
        return True
    digits = len(DIGIT.findall(value))
    return digits <= MAX_DIGITS * len(value) and reads_like_words(value, few=not digits)


def _is_known(value: bytes) -> bool:
    if is_plain_value(value) and not SIGN_IN.search(value):
        return True
    return KNOWN.fullmatch(value) is not None or is_password_placeholder(value)
