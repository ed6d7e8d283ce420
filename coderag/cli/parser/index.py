"""The commands that build and keep indexes, their arguments and their help."""

from __future__ import annotations

import argparse

from coderag.cli.parser.arguments import (
    Collect,
    Number,
    Parsers,
    Size,
    Text,
    Words,
    add_groups,
    add_index,
    add_output,
    add_place,
    add_repositories,
    command,
)
from coderag.limits import MAX_BYTES, MAX_SIZE, NAME, POLL, ROOTS, SAMPLES, TIMEOUT, UNUSED, WORKERS
from coderag.types import Content

__all__ = ["add_clean", "add_index_command", "add_languages", "add_merge", "add_status", "add_watch"]

INDEX_EXAMPLES = """\
examples:
  coderag index                    the repository around the current folder
  coderag index --dry-run          what would be read, one file per line
  coderag index --content code,docs,config
  coderag index ~/src/app --index /var/tmp/app-index
  coderag index . postgresql://reader@localhost/shop   and the schema of a database
  coderag index sqlite:///shop.db --samples 3          with up to three values of each column
  coderag index https://host/owner/name@v2.1           a tag of a git repository: it is cloned, or fetched again
  coderag index --repositories list.toml               many repositories, a line of state for each
  coderag index --part 2/4 --out parts/2               one of four parts, for several machines: "coderag merge"
  coderag index --executor ray:auto                    on all machines of a Ray cluster

The index is stored in ROOT/.coderag. Running the command again reads only what changed. A database is asked for its
schema once; the schema is kept, without the password, until the database is given again.
"""
MERGE_EXAMPLES = """\
examples:
  coderag index --part 1/2 --out parts/1    on one machine
  coderag index --part 2/2 --out parts/2    on another one that has the same files
  coderag merge parts/*                     where both folders and the files are: the index of this repository
  coderag merge parts/* --root ~/src/app --into /var/tmp/app-index

The result is the index that one machine would have made. Parts made by another user or machine need the same
CODERAG_INDEX_KEY in both places. What no part holds as it is now is read here, so old parts are of use, too.
"""
WATCH_EXAMPLES = """\
examples:
  coderag watch                    keep the index of this repository up to date until Ctrl-C
  coderag watch ~/src/app ~/src/lib --quiet
  coderag watch --json             a JSON object per update, one per line
  coderag watch --poll 5           for network folders, where the system reports no changes

Every search reads what changed before it answers; with a watch there is nothing left to read.
"""
CLEAN_EXAMPLES = """\
examples:
  coderag clean                    show the size of the cache, and remove what exceeds its limit
  coderag clean --all              the whole cache
  coderag clean .                  the index of this repository
  coderag clean --max-size 500MB --dry-run
  coderag clean https://host/owner/name   the clone of a git repository, with its index
  coderag clean --unused 30        clones that were not used for 30 days

The cache holds the vectors of models, segments that work trees of one repository share, indexes that were pulled, and
clones of the git addresses that were given as roots, which are listed; what is removed is made again when it is needed.
"""


def add_index_command(commands: Parsers) -> None:
    """Add `coderag index`."""
    parser = command(
        commands, "index", module="index", summary="index a repository, or what changed in it", epilog=INDEX_EXAMPLES
    )
    parser.add_argument(
        "roots",
        nargs="*",
        type=Text(NAME),
        metavar="ROOT",
        help="folders or git addresses to index (default: the repository around here), URLs or files of databases",
    )
    add_index(parser)
    parser.add_argument("--rebuild", action="store_true", help="read everything again")
    parser.add_argument(
        "--trust",
        action="store_true",
        help="use an existing index that was not built on this machine; do so only if you trust whoever built it",
    )
    add_repositories(parser, "index the repositories of this list (TOML): folders and git addresses")
    _add_reading(parser)
    _add_database(parser)
    parser.add_argument(
        "--workers", type=Number(WORKERS), metavar="N", help="processes (default: one per core; 0: none)"
    )
    parser.add_argument(
        "--executor",
        type=Text(NAME),
        default="processes",
        metavar="NAME",
        help="where they run: processes, ray (started here), or a cluster: ray:HOST:PORT, ray://HOST:PORT",
    )
    parser.add_argument(
        "--part", type=Text(NAME), metavar="I/N", help='index one of N parts only, which "coderag merge" joins'
    )
    parser.add_argument("--out", type=Text(NAME), metavar="DIR", help="with --part: where the part is stored")
    parser.add_argument("--dry-run", action="store_true", help="only list what would be read")
    noise = parser.add_mutually_exclusive_group()
    noise.add_argument("--verbose", "-v", action="store_true", help="list skipped files and files with problems")
    noise.add_argument("--quiet", "-q", action="store_true", help="print nothing but errors")
    add_output(parser)


