"""Questions to chunks as somebody with ripgrep finds them: lines that hold the question's keywords."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from coderag.api.index import Index
from coderag.errors import EvaluationError
from coderag.evaluate.baselines.found import Found, Search, chunks_within, found_chunk
from coderag.evaluate.baselines.process import run_command
from coderag.search.query.vocabulary import STOP_WORDS
from coderag.text.tokens import words
from coderag.types import Chunk, Query

__all__ = ["keywords", "ripgrep_search"]

PROGRAM = "rg"
MIN_KEYWORD = 3  # characters; a shorter one is inside of many others
TIMEOUT = 120.0  # seconds for a root
NOTHING, FAILED = 1, 2  # exit statuses of ripgrep
# No configuration of the user's, no symbolic links; every occurrence, so that each keyword of a line is known.
OPTIONS = ("--no-config", "--no-messages", "--no-heading", "--color=never", "--with-filename", "--null")
MATCHING = ("--line-number", "--only-matching", "--ignore-case", "--fixed-strings")

Matches = Mapping[str, Mapping[int, frozenset[str]]]  # path -> line -> keywords


def ripgrep_search(index: Index) -> Search:
    """Return a search by ripgrep over the files of an index; raises EvaluationError where ripgrep is not installed.

    Best is the chunk on whose lines most different keywords stand, then most lines with one, then the shorter.
    """
    # Found once: nothing in a root is run, whatever the PATH says of the current folder.
    program = shutil.which(PROGRAM)
    if program is None:
        raise EvaluationError(f"ripgrep ({PROGRAM}) is not installed, or not on the PATH")
    program = str(Path(program).absolute())
    roots = {root.repository: root.root for root in index.roots}
    made: dict[Query, dict[tuple[str, str], list[Chunk]]] = {}

    def answer(query: Query) -> list[Found]:
        conditions = replace(query, text="-", k=1)
        if conditions not in made:
            by_file: defaultdict[tuple[str, str], list[Chunk]] = defaultdict(list)
            for chunk in chunks_within(index, conditions):
                by_file[chunk.repository, chunk.path].append(chunk)
            made[conditions] = by_file
        asked = keywords(query.text)
        ranked = [
            (_worth(chunk, lines), chunk)
            for repository, root in roots.items()
            for path, lines in (_matches(program, root, asked).items() if asked else ())
            for chunk in made[conditions].get((repository, path), ())
        ]
        best = sorted(
            (one for one in ranked if one[0][0]), key=lambda one: (one[0], one[1].path, one[1].span.start_line)
        )
        return [found_chunk(chunk) for _, chunk in best[: query.k]]

    return answer


def keywords(question: str) -> list[str]:
    """Return the words of a question that one would search for, in lower case."""
    found = [word.lower() for word in words(question)]
    return list(dict.fromkeys(word for word in found if len(word) >= MIN_KEYWORD and word not in STOP_WORDS))


def _worth(chunk: Chunk, lines: Mapping[int, frozenset[str]]) -> tuple[int, int, int]:
    """Return the negated number of keywords and lines of a chunk that match, and its length: less is better."""
    own = [held for number, held in lines.items() if any(number in part for part in chunk.parts)]
    return -len(frozenset().union(*own)), -len(own), len(chunk.text)


def _matches(program: str, root: Path, asked: Sequence[str]) -> Matches:
    """Return the lines of a root's files with the keywords that they hold."""
    patterns = [argument for word in asked for argument in ("-e", word)]
    status, output = run_command([program, *OPTIONS, *MATCHING, *patterns, "--", "."], folder=root, seconds=TIMEOUT)
    if status >= FAILED and not output:
        raise EvaluationError(f"{PROGRAM} failed in {root}, exit status {status}")
    found: defaultdict[str, defaultdict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for path, line, text in _records(output):
        found[path][line].add(text.lower())
    return {path: {line: frozenset(texts) for line, texts in lines.items()} for path, lines in found.items()}


def _records(output: bytes) -> Iterator[tuple[str, int, str]]:
    for record in output.split(b"\n"):
        path, _, rest = record.partition(b"\0")
        line, separator, text = rest.partition(b":")
        if separator and line.isdigit():
            name = path.decode("utf-8", "replace").replace("\\", "/").removeprefix("./")
            yield name, int(line), text.decode("utf-8", "replace")
