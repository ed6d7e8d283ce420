"""The `[ask]` table of the roots' settings to the pipeline that answers.

[ask]
pipeline = ["reframe", "route", "retrieve", "correct", "answer"]    # or "naive", "advanced", "modular", "agentic"
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from coderag.ask.pipelines import DEFAULT, stage_names
from coderag.errors import QueryError, SettingsError
from coderag.sql.settings import read_ask_table

__all__ = ["pipeline_of"]


def pipeline_of(roots: Iterable[Path]) -> tuple[str, ...]:
    """Return the stages that the first root with such a setting states, else the default; raises SettingsError."""
    for root in roots:
        file, table = read_ask_table(root)
        if unknown := sorted(table.keys() - {"pipeline"}):
            raise SettingsError(f"{file}: [ask]: {unknown[0]!r} is unknown; the only field is 'pipeline'")
        if "pipeline" not in table:
            continue
        stated = table["pipeline"]
        if not isinstance(stated, str) and not (
            isinstance(stated, list) and all(isinstance(one, str) for one in stated)
        ):
            raise SettingsError(f"{file}: [ask]: 'pipeline' must be a name or a list of names of stages")
        try:
            return stage_names(stated)
        except QueryError as error:
            raise SettingsError(f"{file}: [ask]: {error}") from error
    return stage_names(DEFAULT)
