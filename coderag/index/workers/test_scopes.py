"""A language to what tells which definitions are of the tests in a file of other code."""

from __future__ import annotations

import re
from collections.abc import Callable
from fnmatch import translate
from functools import cache, lru_cache

from coderag.syntax.language import Language
from coderag.types import Kind

__all__ = ["test_scope"]

REMEMBERED = 10_000  # scopes


@cache
def test_scope(language: Language) -> Callable[[str, Kind], bool]:
    """Return a function that tells whether a qualified name is within a module of tests, or that of one.

    In Rust "tests::parses" and "tests::Mock::new" are, and so is "tests" of a module; "parser::test_bit" is not.
    """
    if not language.test_scopes:
        return lambda _name, _kind: False
    globs = re.compile("|".join(map(translate, language.test_scopes)))
    separator = language.separator

    @lru_cache(REMEMBERED)
    def is_of_tests(scope: str) -> bool:
        return any(globs.match(part) is not None for part in scope.split(separator))

    def in_tests(qualified_name: str, kind: Kind) -> bool:
        return is_of_tests(qualified_name if kind is Kind.MODULE else qualified_name.rpartition(separator)[0])

    return in_tests
