"""Bytes of code to the expression that ends at one: the receiver of a call, the value of a variable."""

from __future__ import annotations

import re
from functools import cache

from coderag.syntax.language import Language

__all__ = ["NO_SIGN", "Chains"]

MAX_RECEIVER_BYTES = 300
MAX_PARTS = 30
MAX_ARGUMENT_BYTES = 20_000
WORD = rb"A-Za-z0-9_\x80-\xff"
DOT = ord(".")
NO_SIGN = frozenset(b"(,=[{+-*/%|^~<;@")  # before a name that is not a member
UNKNOWN = "()"  # a receiver that is no chain of names, or the beginning of one that is cut
CLOSES = {ord(")"): "()", ord("]"): "[]", ord("}"): "{}"}
OPENERS = frozenset(b"([{")
QUOTES = frozenset(b"\"'`")
DELIMITER = re.compile(rb"[()\[\]{}\"'`]")
INSIDE = rb"""(?:[^()\[\]{}"'`]++|"[^"\\\n]*+"|'[^'\\\n]*+')*+"""  # of brackets, without others but in strings
FLAT = re.compile(rb"[)\]}]" + INSIDE + rb"[(\[{]")  # read backwards
ARGUMENTS = re.compile(rb"([(\[])" + INSIDE + rb"([)\]])")
LITERALS = frozenset({UNKNOWN, "{}", '""', "[]"})
COMMENTS = (b"#", b"//", b"--", b"*/", b"/*")  # read backwards as well as forwards
BLANKS = re.compile(rb"[ \t\r\n]*")
NOT_NAMES = frozenset(
    """and assert await case delete do elif else go if in is match new not or return throw typeof until when while
    yield""".split()
)


@cache
def _patterns(language: Language) -> tuple[re.Pattern[bytes], re.Pattern[bytes], re.Pattern[bytes]]:
    """Return what finds, in reversed text, plain receivers, the sign of a member, and a name."""
    word = b"[" + WORD + re.escape(language.name_signs.encode()) + b"]"
    signs = sorted((sign[::-1].encode() for sign in language.member_signs), key=len, reverse=True)
    sign = b"|".join(
        b"\\.(?!\\.|[0-9]++(?!" + word + b"))(?:!!|[?!&])?" if one == b"." else re.escape(one) for one in signs
    )
    sign += b"|>-\\?" if b">-" in signs else b""
    # What stands before a plain receiver ends it for good: not the sign of a member, on the line above or here, a
    # bracket or a quote.
    ends = rb"""(?![.:>?!&)\]}"'`\\#$@""" + re.escape(language.name_signs.encode()) + WORD + rb"])(?![ \t\r\n]++\.)"
    simple = rb"(?:\.|>-)" if b">-" in signs else rb"\."
    part = rb"(?:\)" + INSIDE + rb"\(|\]" + INSIDE + rb"\[)?+" + word + rb"+"
    plain = simple + rb"((?:" + part + simple + rb")*" + part + rb")" + ends
    none = rb"[ \t\r\n]{0,200}(?![ \t\r\n]|" + sign + rb")"
    return re.compile(plain + b"|" + none), re.compile(b"(" + sign + b")"), re.compile(word + b"+")


