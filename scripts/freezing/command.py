"""The arguments of scripts/freeze.py to what it writes or prints."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from scripts.freezing.compare import differences
from scripts.freezing.invocations import HELP, QUESTIONS_FILE, help_invocations, invocations
from scripts.freezing.processes import Place, Servers
from scripts.freezing.rows import Row, write_digests, write_rows
from scripts.freezing.sample import Questions, Sample, read_questions

__all__ = ["run"]

DIGITS = 6  # of a float that are written
COLUMNS = "120"  # of the terminal that help is written for


def run(arguments: Sequence[str]) -> int:
    """Freeze or compare; 1 where two folders differ."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.compare:
        return _compare(*options.compare, renamed=dict(options.renamed))
    if not options.roots or options.output is None:
        parser.error("give folders and --output, or --compare")
    roots = [root.resolve() for root in options.roots]
    names = [root.name for root in roots]
    if len({*names, HELP}) <= len(names):
        parser.error(f"two of {', '.join(sorted(names))}, {HELP} have the same name")
    if missing := [str(root) for root in roots if not root.is_dir()]:
        parser.error(f"no folder: {', '.join(missing)}")
    given = read_questions(options.questions)
    with tempfile.TemporaryDirectory(prefix="freeze-") as temporary:
        _freeze_all(roots, options, given, Path(temporary).resolve())
    write_digests(options.output)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Write down all that coderag knows of folders, or compare two such.")
    parser.add_argument("roots", nargs="*", type=Path, metavar="ROOT", help="folders to index")
    parser.add_argument("--output", type=Path, metavar="DIR", help="where to write it")
    parser.add_argument(
        "--questions",
        action="append",
        default=[],
        type=Path,
        metavar="FILE.jsonl",
        help='lines with a "query" about code or a "question" about data (default: made of the root)',
    )
    parser.add_argument(
        "--portable", action="store_true", help="leave out what may differ between machines: vectors, all floats, help"
    )
    parser.add_argument("--no-commands", action="store_true", help="leave out what the commands print")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="commands run at once (default: 2)")
    parser.add_argument("--workers", type=int, metavar="N", help="processes that index (default: one a core)")
    parser.add_argument("--compare", nargs=2, type=Path, metavar="DIR", help="say where two such folders differ")
    parser.add_argument(
        "--renamed",
        action="append",
        default=[],
        type=_pair,
        metavar="OLD=NEW",
        help="a word that counts as another one in both folders",
    )
    return parser


def _pair(text: str) -> tuple[str, str]:
    old, equals, new = text.partition("=")
    if not (old and equals and new):
        raise argparse.ArgumentTypeError(f"{text!r} is no OLD=NEW")
    return old, new


def _compare(first: Path, second: Path, *, renamed: dict[str, str]) -> int:
    found = False
    for line in differences(first, second, renamed=renamed):
        found = True
        print(line)
    return 1 if found else 0


def _set_environment(temporary: Path) -> None:
    """Keep the cache and the key of the user out of it, and what a terminal or a machine would change."""
    os.environ |= {
        "XDG_CACHE_HOME": str(temporary / "cache"),
        "XDG_DATA_HOME": str(temporary / "data"),
        "COLUMNS": COLUMNS,
        "NO_COLOR": "1",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "OPENBLAS_NUM_THREADS": "1",  # as the command line has it
    }
    for name in [name for name in os.environ if name.startswith("CODERAG_")]:
        del os.environ[name]


def _freeze_all(roots: Sequence[Path], options: argparse.Namespace, given: Questions, temporary: Path) -> None:
    _set_environment(temporary)
    if options.no_commands:
        for root in roots:
            _freeze(root, options, given, temporary, servers=None)
        return
    with Servers(options.jobs) as servers:
        for root in roots:
            _freeze(root, options, given, temporary, servers=servers)
        if not options.portable:  # the words of argparse are those of a version of Python
            empty = temporary / HELP
            empty.mkdir()
            rows = servers.printed_rows(help_invocations(), Place(empty, empty / "index", temporary))
            write_rows(options.output / HELP / "commands.jsonl", rows)


def _freeze(
    root: Path, options: argparse.Namespace, given: Questions, temporary: Path, *, servers: Servers | None
) -> None:
    """Index a root and write down what is known of it; what there was of it in the output is replaced."""
    from scripts.freezing.known import PORTABLE, TOPICS, Known  # after the environment is set, for numpy

    started = time.monotonic()
    digits = None if options.portable else DIGITS
    folder = options.output / root.name
    for old in folder.glob("*.jsonl"):
        old.unlink()
    index = temporary / root.name
    known = Known(root, folder=index, given=given, workers=options.workers)
    built = time.monotonic()
    for name, topic in TOPICS.items():
        if not options.portable or name in PORTABLE:
            write_rows(folder / f"{name}.jsonl", topic(known), digits=digits)
    known.close()
    written = time.monotonic()
    if servers is not None:
        place = Place(root, index, temporary)
        write_rows(folder / "commands.jsonl", _printed(known.sample, place, servers, digits=digits), digits=digits)
    took = f"indexed in {built - started:.1f} s, written in {written - built:.1f} s"
    print(f"{root.name}: {took}, commands in {time.monotonic() - written:.1f} s", file=sys.stderr, flush=True)


def _printed(sample: Sample, place: Place, servers: Servers, *, digits: int | None) -> Iterator[Row]:
    """Return what commands print of a root, whose sample knows what to ask."""
    lines = [json.dumps({"query": question, "relevant": [path]}) + "\n" for question, path in sample.judged]
    judged = Path(QUESTIONS_FILE.replace("<temporary>", str(place.temporary)))
    judged.write_text("".join(lines), encoding="utf-8")
    return servers.printed_rows(invocations(sample), place, digits=digits)
