"""What `coderag index` and `coderag merge` did, and what the index holds now."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from coderag.api.records import plain
from coderag.api.status_records import masked_counts, skipped_counts
from coderag.cli.output.schema_summary import schema_lines
from coderag.cli.output.summary import (
    graph_text,
    labelled,
    language_lines,
    masked_list,
    masked_text,
    problem_list,
    problem_text,
    skipped_list,
    skipped_text,
)
from coderag.cli.output.text import Screen, Style, bytes_text, visible
from coderag.index.build.job import Report
from coderag.index.reader.status import Status
from coderag.text.counted import counted

__all__ = ["index_record", "summary_lines"]

FOLLOWS = "follows in the background; searches answer already, and what asks for it waits"
SLOWEST_TOLD = 0.005  # seconds; a shorter time says nothing of the speed


def summary_lines(report: Report, status: Status, shown: Screen, *, verbose: bool, follows: bool) -> list[str]:
    """Return what was done to an index, and what it contains now; `follows`: the graph is being built meanwhile.

    a first index      -> "shop  indexed 12 files, ...", languages, index, graph
    nothing to update  -> "shop  up to date: 12 files, ...", index, graph
    """
    lines = [f"{shown.paint(visible(status.repository), Style.TITLE)}  {_did(report, status)}"]
    if report.rebuilt:
        lines.append(labelled("again", f"all files, because {visible(report.rebuilt)}", shown))
    if report.read or verbose:
        lines += language_lines(status, shown)
    lines.append(labelled("index", f"{visible(status.folder)}, {bytes_text(status.index_bytes)}", shown))
    if follows:
        lines.append(labelled("graph", FOLLOWS, shown))
    elif status.graph is not None:
        lines.append(labelled("graph", graph_text(status.graph), shown))
    if report.embedded:
        lines.append(labelled("vectors", f"{counted(report.embedded, 'chunk')} embedded by {status.encoder}", shown))
    if status.skipped:
        lines.append(labelled("skipped", skipped_text(status.skipped), shown))
        lines += skipped_list(status.skipped) if verbose else []
    if status.masked:
        lines.append(labelled("masked", masked_text(status.masked), shown))
        lines += masked_list(status.masked) if verbose else []
    if status.problems:
        lines.append(labelled("problems", problem_text(status.problems), shown))
        lines += problem_list(status.problems) if verbose else []
    if status.missing_grammars:
        missing = shown.paint(", ".join(status.missing_grammars), Style.BAD)
        lines.append(labelled("grammars", f"not installed: {missing}; their files are read as lines", shown))
    lines += schema_lines(status.schema, shown, verbose=verbose)
    if not status.files and status.schema is None:
        lines.append(labelled("", f"there is nothing to read below {visible(status.root)}", shown))
    return lines


def _did(report: Report, status: Status) -> str:
    """Return what was done, in one line."""
    seconds = f"{report.seconds:.2f} s"
    holds = f"{counted(status.files, 'file')}, {counted(status.chunks, 'chunk')}, {bytes_text(status.source_bytes)}"
    speed = f", {bytes_text(report.bytes_read / report.seconds)}/s" if report.seconds > SLOWEST_TOLD else ""
    if not report.read and not report.removed and not report.embedded and not report.reused:
        return f"up to date: {holds} ({seconds})"
    if not report.unchanged and not report.removed and not report.reused:
        return f"indexed {holds} in {seconds}{speed}"
    counts = ((report.unchanged, "unchanged"), (report.reused, "known by content"), (report.removed, "gone"))
    others = ", ".join(
        [f"{counted(report.read, 'file')} read", *(f"{count:,} {what}" for count, what in counts if count)]
    )
    return f"{others} in {seconds}; now {holds}"


def index_record(report: Report, status: Status, *, verbose: bool) -> dict[str, Any]:
    """Return the same for a program."""
    record: dict[str, Any] = plain(replace(report, skipped=()))
    about: dict[str, Any] = {
        "root": status.root,
        "repository": status.repository,
        "folder": status.folder,
        "files": status.files,
        "index_bytes": status.index_bytes,
        "encoder": status.encoder,
        "graph": status.graph,
        "languages": status.languages,
        "skipped": status.skipped if verbose else skipped_counts(status.skipped),
        "problems": status.problems,
        "masked": status.masked if verbose else masked_counts(status.masked),
        "missing_grammars": status.missing_grammars,
        "schema": status.schema,
    }
    return record | about
