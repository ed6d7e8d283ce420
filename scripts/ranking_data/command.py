"""The command line of the ranker's training."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence, Set
from pathlib import Path

import numpy as np

from coderag.errors import CoderagError
from coderag.index.storage.arrays.arrays import Array
from coderag.search.query.understand import QueryType
from coderag.search.ranking.features import FEATURES, LENGTHS
from coderag.search.ranking.rank import RANKER, RANKERS
from coderag.search.ranking.tuning import DEFAULT
from scripts.ranking_data.export import write_ranker
from scripts.ranking_data.fit import Plan, cross_fitted, grow
from scripts.ranking_data.gathering import of_packages, of_repositories, of_suites
from scripts.ranking_data.indexing import collected
from scripts.ranking_data.measure import Figures, by_kind, difference, measure
from scripts.ranking_data.records import TrainingError
from scripts.ranking_data.rows import Rows, joined, linear_scores

__all__ = ["run"]

RANKING = Path(__file__).resolve().parents[2] / "coderag/search/ranking"
SUITES = ("semble", "commits")
# What the kinds of questions count. Those of the suites are not there: nothing learns from what measures.
SHARES = {
    "commit": 3.0,
    "docstring": 2.0,
    "about": 1.0,
    "test": 1.0,
    "how": 0.7,
    "topic": 0.5,
    "document": 0.5,
    "second": 0.5,
    "symbol": 0.5,
}
# ... and for the ranker of questions for a change, which is asked what commits were about.
SHARES_OF_CHANGES = {"commit": 1.0, "docstring": 0.1, "second": 0.033, "how": 0.033, "test": 0.033}
SHARES_OF_RANKERS = {RANKER: SHARES, RANKERS[QueryType.EDIT]: SHARES_OF_CHANGES}
# A change is made in a long function more often than in a short one, whoever asks for it; that is no matter of how the
# questions were made.
LEFT_OUT = {RANKER: LENGTHS, RANKERS[QueryType.EDIT]: LENGTHS - {"lines"}}


def say(what: str) -> None:
    """Tell on the error stream what is being done."""
    print(what, file=sys.stderr, flush=True)


def run(arguments: Sequence[str]) -> int:
    """Train what the arguments ask for; return the exit status."""
    options = _parser().parse_args(arguments)
    try:
        rows = _rows(options)
        plans = {
            name: Plan(_learnable(LEFT_OUT[name]), options.rounds, shares) for name, shares in SHARES_OF_RANKERS.items()
        }
        if options.report:
            for name, plan in plans.items():
                print(f"\n{name}")
                _report(rows, plan)
            return 0
        for name, plan in plans.items():
            learned = np.isin(rows.kind, list(plan.shares))
            about = {
                "questions": dict(sorted(Counter(rows.kind[learned].tolist()).items())),
                "groups": len(set(rows.group[learned].tolist())),
                "rounds": plan.rounds,
            }
            file: Path = options.out / name
            write_ranker(file, grow(rows, plan, learned), [FEATURES[place] for place in plan.columns], about=about)
            say(f"wrote {file}, {file.stat().st_size:,} bytes")
    except (TrainingError, CoderagError) as error:
        print(f"train_ranker: {error}", file=sys.stderr)
        return 2
    return 0


def _learnable(left_out: Set[str]) -> tuple[int, ...]:
    """Return the columns of the features that a ranker learns from."""
    return tuple(place for place, name in enumerate(FEATURES) if name not in left_out)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="train_ranker", description="Train the rankers that coderag ships.")
    parser.add_argument(
        "--cache", type=Path, required=True, help="where packages, questions, indexes and rows are kept"
    )
    parser.add_argument("--suites", type=Path, help="folder with repos.json, annotations, commits.json and commits")
    parser.add_argument("--git", type=Path, help="folder of clones of public repositories, OWNER/NAME")
    parser.add_argument("--trees", type=Path, help="folder of laid out trees, for what has no clone")
    parser.add_argument(
        "--keep-rows", action="store_true", help="take the rows of the cache where they have the features"
    )
    parser.add_argument("--workers", type=int, default=0, help="processes that index; 0 for none but this one")
    parser.add_argument("--rounds", type=int, default=100, help="trees")
    parser.add_argument("--report", action="store_true", help="print figures by cross-validation, write nothing")
    parser.add_argument("--out", "-o", type=Path, default=RANKING, help="the folder to write to")
    return parser


def _rows(options: argparse.Namespace) -> Rows:
    """Return the rows of all collections, kept in the cache as well."""
    cache: Path = options.cache
    if options.suites is not None and options.git is None and options.trees is None:
        raise TrainingError("--suites needs --git or --trees, the folder with clones or trees of their repositories")
    collections = of_packages(cache, say=say)
    if options.git is not None:
        collections += of_repositories(options.git, cache, say=say)
    if options.suites is not None:
        collections += of_suites(options.suites, git=options.git, trees=options.trees, cache=cache, say=say)
    (cache / "rows").mkdir(parents=True, exist_ok=True)
    parts: list[Rows] = []
    for number, collection in enumerate(collections, start=1):
        file = cache / "rows" / f"{collection.name}.npz"
        kept = Rows.load(file) if options.keep_rows and file.is_file() else None
        if kept is not None and kept.features.shape[1] == len(FEATURES):
            parts.append(kept)
            continue
        say(f"{number} of {len(collections)}: {collection.name}")
        rows = collected(collection, cache, workers=options.workers)
        if rows is not None:
            rows.save(file)
            parts.append(rows)
    return joined(parts)


def _report(rows: Rows, plan: Plan) -> None:
    """Print how the first stage, the weighted features and the ranker do on packages and repositories not learned."""
    shapes = np.repeat(rows.shape, rows.sizes)
    linear = np.zeros(len(rows.factor), dtype=np.float32)
    share = np.zeros_like(linear)
    for shape in QueryType:
        linear[shapes == shape] = linear_scores(rows.features[shapes == shape], shape)
        share[shapes == shape] = DEFAULT.ltr_weight[shape]
    told = 1 / (1 + np.exp(-cross_fitted(rows, plan)))
    rankings = {
        "first stage": rows.features[:, FEATURES.index("fused")],
        "linear": linear * rows.factor,
        "ranker alone": told,
        "linear and ranker": (linear + share * told) * rows.factor,
    }
    figures = {name: measure(rows, scores, DEFAULT.file_decay) for name, scores in rankings.items()}
    kinds = Counter(rows.kind.tolist())
    print(f"{'kind':24} {'questions':>9}  " + "  ".join(f"{name:>22}" for name in figures))
    for kind in by_kind(rows, figures["linear"].reciprocal):
        count = kinds.get(kind) or sum(number for name, number in kinds.items() if name.startswith(f"{kind}:"))
        cells = (_cell(rows, figure, kind) for figure in figures.values())
        print(f"{kind:24} {count:9}  " + "  ".join(f"{cell:>22}" for cell in cells))
    print("\nMRR@10 and recall@10; of suites NDCG@10 and tight NDCG@10. Gains of linear and ranker over linear:")
    for kind in sorted({kind.partition(":")[0] for kind in kinds}):
        chosen = np.array([one.partition(":")[0] == kind for one in rows.kind.tolist()])
        of_suite = kind in SUITES
        new, old = (_values(figures[name], of_suite)[chosen] for name in ("linear and ranker", "linear"))
        gain, low, high = difference(new, old)
        print(f"{kind:24} {gain:+.4f}  [{low:+.4f}, {high:+.4f}]")


def _values(figures: Figures, of_suite: bool) -> Array:
    return figures.ndcg if of_suite else figures.reciprocal


def _cell(rows: Rows, figures: Figures, kind: str) -> str:
    of_suite = kind.partition(":")[0] in SUITES
    first = by_kind(rows, _values(figures, of_suite))[kind]
    second = by_kind(rows, figures.tight if of_suite else figures.found)[kind]
    return f"{first:.3f} {second:.3f}"
