"""The languages whose files are read with definitions, and their examples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from coderag.syntax.language import Language, languages

__all__ = ["OUTLINED", "example_of", "examples_of", "slow_but_for_some"]

OUTLINED = [language for language in languages().values() if language.reader == "outline"]
QUICK = {"go", "java", "lua", "python", "rust"}  # whose queries are compiled in a tenth of a second
EXPECTED = {".links", ".outline"}  # what comes out of an example


def examples_of(language: Language) -> list[Path]:
    """Return the examples of a language; one whose query is that of another has none."""
    return [path for path in sorted(language.folder.glob("example.*")) if path.suffix not in EXPECTED]


def example_of(language: Language) -> Path:
    """Return the only example of a language."""
    (path,) = examples_of(language)
    return path


def slow_but_for_some(languages: list[Language]) -> list[Any]:
    """Return languages as parameters of a test that compiles the query of each, which takes up to half a second."""
    return [one if one.name in QUICK else pytest.param(one, marks=pytest.mark.slow) for one in languages]
