"""The commands, their arguments and their help; nothing here imports what is slow to import."""

from __future__ import annotations

import argparse

from coderag._version import __version__
from coderag.cli.parser.arguments import (
    Collect,
    Number,
    Parser,
    Parsers,
    Size,
    Text,
    Words,
    add_filters,
    add_groups,
    add_opening,
    add_output,
    add_place,
    command,
    layout,
)
from coderag.cli.parser.graph import add_graph, add_impact, add_map, add_path, add_refs
from coderag.cli.parser.schema import add_check_sql, add_erd, add_schema, add_table, add_tables
from coderag.extras import Extra, how_to_install
from coderag.limits import (
    COMPARED,
    DIVERSITY,
    ITEMS,
    MAX_BYTES,
    MAX_SIZE,
    NAME,
    POLL,
    QUESTION,
    QUESTIONS,
    RELATED,
    SAMPLES,
    SEED,
    THRESHOLD,
    TIMEOUT,
    WORKERS,
    K,
)
from coderag.types import Content, Expand

__all__ = ["make_parser"]

EXAMPLES = """\
examples:
  coderag index                                  index the repository around the current folder
  coderag search "where are payments retried?"   ask in words
  coderag search Session.get -k 3                or give a symbol
  coderag search "parse date" --language go --path 'src/**' --path '!**/gen/*'
  coderag search "rate limit" --vimgrep          path:line:column:text, for an editor
  coderag outline src/app.py                     what a file defines
  coderag symbols PaymentGateway                 where a name is defined
  coderag index postgresql://reader@localhost/shop   add a database to the index
  coderag schema "monthly revenue by region"     the tables, keys and joins that its SQL needs
  coderag table orders                           all that is known of a table
  coderag check-sql report.sql                   would this query run on the schema?

Exit codes: 0 found, 1 nothing found, 2 usage or a failure.
"""
SEARCH_EXAMPLES = """\
examples:
  coderag search "where is the session cookie set?"
  coderag search Cart.total --context whole
  coderag search "retry with backoff" --kind function,method --tests exclude
  coderag search "order total" --root shop --root billing --json
  coderag search "bake bread" --threshold 0.7    nothing rather than a guess
  coderag search "cart total" --expand parent --context whole
  coderag search "salary" --groups hr,audit      what callers of these groups may see
  echo '{"query": "order total", "k": 3}' | coderag search --batch

The index is made on first use, and changed files are read before the answer.
"""
INDEX_EXAMPLES = """\
examples:
  coderag index                    the repository around the current folder
  coderag index --dry-run          what would be read, one file a line
  coderag index --content code,docs,config
  coderag index ~/src/app --index /var/tmp/app-index
  coderag index . postgresql://reader@localhost/shop   and the schema of a database
  coderag index sqlite:///shop.db --samples 3          with up to three values of each column

The index lies in ROOT/.coderag. Running it again reads only what changed. A database's schema is asked for once and
kept, without the password, until it is given again.
"""
WATCH_EXAMPLES = """\
examples:
  coderag watch                    keep the index of this repository up to date until Ctrl-C
  coderag watch ~/src/app ~/src/lib --quiet
  coderag watch --json             an object for each update, one a line
  coderag watch --poll 5           for network folders, where the system tells nothing

Every search reads what changed before it answers; with a watch there is nothing left to read.
"""
CLEAN_EXAMPLES = """\
examples:
  coderag clean                    the cache: how large it is, and what exceeds its limit is removed
  coderag clean --all              the whole cache
  coderag clean .                  the index of this repository
  coderag clean --max-size 500MB --dry-run

The cache holds vectors of models and segments that work trees of one repository share; what is removed is made again
when it is needed.
"""
EVAL_EXAMPLES = """\
examples:
  coderag eval questions.jsonl             {"query": "...", "relevant": ["src/cart.py", {"symbol": "Cart.total"}]}
  coderag eval --from-git                  commit subjects ask, the functions that they changed answer
  coderag eval --from-docstrings --kind function,method
  coderag eval questions.jsonl --compare index=/var/tmp/other-index --by kind -v
  coderag eval --from-git --plot quality.svg

"""
EVAL_NEEDS = (
    f"It needs an extra; {how_to_install(Extra.EVAL)}\n"
    "The interval behind a figure holds it for 95 of 100 samples of such questions.\n"
)
BATCH_HELP = (
    'read JSON lines {"query", "k"?, "kinds"?, "languages"?, "paths"?, "repositories"?, "databases"?, '
    '"environments"?, "groups"?, "tests"?, "diversity"?, "threshold"?, "collapse"?, "expand"?, "related"?} from stdin, '
    "write one JSON array of hits a line"
)


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of every command; what it returns names the module to run as `module`."""
    parser = Parser(
        prog="coderag",
        description="Index repositories and databases; find the right function, and the right tables, offline.",
        epilog=EXAMPLES,
        formatter_class=layout,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"coderag {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for add in (
        *(_add_index, _add_search, _add_outline, _add_symbols, add_refs, add_impact, add_path, add_graph, add_map),
        *(add_schema, add_tables, add_table, add_erd, add_check_sql),
        *(_add_eval, _add_status, _add_watch, _add_clean, _add_languages),
    ):
        add(commands)
    return parser


def _add_index(commands: Parsers) -> None:
    parser = command(
        commands, "index", module="index", summary="index a repository, or what changed in it", epilog=INDEX_EXAMPLES
    )
    parser.add_argument(
        "roots",
        nargs="*",
        type=Text(NAME),
        metavar="ROOT",
        help="folders to index (default: the one around here), and URLs or files of databases",
    )
    parser.add_argument("--index", type=Text(NAME), metavar="DIR", help="where the index lies (default: ROOT/.coderag)")
    parser.add_argument("--rebuild", action="store_true", help="read everything again")
    parser.add_argument(
        "--trust",
        action="store_true",
        help="take over the index that is there, though it was not made by you on this machine: know who made it",
    )
    parser.add_argument(
        "--content",
        type=Words(known=tuple(map(str, Content))),
        metavar="LIST",
        help="what to read: code, docs, config (default: code,docs)",
    )
    parser.add_argument(
        "--max-bytes", type=Size(MAX_BYTES), metavar="SIZE", help="leave out files larger than, say, 500k (default: 4M)"
    )
    parser.add_argument(
        "--encoder",
        type=Text(NAME),
        metavar="MODEL",
        help="what makes vectors: static, none, bge-small, hf:ID, onnx:FOLDER, http://... (default: static)",
    )
    parser.add_argument(
        "--no-cache", action="store_true", help="take no segments from the cache, where other indexes leave theirs"
    )
    parser.add_argument(
        "--no-graph", action="store_true", help="leave the graph of code and tables to the first question for it"
    )
    masking = parser.add_mutually_exclusive_group()
    masking.add_argument(
        "--no-mask",
        action="store_false",
        dest="mask",
        default=None,
        help="keep secrets as they are (default: as before)",
    )
    masking.add_argument("--mask", action="store_true", default=None, help="cover secrets again (default: covered)")
    parser.add_argument(
        "--samples",
        type=Number(SAMPLES),
        default=0,
        metavar="N",
        help="values of each column to read from a database (default: 0)",
    )
    parser.add_argument(
        "--timeout",
        type=Number(TIMEOUT),
        default=30,
        metavar="SECONDS",
        help="the longest that a database may take (default: 30)",
    )
    parser.add_argument("--forget", action="store_true", help="remove the databases given from the index")
    parser.add_argument("--workers", type=Number(WORKERS), metavar="N", help="processes (default: one a core; 0: none)")
    parser.add_argument("--dry-run", action="store_true", help="only list what would be read")
    noise = parser.add_mutually_exclusive_group()
    noise.add_argument("--verbose", "-v", action="store_true", help="list skipped files and files with problems")
    noise.add_argument("--quiet", "-q", action="store_true", help="print nothing but errors")
    add_output(parser)


def _add_search(commands: Parsers) -> None:
    parser = command(
        commands, "search", module="search", summary="find the code that answers a question", epilog=SEARCH_EXAMPLES
    )
    parser.add_argument(
        "query", nargs="*", type=Text(QUESTION, empty=True), metavar="QUERY", help="a question in words, or a symbol"
    )
    parser.add_argument("-k", type=Number(K), default=10, metavar="N", help="how many hits (default: 10)")
    add_filters(parser)
    _add_places(parser)
    parser.add_argument(
        "--context",
        choices=("lines", "whole", "none"),
        default="lines",
        help="which lines to show (default: lines, the best ones)",
    )
    _add_shaping(parser)
    parser.add_argument("--explain", action="store_true", help="show the parts of each score")
    parser.add_argument("--vimgrep", action="store_true", help="print path:line:column:text")
    parser.add_argument("--batch", action="store_true", help=BATCH_HELP)
    add_groups(parser)
    add_opening(parser)
    add_output(parser)


def _add_shaping(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--related",
        type=Number(RELATED),
        default=0,
        metavar="N",
        help="add up to N of what the hits have to do with (default: 0)",
    )
    parser.add_argument(
        "--expand",
        choices=[str(expand) for expand in Expand],
        help="give the class or module, the file, or what is beside",
    )
    parser.add_argument(
        "--threshold",
        type=Number(THRESHOLD),
        default=0.0,
        metavar="0..1",
        help="only hits as sure as that (default: 0, all)",
    )
    parser.add_argument(
        "--diversity",
        type=Number(DIVERSITY),
        default=0.0,
        metavar="0..1",
        help="put behind what is like a better hit (default: 0)",
    )
    parser.add_argument(
        "--reranker",
        type=Text(NAME),
        metavar="MODEL",
        help="learned (the default), linear, graph, maxsim, bge-reranker, judge:...",
    )
    parser.add_argument(
        "--fusion", type=Text(NAME), metavar="HOW", help="join lists of hits by minmax (the default) or rrf"
    )
    parser.add_argument(
        "--without",
        type=Words(),
        default=[],
        metavar="LIST",
        help="leave out words, vectors, paths, names, symbols, ...",
    )
    parser.add_argument("--no-collapse", action="store_true", help="show copies and versions of a better hit too")


def _add_places(parser: argparse.ArgumentParser) -> None:
    for name, what in (
        ("repository", "of these repositories"),
        ("database", "that tell of these databases"),
        ("environment", "that tell of databases of these environments"),
    ):
        parser.add_argument(
            f"--{name}", action=Collect, limit=ITEMS, type=Words(), metavar="LIST", help=f"only files {what}"
        )


def _add_outline(commands: Parsers) -> None:
    parser = command(commands, "outline", module="outline", summary="show what a file defines, indexed or not")
    parser.add_argument("file", type=Text(NAME), metavar="FILE")
    add_groups(parser)
    add_output(parser)


def _add_symbols(commands: Parsers) -> None:
    parser = command(
        commands, "symbols", module="symbols", summary="find where a name is defined, or the names spelled most like it"
    )
    parser.add_argument(
        "name", type=Text(NAME), metavar="NAME", help="a name, qualified or not: get, Session.get, pkg::Type"
    )
    parser.add_argument("-k", type=Number(K), default=20, metavar="N", help="how many definitions (default: 20)")
    add_groups(parser)
    add_opening(parser)
    add_output(parser)


def _add_eval(commands: Parsers) -> None:
    parser = command(
        commands,
        "eval",
        module="eval",
        summary="measure how good the answers are, on questions of yours or of the repository's own",
        epilog=EVAL_EXAMPLES + EVAL_NEEDS,
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "questions", nargs="?", type=Text(NAME), metavar="QUESTIONS.jsonl", help="questions with what answers them"
    )
    source.add_argument("--from-git", action="store_true", help="make questions of the repository's commits")
    source.add_argument(
        "--from-docstrings",
        action="store_true",
        help="make questions of its documentation, and ask a copy that has none",
    )
    parser.add_argument("-k", type=Number(K), default=10, metavar="N", help="how many hits count (default: 10)")
    parser.add_argument(
        "--compare",
        action=Collect,
        limit=COMPARED,
        type=Text(NAME),
        metavar="CONFIG",
        help="compare with name=value,... or with the folder of another index",
    )
    parser.add_argument("--by", choices=("language", "kind", "folder"), help="also show the figures of each")
    parser.add_argument("--plot", type=Text(NAME), metavar="FILE", help="draw quality against latency as .svg or .png")
    parser.add_argument(
        "--limit",
        type=Number(QUESTIONS),
        metavar="N",
        help="ask at most so many questions (default: all of a file, else 300; of a folder 150)",
    )
    parser.add_argument(
        "--seed", type=Number(SEED), default=1, metavar="N", help="of what is drawn by lot (default: 1)"
    )
    parser.add_argument("--since", type=Text(NAME), metavar="REV", help="with --from-git: only commits after this one")
    parser.add_argument(
        "--group-by-folder",
        action="store_true",
        help="take each folder of the root for a package: ask everywhere, and once more in its own folder",
    )
    parser.add_argument("--save", type=Text(NAME), metavar="FILE", help="also write the questions that were made")
    parser.add_argument("--verbose", "-v", action="store_true", help="list the questions that differ, losses first")
    add_filters(parser)
    add_opening(parser)
    add_output(parser)


def _add_status(commands: Parsers) -> None:
    parser = command(commands, "status", module="status", summary="show what is indexed, and whether it is up to date")
    parser.add_argument("--verbose", "-v", action="store_true", help="list every skipped, changed and problematic file")
    parser.add_argument("--check", action="store_true", help="compare every byte of the index with its checksums")
    parser.add_argument("--recall", action="store_true", help="measure how many of the nearest vectors are found")
    add_groups(parser)
    add_place(parser)
    add_output(parser)


def _add_languages(commands: Parsers) -> None:
    add_output(command(commands, "languages", module="languages", summary="list the languages that are read"))


def _add_watch(commands: Parsers) -> None:
    parser = command(
        commands, "watch", module="watch", summary="keep indexes up to date while files change", epilog=WATCH_EXAMPLES
    )
    parser.add_argument(
        "root", nargs="*", type=Text(NAME), metavar="ROOT", help="folders to follow (default: the one around here)"
    )
    parser.add_argument("--index", type=Text(NAME), metavar="DIR", help="where the index lies (default: ROOT/.coderag)")
    parser.add_argument(
        "--poll",
        type=Number(POLL),
        metavar="SECONDS",
        help="look at all files so often instead of being told of changes",
    )
    parser.add_argument(
        "--workers", type=Number(WORKERS), metavar="N", help="processes (default: one a core but one; 0: none)"
    )
    parser.add_argument("--quiet", "-q", action="store_true", help="print nothing but errors")
    parser.add_argument("--json", action="store_true", help="print a JSON object for each update, one a line")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="default: auto")
    parser.set_defaults(no_refresh=False)


def _add_clean(commands: Parsers) -> None:
    parser = command(
        commands, "clean", module="clean", summary="make the cache smaller, or remove indexes", epilog=CLEAN_EXAMPLES
    )
    parser.add_argument(
        "roots", nargs="*", type=Text(NAME), metavar="ROOT", help="folders whose indexes are removed (default: none)"
    )
    parser.add_argument(
        "--index", type=Text(NAME), metavar="DIR", help="where the index to remove lies (default: ROOT/.coderag)"
    )
    parser.add_argument("--all", action="store_true", help="empty the cache")
    parser.add_argument(
        "--max-size",
        type=Size(MAX_SIZE),
        metavar="SIZE",
        help="the most that each part of the cache keeps, such as 500MB (default: its limit)",
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what would be removed")
    add_output(parser)
