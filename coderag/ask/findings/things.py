"""How a question names the one definition or table that it is about."""

from __future__ import annotations

import re

__all__ = ["CODE_KINDS", "LONGEST", "PLAIN", "thing_pattern"]

LONGEST = 200  # characters of such a question
CODE_KINDS = "function|method|class|interface|struct|trait|type|module"
NAME = r"[A-Za-z_$][\w$]{0,80}(?:(?:\.|::|\#)[\w$]{1,80}){0,6}"
PLAIN = re.compile(r"[a-z]+")  # a word that may be no name


def thing_pattern(group: str, *, kinds: str = CODE_KINDS) -> str:
    """Return the pattern of a named thing, with or without its kind; `group` gets the name. For re.VERBOSE."""
    kind = f"(?:{kinds})"
    return rf"(?:the\ )?(?:{kind}\ )?[`'\"]?(?P<{group}>{NAME})(?:\(\))?[`'\"]?(?:\ {kind})?"
