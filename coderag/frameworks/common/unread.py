"""A file of code to the framework that declares tables in it and that nothing here reads."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Mapping
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import NamedTuple

from coderag.frameworks.common.held_texts import holds

__all__ = ["UnreadFramework", "unread_framework", "unread_frameworks"]

TABLE = Path(__file__).with_name("unread.toml")


class UnreadFramework(NamedTuple):
    """How a file of a framework is recognised."""

    name: str
    languages: tuple[str, ...]
    paths: tuple[str, ...]  # globs, one of which matches; none: any path
    holds: tuple[tuple[bytes, ...], ...]  # of each, a file holds at least one


def unread_framework(data: bytes, *, language: str, path: str) -> str:
    """Return the name of the framework whose declarations a file holds, "" for none."""
    for framework in _by_language().get(language, ()):
        if framework.paths and not any(fnmatch(path, glob) or fnmatch(path, f"*/{glob}") for glob in framework.paths):
            continue
        if holds(data, framework.holds):
            return framework.name
    return ""


@cache
def unread_frameworks() -> tuple[UnreadFramework, ...]:
    """Return all frameworks of the table, in its order."""
    return tuple(
        UnreadFramework(
            name=load["name"],
            languages=tuple(load["languages"]),
            paths=tuple(load.get("paths", ())),
            holds=tuple(tuple(text.encode() for text in texts) for texts in load["holds"]),
        )
        for load in tomllib.loads(TABLE.read_text(encoding="utf-8"))["framework"]
    )


@cache
def _by_language() -> Mapping[str, tuple[UnreadFramework, ...]]:
    found: defaultdict[str, list[UnreadFramework]] = defaultdict(list)
    for framework in unread_frameworks():
        for language in framework.languages:
            found[language].append(framework)
    return {language: tuple(frameworks) for language, frameworks in found.items()}
