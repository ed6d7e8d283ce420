"""What the confidence is fitted to: questions that stand in the text, rows of evidence, weights and figures."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from coderag import Index
from coderag.index.build.embed import Embedding
from coderag.index.reader.corpus import Corpus, open_members
from coderag.index.storage.folder.index_path import IndexPath
from coderag.index.storage.manifest import read_manifest
from coderag.search.ranking.confidence import BY_VECTORS, BY_WORDS
from coderag.search.ranking.evidence import EVIDENCE
from scripts.confidence_data.export import weights_module
from scripts.confidence_data.fit import EITHER_WAY, cross_fitted, fit, probabilities
from scripts.confidence_data.gathering import Source
from scripts.confidence_data.measure import figures
from scripts.confidence_data.rows import HITS, Rows, rows_of
from scripts.confidence_data.written import ask_shared_names, ask_strings
from scripts.ranking_data.documented import ask_symbols, ask_ways
from tests.workspace import REPOSITORY, SHOP

SEED = 1
pytestmark = pytest.mark.slow


def source(name: str, root: Path, folder: Path) -> Source:
    Index.build(root, index=folder, workers=0)
    path = IndexPath(folder)
    manifest = read_manifest(path)
    corpus = Corpus(open_members(path, manifest))
    questions = [*ask_symbols(corpus, most=12, seed=SEED), *ask_ways(corpus, name, most=8, seed=SEED)]
    return Source(
        name, name, corpus, Embedding.of(manifest).encoder, (*questions, *ask_strings(corpus, most=4, seed=SEED))
    )


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> list[Source]:
    folder = tmp_path_factory.mktemp("sources")
    return [
        source("shop", SHOP, folder / "shop"),
        source("evaluate", REPOSITORY / "coderag/evaluate", folder / "evaluate"),
    ]


@pytest.fixture(scope="module")
def rows(sources: list[Source]) -> Rows:
    return rows_of(sources, with_vectors=True, say=lambda _: None)


def test_strings_stand_word_for_word_in_every_target(sources: list[Source]) -> None:
    corpus = sources[1].corpus
    asked = ask_strings(corpus, most=10, seed=SEED)
    assert asked
    texts = [corpus.chunk(number) for number in range(len(corpus))]
    for one in asked:
        holding = {(chunk.path, chunk.span.start_line) for chunk in texts if one.text in chunk.text}
        assert {(target.path, target.first_line) for target in one.targets} == holding


def test_shared_names_have_several_definitions(sources: list[Source]) -> None:
    corpus = sources[0].corpus
    for name in ask_shared_names(corpus, most=10, seed=SEED):
        assert len(list(corpus.definitions(name.text.lower()))) > 1


def test_questions_are_asked_where_they_have_an_answer_and_where_they_have_none(rows: Rows) -> None:
    first = rows.rank == 0
    assert rows.evidence.shape[1] == len(EVIDENCE)
    assert np.bincount(rows.question).max() <= HITS
    assert rows.right[first & rows.own & (rows.kind == "symbol")].mean() > 0.8
    assert (first & ~rows.own).sum() > 10
    assert not rows.right[~rows.own].any()


def test_weights_tell_right_from_wrong_and_only_those_of_the_question_are_negative(rows: Rows, tmp_path: Path) -> None:
    rows.save(tmp_path / "rows.npz")
    fitted = fit(Rows.load(tmp_path / "rows.npz"))
    negative = {name for name, weight in zip(EVIDENCE, fitted.weights.tolist(), strict=True) if weight < 0}
    assert negative <= EITHER_WAY
    sure = probabilities(rows, fitted)
    first = rows.rank == 0
    assert sure[first & rows.right].mean() > sure[first & ~rows.right].mean() + 0.3
    # The likeliest weights are right on average, by their own measure.
    weight = np.where(first, 1.0, 0.25) * np.where(rows.own, 1.0, 0.25)
    assert np.average(sure, weights=weight) == pytest.approx(np.average(rows.right, weights=weight), abs=0.02)
    assert cross_fitted(rows).shape == sure.shape


def test_a_report_counts_every_first_hit(rows: Rows) -> None:
    lines = list(figures(rows, np.where(rows.right, 0.9, 0.1)))
    own = int(((rows.rank == 0) & rows.own).sum())
    [line] = [line for line in lines if line.startswith("with an answer")]
    count, _, _, auc, _, brier = line.split()[3:]
    assert (count, auc, brier) == (str(own), "1.000", "0.010")
    assert lines[-1] == "right first hits: 100.0% pass 0.5, 100.0% pass 0.8"


def test_the_module_that_is_written_is_python_with_every_weight(rows: Rows) -> None:
    fitted = fit(rows)
    names: dict[str, object] = {}
    exec(weights_module(vectors=fitted, words=fitted, questions={"symbol": 2}), names)
    assert list(names["BY_VECTORS"]) == list(EVIDENCE)  # type: ignore[call-overload]
    assert names["START_BY_WORDS"] == pytest.approx(fitted.start, abs=0.01)


@pytest.mark.parametrize("weights", [BY_VECTORS, BY_WORDS])
def test_the_weights_that_are_shipped_know_the_evidence(weights: dict[str, float]) -> None:
    assert list(weights) == list(EVIDENCE)
    assert all(weight >= 0 for name, weight in weights.items() if name not in EITHER_WAY)


def test_the_command_explains_itself() -> None:
    command = [sys.executable, str(REPOSITORY / "scripts/train_confidence.py"), "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "--measure SUITES" in done.stdout
