"""`coderag status --recall`: how many of the nearest vectors a search finds, and in what time."""

from __future__ import annotations

import argparse

from coderag.api.index import Index
from coderag.api.records import plain
from coderag.api.roots import Root
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.groups import as_seen, callers
from coderag.cli.opening import roots_for_caller
from coderag.cli.output.records import print_records
from coderag.cli.output.summary import labelled
from coderag.cli.output.text import Screen, Style, screen, visible
from coderag.index.reader.dense_search import COMPARED, How
from coderag.index.reader.recall import Recall
from coderag.text.counted import counted

__all__ = ["show_recall"]


def show_recall(options: argparse.Namespace) -> int:
    """Measure and print the recall of every root; 1 when none has vectors."""
    recalls = {root: as_seen(Index.of([root]), callers(options)).recall() for root in roots_for_caller(options)}
    if options.json:
        print_records(
            ({"repository": one.repository, "recall": plain(recall)} for one, recall in recalls.items()), options.format
        )
    else:
        shown = screen(options.color)
        print("\n\n".join("\n".join(_lines(one, recall, shown)) for one, recall in recalls.items()))
    return FOUND if any(recalls.values()) else NOTHING


def _lines(root: Root, recall: Recall | None, shown: Screen) -> list[str]:
    title = f"{shown.paint(visible(root.repository), Style.TITLE)}  {visible(str(root.root))}"
    if recall is None:
        return [title, labelled("vectors", "none: words alone answer", shown)]
    ways = {
        How.ALL: "all are compared",
        How.SIGNS: f"by their signs, of which about {COMPARED:,} are compared",
        How.GRAPH: "by a graph (HNSW)",
    }
    return [
        title,
        labelled("vectors", f"of {counted(recall.chunks, 'chunk')}; {ways[recall.how]}", shown),
        labelled("asked", f"{counted(recall.questions, 'question')} made of names and documentation", shown),
        labelled("recall@10", f"{recall.at_10:.4f}", shown),
        labelled("recall@200", f"{recall.at_200:.4f}", shown),
        labelled("takes", f"{recall.milliseconds:.1f} ms; to compare all {recall.exact_milliseconds:.1f} ms", shown),
    ]
