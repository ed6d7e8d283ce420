"""An orchestration as settings write it, as names and plain tables, to stages.

pipeline = [
    "reframe",
    { when = "compound", then = ["decompose"] },
    "route",
    "retrieve",
    { repeat = ["expand", "retrieve", "correct"], until = "sufficient", at_most = 2 },
    { branch = "route", cases = { code = ["small_to_big"] }, otherwise = ["compress"] },
    "answer",
]

Whoever writes settings of a repository may be hostile: rows and their nesting are bounded before anything is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from coderag.ask.orchestration.combinators import branch, repeat, stage_of, when
from coderag.ask.orchestration.orchestration import MOST_DEPTH, MOST_STAGES, Orchestration, orchestrated
from coderag.ask.pipelines import Stage
from coderag.errors import QueryError, SettingsError

__all__ = ["read_pipeline"]

# What a table may have besides the field that says what it is.
FIELDS: Mapping[str, tuple[str, ...]] = {
    "when": ("then", "otherwise"),
    "branch": ("cases", "otherwise"),
    "repeat": ("until", "at_most"),
}
NEEDED: Mapping[str, tuple[str, ...]] = {"when": ("then",), "branch": ("cases",), "repeat": ("until", "at_most")}


def read_pipeline(value: Any, *, where: str) -> Orchestration:
    """Return the orchestration of a value of settings; raises SettingsError, which begins with `where`."""
    if not isinstance(value, str | list):
        raise SettingsError(f"{where} must be a name or a list of stages")
    try:
        return orchestrated(value if isinstance(value, str) else _row(value, where, depth=0))
    except QueryError as error:
        raise SettingsError(f"{where}: {error}") from error


def _row(value: Any, where: str, *, depth: int) -> list[Stage]:
    if not isinstance(value, list):
        raise SettingsError(f"{where} must be a list of stages")
    if depth > MOST_DEPTH:
        raise SettingsError(f"{where}: rows of stages are nested more than {MOST_DEPTH} deep")
    if len(value) > MOST_STAGES:
        raise SettingsError(f"{where} has {len(value):,} stages; give at most {MOST_STAGES}")
    return [_stage(one, f"{where}, entry {number}", depth=depth) for number, one in enumerate(value, 1)]


def _stage(value: Any, where: str, *, depth: int) -> Stage:
    try:
        if isinstance(value, str):
            return stage_of(value)
        return _of_table(value, where, depth=depth)
    except QueryError as error:
        raise SettingsError(f"{where}: {error}") from error


def _of_table(table: Any, where: str, *, depth: int) -> Stage:
    kinds = [name for name in FIELDS if isinstance(table, dict) and name in table]
    if len(kinds) != 1:
        raise SettingsError(f"{where} must be the name of a stage, or a table with one of {', '.join(FIELDS)}")
    kind = kinds[0]
    if unknown := sorted(table.keys() - {kind, *FIELDS[kind]}):
        raise SettingsError(f"{where}: {kind} has no field {unknown[0]!r}; it has {', '.join(FIELDS[kind])}")
    if missing := [name for name in NEEDED[kind] if name not in table]:
        raise SettingsError(f"{where}: {kind} needs the field {missing[0]!r}")

    def row(name: str) -> list[Stage]:
        return _row(table.get(name, []), f"{where}, {name}", depth=depth + 1)

    if kind == "when":
        return when(_text(table, kind, where), row("then"), row("otherwise"))
    if kind == "repeat":
        return repeat(*row("repeat"), until=_text(table, "until", where), at_most=table["at_most"])
    cases = table["cases"]
    if not isinstance(cases, dict) or len(cases) > MOST_STAGES:
        raise SettingsError(f"{where}, cases must be a table of at most {MOST_STAGES} lists of stages")
    rows = {name: _row(one, f"{where}, {name}", depth=depth + 1) for name, one in cases.items()}
    return branch(_text(table, kind, where), rows, otherwise=row("otherwise"))


def _text(table: Mapping[str, Any], name: str, where: str) -> str:
    if not isinstance(table[name], str):
        raise SettingsError(f"{where}: {name!r} must be a name")
    return str(table[name])
