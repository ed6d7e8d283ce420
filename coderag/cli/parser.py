"""The commands, their arguments and their help; nothing here imports more than argparse."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NoReturn

from coderag import __version__
from coderag.types import Content, Expand, Kind, TestPolicy

__all__ = ["make_parser"]

Parsers = Any  # argparse names the type of subparsers with an underscore

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
SCHEMA_EXAMPLES = """\
examples:
  coderag schema "monthly revenue by region"
  coderag schema "active customers" --evidence "active: ordered within 90 days"
  coderag schema "top products" --database shop --budget 2000
  coderag schema "late invoices" --format markdown
  echo '{"question": "late invoices", "k": 5}' | coderag schema --batch

The whole schema where it fits the budget, else the best tables of it. A token is taken for four characters.
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
CHECK_EXAMPLES = """\
examples:
  coderag check-sql report.sql
  echo "SELECT nmae FROM customers" | coderag check-sql -
  coderag check-sql report.sql --url postgresql://reader@localhost/shop

Exit code 1 when there is an error.
"""
ERD_EXAMPLES = """\
examples:
  coderag erd                              all tables, as Mermaid
  coderag erd orders customers             these, and what connects them
  coderag erd "who paid for an order?"     those that a question is about
  coderag erd --output schema.svg
"""
EVAL_EXAMPLES = """\
examples:
  coderag eval questions.jsonl             {"query": "...", "relevant": ["src/cart.py", {"symbol": "Cart.total"}]}
  coderag eval --from-git                  commit subjects ask, the functions that they changed answer
  coderag eval --from-docstrings --kind function,method
  coderag eval questions.jsonl --compare index=/var/tmp/other-index --by kind -v
  coderag eval --from-git --plot quality.svg

Needs "pip install coderag[eval]". The interval behind a figure holds it for 95 of 100 samples of such questions.
"""
BATCH_SCHEMA_HELP = (
    'read JSON lines {"question", "k"?, "paths"?, "evidence"?, "database"?, "environment"?, "groups"?, "budget"?} '
    "from stdin, write one JSON object a line"
)
BATCH_HELP = (
    'read JSON lines {"query", "k"?, "kinds"?, "languages"?, "paths"?, "repositories"?, "databases"?, '
    '"environments"?, "groups"?, "tests"?, "diversity"?, "threshold"?, "collapse"?, "expand"?} from stdin, '
    "write one JSON array of hits a line"
)


def _layout(prog: str) -> argparse.HelpFormatter:
    return argparse.RawDescriptionHelpFormatter(prog, max_help_position=28)


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where help is, and exit with 2."""
        self.exit(2, f'{self.prog}: {message}; see "{self.prog} --help"\n')


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of every command; what it returns names the module to run as `module`."""
    parser = Parser(
        prog="coderag",
        description="Index repositories and databases; find the right function, and the right tables, offline.",
        epilog=EXAMPLES,
        formatter_class=_layout,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"coderag {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for add in (
        *(_add_index, _add_search, _add_outline, _add_symbols, _add_schema, _add_tables, _add_table, _add_erd),
        *(_add_check_sql, _add_eval, _add_status, _add_watch, _add_clean, _add_languages),
    ):
        add(commands)
    return parser


def _command(commands: Parsers, name: str, *, module: str, summary: str, epilog: str = "") -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=epilog,
        formatter_class=_layout,
        allow_abbrev=False,
    )
    parser.set_defaults(module=f"coderag.cli.{module}")
    return parser


def _add_index(commands: Parsers) -> None:
    parser = _command(
        commands, "index", module="index", summary="index a repository, or what changed in it", epilog=INDEX_EXAMPLES
    )
    parser.add_argument(
        "roots",
        nargs="*",
        metavar="ROOT",
        help="folders to index (default: the one around here), and URLs or files of databases",
    )
    parser.add_argument("--index", metavar="DIR", help="where the index lies (default: ROOT/.coderag)")
    parser.add_argument("--rebuild", action="store_true", help="read everything again")
    parser.add_argument(
        "--content",
        type=_words_of([str(one) for one in Content]),
        metavar="LIST",
        help="what to read: code, docs, config (default: code,docs)",
    )
    parser.add_argument(
        "--max-bytes", type=_size, metavar="SIZE", help="leave out files larger than, say, 500k (default: 4M)"
    )
    parser.add_argument(
        "--encoder",
        metavar="MODEL",
        help="what makes vectors: static, none, bge-small, hf:ID, onnx:FOLDER, http://... (default: static)",
    )
    parser.add_argument(
        "--no-cache", action="store_true", help="take no segments from the cache, where other indexes leave theirs"
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
        type=_count,
        default=0,
        metavar="N",
        help="values of each column to read from a database (default: 0)",
    )
    parser.add_argument(
        "--timeout",
        type=_count,
        default=30,
        metavar="SECONDS",
        help="the longest that a database may take (default: 30)",
    )
    parser.add_argument("--forget", action="store_true", help="remove the databases given from the index")
    parser.add_argument("--workers", type=_count, metavar="N", help="processes (default: one a core; 0: none)")
    parser.add_argument("--dry-run", action="store_true", help="only list what would be read")
    noise = parser.add_mutually_exclusive_group()
    noise.add_argument("--verbose", "-v", action="store_true", help="list skipped files and files with problems")
    noise.add_argument("--quiet", "-q", action="store_true", help="print nothing but errors")
    _add_output(parser)


