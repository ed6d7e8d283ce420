"""The lexers of Pygments by the names that languages have here, and what a table has for the kind of a token."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
from pygments.util import ClassNotFound  # type: ignore[import-untyped]

__all__ = ["lexer_of", "of_token"]

# Where Pygments knows a language by another name.
NAMES = {
    "csharp": "c#",
    "hcl": "terraform",
    "notebook": "python",
    "ocaml_interface": "ocaml",
    "objective-c": "objectivec",
    "restructuredtext": "rst",
    "visual-basic": "vb.net",
}


@lru_cache(maxsize=32)
def lexer_of(language: str) -> Any:
    """Return the lexer of a language, None if there is none."""
    try:
        return get_lexer_by_name(NAMES.get(language, language), stripnl=False, ensurenl=True)
    except ClassNotFound:
        return None


def of_token(token: Any, table: Mapping[Any, str]) -> str:
    """Return what a table has for a token or for the nearest one above it, "" for none."""
    found = token
    while found is not None and found not in table:
        found = found.parent
    return table[found] if found is not None else ""
