"""The arguments of scripts/judge_applications.py to what it prints."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from scripts.applications.asking import AskError, ask
from scripts.applications.book import Application, BookError, matching, read_book
from scripts.applications.records import Counts, Score
from scripts.applications.scores import compare, means
from scripts.applications.truths import tables_of, true_tables

__all__ = ["run"]

HEAD = (
    f"{'application':22}{'framework':16}{'variant':7}{'tables':>14}{'columns':>14}{'references':>14}{'keys':>7}"
    f"{'databases':>11}{'copies':>8}{'cpu s':>7}"
)
VARIANTS = ("plain", "folded")


@dataclass(frozen=True, slots=True)
class Judged:
    """The score of an application in one variant."""

    application: Application
    variant: str
    score: Score
    seconds: float


def run(arguments: Sequence[str]) -> int:
    """Judge the applications of a list; 2 when one cannot be judged."""
    options = _parser().parse_args(arguments)
    try:
        book = [one for one in read_book(options.list) if not options.only or one.name in options.only]
    except BookError as error:
        print(error, file=sys.stderr)
        return 2
    judged, failed = [], 0
    if not options.json:
        print(HEAD)
    for application in book:
        try:
            for one in _judged(application, options.variant or VARIANTS, postgres=options.postgres):
                judged.append(one)
                if not options.json:
                    print("\n".join(_lines(one, wrong=options.wrong)), flush=True)
        except (AskError, BookError, OSError) as error:
            failed += 1
            print(error, file=sys.stderr)
    if options.json:
        print(json.dumps([_record(one) for one in judged], indent=1))
    else:
        print("\n".join(_summary(judged)))
    return 2 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Compare what coderag says of applications' schemas with the truth.")
    parser.add_argument("list", type=Path, metavar="LIST.toml", help="the applications")
    parser.add_argument("--only", action="append", metavar="NAME", help="only this one; may be repeated")
    parser.add_argument("--variant", action="append", choices=VARIANTS, help="only this one; both unless said")
    parser.add_argument(
        "--postgres", default="", metavar="URL", help="a server on which a database may be made and dropped"
    )
    parser.add_argument("--wrong", action="store_true", help="name what is lost and what is invented")
    parser.add_argument("--json", action="store_true", help="print the scores as JSON")
    return parser


def _judged(application: Application, variants: Sequence[str], *, postgres: str) -> Iterator[Judged]:
    true = true_tables(application, postgres=postgres)
    others = tables_of([path.read_text() for path in matching(application.tree, application.elsewhere)])
    elsewhere = others - true.keys()
    for variant in variants:
        folded = variant == "folded"
        if folded and not application.snapshot:
            continue
        with tempfile.TemporaryDirectory() as work:
            answer = ask(application, Path(work), folded=folded)
        yield Judged(application, variant, compare(true, answer.entries, elsewhere=elsewhere), answer.seconds)


def _lines(one: Judged, *, wrong: bool) -> Iterator[str]:
    score, application = one.score, one.application
    rates = "".join(f"{_rates(counts):>14}" for counts in (score.tables, score.columns, score.references))
    databases = f"{score.databases} ({application.databases})"
    yield (
        f"{application.name:22}{application.framework[:15]:16}{one.variant:7}{rates}{_percent(score.keys.recall):>7}"
        f"{databases:>11}{score.copies:>8}{one.seconds:>7.1f}"
    )
    for what, ones in score.wrong.items() if wrong else ():
        yield f"    {what}: {', '.join(ones)}"


def _summary(judged: Sequence[Judged]) -> Iterator[str]:
    for variant in VARIANTS:
        scores = [one.score for one in judged if one.variant == variant]
        if not scores:
            continue
        parts = [
            [score.tables for score in scores],
            [score.columns for score in scores],
            [score.references for score in scores],
        ]
        rates = "".join(f"{'/'.join(map(_percent, means(part))):>14}" for part in parts)
        right = sum(one.score.databases == one.application.databases for one in judged if one.variant == variant)
        yield (
            f"{f'mean of {len(scores)}':38}{variant:7}{rates}   number of databases right in {right}, "
            f"{sum(score.copies for score in scores)} copies"
        )


def _rates(counts: Counts) -> str:
    return f"{_percent(counts.recall)}/{_percent(counts.precision)}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def _record(one: Judged) -> dict[str, object]:
    return {
        "application": one.application.name,
        "framework": one.application.framework,
        "variant": one.variant,
        **asdict(one.score),
        "wanted": one.application.databases,
        "seconds": round(one.seconds, 1),
    }