def _add_search(commands: Parsers) -> None:
    parser = _command(
        commands, "search", module="search", summary="find the code that answers a question", epilog=SEARCH_EXAMPLES
    )
    parser.add_argument("query", nargs="*", metavar="QUERY", help="a question in words, or a symbol")
    parser.add_argument("-k", type=_count, default=10, metavar="N", help="how many hits (default: 10)")
    _add_filters(parser)
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
    _add_groups(parser)
    _add_opening(parser)
    _add_output(parser)


def _add_shaping(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--expand", choices=[str(one) for one in Expand], help="give the class or module, the file, or what is beside"
    )
    parser.add_argument(
        "--threshold", type=_share, default=0.0, metavar="0..1", help="only hits as sure as that (default: 0, all)"
    )
    parser.add_argument(
        "--diversity",
        type=_share,
        default=0.0,
        metavar="0..1",
        help="put behind what is like a better hit (default: 0)",
    )
    parser.add_argument(
        "--reranker", default="", metavar="MODEL", help="learned (the default), linear, maxsim, bge-reranker, judge:..."
    )
    parser.add_argument("--fusion", default="", metavar="HOW", help="join lists of hits by minmax (the default) or rrf")
    parser.add_argument(
        "--without",
        type=_words,
        default=[],
        metavar="LIST",
        help="leave out words, vectors, paths, names, symbols, ...",
    )
    parser.add_argument("--no-collapse", action="store_true", help="show copies and versions of a better hit too")


def _add_filters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--language",
        action="extend",
        type=_words,
        default=[],
        metavar="LIST",
        help='such as "go,rust": "coderag languages"',
    )
    parser.add_argument(
        "--kind", action="extend", type=_words, default=[], metavar="LIST", help=f"only these of {', '.join(Kind)}"
    )
    parser.add_argument(
        "--path", action="append", default=[], metavar="GLOB", help='only paths like this; "!" in front excludes'
    )
    parser.add_argument(
        "--tests", choices=[str(one) for one in TestPolicy], default="demote", help="tests of code (default: demote)"
    )


def _add_places(parser: argparse.ArgumentParser) -> None:
    for name, what in (
        ("repository", "of these repositories"),
        ("database", "that tell of these databases"),
        ("environment", "that tell of databases of these environments"),
    ):
        parser.add_argument(
            f"--{name}", action="extend", type=_words, default=[], metavar="LIST", help=f"only files {what}"
        )


def _add_outline(commands: Parsers) -> None:
    parser = _command(commands, "outline", module="outline", summary="show what a file defines, indexed or not")
    parser.add_argument("file", metavar="FILE")
    _add_groups(parser)
    _add_output(parser)


def _add_symbols(commands: Parsers) -> None:
    parser = _command(
        commands, "symbols", module="symbols", summary="find where a name is defined, or the names spelled most like it"
    )
    parser.add_argument("name", metavar="NAME", help="a name, qualified or not: get, Session.get, pkg::Type")
    parser.add_argument("-k", type=_count, default=20, metavar="N", help="how many definitions (default: 20)")
    _add_groups(parser)
    _add_opening(parser)
    _add_output(parser)


