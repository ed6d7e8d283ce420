"""`coderag eval`, its arguments and its help."""

from __future__ import annotations

import argparse

from coderag.cli.parser.arguments import (
    HIDDEN,
    Collect,
    Number,
    Parsers,
    Text,
    add_filters,
    add_opening,
    add_output,
    add_since,
    command,
)
from coderag.extras import Extra, how_to_install
from coderag.limits import BUDGET, COMPARED, NAME, QUESTIONS, ROOTS, SEED, K
from coderag.types import Kind

__all__ = ["add_eval"]

EVAL_EXAMPLES = """\
examples:
  coderag eval questions.jsonl             {"query": "...", "relevant": ["src/cart.py", {"symbol": "Cart.total"}]}
  coderag eval --from-git                  commit subjects are the questions, changed functions the answers
  coderag eval --from-docstrings --kind function,method
  coderag eval questions.jsonl --compare index=/var/tmp/other-index --by kind -v
  coderag eval --from-git --plot quality.svg
  coderag eval --from-git --compare bm25s --compare ripgrep
  coderag eval questions.jsonl --answers --by kind     faithfulness, citations, context, abstention

"""
EVAL_NEEDS = (
    f"It needs an extra; {how_to_install(Extra.EVAL)}\nThe interval after a figure is its 95 % confidence interval.\n"
)


def add_eval(commands: Parsers) -> None:
    """Add `coderag eval`."""
    parser = command(
        commands,
        "eval",
        module="eval",
        summary="measure how good the answers are, on your own questions or on some from the repository's history",
        epilog=EVAL_EXAMPLES + EVAL_NEEDS,
    )
    _add_questions(parser)
    parser.add_argument(
        "-k",
        type=Number(K),
        metavar="N",
        help="at most so many hits of each question count (default: 10); with --answers, statements (default: 5)",
    )
    parser.add_argument(
        "--compare",
        action=Collect,
        limit=COMPARED,
        type=Text(NAME),
        metavar="CONFIG",
        help="compare with name=value,..., the folder of another index, bm25s, ripgrep, or program=COMMAND {root}",
    )
    parser.add_argument("--by", choices=("language", "kind", "folder"), help="also show the figures of each")
    parser.add_argument("--plot", type=Text(NAME), metavar="FILE", help="draw quality against latency as .svg or .png")
    parser.add_argument("--verbose", "-v", action="store_true", help="list the questions that differ, losses first")
    _add_answers(parser)
    add_filters(parser, kinds=Kind, things="hits")
    add_opening(parser)
    add_output(parser)


def _add_questions(parser: argparse.ArgumentParser) -> None:
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "questions", nargs="?", type=Text(NAME), metavar="QUESTIONS.jsonl", help="questions with what answers them"
    )
    source.add_argument("--from-git", action="store_true", help="make questions of the repository's commits")
    source.add_argument(
        "--from-docstrings",
        action="store_true",
        help="make questions of its documentation, and search a copy that has none",
    )
    parser.add_argument(
        "--sample",
        type=Number(QUESTIONS),
        metavar="N",
        help="a random sample of the questions (default: all of a file, else 300; of a folder 150)",
    )
    parser.add_argument("--limit", dest="sample", type=Number(QUESTIONS), default=HIDDEN, metavar="N", help=HIDDEN)
    parser.add_argument("--seed", type=Number(SEED), default=1, metavar="N", help="of random samples (default: 1)")
    add_since(parser, "commits, with --from-git,")
    parser.add_argument(
        "--group-by-folder",
        action="store_true",
        help="treat each folder of the root as a package: search everywhere, and once more in its own folder",
    )
    parser.add_argument("--save", type=Text(NAME), metavar="FILE", help="also write the questions that were made")


def _add_answers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--answers",
        action="store_true",
        help="measure answers as coderag ask gives them: context, faithfulness, citations, abstention, cost",
    )
    parser.add_argument(
        "--pipeline", type=Text(NAME), metavar="NAME|STAGES", help="with --answers: naive, advanced, modular, or stages"
    )
    parser.add_argument(
        "--budget",
        type=Number(BUDGET),
        metavar="TOKENS",
        help="with --answers: tokens of the sources' texts together (default: 2000)",
    )
    parser.add_argument(
        "--model",
        type=Text(NAME),
        metavar="LINE",
        help="with --answers: the language model that writes them, as for coderag ask",
    )
    parser.add_argument(
        "--judge",
        type=Text(NAME),
        metavar="LINE",
        help="with --answers: a language model whose opinion of each answer is shown apart",
    )
    parser.add_argument(
        "--noise",
        action=Collect,
        limit=ROOTS,
        type=Text(NAME),
        metavar="ROOT",
        help="with --answers: ask once more with the files of another root mixed in",
    )
