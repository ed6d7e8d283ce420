"""`coderag ask`, its arguments and its help."""

from __future__ import annotations

import argparse

from coderag.cli.parser.arguments import (
    Collect,
    Number,
    Numbers,
    Parsers,
    Text,
    add_count,
    add_filters,
    add_groups,
    add_model,
    add_opening,
    add_output,
    add_place,
    command,
)
from coderag.limits import (
    ASKED_ROWS,
    BUDGET,
    EVIDENCE,
    GLOB,
    GLOBS,
    NAME,
    QUESTION,
    STEP_SECONDS,
    STEP_TOKENS,
    STEPS,
    TIMEOUT,
)
from coderag.types import Kind

__all__ = ["add_ask", "add_sessions"]

SESSIONS_EXAMPLES = """\
examples:
  coderag sessions                       the conversations about this repository
  coderag sessions show retries          what was asked, and what was shown
  coderag sessions delete retries

A conversation is begun by coderag ask --session NAME. It is kept in a file of yours outside the repository, and is that
of these folders and these --groups alone.
"""
EXAMPLES = """\
examples:
  coderag ask "where are failed payments retried?"
  coderag ask "who calls Cart.total, and what breaks if orders.total changes?"
  coderag ask "revenue by month and country"     tables, joins and SQL to begin with
  coderag ask "what are the main parts?"
  coderag ask "how do I restore a backup?" --trace
  coderag ask "where is tax computed?" --json | jq .verdict
  coderag ask "how are refunds made?" --model ollama:qwen3       in its words, checked against the sources
  coderag ask "where is it called?" --session retries           goes on with that conversation
  coderag ask --sql "monthly revenue by country" --run           SQL that only reads, and its rows

Every statement is what an indexed file says, with the number of its source; no language model is asked without --model.
Exit code 1 and "not found" when the evidence carries no answer; with --sql, when the query is to be completed.
"""


def add_ask(commands: Parsers) -> None:
    """Add `coderag ask`."""
    parser = command(
        commands,
        "ask",
        module="ask",
        summary="answer a question from the indexed files, each statement with its source",
        epilog=EXAMPLES,
    )
    parser.add_argument("question", nargs="+", type=Text(QUESTION), metavar="QUESTION", help="a question in words")
    add_count(parser, things="statements for each part of the question", default=5, old="")
    parser.add_argument(
        "--budget",
        type=Number(BUDGET),
        default=2000,
        metavar="TOKENS",
        help="tokens of the sources' texts together (default: 2000)",
    )
    parser.add_argument(
        "--pipeline",
        type=Text(NAME),
        metavar="NAME|STAGES",
        help="naive, advanced, modular, agentic, settings (that of coderag.toml, whose stages may ask the model), or "
        "stages with commas (default: that of coderag.toml by rules, else modular)",
    )
    add_model(parser, "a language model: openai:M, anthropic:M, ollama:M, or http://HOST/v1/chat/completions#M")
    _add_sql(parser)
    _add_memory(parser)
    parser.add_argument(
        "--limits",
        type=Numbers((STEPS, STEP_TOKENS, STEP_SECONDS)),
        default={},
        metavar="NAME=N,...",
        help="with the stage agentic: at most so many steps=N, tokens=N and seconds=N (default: 8, 8000, 60)",
    )
    parser.add_argument("--trace", action="store_true", help="show what each stage did, and why it stopped there")
    add_filters(parser, kinds=Kind, things="sources")
    add_groups(parser)
    add_opening(parser)
    add_output(parser)


def _add_memory(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--session",
        type=Text(NAME),
        metavar="NAME",
        help='go on with a conversation, so that "where is it called?" is understood; see coderag sessions',
    )
    parser.add_argument(
        "--pin",
        action=Collect,
        limit=GLOBS,
        type=Text(GLOB),
        metavar="GLOB",
        help="with --session: look into these files for every question",
    )
    parser.add_argument(
        "--unpin", action=Collect, limit=GLOBS, type=Text(GLOB), metavar="GLOB", help="with --session: undo --pin"
    )
    parser.add_argument(
        "--no-cache", action="store_true", help="answer without the cache, whatever was answered before"
    )


def _add_sql(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sql", action="store_true", help="give SQL for the question, in place of an answer in words")
    parser.add_argument(
        "--evidence",
        type=Text(EVIDENCE, empty=True),
        default="",
        metavar="TEXT",
        help="with --sql: what else is known, definitions and formulas",
    )
    parser.add_argument(
        "--url",
        type=Text(NAME),
        metavar="URL",
        help="with --sql: a database that explains the query, and runs it with --run",
    )
    parser.add_argument(
        "--run", action="store_true", help="with --sql: run the query, in a transaction that cannot write"
    )
    parser.add_argument(
        "--rows",
        type=Number(ASKED_ROWS),
        default=100,
        metavar="N",
        help="with --run: at most so many rows (default: 100)",
    )
    parser.add_argument(
        "--timeout", type=Number(TIMEOUT), default=10.0, metavar="SECONDS", help="with --run: its time (default: 10)"
    )


def add_sessions(commands: Parsers) -> None:
    """Add `coderag sessions`."""
    parser = command(
        commands,
        "sessions",
        module="sessions",
        summary="list, show or delete earlier conversations",
        epilog=SESSIONS_EXAMPLES,
    )
    parser.add_argument(
        "action",
        choices=("list", "show", "delete"),
        nargs="?",
        default="list",
        metavar="ACTION",
        help="list (the default), show, or delete",
    )
    parser.add_argument("name", type=Text(NAME), nargs="?", metavar="NAME", help="the conversation to show or delete")
    add_groups(parser)
    add_place(parser)
    add_output(parser)
