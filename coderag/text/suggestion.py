"""An unknown word to the message that says so, with the known word that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["suggestion", "unknown"]


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return `, did you mean "X"` for the known word that is spelled most like one, "" if none is."""
    near = get_close_matches(word.lower(), sorted(map(str, known)), n=1)
    return f', did you mean "{near[0]}"' if near else ""


def unknown(what: str, word: object, known: Iterable[str], *, plural: str = "") -> str:
    """Return the message about a word that is not among the known ones.

    `methd`, of kinds -> unknown kind 'methd', did you mean "method"; kinds are function, method, class
    """
    words = list(map(str, known))
    return f"unknown {what} {word!r}{suggestion(str(word), words)}; {plural or what + 's'} are {', '.join(words)}"
