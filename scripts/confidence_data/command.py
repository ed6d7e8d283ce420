"""The command line of the confidence's fitting."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from coderag.errors import CoderagError
from coderag.search.ranking.confidence import BY_VECTORS, BY_WORDS, START_BY_VECTORS, START_BY_WORDS
from coderag.search.ranking.evidence import EVIDENCE
from scripts.confidence_data.export import weights_module
from scripts.confidence_data.fit import Fitted, cross_fitted, fit, probabilities
from scripts.confidence_data.gathering import Source, learned_from, measured_on
from scripts.confidence_data.measure import figures
from scripts.confidence_data.rows import Rows, rows_of
from scripts.ranking_data.records import TrainingError

__all__ = ["run"]

WEIGHTS = Path(__file__).resolve().parents[2] / "coderag/search/ranking/confidence_weights.py"


def say(what: str) -> None:
    """Tell on the error stream what is being done."""
    print(what, file=sys.stderr, flush=True)


def run(arguments: Sequence[str]) -> int:
    """Fit, measure or both, as the arguments ask; return the exit status."""
    options = _parser().parse_args(arguments)
    try:
        if options.measure is not None:
            _measure(list(measured_on(options.measure, options.indexed, options.cache)))
            return 0
        learned = list(learned_from(options.cache, git=options.git, workers=options.workers, say=say))
        if len(learned) < 2:
            raise TrainingError("questions without an answer need two sources; see sources.toml")
        _fit(learned, options)
    except (TrainingError, CoderagError) as error:
        print(f"train_confidence: {error}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="train_confidence", description="Fit the confidence that coderag ships.")
    parser.add_argument("--cache", type=Path, required=True, help="where trees, questions and indexes are kept")
    parser.add_argument("--git", type=Path, default=Path(), help="folder of clones of the repositories, OWNER/NAME")
    parser.add_argument("--workers", type=int, default=0, help="processes that index; 0 for none but this one")
    parser.add_argument("--out", "-o", type=Path, default=WEIGHTS, help="the module to write")
    parser.add_argument("--measure", type=Path, metavar="SUITES", help="only measure, on the repositories of suites")
    parser.add_argument("--indexed", type=Path, default=Path(), help="folder with their trees, indexed: SUITE/NAME")
    return parser


def _fit(learned: Sequence[Source], options: argparse.Namespace) -> None:
    """Write the weights of both confidences, and report what they do on sources that they were not fitted to."""
    fitted: dict[bool, Fitted] = {}
    for with_vectors in (True, False):
        rows = rows_of(learned, with_vectors=with_vectors, say=say)
        _report("cross-fitted", rows, cross_fitted(rows), with_vectors=with_vectors)
        fitted[with_vectors] = fit(rows)
        questions = Counter(rows.kind[(rows.rank == 0) & rows.own].tolist())
    options.out.write_text(
        weights_module(vectors=fitted[True], words=fitted[False], questions=questions), encoding="utf-8"
    )
    say(f"wrote {options.out}")


def _measure(sources: Sequence[Source]) -> None:
    """Report what the shipped weights do on repositories of the suites."""
    for with_vectors in (True, False):
        rows = rows_of(sources, with_vectors=with_vectors, say=say)
        named, start = (BY_VECTORS, START_BY_VECTORS) if with_vectors else (BY_WORDS, START_BY_WORDS)
        shipped = Fitted(np.array([named[name] for name in EVIDENCE]), start)
        _report("as shipped, held-out", rows, probabilities(rows, shipped), with_vectors=with_vectors)


def _report(
    what: str, rows: Rows, confidences: np.ndarray[tuple[int], np.dtype[np.float64]], *, with_vectors: bool
) -> None:
    print(f"\n{'Vectors and words' if with_vectors else 'Words alone'}, {what}")
    print("\n".join(figures(rows, confidences)))
