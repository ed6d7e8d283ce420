"""Questions about data to the share of the tables of their SQL that an answer's sources define, stage by stage."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from coderag.api.index import Index
from coderag.ask.records import Answer, Route
from coderag.ask.turn import Evidence
from scripts.stages.measuring import Scored, after, half_of, shown
from scripts.stages.questions import Repository, open_repository

__all__ = ["DATA_SETS", "DataQuestion", "data_repositories", "data_scores"]

DATA_SETS = ("spider_dev", "bird_train1000", "snails_native", "snails_low", "kaggledbqa", "defog_postgres")


@dataclass(frozen=True, slots=True)
class DataQuestion:
    """A question, the file that declares its database, and the tables that its SQL reads."""

    text: str
    path: str
    tables: frozenset[str]  # in lower case, without their schema

    @property
    def half(self) -> str:
        """The half that its database belongs to."""
        return half_of(self.path)


def data_repositories(
    sets: Path, *, half: str, names: Sequence[str]
) -> Iterator[tuple[Repository, list[DataQuestion]]]:
    """Yield each set as one repository of all its databases, with the questions of a half."""
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(shutil.copytree(sets / "sql/ddl" / name, Path(folder) / name))
            Index.build(root)
            yield open_repository(root, suite="sql", name=name), list(_questions(sets, name, root, half))


def _questions(sets: Path, name: str, root: Path, half: str) -> Iterator[DataQuestion]:
    files = {_squashed(path.stem): path.name for path in sorted(root.glob("*.sql"))}
    for line in (sets / "sql/items" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        path = files.get(_squashed(row["db_id"]))
        tables = frozenset(_last(table) for table in row["gold_tables"] or ())
        if path and tables and half in ("all", half_of(path)):
            yield DataQuestion(row["question"], path, tables)


def data_scores(
    repository: Repository, asked: Iterable[DataQuestion], pipelines: Mapping[str, Sequence[str]]
) -> Scored:
    """Return the share of the wanted tables that the sources of each pipeline define; all are taken for data."""
    found: dict[str, list[float]] = {name: [] for name in pipelines}
    acted: dict[str, list[bool]] = {name: [] for name in pipelines}
    halves: list[str] = []
    for one in asked:
        halves.append(one.half)
        begun = replace(repository.turn(one.text), evidence=(Evidence(one.text, routes=(Route.DATA,)),))
        first: Answer | None = None
        for name, stages in pipelines.items():
            answer = after(begun, stages).answer
            first = first or answer
            found[name].append(_held(answer, one))
            acted[name].append(bool(answer and first and shown(answer) != shown(first)))
    scores = {name: np.array(values) for name, values in found.items()}
    return Scored(tuple(halves), scores, {name: np.array(values, dtype=bool) for name, values in acted.items()})


def _held(answer: Answer | None, asked: DataQuestion) -> float:
    sources = (*answer.sources, *answer.further) if answer else ()
    return len(asked.tables & {_last(source.name) for source in sources if source.path == asked.path}) / len(
        asked.tables
    )


def _last(name: str) -> str:
    return name.rpartition(".")[2].strip('"[]`').lower()


def _squashed(text: str) -> str:
    return "".join(sign for sign in text.lower() if sign.isalnum())