def _add_schema(commands: Parsers) -> None:
    parser = _command(
        commands,
        "schema",
        module="schema",
        summary="give the tables, keys, joins and examples that the SQL for a question needs",
        epilog=SCHEMA_EXAMPLES,
    )
    parser.add_argument("question", nargs="*", metavar="QUESTION", help="a question in words")
    parser.add_argument(
        "--budget", type=_count, default=8000, metavar="TOKENS", help="how much to give (default: 8000)"
    )
    parser.add_argument(
        "-k", type=_count, default=20, metavar="N", help="how many tables at most beyond it (default: 20)"
    )
    parser.add_argument("--evidence", default="", metavar="TEXT", help="what else is known: definitions, formulas")
    parser.add_argument("--format", choices=("ddl", "markdown"), default="ddl", help="default: ddl")
    parser.add_argument("--no-samples", action="store_true", help="leave out known values of columns")
    parser.add_argument("--explain", action="store_true", help="say why each table is there")
    parser.add_argument("--batch", action="store_true", help=BATCH_SCHEMA_HELP)
    _add_schema_filters(parser)
    _add_groups(parser)
    _add_opening(parser)
    _add_output(parser)


def _add_schema_filters(parser: argparse.ArgumentParser) -> None:
    for name, what in (
        ("database", "databases"),
        ("schema", "schemas"),
        ("dialect", "dialects"),
        ("environment", "environments, such as prod"),
        ("domain", "parts of the business"),
    ):
        parser.add_argument(
            f"--{name}", action="extend", type=_words, default=[], metavar="LIST", help=f"only these {what}"
        )
    parser.add_argument(
        "--path", action="append", default=[], metavar="GLOB", help='only tables declared there; "!" in front excludes'
    )
    parser.add_argument("--since", default="", metavar="DATE", help="only what changed since, such as 2025-06-30")
    parser.add_argument(
        "--tests", choices=[str(one) for one in TestPolicy], default="demote", help="tables of tests (default: demote)"
    )


def _add_tables(commands: Parsers) -> None:
    parser = _command(commands, "tables", module="tables", summary="list the tables and views")
    parser.add_argument("pattern", nargs="?", default="", metavar="GLOB", help='names like this: "order*", "sales.*"')
    _add_schema_filters(parser)
    _add_groups(parser)
    _add_opening(parser)
    _add_output(parser)


def _add_table(commands: Parsers) -> None:
    parser = _command(
        commands, "table", module="table", summary="show all that is known of a table: columns, keys, history, queries"
    )
    parser.add_argument("name", metavar="NAME", help="its name, with schema or database where there are several")
    _add_schema_filters(parser)
    _add_groups(parser)
    _add_opening(parser)
    _add_output(parser)


def _add_erd(commands: Parsers) -> None:
    parser = _command(
        commands, "erd", module="erd", summary="draw tables and their joins, as Mermaid or SVG", epilog=ERD_EXAMPLES
    )
    parser.add_argument("what", nargs="*", metavar="TABLE|QUESTION", help="tables, or a question (default: all tables)")
    parser.add_argument("--format", choices=("mermaid", "svg"), help="default: by the name of the output, else mermaid")
    parser.add_argument("--output", "-o", metavar="FILE", help="where to write it (default: stdout)")
    parser.add_argument("-k", type=_count, default=8, metavar="N", help="how many tables for a question (default: 8)")
    _add_schema_filters(parser)
    _add_groups(parser)
    _add_opening(parser)
    _add_output(parser)


def _add_check_sql(commands: Parsers) -> None:
    parser = _command(
        commands,
        "check-sql",
        module="check_sql",
        summary="check SQL against the schema: names, joins, types, functions",
        epilog=CHECK_EXAMPLES,
    )
    parser.add_argument("file", metavar="FILE", help='a file of SQL, or "-" for stdin')
    parser.add_argument("--url", metavar="URL", help="a database that also explains the query, read-only")
    parser.add_argument("--allow-writes", action="store_true", help="let statements write")
    _add_schema_filters(parser)
    _add_groups(parser)
    _add_opening(parser)
    _add_output(parser)


