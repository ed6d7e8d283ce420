"""A file's bytes to UTF-8 text with "\\n" line ends, or the reason why it is no text.

Lines end at "\\n", "\\r\\n" and a lone "\\r", and nowhere else: form feeds, U+0085 and U+2028 stay inside their lines.
So line numbers are those of an editor.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from coderag.files.blob import blob_id
from coderag.files.walk import MAX_BYTES, Skipped, SkipReason, SourceFile, read_start, skip_reason

__all__ = ["Contents", "Decoded", "decode", "read_content", "read_file"]

BOMS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
SAMPLE_BYTES = 4096  # of a file that may be UTF-16
HEADER_BYTES = 2048  # where a marker of generated code stands
GUESS_BYTES = 8192  # of lines that are not ASCII, for the guess of an encoding
MIN_GUESS_BYTES = 24  # fewer bytes that are not ASCII fit too many encodings
LATIN = ("cp1252", "cp1250", "iso8859_2")  # Western first: it wins where all fit
OTHER_SCRIPTS = (
    *("cp1251", "koi8_r", "cp866", "cp1253", "cp1255", "cp1256", "cp874"),
    *("cp932", "euc_jp", "gb18030", "big5", "cp949"),
)
MINIFIED_BYTES = 5000  # a smaller file is read however its lines look
LONG_LINE = 400  # bytes; no formatter lets a line of code grow so long
ORDINARY_LINES = 50  # a file with so many lines that are not long is not minified, whatever else it holds
LONG_DOCUMENT_LINE = 20_000  # bytes; a paragraph on one line stays below

# Text with one statement or cell per line, which may be long without being minified.
LONG_LINED = frozenset({"sql", "notebook", "dbt", "glossary", "querylog"})
DOCUMENTS = frozenset({"markdown", "restructuredtext", "text"})

# Codecs that a coding cookie may name but that no source file is in: slow (punycode and idna take quadratic time), or
# not about characters.
ODD_CODECS = frozenset({"punycode", "idna", "unicode-escape", "raw-unicode-escape", "utf-7", "undefined"})

# PEP 263, Emacs (-*- coding: x -*-), Vim (fileencoding=x, fenc=x), XML, HTML and CSS
COOKIE = re.compile(rb"(?:coding|charset|fenc)(?:[ \t]*+[:=]|\t*+[ ])[ \t]*+[\"']?([A-Za-z0-9][\w.-]{1,30})")
# What stands before a marker is passed over once (the "+" and "?>"): no marker begins with any of it.
GENERATED = re.compile(
    rb"""^[ \t]*+(?>\#|//|/?\*+|--|;|%|<!--|\(\*|\{-|\"\"\"|'''|"|'|)[^\n]{0,200}?(?:
        code\ generated\b[^\n]{0,200}\bdo\ not\ (?:edit|modify)
      | (?<![\w"'`])@generated\b
      | \b(?:auto|automatically)[- ]?generated\b[ ]?(?:by|from|with|using|file|code|[.,;!>-])
      | \bgenerated\ (?:by|from|with|using)\b[^\n]{0,200}\bdo\ not\ (?:edit|modify|change)
      | \bdo\ not\ (?:edit|modify)\b[^\n]{0,100}\bgenerated\b
      | <auto-?generated
    )""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
PRIVATE_KEY = re.compile(rb"\s*-----BEGIN [A-Z ]*PRIVATE KEY")
CONTROLS = (
    bytes(range(1, 7)) + bytes(range(14, 27)) + bytes(range(28, 32))
)  # no text holds many; escape is in terminal art


Contents = Mapping[str, bytes | Skipped]  # of files by path, or why one cannot be read


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file as text."""

    data: bytes  # UTF-8, lines end with "\n" only, no byte order mark
    encoding: str  # that of the file
    guessed: bool = False  # nothing in the file proves the encoding
    labels: frozenset[str] = frozenset()  # "generated", where the first lines say so
    blob: bytes = b""  # the id that git gives the file's content

    @property
    def text(self) -> str:
        """Return the text as a string."""
        return self.data.decode("utf-8")


def read_file(
    root: str | os.PathLike[str] | Contents, file: SourceFile, *, max_bytes: int = MAX_BYTES
) -> Decoded | Skipped:
    """Return the text of a listed file, or why it cannot be read; its labels are the file's own, not its path's.

    In place of a root there may be the contents of its files, for a machine that does not have the root.
    """
    raw = root[file.path] if isinstance(root, Mapping) else read_content(root, file, max_bytes=max_bytes)
    if isinstance(raw, Skipped):
        return raw
    decoded = decode(raw, language=file.language)
    return Skipped(file.path, decoded) if isinstance(decoded, SkipReason) else decoded


def read_content(root: str | os.PathLike[str], file: SourceFile, *, max_bytes: int = MAX_BYTES) -> bytes | Skipped:
    """Return the bytes of a listed file, or why it cannot be read."""
    try:
        raw = read_start(f"{os.fspath(root)}/{file.path}", max_bytes + 1)
    except OSError as error:
        return Skipped(file.path, skip_reason(error), error.strerror or "")
    if len(raw) > max_bytes:
        return Skipped(file.path, SkipReason.TOO_LARGE, f"grew beyond {max_bytes:,} bytes")
    return raw


def decode(raw: bytes, *, language: str = "") -> Decoded | SkipReason:
    """Return the text of a file's bytes, or why they are not text."""
    if not raw.strip():
        return SkipReason.EMPTY
    if PRIVATE_KEY.match(raw):
        return SkipReason.SECRET
    reason = _to_utf8(raw)
    if isinstance(reason, SkipReason):
        return reason
    data, encoding, guessed = reason
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if _is_minified(data, language):
        return SkipReason.MINIFIED
    labels = frozenset({"generated"} if _is_generated(data[:HEADER_BYTES]) else ())
    return Decoded(data, encoding, guessed, labels, blob_id(raw))


def _to_utf8(raw: bytes) -> tuple[bytes, str, bool] | SkipReason:
    """Return the text in UTF-8, the encoding that it came in, and whether that is a guess."""
    for mark, encoding in BOMS:
        if raw.startswith(mark) and encoding != "utf-8":
            return _from_utf16(raw[len(mark) :], encoding, guessed=False) or SkipReason.UNDECODABLE
    raw = raw.removeprefix(codecs.BOM_UTF8)
    if b"\0" in raw:
        encoding = _unmarked_utf16(raw[:SAMPLE_BYTES])
        return (_from_utf16(raw, encoding, guessed=True) if encoding else None) or SkipReason.BINARY
    if raw.isascii() or _decodes(raw, "utf-8"):
        return raw, "utf-8", False
    if len(raw) - len(raw.translate(None, CONTROLS)) > len(raw) // 50:
        return SkipReason.BINARY
    return _from_legacy(raw)


def _decodes(raw: bytes, encoding: str) -> str | None:
    """Return the text, which is never empty here, or None."""
    try:
        return raw.decode(encoding)
    except (LookupError, ValueError):  # no such codec, or not this one
        return None


def _from_utf16(raw: bytes, encoding: str, *, guessed: bool) -> tuple[bytes, str, bool] | None:
    text = _decodes(raw, encoding)
    return (text.encode(), encoding, guessed) if text and "\0" not in text else None


def _unmarked_utf16(sample: bytes) -> str:
    """Return the byte order of what reads as UTF-16 of mostly Latin letters, or nothing."""
    even, odd = sample[::2], sample[1::2]
    if not odd or even.count(0) + odd.count(0) < len(odd) * 0.7:
        return ""
    if odd.count(0) > 20 * even.count(0):
        return "utf-16-le"
    return "utf-16-be" if even.count(0) > 20 * odd.count(0) else ""


def _from_legacy(raw: bytes) -> tuple[bytes, str, bool]:
    """Return text that is not UTF-8: by its cookie, as damaged UTF-8, by a guess from its letters, or as Western."""
    for name in _cookies(raw):
        if text := _decodes(raw, name):
            return text.encode("utf-8", "replace"), name, False
    repaired = raw.decode("utf-8", "replace")
    damage = repaired.count("\ufffd")
    if sum(character > "\x7f" for character in repaired[: 4 * GUESS_BYTES]) > 4 * damage:
        return repaired.encode(), "utf-8", True
    sample = _not_ascii(raw)
    for name in (_other_script(sample), _latin(sample)):
        if name and (text := _decodes(raw, name)):
            return text.encode(), name, True
    return raw.decode("latin-1").encode(), "latin-1", True


def _cookies(raw: bytes) -> Iterator[str]:
    """Yield the encodings that the first two lines or the last five name."""
    lines = raw[:HEADER_BYTES].splitlines()[:2] + raw[-HEADER_BYTES:].splitlines()[-5:]
    for match in map(COOKIE.search, lines):
        if match is None:
            continue
        name = match[1].decode().lower().replace("_", "-")
        for ending in ("-unix", "-dos", "-mac"):  # Emacs appends the line ends
            name = name.removesuffix(ending)
        if name not in ODD_CODECS and not name.startswith("utf-8"):
            yield name


def _not_ascii(raw: bytes) -> bytes:
    """Return the first lines that are not ASCII, which alone tell encodings apart."""
    lines = []
    left = GUESS_BYTES
    for line in raw.split(b"\n"):
        if left > 0 and not line.isascii():
            lines.append(line[:left])
            left -= len(line)
    return b"\n".join(lines)


def _other_script(sample: bytes) -> str:
    """Return the encoding of a script other than Latin that charset-normalizer reads, or nothing."""
    if len(sample) - len(sample.translate(None, bytes(range(128, 256)))) < MIN_GUESS_BYTES:
        return ""
    from charset_normalizer import from_bytes  # slow to import, and seldom needed

    best = from_bytes(sample, cp_isolation=[*LATIN, *OTHER_SCRIPTS]).best()
    return best.encoding if best is not None and best.encoding in OTHER_SCRIPTS else ""


def _latin(sample: bytes) -> str:
    """Return the Latin encoding in which most bytes are letters; charset-normalizer takes French for Polish."""
    texts = {name: sample.decode(name, "ignore") for name in LATIN}
    return max(LATIN, key=lambda name: sum(character.isalpha() for character in texts[name]))


def _is_generated(header: bytes) -> bool:
    # The word is in every marker and in few files, and looking for it is much faster than the expression.
    return b"generated" in header.lower() and GENERATED.search(header) is not None


def _is_minified(data: bytes, language: str) -> bool:
    """Return whether long lines hold nearly all of the text; a long line among ordinary ones is data."""
    size = len(data)
    if size < MINIFIED_BYTES or language in LONG_LINED or data.count(b"\n") * LONG_LINE // 5 >= size:
        return False
    limit = LONG_DOCUMENT_LINE if language in DOCUMENTS else LONG_LINE
    lengths = [len(line) for line in data.split(b"\n") if line]
    ordinary = [length for length in lengths if length <= limit]
    return len(ordinary) < ORDINARY_LINES and sum(ordinary) < size // 5
