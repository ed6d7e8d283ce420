"""The arguments of scripts/judge_stages.py to what it prints."""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from coderag import Index
from coderag.ask.pipelines import DEFAULT, PIPELINES, STAGES
from coderag.evaluate.resampling import compare
from scripts.stages.compound import JOINS, compound_scores, single_scores
from scripts.stages.data import DATA_SETS, data_repositories, data_scores
from scripts.stages.measuring import Scored, answer_scores, context_scores, half_of, joined, rank_scores
from scripts.stages.questions import SUITES, Repository, compound_questions, repositories

__all__ = ["run"]

REPOSITORY = Path(__file__).resolve().parents[2]
ANSWERABLE = REPOSITORY / "fixtures/ask/answerable.jsonl"
QUESTIONS = REPOSITORY / "fixtures/ask/questions"
SHOP = REPOSITORY / "fixtures/shop"
SEED = 20
WITHOUT = "without"  # the pipeline that the others are compared with
SHAPING = ("small_to_big", "compress", "small_to_big+compress")
BUDGETS = (500, 1000, 2000)  # tokens of all sources
WORDING = ("expand", "multi_query", "hyde", "step_back")


def run(arguments: Sequence[str]) -> int:
    """Print a table; always 0, as nothing here is right or wrong."""
    options = _options(arguments)
    if options.what == "answers":
        print("\n".join(table("right answers and refusals", _answers(options.packages), half=options.half)))
        return 0
    if options.what == "compound" and options.packages != Path():
        asked = single_scores(compound_questions(QUESTIONS, options.packages))
        print("\n".join(table("compound questions, targets held in 2,000 tokens", asked)))
        return 0
    if options.what == "data":
        _data(options)
        return 0
    for suite in options.suite or SUITES:
        every = repositories(options.sets, options.indexed, suite)
        found = [one for one in every if options.half in ("all", half_of(one.name))]
        if options.what == "compound":
            print("\n".join(_compound(found, suite=suite, half=options.half)))
            continue
        if options.what == "rank":
            worded = {WITHOUT: (), **{name: (name,) for name in WORDING}, "all four": WORDING}
            print("\n".join(table(f"{suite}, nDCG@10", rank_scores(found, worded), half=options.half)))
            continue
        shaped = {name: ("retrieve", *name.split("+"), "answer") for name in SHAPING}
        scored = context_scores(found, {WITHOUT: ("retrieve", "answer"), **shaped}, BUDGETS)
        for (measure, budget), one in scored.items():
            print("\n".join(table(f"{suite}, {measure} held in {budget} tokens", one, half=options.half)))
    return 0


def _compound(repositories: Sequence[Repository], *, suite: str, half: str) -> list[str]:
    """Return what cutting gains on composed questions, of each join too, and what it does to single ones."""
    scored, joins = compound_scores(repositories)
    rows = table(f"{suite}, two questions in one, targets held in 2,000 tokens", scored, half=half)
    for join in JOINS:
        of_join = [place for place, one in enumerate(joins) if one == join]
        rows += table(f"  joined by {join}", _chosen(scored, of_join), half=half)
    return rows + table(f"{suite}, single questions", single_scores(repositories), half=half)


def _chosen(scored: Scored, places: Sequence[int]) -> Scored:
    return Scored(
        tuple(scored.halves[place] for place in places),
        {name: one[places] for name, one in scored.scores.items()},
        {name: one[places] for name, one in scored.acted.items()},
    )


def _data(options: argparse.Namespace) -> None:
    """Print the table of each set of questions about data, and that of all."""
    worded = {WITHOUT: (), **{name: (name,) for name in WORDING}, "all four": WORDING}
    pipelines = {name: (*stages, "retrieve", "correct", "answer") for name, stages in worded.items()}
    every: list[Scored] = []
    for repository, asked in data_repositories(options.sets, half=options.half, names=options.set or DATA_SETS):
        every.append(data_scores(repository, asked[:: options.each], pipelines))
        print("\n".join(table(f"{repository.name}, tables held", every[-1], half=options.half)), flush=True)
    print("\n".join(table("all sets, tables held", joined(every), half=options.half)))


def _answers(packages: Path) -> Scored:
    """Return what each stage changes of the default pipeline."""
    usual = PIPELINES[DEFAULT]
    stages = [*WORDING, "reflect", *SHAPING[:2]]
    pipelines = {WITHOUT: usual, **{name: tuple(one for one in STAGES if one in {*usual, name}) for name in stages}}
    asked = [json.loads(line) for line in ANSWERABLE.read_text(encoding="utf-8").splitlines()]
    roots = {"shop": SHOP} | {name: packages / name for name in {one["root"] for one in asked} - {"shop"}}
    with tempfile.TemporaryDirectory() as folder:
        indexes = {
            name: Index.build(root, index=Path(folder) / name) for name, root in sorted(roots.items()) if root.is_dir()
        }
        return answer_scores(indexes, asked, pipelines)


def table(title: str, scored: Scored, *, half: str = "all") -> list[str]:
    """Return how each pipeline differs from the first over all questions, as lines, in hundredths."""
    mask = [half in ("all", one) for one in scored.halves]
    first = scored.scores[WITHOUT][mask]
    if not len(first):
        return [f"{title}, {half}: no questions"]
    rows = [f"{title}, {half}: {len(first)} questions, without {100 * first.mean():.1f}"]
    for name, scores in scored.scores.items():
        if name == WITHOUT:
            continue
        found = compare(first, scores[mask], seed=SEED)
        low, mean, high = (100 * one for one in (found.difference.low, found.difference.mean, found.difference.high))
        acted = scored.acted[name][mask].mean()
        rows.append(
            f"  {name:<12} {mean:+6.2f}  [{low:+.2f}, {high:+.2f}]  p {found.p:.3f}  acts on {acted:4.0%}  "
            f"better {found.wins}, worse {found.losses}"
        )
    return rows


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="judge_stages.py", description="Judge the stages of coderag ask.")
    parser.add_argument("what", choices=("rank", "context", "data", "answers", "compound"))
    parser.add_argument("--sets", type=Path, default=Path(), help="the folder of the question sets")
    parser.add_argument("--indexed", type=Path, default=Path(), help="the repositories, indexed, as DIR/SUITE/NAME")
    parser.add_argument("--packages", type=Path, default=Path(), help="the packages, as DIR/NAME")
    parser.add_argument("--suite", action="append", choices=sorted(SUITES), help="one suite (default: both)")
    parser.add_argument("--set", action="append", choices=DATA_SETS, help="one set about data (default: all)")
    parser.add_argument("--each", type=int, default=1, help="ask every so many of the questions about data")
    parser.add_argument("--half", choices=("all", "tuning", "measuring"), default="all")
    return parser.parse_args(arguments)
