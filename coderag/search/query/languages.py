"""Words for languages to their names."""

from __future__ import annotations

from collections.abc import Sequence

from coderag.syntax.language import languages

__all__ = ["language_names"]


def language_names(words: Sequence[str]) -> list[str]:
    """Return the names of languages that may be given by title or extension: `C++` and `.cc` are cpp."""
    names: dict[str, str] = {}
    for language in languages().values():
        names |= dict.fromkeys(
            (*language.extensions, *(extension[1:] for extension in language.extensions)), language.name
        )
    names |= {language.title.lower(): language.name for language in languages().values()}
    names |= {name: name for name in languages()}
    return [names.get(word.lower(), word) for word in words]
