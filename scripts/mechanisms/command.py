"""The command line of scripts/judge_mechanisms.py."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from coderag import Index
from scripts.mechanisms.questions import HALVES, Question, is_answer, read_questions, repositories

__all__ = ["run"]

DEPTH = 10  # hits that are looked at
FIRST = 5
TARGET = 0.85  # share of the questions with an answer among the first FIRST
SHOWN = 5  # hits of a missed question


@dataclass(frozen=True, slots=True)
class Verdict:
    """A question and what was found."""

    question: Question
    rank: int  # of the first answer, 1-based; 0: not among DEPTH
    best: tuple[str, ...]  # the first hits, as PATH:LINE NAME
    confidence: float  # of the first hit


def run(arguments: Sequence[str]) -> int:
    """Judge, print, and return 1 below the figure to reach and 2 where there is nothing to judge."""
    options = _options().parse_args(arguments)
    present = [name for name in repositories(options.half) if (options.trees / name).is_dir()]
    if not present:
        wanted = "\n".join(f"  {name}: {source}" for name, source in repositories(options.half).items())
        print(f"{options.trees} has none of the repositories; lay them out there:\n{wanted}")
        return 2
    verdicts = {name: _judged(options.trees / name, read_questions(name)) for name in present}
    everything = [verdict for found in verdicts.values() for verdict in found]
    figures = {name: _figures(found) for name, found in {**verdicts, "all": everything}.items()}
    if options.json:
        print(json.dumps(figures, indent=1))
    else:
        _print(figures, everything if options.show else [])
    return 0 if figures["all"]["first 5"] >= TARGET else 1


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="judge_mechanisms.py")
    parser.add_argument("trees", type=Path, help="the folder of the checkouts")
    parser.add_argument("--half", choices=HALVES, default="", help="one half of the repositories; both without it")
    parser.add_argument("--show", action="store_true", help="show what is missed")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    return parser


def _judged(root: Path, questions: Sequence[Question]) -> list[Verdict]:
    """Return the verdicts on a repository, which is indexed or brought up to date before."""
    index = Index.ensure(root)
    verdicts = []
    for question in questions:
        hits = index.search(question.text, k=DEPTH)
        rank = next((place for place, hit in enumerate(hits, start=1) if is_answer(hit.chunk, question)), 0)
        best = tuple(f"{hit.chunk.path}:{hit.chunk.span.start_line} {hit.chunk.qualified_name}" for hit in hits[:SHOWN])
        verdicts.append(Verdict(question, rank, best, hits[0].confidence if hits else 0.0))
    return verdicts


def _figures(verdicts: Sequence[Verdict]) -> dict[str, float]:
    count = max(len(verdicts), 1)
    firsts = {
        f"first {depth}": sum(0 < verdict.rank <= depth for verdict in verdicts) / count for depth in (1, 3, FIRST)
    }
    within = sum(verdict.rank > 0 for verdict in verdicts) / count
    reciprocal = sum(1 / verdict.rank for verdict in verdicts if verdict.rank) / count
    return {"questions": len(verdicts), **firsts, f"first {DEPTH}": within, "MRR": reciprocal}


def _print(figures: Mapping[str, Mapping[str, float]], shown: Sequence[Verdict]) -> None:
    names = list(figures["all"])
    print(f"{'':16}" + "".join(f"{name:>11}" for name in names))
    for repository, held in figures.items():
        cells = (f"{held[name]:11.0f}" if name == "questions" else f"{held[name]:11.3f}" for name in names)
        print(f"{repository:16}" + "".join(cells))
    for verdict in shown:
        if not 0 < verdict.rank <= FIRST:
            print(f"\n{verdict.question.repository}: {verdict.question.text}")
            print(f"  rank {verdict.rank or f'beyond {DEPTH}'}, confidence of the first hit {verdict.confidence:.2f}")
            for place in verdict.question.places:
                print(f"  wanted {place.path}:{place.first_line}")
            print("\n".join(f"    got {one}" for one in verdict.best))