def _add_eval(commands: Parsers) -> None:
    parser = _command(
        commands,
        "eval",
        module="eval",
        summary="measure how good the answers are, on questions of yours or of the repository's own",
        epilog=EVAL_EXAMPLES,
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("questions", nargs="?", metavar="QUESTIONS.jsonl", help="questions with what answers them")
    source.add_argument("--from-git", action="store_true", help="make questions of the repository's commits")
    source.add_argument(
        "--from-docstrings",
        action="store_true",
        help="make questions of its documentation, and ask a copy that has none",
    )
    parser.add_argument("-k", type=_count, default=10, metavar="N", help="how many hits count (default: 10)")
    parser.add_argument(
        "--compare",
        action="append",
        default=[],
        metavar="CONFIG",
        help="compare with name=value,... or with the folder of another index",
    )
    parser.add_argument("--by", choices=("language", "kind", "folder"), help="also show the figures of each")
    parser.add_argument("--plot", metavar="FILE", help="draw quality against latency as .svg or .png")
    parser.add_argument(
        "--limit",
        type=_count,
        metavar="N",
        help="ask at most so many questions (default: all of a file, else 300; of a folder 150)",
    )
    parser.add_argument("--seed", type=_count, default=1, metavar="N", help="of what is drawn by lot (default: 1)")
    parser.add_argument("--since", default="", metavar="REV", help="with --from-git: only commits after this one")
    parser.add_argument(
        "--group-by-folder",
        action="store_true",
        help="take each folder of the root for a package: ask everywhere, and once more in its own folder",
    )
    parser.add_argument("--save", metavar="FILE", help="also write the questions that were made")
    parser.add_argument("--verbose", "-v", action="store_true", help="list the questions that differ, losses first")
    _add_filters(parser)
    _add_opening(parser)
    _add_output(parser)


def _add_status(commands: Parsers) -> None:
    parser = _command(commands, "status", module="status", summary="show what is indexed, and whether it is up to date")
    parser.add_argument("--verbose", "-v", action="store_true", help="list every skipped, changed and problematic file")
    parser.add_argument("--check", action="store_true", help="compare every byte of the index with its checksums")
    parser.add_argument("--recall", action="store_true", help="measure how many of the nearest vectors are found")
    _add_groups(parser)
    _add_place(parser)
    _add_output(parser)


def _add_languages(commands: Parsers) -> None:
    _add_output(_command(commands, "languages", module="languages", summary="list the languages that are read"))


def _add_watch(commands: Parsers) -> None:
    parser = _command(
        commands, "watch", module="watch", summary="keep indexes up to date while files change", epilog=WATCH_EXAMPLES
    )
    parser.add_argument("root", nargs="*", metavar="ROOT", help="folders to follow (default: the one around here)")
    parser.add_argument("--index", metavar="DIR", help="where the index lies (default: ROOT/.coderag)")
    parser.add_argument(
        "--poll", type=_seconds, metavar="SECONDS", help="look at all files so often instead of being told of changes"
    )
    parser.add_argument("--workers", type=_count, metavar="N", help="processes (default: one a core but one; 0: none)")
    parser.add_argument("--quiet", "-q", action="store_true", help="print nothing but errors")
    parser.add_argument("--json", action="store_true", help="print a JSON object for each update, one a line")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="default: auto")
    parser.set_defaults(no_refresh=False)


def _add_clean(commands: Parsers) -> None:
    parser = _command(
        commands, "clean", module="clean", summary="make the cache smaller, or remove indexes", epilog=CLEAN_EXAMPLES
    )
    parser.add_argument("roots", nargs="*", metavar="ROOT", help="folders whose indexes are removed (default: none)")
    parser.add_argument("--index", metavar="DIR", help="where the index to remove lies (default: ROOT/.coderag)")
    parser.add_argument("--all", action="store_true", help="empty the cache")
    parser.add_argument(
        "--max-size",
        type=_size,
        metavar="SIZE",
        help="the most that each part of the cache keeps, such as 500MB (default: its limit)",
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what would be removed")
    _add_output(parser)


def _add_groups(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--groups",
        type=_words,
        metavar="LIST",
        help="answer as to a caller of these groups (default: one who sees all)",
    )


def _add_opening(parser: argparse.ArgumentParser) -> None:
    _add_place(parser)
    parser.add_argument("--no-refresh", action="store_true", help="answer from the index as it is")


def _add_place(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--root", action="append", default=[], metavar="ROOT", help="repository; several are searched as one"
    )
    parser.add_argument("--index", metavar="DIR", help="where the index lies (default: ROOT/.coderag)")


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print a JSON array of records")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="default: auto")


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _words_of(known: list[str]) -> Callable[[str], list[str]]:
    def words(text: str) -> list[str]:
        found = _words(text)
        if not found or set(found) - set(known):
            raise argparse.ArgumentTypeError(f"{text!r} is no list of {', '.join(known)}")
        return found

    return words


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number")
    return int(text)


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 to 1")
    return share


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds")
    return seconds


def _size(text: str) -> int:
    number = text.rstrip("kKmMgGbB")
    unit = text[len(number) :].lower().removesuffix("b")
    factors = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}
    if not number.isdecimal() or unit not in factors or int(number) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no size; give bytes, or 500k, 4M, 1G")
    return int(number) * factors[unit]
