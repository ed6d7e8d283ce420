"""The strings, quoted names and comments of SQL as patterns for re.DOTALL: all that reads its text is built of them.

Repeats are possessive: no text is tried twice, so the time is linear in what is passed over. What has no end goes on
to that of the text, unless it must have its `end`.
"""

from __future__ import annotations

import re

__all__ = ["CLOSED", "DOLLARS", "SKIPPED", "block_comment", "q_quoted", "quoted", "quoted_name", "triple_quoted"]

CLOSED = ""  # an `end`
DOLLARS = r"\$(?P<tag>(?:[^\W\d]\w*+)?)\$.*?(?:\$(?P=tag)\$|\Z)"


def block_comment(*, end: str = r"|\Z") -> str:
    """Return the pattern of a comment in which no other one nests."""
    return rf"/\*(?:[^*]++|\*(?!/))*+(?:\*/{end})"


def quoted(sign: str, *, backslash: bool = False, end: str = r"|\Z") -> str:
    """Return the pattern of what stands between two signs; one in it is doubled, or follows a backslash."""
    escape, escaped = (r"\\", r"\\(?:.|\Z)|") if backslash else ("", "")
    return rf"{sign}[^{sign}{escape}]*+(?:(?:{escaped}{sign}{sign})[^{sign}{escape}]*+)*+(?:{sign}{end})"


def triple_quoted(sign: str, *, end: str = r"|\Z") -> str:
    """Return the pattern of what stands between three signs and three."""
    return rf"{sign * 3}(?:[^{sign}\\]++|\\(?:.|\Z)|{sign}(?!{sign * 2}))*+(?:{sign * 3}{end})"


def q_quoted(*, end: str = r"|\Z") -> str:
    """Return the pattern of what follows the Q of Oracle's '[it's]' and '!it's!'."""
    pairs = "|".join(rf"\{first}.*?(?:\{last}'{end})" for first, last in ("[]", "()", "{}", "<>"))
    return rf"'(?:{pairs}|(?P<q>[^\s\w]).*?(?:(?P=q)'{end}))"


def quoted_name(sign: str) -> str:
    """Return the pattern of a name in one line that begins with a sign: " ` [."""
    last = r"\]" if sign == "[" else sign
    return rf"\{sign}[^{last}\n]{{0,400}}+(?:{last}{last}[^{last}\n]{{0,400}}+){{0,9}}+{last}"


# Comments and plain strings of any dialect: what stands in them is no SQL to read.
SKIPPED = re.compile(rf"--[^\n]*+|{block_comment()}|[nNeE]?" + quoted("'", backslash=True), re.DOTALL)
