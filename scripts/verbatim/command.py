"""The arguments of scripts/judge_verbatim.py to what it prints."""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from coderag import Index
from coderag.errors import IndexMissingError
from coderag.search.ranking.settings import make_pipeline
from scripts.verbatim.asked_by_key import draw_messages
from scripts.verbatim.asking import ask
from scripts.verbatim.drawing import HALVES, draw, half_of, texts_below, texts_of
from scripts.verbatim.records import Answer

__all__ = ["run"]

CUTS = (1, 3, 5, 10)
EXACT_CUTS = (3, 10)
ENOUGH = 3  # a place among so many first hits is found
GROUPS: Mapping[str, Callable[[Answer], str]] = {
    "half": lambda answer: half_of(answer.question.repository),
    "kind": lambda answer: answer.question.kind,
    "form": lambda answer: answer.question.form,
    "repository": lambda answer: answer.question.repository,
}


def run(arguments: Sequence[str]) -> int:
    """Judge and print; 1 where there was nothing to ask for."""
    options = _parser().parse_args(arguments)
    pipeline = make_pipeline(without=options.without)
    answers: list[Answer] = []
    for given in options.roots:
        name, _, path = given.rpartition("=")
        root = Path(path)
        name = name or root.resolve().name
        if options.half in (None, half_of(name)):
            index = _opened(root, options.indexes / name)
            texts = texts_below(root) if options.translations else texts_of(index, root)
            questions = (draw_messages if options.translations else draw)(name, texts, options.count, seed=options.seed)
            answers += [ask(index, question, texts, pipeline=pipeline) for question in questions]
    if options.json:
        print(json.dumps([asdict(answer) for answer in answers], indent=1))
    else:
        print("\n".join([*_figures(answers), *(_missed(answers) if options.show else ())]))
    return 0 if answers else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="judge_verbatim.py")
    parser.add_argument("roots", nargs="+", metavar="[NAME=]ROOT", help="a folder to ask about")
    parser.add_argument(
        "--indexes", type=Path, required=True, metavar="FOLDER", help="where indexes of folders without one go"
    )
    parser.add_argument("--count", type=int, default=8, help="questions of each folder (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn (%(default)s)")
    parser.add_argument(
        "--translations",
        action="store_true",
        help="ask for messages of translations, which lead to what uses their key",
    )
    parser.add_argument("--half", choices=HALVES, help="one half of the repositories; both without it")
    parser.add_argument("--without", action="append", default=[], metavar="EVIDENCE", help="rank without; repeatable")
    parser.add_argument("--show", action="store_true", help=f"show what is not among the first {ENOUGH}")
    parser.add_argument("--json", action="store_true", help="print every answer as JSON")
    return parser


def _opened(root: Path, folder: Path) -> Index:
    """Return the index of a folder; one that has none gets one elsewhere."""
    try:
        return Index.open(root)
    except IndexMissingError:
        return Index.ensure(root, index=folder)


def _figures(answers: Sequence[Answer]) -> Iterator[str]:
    yield f"{'':32}{'n':>5}{'':4}" + "".join(f"{f'in {cut}':>7}" for cut in CUTS) + f"{'exact search in 3, 10':>25}"
    yield _line("all", answers)
    for group, key in GROUPS.items():
        by_name: dict[str, list[Answer]] = defaultdict(list)
        for answer in answers:
            by_name[key(answer)].append(answer)
        yield from (_line(f"{group} {name}", held) for name, held in sorted(by_name.items()))


def _line(name: str, answers: Sequence[Answer]) -> str:
    own = "".join(f"{_share([answer.rank for answer in answers], cut):7.1f}" for cut in CUTS)
    exact = "".join(f"{_share([answer.exact_rank for answer in answers], cut):7.1f}" for cut in EXACT_CUTS)
    return f"{name[:32]:32}{len(answers):5}{'':4}{own}{exact:>25}"


def _share(ranks: Sequence[int | None], cut: int) -> float:
    """Return the share of some ranks within the first few, in per cent."""
    return 100 * sum(rank is not None and rank <= cut for rank in ranks) / max(len(ranks), 1)


def _missed(answers: Sequence[Answer]) -> Iterator[str]:
    for answer in answers:
        if answer.rank is None or answer.rank > ENOUGH:
            question = answer.question
            yield f"\n{question.repository} {question.kind} {question.form} rank {answer.rank}: {question.text}"
            if question.written != question.text:
                yield f"    written {question.written}"
            yield from (f"    at {place.path}:{place.start_line}-{place.end_line}" for place in question.places)
            yield from (f"    got {hit}" for hit in answer.hits[:ENOUGH])
