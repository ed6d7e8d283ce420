"""A term as somebody wrote it to one that an index can be asked for."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from coderag.errors import QueryError
from coderag.types import Field, Kind, Term

__all__ = ["checked_term"]

WITH_REGEX = frozenset({Field.TEXT, Field.SYMBOL, Field.FILE})


@lru_cache(maxsize=256)
def checked_term(term: Term) -> Term:
    """Return a term with the names of languages and kinds as an index has them.

    Raises QueryError for a language or kind that coderag does not know, and for an expression where none makes sense.
    """
    if term.regex and term.field not in WITH_REGEX:
        raise QueryError(f"{term.field}: takes no regular expression; write a name")
    match term.field:
        case Field.LANGUAGE:
            from coderag.search.query.languages import language_names  # other searches read no data of languages
            from coderag.syntax.language import languages

            [name] = language_names([term.value])
            if name not in languages():
                from coderag.text.suggestion import suggestion

                raise QueryError(
                    f'unknown language "{term.value}"{suggestion(term.value, languages())}; '
                    'run "coderag languages" for the list'
                )
            return replace(term, value=name)
        case Field.KIND:
            kind = term.value.lower()
            if kind not in set(Kind):
                from coderag.text.suggestion import suggestion

                raise QueryError(
                    f'unknown kind "{term.value}"{suggestion(kind, set(Kind))}; kinds are {", ".join(Kind)}'
                )
            return replace(term, value=kind)
    return term