class Chains:
    """The expressions of one text, read backwards from their last byte.

    They come out without white space: a call is "f()", an element "x[]", a literal or anything else at the beginning
    "()", `->` and `?.` are "."; `::` and other signs stay. A word, a bracket or a quote is looked at as often as there
    are bytes, all expressions together; what lies beyond is not followed.
    """

    def __init__(self, data: bytes, language: Language) -> None:
        self._data = data
        self._back = data[::-1]
        self._plain, self._sign, self._name = _patterns(language)
        self._plain_before = self._plain.match
        self._size = len(data)
        self._steps = len(data) + MAX_ARGUMENT_BYTES
        self._texts: dict[bytes, str] = {}  # of reversed receivers
        self._brackets: dict[int, int] = {}  # positions in the reversed text: of a closing one, behind its opening one
        self._before: dict[int, str] = {}  # by the first byte of a name: what stands before it, sign and all

    def before(self, start: int) -> str:
        """Return the receiver of the name that begins at a byte, "" for none."""
        if not start or self._data[start - 1] in NO_SIGN:
            return ""
        at = self._size - start
        match = self._plain_before(self._back, at, at + MAX_RECEIVER_BYTES)
        if match is not None:
            written: bytes | None = match[1]
            if written is None:
                return ""
            known = self._texts.get(written)
            if known is not None:
                return known
            if len(written) < MAX_RECEIVER_BYTES - 2:
                known = _without_arguments(written[::-1]).replace("->", ".")
                if known.partition("(")[0] not in NOT_NAMES:
                    self._texts[written] = known
                    return known
        text = self._members(at)
        return text[: -len(_last_sign(text))] if text else ""

    def ending(self, start: int, end: int) -> str:
        """Return the expression that ends at a byte, "" if that is no name, member, call or element.

        `start` is where it should begin; of `not f()` and `-x` the last part counts.
        """
        written = self._data[max(start, end - MAX_RECEIVER_BYTES) : end].decode("utf-8", "replace")
        if end - start <= MAX_RECEIVER_BYTES and all(map(str.isidentifier, written.split("."))):
            return written
        name = written.rpartition(".")[2]
        if name.isidentifier() and len(name) < len(written):
            receiver = self.before(end - len(name.encode()))
            return f"{receiver}.{name}" if receiver else name
        text, at = self._operand(len(self._data) - end)
        if not text or text in LITERALS:
            return ""
        return self._members(at) + text

    def _members(self, at: int) -> str:
        """Return what stands before a name, with the sign between them."""
        back, parts, size = self._back, [], 0
        first = len(back) - at
        while True:
            known = self._before.get(len(back) - at)
            if known is not None:
                parts.append(known if size + len(known) <= MAX_RECEIVER_BYTES else f"{UNKNOWN}.")
                break
            sign = self._sign_at(at)
            if sign is None:
                break
            written, at = sign
            text, at = self._operand(at)
            parts += [written, text]
            size += len(text) + len(written)
            if len(parts) > 2 * MAX_PARTS or size > MAX_RECEIVER_BYTES:
                parts.append(UNKNOWN + ".")
                break
            if not text:
                parts[-1] = UNKNOWN
                break
        found = "".join(reversed(parts))
        if parts:
            self._before[first] = found
        return found

    def _sign_at(self, at: int) -> tuple[str, int] | None:
        """Return the sign of a member that stands before a place, as it is given, and where it begins."""
        blanks = BLANKS.match(self._back, at, at + MAX_RECEIVER_BYTES)
        begin = blanks.end() if blanks is not None else at
        if begin > at and b"\n" not in self._back[at:begin]:
            return None
        match = self._sign.match(self._back, begin)
        if match is None or (begin > at and self._is_commented(begin)):
            return None
        written = match[1][::-1]
        end = match.end()
        blanks = BLANKS.match(self._back, end, end + MAX_RECEIVER_BYTES)
        if blanks is not None and b"\n" in blanks[0]:
            end = blanks.end()
            if self._is_commented(end):
                return None
        return "." if b"." in written or written.endswith(b"->") else written.decode("utf-8", "replace"), end

    def _is_commented(self, at: int) -> bool:
        """Tell whether a comment may end the line before a place: what stands there is no code then."""
        end = self._back.find(b"\n", at, at + MAX_RECEIVER_BYTES)
        line = self._back[at : end if end >= 0 else at + MAX_RECEIVER_BYTES]
        return any(sign in line for sign in COMMENTS)

    def _operand(self, at: int) -> tuple[str, int]:
        """Return the name, call or element that ends at a place, and where it begins; "" for neither."""
        back, suffix = self._back, ""
        while at < len(back) and len(suffix) < MAX_PARTS:
            byte = back[at]
            if byte in CLOSES:
                opened = self._skip(at)
                if opened < 0:
                    return UNKNOWN, at
                suffix, at = CLOSES[byte] + suffix, opened
            elif byte in QUOTES:
                return f'""{suffix}', at
            else:
                break
        match = self._name.match(back, at, at + MAX_RECEIVER_BYTES)
        if match is None:
            return suffix, at
        name = match[0][::-1].decode("utf-8", "replace")
        if suffix and name in NOT_NAMES and self._sign_at(match.end()) is None:
            return suffix, at
        return name + suffix, match.end()

    def _skip(self, at: int) -> int:
        """Return the place behind the bracket that opens what the one at a place closes, -1 if that is too far."""
        known = self._brackets.get(at)
        if known is not None:
            return known
        back, open_at = self._back, [at]
        limit = at + MAX_ARGUMENT_BYTES
        flat = FLAT.match(back, at, limit)
        if flat is not None:
            return flat.end()
        place = at + 1
        while self._steps > 0:
            self._steps -= 1
            match = DELIMITER.search(back, place, limit)
            if match is None:
                break
            place = match.end()
            byte = back[place - 1]
            if byte in CLOSES:
                open_at.append(place - 1)
            elif byte in OPENERS:
                closed = open_at.pop()
                self._brackets[closed] = place
                if not open_at:
                    return place
            elif byte in QUOTES:
                place = self._skip_string(place, limit)
        self._brackets[at] = -1
        return -1

    def _skip_string(self, place: int, limit: int) -> int:
        """Return the place behind a string's first quote, given the one behind its last; the same for no string."""
        quote = self._back[place - 1 : place]
        line = self._back.find(b"\n", place, limit)
        end = limit if line < 0 or quote == b"`" else line
        at = place
        while (at := self._back.find(quote, at, end)) >= 0:
            at += 1
            if self._back[at : at + 1] != b"\\":
                return at
        return place


def _without_arguments(written: bytes) -> str:
    """Return an expression with nothing in its brackets."""
    if b"(" in written or b"[" in written:
        written = ARGUMENTS.sub(rb"\1\2", written)
    return written.decode("utf-8", "replace")


def _last_sign(text: str) -> str:
    """Return the sign of a member at the end of a text."""
    return "::" if text.endswith("::") else text[-1:]
