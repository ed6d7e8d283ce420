"""Ways of searching that are compared: a name and settings to functions that answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from coderag.api.index import Index
from coderag.errors import EvaluationError
from coderag.evaluate.baselines.found import Found, Search, found_hit
from coderag.search.ranking.settings import make_pipeline
from coderag.sql.records import Name
from coderag.types import Pipeline, Query, TableFilter

__all__ = ["DEFAULT", "PROGRAM", "Configuration", "TableQuestion", "parse_configuration", "searcher", "table_searcher"]

INDEX = "index"  # the setting that names another index of the same roots
STAGES = ("fusion", "reranker", "without")  # settings of a Pipeline
KNOWN = (INDEX, *STAGES)
BM25S, RIPGREP, PROGRAM = "bm25s", "ripgrep", "program="  # searches that are not coderag's own


@dataclass(frozen=True, slots=True)
class Configuration:
    """A way of searching; without settings that of `coderag search`."""

    name: str
    settings: Mapping[str, str] = field(default_factory=dict)
    baseline: str = ""  # BM25S, RIPGREP, or PROGRAM with a command; "": coderag's own search


DEFAULT = Configuration("default")


@dataclass(frozen=True, slots=True)
class TableQuestion:
    """A question about data."""

    text: str
    k: int
    evidence: str = ""
    database: str = ""  # the only one to look in, "" for all


def parse_configuration(text: str) -> Configuration:
    """Return the configuration of `name=value,name=value`, of the folder of another index, or of a baseline.

    Raises EvaluationError for an unknown setting.
    """
    if text in (BM25S, RIPGREP) or text.startswith(PROGRAM):
        return Configuration(text, baseline=text)
    if "=" not in text:
        if not Path(text).is_dir():
            raise EvaluationError(
                f"{text!r} is neither a list of name=value nor the folder of an index, and not {BM25S} or {RIPGREP}"
            )
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


@contextmanager
def searcher(index: Index, configuration: Configuration) -> Iterator[Search]:
    """Give what answers questions about the code of an index's roots; it ends with the block.

    Raises StoredIndexError as opening an index does, and EvaluationError for a baseline that this machine lacks.
    """
    baseline = configuration.baseline
    if baseline == BM25S:
        from coderag.evaluate.baselines.bm25 import bm25_search

        yield bm25_search(index)
    elif baseline == RIPGREP:
        from coderag.evaluate.baselines.ripgrep import ripgrep_search

        yield ripgrep_search(index)
    elif baseline:
        from coderag.evaluate.baselines.program import ProgramSearch

        with closing(ProgramSearch(index, baseline.removeprefix(PROGRAM))) as program:
            yield program
    else:
        yield _own(index, configuration)


def _own(index: Index, configuration: Configuration) -> Search:
    searched = _index_of(index, configuration)
    pipeline = _pipeline(configuration)

    def answer(query: Query) -> list[Found]:
        return [found_hit(hit) for hit in searched.search(replace(query, pipeline=pipeline))]

    return answer


def table_searcher(index: Index, configuration: Configuration) -> Callable[[TableQuestion], list[Name]]:
    """Return what ranks the tables of an index's roots for a question, best first; raises EvaluationError."""
    if configuration.baseline:
        raise EvaluationError(f"{configuration.name} answers no questions about tables; ask it about code alone")
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
    setting = configuration.settings.get
    without = setting("without", "")
    return make_pipeline(
        fusion=setting("fusion", ""), reranker=setting("reranker", ""), without=without.split("+") if without else ()
    )


def _index_of(index: Index, configuration: Configuration) -> Index:
    folder = configuration.settings.get(INDEX, "")
    return Index.open(*(root.root for root in index.roots), index=folder) if folder else index
