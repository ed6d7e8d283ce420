"""What is indexed and what is not, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from coderag.api.status_records import masked_counts
from coderag.cli.output.text import Screen, Style, bytes_text, table, visible
from coderag.files.walk import Skipped
from coderag.index.reader.status import GraphStatus, MaskedFile, Problem, Status
from coderag.syntax.language import languages
from coderag.text.counted import counted

__all__ = [
    "by_kind",
    "graph_text",
    "labelled",
    "language_lines",
    "masked_list",
    "masked_text",
    "problem_list",
    "problem_text",
    "skipped_list",
    "skipped_text",
]

LABEL = 10  # characters of the words before a line of facts


def labelled(label: str, text: str, screen: Screen) -> str:
    """Return a line of facts with its label."""
    return f"  {screen.paint(label.ljust(LABEL), Style.DIM)} {text}"


def language_lines(status: Status, screen: Screen) -> list[str]:
    """Return a table of the languages."""
    if not status.languages:
        return []
    rows = [("Language", "Files", "Chunks", "Source")]
    rows += [
        (_title(language.language), *_counts(language.files, language.chunks, language.bytes))
        for language in status.languages
    ]
    if len(status.languages) > 1:
        rows.append(("all", *_counts(status.files, status.chunks, status.source_bytes)))
    head, *rest = table(rows, right=(1, 2, 3))
    return ["", screen.paint(head, Style.DIM), *rest, ""]


def _title(language: str) -> str:
    known = languages()
    return known[language].title if language in known else visible(language)


def _counts(files: int, chunks: int, size: int) -> tuple[str, str, str]:
    return f"{files:,}", f"{chunks:,}", bytes_text(size)


def graph_text(graph: GraphStatus) -> str:
    """Return how large a graph is."""
    return f"{counted(graph.nodes, 'node')}, {counted(graph.edges, 'edge')}, made in {graph.seconds:.2f} s"


def skipped_text(skipped: Sequence[Skipped]) -> str:
    """Return `4 files, 2 folders: 3 ignored (build/), ...`, with an example of each reason."""
    folders = sum(one.path.endswith("/") for one in skipped)
    what = [counted(number, noun) for number, noun in ((len(skipped) - folders, "file"), (folders, "folder")) if number]
    why = by_kind((str(one.reason), one.path) for one in skipped)
    return f"{', '.join(what)}: {why}" if skipped else "nothing"


def by_kind(examples: Iterable[tuple[str, str]]) -> str:
    """Return how many there are of each kind, the most frequent first, with the first example: `3 ignored (a.o)`."""
    first: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for kind, example in examples:
        first.setdefault(kind, example)
        counts[kind] += 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{number:,} {visible(kind)} ({visible(first[kind])})" for kind, number in ordered)


def skipped_list(skipped: Iterable[Skipped]) -> list[str]:
    """Return a line for each file or folder left out."""
    return [
        f"    {visible(one.path)}: {one.reason}{f' ({visible(one.detail)})' if one.detail else ''}" for one in skipped
    ]


def masked_text(masked: Sequence[MaskedFile]) -> str:
    """Return `3 secrets in 2 files: 2 GitHub token, 1 private key`."""
    counts = masked_counts(masked)
    kinds = ", ".join(f"{number:,} {visible(kind)}" for kind, number in counts.items())
    return f"{counted(sum(counts.values()), 'secret')} in {counted(len(masked), 'file')}: {kinds}"


def masked_list(masked: Iterable[MaskedFile]) -> list[str]:
    """Return a line for each secret that is covered."""
    return [
        f"    {visible(masked_file.path)}:{secret.line}: {visible(secret.kind)}"
        for masked_file in masked
        for secret in masked_file.secrets
    ]


def problem_text(problems: Sequence[Problem], *, examples: int = 1) -> str:
    """Return `3 files: 2 Python with syntax errors (a.py, ...), ...`."""
    if not problems:
        return "none"
    groups: dict[tuple[str, str], list[str]] = {}
    for one in problems:
        groups.setdefault((_title(one.language), one.problem), []).append(visible(one.path))
    parts = []
    for (title, problem), paths in sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])):
        some = ", ".join(paths[:examples]) + (", ..." if len(paths) > examples else "")
        parts.append(f"{len(paths):,} {title}, {visible(problem)} ({some})")
    return f"{counted(len(problems), 'file')} read all the same: " + "; ".join(parts)


def problem_list(problems: Iterable[Problem]) -> list[str]:
    """Return a line for each file with a problem."""
    return [f"    {visible(problem.path)}: {visible(problem.problem)}" for problem in problems]
