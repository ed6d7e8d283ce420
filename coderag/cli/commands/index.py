"""`coderag index`: roots to their indexes, and a summary of what was read."""

from __future__ import annotations

import argparse
import sys
from contextlib import suppress
from dataclasses import replace
from typing import Any

from coderag.api.index import Index
from coderag.api.records import plain
from coderag.api.roots import Root, check_folders
from coderag.api.status_records import masked_counts, skipped_counts
from coderag.cli.caller import for_owners
from coderag.cli.databases import databases_in, keep_databases
from coderag.cli.exit_codes import FOUND, NOTHING
from coderag.cli.opening import follow_up, has_background, note, note_repairs, note_untrusted, note_writer
from coderag.cli.output.progress import Bar
from coderag.cli.output.records import print_records
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
from coderag.cli.output.text import Screen, Style, bytes_text, screen, visible
from coderag.cli.roots import Paths, given_roots
from coderag.errors import StoredIndexError
from coderag.files.walk import MAX_BYTES, Listing, WalkOptions, walk
from coderag.index.build.job import Report
from coderag.index.reader.access_control import unread_rules
from coderag.index.reader.status import Status
from coderag.index.storage.manifest import read_manifest
from coderag.text.counted import counted
from coderag.types import Content

__all__ = ["run"]

DEFAULT_CONTENT = (Content.CODE, Content.DOCS)
FOLLOWS = "follows in the background; searches answer already, and what asks for it waits"
SLOWEST_TOLD = 0.005  # seconds; a shorter time says nothing of the speed


def run(options: argparse.Namespace) -> int:
    """Index every root; 1 when there was nothing to index."""
    for_owners("index")
    addresses, roots = databases_in(options.roots)
    placed = given_roots(options, roots, fetch=True)
    if options.dry_run:
        return _list_only(placed, options)
    if options.trust:
        Index.trust(*(root.root for root in placed), index=options.index)
        placed = given_roots(options, roots)
    check_folders(placed)
    keep_databases(addresses, placed, options)
    shown = screen(options.color)
    records = []
    chunks = 0
    for root in placed:
        index, follows = _bring_up(root, options)
        report, status = index.reports[0], index.status(compare=False)[0]
        chunks += len(index) or bool(status.schema)
        if options.json:
            records.append(_record(report, status, verbose=options.verbose) | {"graph_follows": follows})
        elif not options.quiet:
            print("\n".join(_summary(report, status, shown, verbose=options.verbose, follows=follows)), flush=True)
    if options.json:
        print_records(records, options.format)
    return FOUND if chunks else NOTHING


def _bring_up(one: Root, options: argparse.Namespace) -> tuple[Index, bool]:
    """Return the index of a root after reading what changed, or all of it, with its segments merged.

    And whether its graph follows in the background.
    """
    later = has_background() and not options.wait
    asked = {
        "contents": options.content,
        "max_bytes": options.max_bytes,
        "encoder": options.encoder,
        "mask": options.mask,
        "workers": options.workers,
        "cache": not options.no_cache,
        "graph": not (options.no_graph or later),
        "history": options.history,
    }
    note_untrusted(one)
    with Bar(f"Indexing {visible(one.repository)}", wanted=not options.quiet, at_once=True) as bar:
        if options.rebuild:
            index = Index.build(one.root, index=one.index, **_as_made(one, asked), watch=bar, waiting=note_writer)
        else:
            index = Index.ensure(one.root, index=one.index, **asked, watch=bar, waiting=note_writer)
        index.close()
        if index.reports[0].merge_due:
            index.merge()
    if not later:
        from coderag.api.updater import read_history

        read_history(one)
    note_repairs(index)
    for why in unread_rules(read_manifest(one.folder)):
        note(f"{why}; callers of groups see nothing that its access rules may be about")
    return index, later and follow_up(one, graph=not options.no_graph)


def _as_made(one: Root, asked: dict[str, Any]) -> dict[str, Any]:
    """Return what is asked for, and for what is not how a root's index was made before."""
    made = None
    with suppress(StoredIndexError):
        made = read_manifest(one.folder)
    contents = asked["contents"] or (made.contents if made else DEFAULT_CONTENT)
    return asked | {"contents": contents, "max_bytes": asked["max_bytes"] or (made.max_bytes if made else None)}


def _summary(report: Report, status: Status, shown: Screen, *, verbose: bool, follows: bool) -> list[str]:
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


def _record(report: Report, status: Status, *, verbose: bool) -> dict[str, Any]:
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


def _list_only(placed: list[Root], options: argparse.Namespace) -> int:
    """Print what would be read, one file a line, and write nothing."""
    paths = Paths(placed)
    listings = {root: _listing(root, options) for root in placed}
    files = [(one.repository, file) for one, listing in listings.items() for file in listing.files]
    if options.json:
        print_records(
            (
                {
                    "repository": name,
                    "path": file.path,
                    "language": file.language,
                    "bytes": file.size,
                    "labels": file.labels,
                }
                for name, file in files
            ),
            options.format,
        )
    elif not options.quiet:
        for name, file in files:
            print(f"{visible(paths.of(file.path, name))}\t{file.language}")
    skipped = [one for listing in listings.values() for one in listing.skipped]
    size = bytes_text(sum(file.size for _, file in files))
    if not options.quiet:
        note(f"{counted(len(files), 'file')}, {size} would be read; skipped {skipped_text(skipped)}")
    if options.verbose:
        print("\n".join(skipped_list(skipped)), file=sys.stderr)
    return FOUND if files else NOTHING


def _listing(one: Root, options: argparse.Namespace) -> Listing:
    made = None
    with suppress(StoredIndexError):
        made = read_manifest(one.folder)
    contents = options.content or (made.contents if made else DEFAULT_CONTENT)
    max_bytes = options.max_bytes or (made.max_bytes if made else MAX_BYTES)
    return walk(one.root, WalkOptions(max_bytes, frozenset(map(Content, contents))))
