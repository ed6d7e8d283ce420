"""Repositories to whether a store answers as their files do, of one generation.

scripts/judge_store.py QUESTIONS.jsonl ROOT ... [--store URL]

QUESTIONS.jsonl has a JSON object with "question" a line, and "root" with the name of a repository's folder where it is
for that one alone. Each ROOT is indexed, exported, and asked both ways; compared are the ten best hits and their
scores. Without --store, the PostgreSQL of the extra `test` is started for it. Exit code 1 where the hits of both have
less than .99 in common, or a score differs by more than a thousandth.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from coderag.types import Hit

REPOSITORY = Path(__file__).resolve().parents[1]
HITS = 10
LEAST_OVERLAP, MOST_APART = 0.99, 1e-3


class Judged(NamedTuple):
    """How the answers of a store compare with those of files."""

    questions: int = 0
    overlap: float = 0.0  # summed over the questions
    same: int = 0  # answers with the same hits in the same order
    apart: float = 0.0  # the largest difference of a score
    files_seconds: float = 0.0  # of the processor, of this process
    store_seconds: float = 0.0

    def plus(self, other: Judged) -> Judged:
        """Return both together."""
        return Judged(
            self.questions + other.questions,
            self.overlap + other.overlap,
            self.same + other.same,
            max(self.apart, other.apart),
            self.files_seconds + other.files_seconds,
            self.store_seconds + other.store_seconds,
        )

    def line(self, name: str) -> str:
        """Return what is printed."""
        count = max(self.questions, 1)
        return (
            f"{name}: {self.questions} questions, overlap {self.overlap / count:.4f}, {self.same} answers the same in "
            f"order, scores {self.apart:.2g} apart, {1000 * self.files_seconds / count:.0f} ms of processor by files, "
            f"{1000 * self.store_seconds / count:.0f} ms from the store"
        )


def main() -> int:
    """Judge with the checkout that this file is in."""
    sys.path.insert(0, str(REPOSITORY))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path)
    parser.add_argument("roots", type=Path, nargs="+", metavar="ROOT")
    parser.add_argument("--store", metavar="URL")
    options = parser.parse_args()
    lines = [json.loads(line) for line in options.questions.read_text(encoding="utf-8").splitlines()]
    total = Judged()
    with _store(options.store) as url:
        for root in options.roots:
            questions = [line["question"] for line in lines if line.get("root", root.name) == root.name]
            judged = _judge(root, questions, url)
            print(judged.line(root.name), flush=True)
            total = total.plus(judged)
    print(total.line("all"))
    good = total.overlap >= LEAST_OVERLAP * total.questions and total.apart <= MOST_APART
    return 0 if good else 1


@contextmanager
def _store(url: str | None) -> Iterator[str]:
    if url is not None:
        yield url
        return
    from tests.catalog.introspect.servers import run_postgres

    with run_postgres() as server:
        yield server.database("judged")


def _judge(root: Path, questions: Sequence[str], url: str) -> Judged:
    from coderag import Index
    from coderag.api.snapshot import open_snapshot
    from coderag.search.query.query import make_query
    from coderag.stores.addresses import open_store, parse_address
    from coderag.stores.export import export_index
    from coderag.stores.stored_index import StoredIndex

    index = Index.ensure(root, graph=False)
    store = open_store(parse_address(url))
    export_index(open_snapshot(index.roots).opened[0], store, name=root.name)
    stored = StoredIndex(store, root.name)
    total = Judged()
    for question in questions:
        begun = time.process_time()
        expected = index.search(make_query(question, k=HITS))
        between = time.process_time()
        found = stored.search(make_query(question, k=HITS))
        ended = time.process_time()
        total = total.plus(
            _compared(expected, found)._replace(files_seconds=between - begun, store_seconds=ended - between)
        )
    store.close()
    return total


def _compared(expected: Sequence[Hit], found: Sequence[Hit]) -> Judged:
    mine = {(hit.chunk.path, hit.chunk.id): hit.score for hit in expected}
    theirs = {(hit.chunk.path, hit.chunk.id): hit.score for hit in found}
    shared = mine.keys() & theirs.keys()
    return Judged(
        questions=1,
        overlap=len(shared) / len(mine) if mine else float(not theirs),
        same=int(list(mine) == list(theirs)),
        apart=max((abs(mine[key] - theirs[key]) for key in shared), default=0.0),
    )


if __name__ == "__main__":
    sys.exit(main())
