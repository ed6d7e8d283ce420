"""The `[ask]` table of the roots' settings, and what somebody states instead, to the orchestration that answers.

[ask]
pipeline = ["reframe", "route", "retrieve", "correct", "answer"]    # or "naive", "advanced", "modular", "agentic"

What a repository chooses costs no request to a model: stages that may ask one go by rules there, until the user states
the pipeline, or says with "settings" that theirs is to be taken as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from coderag.ask.orchestration.orchestration import Orchestration, orchestrated
from coderag.ask.orchestration.reading import read_pipeline
from coderag.ask.pipelines import DEFAULT, Stage
from coderag.errors import SettingsError
from coderag.sql.settings import read_ask_table

__all__ = ["SETTINGS", "pipeline_of", "stated_or_set"]

SETTINGS = "settings"  # the pipeline of the settings, stated by the user


def stated_or_set(stated: str | Sequence[str | Stage], roots: Iterable[Path]) -> Orchestration:
    """Return the pipeline that the user states, else that of the settings; raises QueryError and SettingsError."""
    if not stated or stated == SETTINGS:
        pipeline = pipeline_of(roots)
        return pipeline.asking_model() if stated else pipeline
    return orchestrated(stated).asking_model()


def pipeline_of(roots: Iterable[Path]) -> Orchestration:
    """Return what the first root with such a setting states, else the default; raises SettingsError."""
    for root in roots:
        file, table = read_ask_table(root)
        if unknown := sorted(table.keys() - {"pipeline"}):
            raise SettingsError(f"{file}: [ask]: {unknown[0]!r} is unknown; the only field is 'pipeline'")
        if "pipeline" in table:
            return read_pipeline(table["pipeline"], where=f"{file}: [ask]: pipeline")
    return orchestrated(DEFAULT)
