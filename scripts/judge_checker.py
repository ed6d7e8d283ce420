"""Judge `coderag check-answer`: sentences that are known to be true or false to what is caught and what is flagged.

scripts/judge_checker.py [SENTENCES.jsonl] [--part all|tuned|kept] [--show]

Each line has a `text`, its `label` ("true", or in which way it is false), `kept` (for measuring only: nothing was
tuned on it) and maybe `sources`. The sentences are about fixtures/shop, which is indexed in a temporary folder.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coderag import Index
from coderag.ask.checking import CheckedSentence, Verdict, check_answer
from coderag.ask.checking.read_sources import read_sources

REPOSITORY = Path(__file__).resolve().parents[1]
SENTENCES = REPOSITORY / "fixtures/answers/sentences.jsonl"
SHOP = REPOSITORY / "fixtures/shop"
TRUE = "true"
FLAGGED = frozenset({Verdict.PARTLY, Verdict.UNSUPPORTED, Verdict.UNCITED})


@dataclass(frozen=True, slots=True)
class Judged:
    """A sentence, what is known of it, and what the checker says."""

    text: str
    label: str
    flagged: bool
    found: tuple[CheckedSentence, ...]

    @property
    def is_right(self) -> bool:
        """Whether a false one was caught, or a true one left alone."""
        return self.flagged is (self.label != TRUE)


def judge(lines: Sequence[dict[str, Any]], index: Index) -> list[Judged]:
    """Return what the checker says of each sentence, checked alone."""
    judged = []
    for line in lines:
        sources = read_sources(json.dumps(line["sources"])) if line.get("sources") else []
        found = check_answer(line["text"], sources, index).sentences
        flagged = any(one.verdict in FLAGGED for one in found)
        judged.append(Judged(line["text"], line["label"], flagged, found))
    return judged


def table(judged: Sequence[Judged]) -> list[str]:
    """Return how many of each kind are flagged, as lines."""
    total = Counter(one.label for one in judged)
    flagged = Counter(one.label for one in judged if one.flagged)
    false = len(judged) - total[TRUE]
    caught = sum(flagged.values()) - flagged[TRUE]
    rows = [f"{label:<12} {flagged[label]:>4} of {total[label]:>4}" for label in sorted(total) if label != TRUE]
    rows.append(f"false caught {caught:>4} of {false:>4}  {caught / max(false, 1):.3f}")
    rows.append(f"true flagged {flagged[TRUE]:>4} of {total[TRUE]:>4}  {flagged[TRUE] / max(total[TRUE], 1):.3f}")
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, and with --show each sentence that is judged wrongly."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sentences", nargs="?", type=Path, default=SENTENCES)
    parser.add_argument("--part", choices=["all", "tuned", "kept"], default="all")
    parser.add_argument("--show", action="store_true", help="print what is judged wrongly")
    options = parser.parse_args(arguments)
    lines = [json.loads(line) for line in options.sentences.read_text(encoding="utf-8").splitlines()]
    lines = [line for line in lines if options.part == "all" or line["kept"] is (options.part == "kept")]
    with tempfile.TemporaryDirectory() as folder:
        root = shutil.copytree(SHOP, Path(folder) / "shop", ignore=shutil.ignore_patterns(".coderag"))
        with Index.build(root, workers=0) as index:
            judged = judge(lines, index)
    for one in judged if options.show else ():
        if not one.is_right:
            print(f"{one.label}: {one.text}")
            for sentence in one.found:
                faults = "; ".join(f"{fault.kind}: {fault.message} ({fault.text})" for fault in sentence.faults)
                print(f"    {sentence.verdict}  {faults}")
    print("\n".join(table(judged)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