def _add_reading(parser: argparse.ArgumentParser) -> None:
    """Add which files are read, and what is made of them."""
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
        help="the embedding model: static, none, bge-small, hf:ID, onnx:FOLDER, http://... (default: static)",
    )
    parser.add_argument(
        "--no-cache", action="store_true", help="do not reuse segments from the cache that indexes share"
    )
    graph = parser.add_mutually_exclusive_group()
    graph.add_argument("--no-graph", action="store_true", help="build the code graph when a command first needs it")
    graph.add_argument(
        "--wait", action="store_true", help="wait for the code graph instead of building it in the background"
    )
    history = parser.add_mutually_exclusive_group()
    history.add_argument(
        "--no-history",
        action="store_false",
        dest="history",
        default=None,
        help="leave out the commit history of the repository (default: as before)",
    )
    history.add_argument(
        "--history", action="store_true", default=None, help="keep which commits changed what (default: kept)"
    )
    hnsw = parser.add_mutually_exclusive_group()
    hnsw.add_argument(
        "--hnsw",
        action="store_true",
        default=None,
        help="make a graph over the vectors, for millions of chunks (needs the extra hnsw)",
    )
    hnsw.add_argument("--no-hnsw", action="store_false", dest="hnsw", help="remove the graph over the vectors")
    masking = parser.add_mutually_exclusive_group()
    masking.add_argument(
        "--no-mask",
        action="store_false",
        dest="mask",
        default=None,
        help="index secrets as they are (default: as before)",
    )
    masking.add_argument("--mask", action="store_true", default=None, help="mask secrets again (default: masked)")


def _add_database(parser: argparse.ArgumentParser) -> None:
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
        help="seconds to wait for a database (default: 30)",
    )
    parser.add_argument("--forget", action="store_true", help="remove the given databases from the index")


def add_merge(commands: Parsers) -> None:
    """Add `coderag merge`."""
    parser = command(
        commands,
        "merge",
        module="merge",
        summary="join parts of an index that were built separately",
        epilog=MERGE_EXAMPLES,
    )
    parser.add_argument("parts", nargs="+", type=Text(NAME), metavar="DIR", help='a part that "coderag index" wrote')
    parser.add_argument(
        "--root",
        action=Collect,
        limit=ROOTS,
        type=Text(NAME),
        metavar="ROOT",
        help="the files that were indexed (default: the repository around here)",
    )
    parser.add_argument("--into", type=Text(NAME), metavar="INDEX", help="the index folder (default: ROOT/.coderag)")
    parser.add_argument(
        "--trust", action="store_true", help="believe parts that nobody known here signed: know who made them"
    )
    parser.add_argument(
        "--workers", type=Number(WORKERS), metavar="N", help="processes (default: one per core; 0: none)"
    )
    parser.add_argument("--no-graph", action="store_true", help="build the code graph when a command first needs it")
    parser.add_argument("--hnsw", action="store_true", help="make a graph over the vectors, for millions of chunks")
    parser.add_argument("--quiet", "-q", action="store_true", help="print nothing but errors")
    add_output(parser)


def add_status(commands: Parsers) -> None:
    """Add `coderag status`."""
    parser = command(commands, "status", module="status", summary="show what is indexed, and whether it is up to date")
    parser.add_argument("--verbose", "-v", action="store_true", help="list every skipped, changed and problematic file")
    parser.add_argument("--check", action="store_true", help="compare every byte of the index with its checksums")
    parser.add_argument(
        "--recall", action="store_true", help="measure how many of the nearest vectors the dense search finds"
    )
    add_groups(parser)
    add_place(parser)
    add_output(parser)
    parser.set_defaults(no_refresh=True)


def add_languages(commands: Parsers) -> None:
    """Add `coderag languages`."""
    add_output(command(commands, "languages", module="languages", summary="list the languages that are read"))


def add_watch(commands: Parsers) -> None:
    """Add `coderag watch`."""
    parser = command(
        commands, "watch", module="watch", summary="keep indexes up to date while files change", epilog=WATCH_EXAMPLES
    )
    parser.add_argument(
        "root",
        nargs="*",
        type=Text(NAME),
        metavar="ROOT",
        help="folders to watch (default: the repository around here)",
    )
    add_index(parser)
    parser.add_argument(
        "--poll",
        type=Number(POLL),
        metavar="SECONDS",
        help="compare all files at this interval, in place of notifications of the system",
    )
    parser.add_argument(
        "--workers", type=Number(WORKERS), metavar="N", help="processes (default: one per core but one; 0: none)"
    )
    parser.add_argument("--quiet", "-q", action="store_true", help="print nothing but errors")
    add_output(parser, formats=("text", "jsonl"))
    parser.set_defaults(no_refresh=False)


def add_clean(commands: Parsers) -> None:
    """Add `coderag clean`."""
    parser = command(
        commands, "clean", module="clean", summary="make the cache smaller, or remove indexes", epilog=CLEAN_EXAMPLES
    )
    parser.add_argument(
        "roots",
        nargs="*",
        type=Text(NAME),
        metavar="ROOT",
        help="folders whose indexes are removed, and git addresses whose clones are (default: none)",
    )
    add_index(parser, "where the index to remove is stored")
    parser.add_argument("--all", action="store_true", help="empty the cache")
    parser.add_argument(
        "--unused", type=Number(UNUSED), metavar="DAYS", help="remove the clones that were not used for so many days"
    )
    parser.add_argument(
        "--max-size",
        type=Size(MAX_SIZE),
        metavar="SIZE",
        help="the most that each part of the cache keeps, such as 500MB (default: its limit)",
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what would be removed")
    add_output(parser)
