"""Repositories to whether an index of many parts, and one from a store, answers as one that a single machine made.

scripts/judge_parts.py QUESTIONS.jsonl ROOT ... --parts 16

QUESTIONS.jsonl has a JSON object with "question" a line. Of each root an index is made whole, of parts, and by push and
pull; the first ten hits of each question are compared, with their scores. Exit code 1 where some differ.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
HITS = 10


def main() -> int:
    """Judge with the checkout that this file is in."""
    sys.path.insert(0, str(REPOSITORY))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path)
    parser.add_argument("roots", type=Path, nargs="+", metavar="ROOT")
    parser.add_argument("--parts", type=int, default=16)
    options = parser.parse_args()
    questions = [json.loads(line)["question"] for line in options.questions.read_text(encoding="utf-8").splitlines()]
    asked = same = 0
    for root in options.roots:
        with tempfile.TemporaryDirectory() as folder:
            equal = _judge(root, questions, Path(folder), count=options.parts)
        print(f"{root.name}: {equal} of {2 * len(questions)} answers are the same", flush=True)
        asked += 2 * len(questions)
        same += equal
    print(f"all: {same} of {asked}")
    return 0 if same == asked else 1


def _judge(root: Path, questions: list[str], folder: Path, *, count: int) -> int:
    """Return how many answers of two other indexes are those of the whole one."""
    from coderag import Index
    from coderag.index.remote.objects import ObjectStore
    from coderag.index.remote.pull import pull_index
    from coderag.index.remote.push import push_index

    whole = Index.build(root, index=folder / "whole", cache=False)
    parts = [folder / f"part-{number}" for number in range(1, count + 1)]
    for number, part in enumerate(parts, 1):
        Index.write_part(root, part=f"{number}/{count}", out=part)
    joined = Index.ensure(root, index=folder / "joined", parts=parts, cache=False)
    store = ObjectStore((folder / "store").as_uri())
    push_index(joined.roots[0].folder, store, name="judged")
    with pull_index(store, name="judged") as pulled:
        brought = Index.ensure(root, index=folder / "brought", parts=[pulled.folder], cache=False)
    if (read := joined.reports[0].read + brought.reports[0].read) > 0:
        print(f"{root.name}: {read} files were read that a part should have held")
    expected = [_hits(whole, question) for question in questions]
    return sum(
        _hits(index, question) == hits
        for index in (joined, brought)
        for question, hits in zip(questions, expected, strict=True)
    )


def _hits(index: object, question: str) -> list[tuple[str, float]]:
    from coderag import Index

    assert isinstance(index, Index)
    return [(hit.chunk.id, round(hit.score, 9)) for hit in index.search(question, k=HITS)]


if __name__ == "__main__":
    sys.exit(main())
