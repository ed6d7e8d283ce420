"""Ways of searching that are compared: a name and settings to functions that answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from coderag.api.index import Index
from coderag.errors import EvaluationError
from coderag.search.ranking.settings import make_pipeline
from coderag.sql.records import Name
from coderag.types import Hit, Pipeline, Query, TableFilter

__all__ = ["DEFAULT", "Configuration", "TableQuestion", "parse_configuration", "searcher", "table_searcher"]

INDEX = "index"  # the setting that names another index of the same roots
STAGES = ("fusion", "reranker", "without")  # settings of a Pipeline
KNOWN = (INDEX, *STAGES)


@dataclass(frozen=True, slots=True)
class Configuration:
    """A way of searching; without settings that of `coderag search`."""

    name: str
    settings: Mapping[str, str] = field(default_factory=dict)


DEFAULT = Configuration("default")


@dataclass(frozen=True, slots=True)
class TableQuestion:
    """A question about data."""

    text: str
    k: int
    evidence: str = ""
    database: str = ""  # the only one to look in, "" for all


def parse_configuration(text: str) -> Configuration:
    """Return the configuration of `name=value,name=value`, or of the folder of another index.

    Raises EvaluationError for an unknown setting.
    """
    if "=" not in text:
        if not Path(text).is_dir():
            raise EvaluationError(f"{text!r} is neither a list of name=value nor the folder of an index")
        return Configuration(text, {INDEX: text})
    settings: dict[str, str] = {}
    for one in text.split(","):
        name, sign, value = (part.strip() for part in one.partition("="))
        if not sign or not value:
            raise EvaluationError(f"{one.strip()!r} is no setting; write name=value")
        if name not in KNOWN:
            raise EvaluationError(f"unknown setting {name!r}; known are {', '.join(KNOWN)}")
        settings[name] = value
    return Configuration(text, settings)


def searcher(index: Index, configuration: Configuration) -> Callable[[Query], list[Hit]]:
    """Return what answers questions about the code of an index's roots; raises StoredIndexError as opening one does."""
    searched = _index_of(index, configuration)
    pipeline = _pipeline(configuration)

    def answer(query: Query) -> list[Hit]:
        return searched.search(replace(query, pipeline=pipeline))

    return answer


def table_searcher(index: Index, configuration: Configuration) -> Callable[[TableQuestion], list[Name]]:
    """Return what ranks the tables of an index's roots for a question, best first."""
    searched = _index_of(index, configuration)

    def answer(question: TableQuestion) -> list[Name]:
        return _ranked(searched, question)

    return answer


def _ranked(index: Index, question: TableQuestion) -> list[Name]:
    conditions = TableFilter(databases=frozenset({question.database} - {""}))
    ranking = index.table_ranking(question.text, k=question.k, evidence=question.evidence, conditions=conditions)
    return [index.catalog.tables[table.table].name for table in ranking.tables]


def _pipeline(configuration: Configuration) -> Pipeline:
    """Return how a configuration ranks; several kinds of evidence to leave out are joined by "+"."""
    said = configuration.settings.get
    without = said("without", "")
    return make_pipeline(
        fusion=said("fusion", ""), reranker=said("reranker", ""), without=without.split("+") if without else ()
    )


def _index_of(index: Index, configuration: Configuration) -> Index:
    folder = configuration.settings.get(INDEX, "")
    return Index.open(*(root.root for root in index.roots), index=folder) if folder else index
